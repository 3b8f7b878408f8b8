#!/usr/bin/env bash
# The main job, for real: three server processes on loopback; append from a pipe, tail, kill the leader while appending, compare
# every replica byte for byte with what was sent, truncate. Called by `./dev demo`.
#
#   TIDEMARK_DIST=DIRECTORY chaos-tests/demo.sh [--keep]
#
# TIDEMARK_DIST is the unpacked distribution; --keep leaves data and logs behind.
# Exit 0 if everything held, else 1 with the reason. Stops only what it started.
set -euo pipefail

dist=$(cd "${TIDEMARK_DIST:?the unpacked distribution}" && pwd)
keep=${1:-}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-demo.XXXXXX")
tidemark=$dist/bin/tidemark
stream=demo/log
records_during_kill=100000
declare -A pid client_port
export TIDEMARK_SERVER_OPTS=${TIDEMARK_SERVER_OPTS:-"-Xms64m -Xmx384m"}

if [ -t 1 ]; then bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' plain=$'\e[0m'; else bold='' dim='' green='' plain=''; fi
step() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
say() { printf '   %s\n' "$*"; }
good() { printf '   %s✓ %s%s\n' "$green" "$*" "$plain"; }
fail() { printf '\ndemo failed: %s\nserver logs: %s\n' "$*" "$work" >&2; keep=--keep; exit 1; }
# Shows a command as a user would type it, then runs it.
run() { printf '   %s$ tidemark %s%s\n' "$dim" "$*" "$plain"; "$tidemark" "$@"; }

stop_servers() {
    for id in "${!pid[@]}"; do kill "${pid[$id]}" 2>/dev/null || true; done
    for id in "${!pid[@]}"; do wait "${pid[$id]}" 2>/dev/null || true; done
}
cleanup() {
    stop_servers
    [ "$keep" = --keep ] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

free_port() { # the next port that nobody listens on
    while (exec 3<>"/dev/tcp/127.0.0.1/$next_port") 2>/dev/null; do next_port=$((next_port + 1)); done
    port=$next_port
    next_port=$((next_port + 1))
}
start_server() {
    "$tidemark" server --id "$1" --cluster "$cluster" --data "$work/$1" --http-port 0 >>"$work/$1.log" 2>&1 &
    pid[$1]=$!
}
await() { # await SECONDS WHAT COMMAND...
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || fail "$what did not happen in time"
        sleep 0.3
    done
}
leader() { "$tidemark" stream describe "$stream" -o json | tr -d ' \n' | sed -n 's/.*"leader":"\([^"]*\)".*/\1/p'; }
replica_has_all() { # replica_has_all ID EXPECTED_FILE
    "$tidemark" read "$stream" --replica "127.0.0.1:${client_port[$1]}" >"$work/read-$1" && cmp -s "$2" "$work/read-$1"
}

step "Three servers on this machine"
next_port=$((20000 + RANDOM % 8000))
cluster=''
for id in n1 n2 n3; do
    free_port; client_port[$id]=$port
    free_port; cluster="$cluster${cluster:+,}$id=127.0.0.1:${client_port[$id]}:$port"
done
for id in n1 n2 n3; do start_server "$id"; done
export TIDEMARK_SERVERS="127.0.0.1:${client_port[n1]},127.0.0.1:${client_port[n2]},127.0.0.1:${client_port[n3]}"
await 60 "a cluster with a leader" "$tidemark" --timeout 5s stream list
run cluster status

step "A stream with three replicas"
run stream create "$stream" --replicas 3

step "Append real logs from a pipe"
log=$(ls -S /var/log/dpkg.log /var/log/apt/history.log /var/log/syslog 2>/dev/null | head -n 1 || true)
{ [ -n "$log" ] && head -c 4000000 "$log"; git -C "$root" log --stat 2>/dev/null || true; } >"$work/sent" || true
[ -s "$work/sent" ] || seq -f 'no log on this machine, line %.0f' 1 5000 >"$work/sent"
# A record is a line; a last line without its end would join the next one in the comparison.
[ -z "$(tail -c 1 "$work/sent")" ] || echo >>"$work/sent"
say "${log:-(no log file)} and the git history: $(wc -l <"$work/sent") lines"
printf '   %s$ cat … | tidemark append %s%s\n' "$dim" "$stream" "$plain"
"$tidemark" append "$stream" <"$work/sent"
run tail "$stream" -n 3

step "Kill the leader while appending $records_during_kill more records"
victim=$(leader)
[ -n "$victim" ] || fail "no leader shown for $stream"
lines() { seq -f "record %.0f, written while a leader dies" "$1" "$2"; }
{
    lines 1 40000
    kill -KILL "${pid[$victim]}"
    printf '   kill -9 %s (the leader)\n' "$victim" >&2
    lines 40001 "$records_during_kill"
} | "$tidemark" append "$stream" || fail "appending did not survive the loss of the leader"
lines 1 "$records_during_kill" >>"$work/sent"
wait "${pid[$victim]}" 2>/dev/null || true
good "appends went on; the leader is now $(leader)"

step "Start the killed server again, and compare"
start_server "$victim"
for id in n1 n2 n3; do
    await 60 "replica $id holding exactly what was sent" replica_has_all "$id" "$work/sent"
    good "$id: $(wc -c <"$work/read-$id") bytes read, equal to what was sent"
done

step "Truncate"
end=$(wc -l <"$work/sent")
keep_from=$((end - 1000))
run truncate "$stream" --before "$keep_from" --dry-run
run truncate "$stream" --before "$keep_from"
say "reading below the start is a typed error, not a silent jump:"
code=0
run read "$stream" --from 0 || code=$?
[ "$code" = 3 ] || fail "reading below the start gave exit code $code instead of 3"
"$tidemark" read "$stream" --from "$keep_from" >"$work/kept"
cmp -s <(tail -n 1000 "$work/sent") "$work/kept" || fail "the kept records changed"
good "exit code 3; the last 1000 records are as they were"

step "Stop"
stop_servers
good "done: nothing lost, nothing twice, all replicas equal"
