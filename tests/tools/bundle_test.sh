#!/usr/bin/env bash
# The relocatable bundle on its own: made from a build, unpacked to a fresh folder, run there without
# the environment and, where this user may, without the files of the machine that it was built on.
#   bundle_test.sh SOURCE BUILD [ROOT]
#     ROOT   another system's root folder (such as debootstrap makes) to run in by chroot, as root
# Ends with 77 (skipped) where the tools that make a bundle are missing.
set -euo pipefail
source=$1 build=$2 other_root=${3:-}

for tool in patchelf xz; do
    command -v $tool >/dev/null || { echo "skipped: $tool is missing (tools/deps.sh bundle)"; exit 77; }
done
scratch=$(mktemp -d)
mounted=()
finish() {
    [ ${#mounted[@]} -eq 0 ] || umount "${mounted[@]}"
    rm -rf "$scratch"
}
trap finish EXIT
fail() { echo "bundle_test: $*" >&2; exit 1; }

"$source/tools/bundle.sh" --output "$scratch/bundle.tar.xz" --compression 0 "$build"
fresh="$scratch/a folder of its own"
mkdir "$fresh"
tar -C "$fresh" -xf "$scratch/bundle.tar.xz"
bundle=$(echo "$fresh"/systole-*)
demo=share/systole/assets/demo_cine_mr.nii.gz

# Hides source and build by a mount of its own, where that is allowed.
hidden=no
alone() { # command...
    if [ $hidden = yes ]; then
        # shellcheck disable=SC2016 # for the inner shell
        unshare --mount sh -c 'mount -t tmpfs none "$0" && { [ ! -d "$1" ] || mount -t tmpfs none "$1"; } &&
            shift && exec env -i HOME=/nonexistent PATH=/usr/bin:/bin "$@"' "$source" "$build" "$@"
    else
        env -i HOME=/nonexistent PATH=/usr/bin:/bin "$@"
    fi
}
# shellcheck disable=SC2016 # for the inner shell
if unshare --mount sh -c 'mount -t tmpfs none "$0"' "$source" 2>/dev/null; then
    hidden=yes
else
    echo "bundle_test: the source folder can't be hidden here (needs root); it stays visible"
fi

echo "== version and doctor"
version=$(alone "$bundle/systole" --version)
[ "$version" = "systole $(sed -n 's/^project(systole VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")" ] ||
    fail "--version says '$version'"
alone "$bundle/systole" doctor | tee "$scratch/doctor"
grep -q '^OpenGL' "$scratch/doctor" || fail "doctor says nothing about OpenGL"

echo "== a picture of the sequence that comes along, and every library that it takes"
alone LD_DEBUG=libs LD_DEBUG_OUTPUT="$scratch/loader" "$bundle/systole" snapshot "$bundle/$demo" \
    -o "$scratch/picture.png" --size 320x240 --overlay arrows --threads 2
[ "$(head -c 4 "$scratch/picture.png" | tail -c 3)" = PNG ] || fail "snapshot wrote no picture"
cat "$scratch"/loader.* | sed -n 's/.*calling init: //p' | sort -u >"$scratch/loaded"
[ -s "$scratch/loaded" ] || fail "the loader named no library"
# Allowed outside: the target's own, and what its OpenGL driver needs.
target_owns=$(sed -n 's/^target_owns=//p' "$source/tools/bundle_target.txt")
find /usr/lib /usr/local/nvidia \( -name 'libEGL_*.so*' -o -name 'libGLX_*.so*' -o -path '*/dri/*.so' \
    -o -name 'libnvidia*' -o -name 'libcuda.so*' \) 2>/dev/null >"$scratch/drivers" ||
    true # a folder that isn't there
{
    cat "$scratch/drivers"
    xargs -d '\n' ldd <"$scratch/drivers" 2>/dev/null | awk '$2 == "=>" { print $3 }' || true
} | sed 's|.*/||' | sort -u >"$scratch/driver_libraries"
outside=$(grep -vF "$bundle/" "$scratch/loaded" | grep -vE "/($target_owns)\.so" |
    while read -r library; do
        grep -qxF "$(basename "$library")" "$scratch/driver_libraries" || echo "$library"
    done)
[ -z "$outside" ] || fail "libraries from outside the bundle: $outside"
echo "$(wc -l <"$scratch/loaded") libraries, $(grep -cF "$bundle/" "$scratch/loaded") of them the bundle's"

echo "== a lesson, its page and the record that answers it, from the bundle alone"
alone "$bundle/systole" lab --lesson 1 >"$scratch/lesson"
grep -q 'Recorded on\|Measured now on' "$scratch/lesson" || fail "lesson 1 has no source: $(head -n 3 "$scratch/lesson")"
page=$(sed -n 's|^The page: docs/lessons/||p' "$scratch/lesson")
[ -s "$bundle/share/systole/lessons/$page" ] || fail "no page '$page' of lesson 1"

echo "== what the user has set stays"
cat >"$bundle/bin/say-environment" <<'SAY'
#!/bin/sh
echo "$LD_LIBRARY_PATH|${__EGL_VENDOR_LIBRARY_FILENAMES:-}|${__EGL_VENDOR_LIBRARY_DIRS:-}|${FONTCONFIG_FILE:-}"
SAY
chmod +x "$bundle/bin/say-environment"
said=$(env LD_LIBRARY_PATH=/mine __EGL_VENDOR_LIBRARY_FILENAMES=/my.json FONTCONFIG_FILE=/my.conf \
    SYSTOLE_PROGRAM=say-environment "$bundle/systole")
case $said in
    "/mine|/my.json||/my.conf" | "/mine:"*"|/my.json||/my.conf") ;;
    *) fail "the launcher made '$said' of the user's settings" ;;
esac

echo "== licences"
while read -r library; do
    package=$(dpkg-query -S "$(readlink -f "$library")" 2>/dev/null || dpkg-query -S "$(readlink -f "$library" | sed 's|^/usr||')")
    [ -s "$bundle/licences/${package%%:*}" ] || fail "no licence of ${package%%:*}"
done < <(ldd "$build/systole" | awk '$3 ~ "^/" { print $3 }' | grep -vE "/($target_owns)\.so")

if [ -n "$other_root" ]; then
    echo "== in $other_root"
    inside=$other_root/opt/systole-under-test
    mkdir -p "$inside"
    mount --bind "$bundle" "$inside"
    mounted+=("$inside")
    mount -t proc proc "$other_root/proc"
    mounted+=("$other_root/proc")
    for arguments in --version doctor "snapshot /opt/systole-under-test/$demo -o /tmp/picture.png --size 320x240"; do
        # shellcheck disable=SC2086 # words
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$other_root" /opt/systole-under-test/systole $arguments
    done
    [ -s "$other_root/tmp/picture.png" ] || fail "no picture in $other_root"
    rm "$other_root/tmp/picture.png"
fi
echo "bundle_test: passed"
