#!/usr/bin/env bash
# The container's recipe where no container can be built: its steps in a chroot of Debian 12 made by mmdebstrap,
# and a small cohort in there.
#   container_test.sh SOURCE BUILD
#     BUILD   a build whose bundle is what the first stage makes; "whole": the first stage is executed, too
# Ends with 77 (skipped) where mmdebstrap or patchelf is missing or this isn't root.
set -euo pipefail
source=$(cd "$1" && pwd)
build=$2
fail() { echo "container_test: $*" >&2; exit 1; }

# Both recipes execute the same two scripts and name no other source of software than Debian 12.
for recipe in Dockerfile systole.def; do
    text=$(cat "$source/tools/container/$recipe")
    for step in "/source/tools/container/build.sh /source /opt/systole" "/install.sh /opt/systole" debian:12; do
        case $text in *"$step"*) ;; *) fail "$recipe lacks '$step'" ;; esac
    done
    case $text in *://*) fail "$recipe names a host" ;; esac
done

for tool in mmdebstrap patchelf; do
    command -v $tool >/dev/null || { echo "skipped: $tool is missing (tools/deps.sh bundle container)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: a chroot needs root"; exit 77; }
# Mounts end with this namespace, however the script ends.
[ -n "${SYSTOLE_OWN_MOUNTS:-}" ] || exec env SYSTOLE_OWN_MOUNTS=1 unshare --mount "$0" "$source" "$build"

scratch=$(mktemp -d)
finish() {
    umount --recursive --lazy "$scratch"/*/proc "$scratch"/*/dev 2>/dev/null || true
    rm -rf --one-file-system "$scratch"
}
trap finish EXIT
enter() { # root, command...
    local root=$1
    shift
    env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 chroot "$root" "$@"
}
prepare() { # root: a bare Debian 12 with this machine's way into the network
    mmdebstrap --quiet --variant=apt bookworm "$1"
    cp -L /etc/resolv.conf "$1/etc/"
    mount --rbind /proc "$1/proc"
    mount --rbind /dev "$1/dev"
}

root=$scratch/final
prepare "$root"
mkdir -p "$root/opt/systole"
if [ "$build" = whole ]; then
    prepare "$scratch/build"
    mkdir "$scratch/build/source"
    git -C "$source" ls-files -z --cached --others --exclude-standard | (cd "$source" && xargs -0 cp --parents -t "$scratch/build/source")
    enter "$scratch/build" /source/tools/container/build.sh /source /opt/systole
    cp -r "$scratch/build/opt/systole" "$root/opt/"
else
    "$source/tools/bundle.sh" --small --folder "$root/opt/systole" "$build"
fi
cp "$source/tools/container/install.sh" "$root/"
enter "$root" /install.sh /opt/systole
for heart in 1 2; do
    enter "$root" systole phantom -o "/data/h$heart" --size 24 --frames 3 --seed $heart
done
printf 'file,labels,id\nh1/sequence.nii.gz,h1/labels.nii.gz,1\nh2/sequence.nii.gz,h2/labels.nii.gz,2\n' >"$root/data/cases.csv"
enter "$root" systole cohort /data/cases.csv /results --backend cpu --set levels=2
[ -s "$root/results/report.html" ] || fail "no report"
grep -q 'data:image/png' "$root/results/report.html" || fail "no pictures in the report"
du -shx "$root" | sed 's/\t.*/ in the root folder/'
