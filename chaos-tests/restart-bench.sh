#!/usr/bin/env bash
# How long a server takes to be ready again after `kill -9`, with little and with much stored: the two should not differ, as a restart
# reads what came after the last checkpoint, not what is stored. Called by `./dev bench restart`.
#
#   TIDEMARK_DIST=DIRECTORY chaos-tests/restart-bench.sh [STARTS]
#
# One server on loopback; at 200 MiB and at 2 GiB stored it is killed and started STARTS times (default 5), each time with 20 MiB more
# to replay. Ready is when its log says so; then the last record is read. Exit 0 if the median at 2 GiB is below 5 s, else 1.
# Needs 5 GiB of disk under TMPDIR. Stops only what it started.
set -euo pipefail

dist=$(cd "${TIDEMARK_DIST:?the unpacked distribution}" && pwd)
starts=${1:-5}
work=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-restart.XXXXXX")
tidemark=$dist/bin/tidemark
line_chars=100000
limit_ms=5000
server=

cleanup() {
    [ -z "$server" ] || { kill -KILL "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

die() { printf 'restart-bench: %s\n' "$*" >&2; tail -n 5 "$work/log" >&2 || true; exit 1; }
now_ms() { date +%s%3N; }
answers() { exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null
free_port() {
    port=$((20000 + RANDOM % 8000))
    while (answers "$port"); do port=$((port + 1)); done
}
free_port; client=$port
free_port; raft=$port
export TIDEMARK_SERVERS=127.0.0.1:$client

start() {
    : >"$work/log"
    "$tidemark" server --id n1 --cluster "n1=127.0.0.1:$client:$raft" --data "$work/data" --http-port 0 >"$work/log" 2>&1 &
    server=$!
}
await_ready() {
    local deadline=$((SECONDS + 120))
    until grep -q ' ready' "$work/log"; do
        kill -0 "$server" 2>/dev/null || die "the server has stopped"
        [ "$SECONDS" -lt "$deadline" ] || die "not ready within two minutes"
        sleep 0.02
    done
}
kill_server() { kill -KILL "$server"; wait "$server" 2>/dev/null || true; server=; }

# A text of so many MiB that does not compress, a line of 100,000 characters a record.
text() { head -c "$(($1 * 3 * 256 * 1024))" /dev/urandom | base64 -w "$line_chars"; }

grow() { # grow MIB
    text "$1" | "$tidemark" append data
    stored=$((stored + $1))
}

measure() {
    local times=() from ready
    for _ in $(seq "$starts"); do
        text 20 | "$tidemark" append data >/dev/null
        stored=$((stored + 20))
        kill_server
        from=$(now_ms)
        start
        await_ready
        ready=$(($(now_ms) - from))
        times+=("$ready")
        "$tidemark" tail data -n 1 >"$work/last"
        [ -s "$work/last" ] || die "the last record cannot be read"
    done
    median=$(printf '%s\n' "${times[@]}" | sort -n | sed -n "$(((starts + 1) / 2))p")
    printf '%5d MiB stored: ready after %d ms (median of %d: %s)\n' "$stored" "$median" "$starts" "${times[*]}"
}

stored=0
start
await_ready
"$tidemark" stream create data >/dev/null
grow 100
measure
small=$median
grow $((2048 - stored - 20 * starts))
measure
printf 'ratio %s\n' "$(awk "BEGIN { printf \"%.2f\", $median / $small }")"
[ "$median" -lt "$limit_ms" ] || die "not ready within $limit_ms ms"
