#!/usr/bin/env bash
# Builds the image from the distribution (`./dev image`) and tries it: starts the server in it and appends and reads one
# record. Needs root, buildah and debootstrap, no container engine and no image registry: the base comes from Debian's
# packages. Leaves docker/target/tidemark-image-VERSION.tar for `docker load`; everything else stays in docker/target/image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

die() {
    printf 'build-image: %s\n' "$*" >&2
    exit 1
}

say() {
    printf 'build-image: %s\n' "$*" >&2
}

[ "$(id -u)" = 0 ] || die "must be root"
for command in buildah debootstrap tar; do
    command -v "$command" >/dev/null || die "$command is missing"
done
tarball=${TIDEMARK_TARBALL:-}
if [ -z "$tarball" ]; then
    for tarball in target/tidemark-*.tar.gz; do :; done
fi
[ -f "$tarball" ] || die "no distribution; run ./dev dist first"
version=$(basename "$tarball" .tar.gz)
version=${version#tidemark-}
tag=localhost/tidemark:$version

work=$PWD/target/image
mkdir -p "$work/context"

# Storage of its own, so that nothing is left in, or taken from, the machine's.
buildah_() {
    buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}

container=
cleanup() {
    [ -z "$container" ] || buildah_ rm "$container" >/dev/null 2>&1 || true
}
trap cleanup EXIT

base=$work/base.tar
if [ ! -f "$base" ]; then
    say "making the base system (once, about a minute)"
    rm -rf "$work/rootfs"
    debootstrap --variant=minbase bookworm "$work/rootfs" >"$work/debootstrap.log" 2>&1 \
        || die "debootstrap failed, see $work/debootstrap.log"
    rm -rf "$work/rootfs"/var/cache/apt/archives/*.deb "$work/rootfs"/var/lib/apt/lists/*
    tar -C "$work/rootfs" --numeric-owner -cf "$base.new" .
    mv "$base.new" "$base"
    rm -rf "$work/rootfs"
fi
if ! buildah_ inspect --type image localhost/tidemark-base >/dev/null 2>&1; then
    container=$(buildah_ from scratch)
    buildah_ add -q "$container" "$base" / >/dev/null
    buildah_ commit -q "$container" localhost/tidemark-base >/dev/null
    buildah_ rm "$container" >/dev/null
    container=
fi

say "building $tag"
rm -f "$work"/context/*
cp "$tarball" "$work/context/"
buildah_ bud --isolation chroot --format docker --pull-never --build-arg BASE=localhost/tidemark-base \
    -t "$tag" -f Dockerfile "$work/context" >"$work/build.log" 2>&1 \
    || { tail -n 20 "$work/build.log" >&2; die "the build failed, see $work/build.log"; }

say "trying it"
# Ports of its own: a container in a chroot shares the machine's network.
container=$(buildah_ from --pull-never "$tag")
# shellcheck disable=SC2016 # the inner shell expands
buildah_ run --isolation chroot "$container" -- bash -c '
    set -u
    cleanup() { kill -TERM "$server" 2>/dev/null; wait "$server"; }
    [ "$(id -u)" = 7420 ] || { echo "runs as $(id -u), not as tidemark"; exit 1; }
    tidemark server --id n1 --cluster n1=127.0.0.1:27420:27421 --http-port 27422 --data /tmp/data &
    server=$!
    for try in $(seq 60); do
        kill -0 "$server" 2>/dev/null || { echo "the server has stopped"; exit 1; }
        tidemark stream create try --server 127.0.0.1:27420 >/dev/null 2>&1 && break
        [ "$try" -lt 60 ] || { echo "no stream within a minute"; cleanup; exit 1; }
        sleep 1
    done
    echo "from an image" | tidemark append try --server 127.0.0.1:27420 || { cleanup; exit 1; }
    got=$(tidemark read try --from 0 --limit 1 --server 127.0.0.1:27420)
    cleanup
    case $got in
        *"from an image"*) ;;
        *) echo "read back: $got"; exit 1 ;;
    esac
    [ -r /opt/tidemark/lib/cli.jsa ] || echo "note: no class-data archive for the client"
' >"$work/try.log" 2>&1 || { tail -n 40 "$work/try.log" >&2; die "the image does not work, see $work/try.log"; }
grep '^note:' "$work/try.log" >&2 || true

image=target/tidemark-image-$version.tar
rm -f "$image"
buildah_ push -q "$tag" "docker-archive:$PWD/$image:tidemark:$version" >/dev/null
printf 'OK: docker/%s (%s MB): docker load -i it\n' "$image" "$(($(stat -c %s "$image") / 1000000))"
