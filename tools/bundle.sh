#!/usr/bin/env bash
# Makes a relocatable archive of the built program. It runs from any folder on a Linux with the same or a
# newer glibc and a graphics driver.
#   tools/bundle.sh [--output FILE [--overwrite]] [--folder DIR] [--small] [--with-tests] [--compression 0-9] BUILD
#     --output FILE       the archive; without it build/systole-VERSION-linux-ARCHITECTURE.tar.xz
#     --overwrite         replace FILE if it exists
#     --folder DIR        leave the files in DIR and write no archive; DIR must be new, empty, or hold an
#                         earlier bundle and nothing else
#     --small             for machines without a screen: no window system, no tables of ICU
#     --with-tests        include the tests of CUDA devices, in bin/
#     --compression 0-9   compression level of xz (default 9)
#     BUILD               the build folder
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
output='' folder='' overwrite=no small=no tests=no compression=9 build=''

say() { printf 'bundle: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
    case $1 in
        --output | --folder | --compression)
            [ $# -gt 1 ] || { say "$1 needs a value" >&2; exit 2; }
            case $1 in
                --output) output=$2 ;;
                --folder) folder=$2 ;;
                *) compression=$2 ;;
            esac
            shift ;;
        --overwrite) overwrite=yes ;;
        --small) small=yes ;;
        --with-tests) tests=yes ;;
        -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        -*) say "there is no option '$1'" >&2; exit 2 ;;
        *) build=$1 ;;
    esac
    shift
done
[ -n "$build" ] || { say "which build folder?" >&2; exit 2; }
[ -x "$build/systole" ] && [ -x "$build/systole-bench" ] || fail "$build holds no program"
if [ -e "$output" ] && [ "$overwrite" = no ] && [ -z "$folder" ]; then
    fail "$output exists already; --overwrite replaces it"
fi
# A bundle lists its files; with any other file in it the folder isn't only ours.
if [ -n "$folder" ] && [ -e "$folder" ]; then
    [ -d "$folder" ] && [ ! -L "$folder" ] || fail "$folder isn't a folder"
    others=$(cd "$folder" && find . ! -type d | sort | comm -23 - <({ cat files.txt 2>/dev/null; echo ./files.txt; } | sort) | sed -n 1p)
    [ -z "$others" ] || fail "$folder has files that no bundle wrote, such as $others; choose another folder"
fi
for tool in patchelf xz readelf strip; do
    command -v "$tool" >/dev/null || fail "$tool is missing; tools/deps.sh build bundle installs it"
done

version=$(sed -n 's/^project(systole VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
name=systole-$version-linux-$(uname -m)
: "${output:=$root/build/$name.tar.xz}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/$name
mkdir -p "$bundle"/{bin,lib,share/systole/assets,share/systole/fonts,licences}

# Libraries of the target system: the C and C++ runtimes (its driver and Mesa were built against them) and
# OpenGL, which belongs to the driver. bundle_test.sh has the same list.
target_owns=$(sed -n 's/^target_owns=//p' "$root/tools/bundle_target.txt")

# --- programs and plugins
for program in systole systole-bench; do
    install -s "$build/$program" "$bundle/bin/$program"
done
if [ "$tests" = yes ]; then
    for test in "$build"/*gpu_tests; do
        install -s "$test" "$bundle/bin/$(basename "$test")"
    done
fi
printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$bundle/bin/qt.conf"
# The folder named by Debian's own multiarch triplet, as qmake6 -query QT_INSTALL_PLUGINS says.
plugins=$(dirname "$(dirname "$(find /usr/lib -path '*qt6/plugins/platforms/libqoffscreen.so' -print -quit)")")
chosen="platforms/libqoffscreen.so"
if [ $small = no ]; then
    chosen="$chosen platforms/libqxcb.so xcbglintegrations/libqxcb-glx-integration.so"
    chosen="$chosen xcbglintegrations/libqxcb-egl-integration.so"
fi
for plugin in $chosen; do
    mkdir -p "$bundle/plugins/$(dirname "$plugin")"
    cp "$plugins/$plugin" "$bundle/plugins/$plugin"
done

# --- libraries: all that the files so far need, directly or through others
find "$bundle/bin" "$bundle/plugins" -type f ! -name qt.conf -exec ldd {} + >"$scratch/needed"
if grep -q 'not found' "$scratch/needed"; then
    grep 'not found' "$scratch/needed" >&2
    fail "libraries are missing on this machine"
fi
awk '$2 == "=>" && $3 ~ "^/" { print $3 }' "$scratch/needed" | sort -u |
    grep -vE "/($target_owns)\.so" >"$scratch/libraries"
while read -r library; do
    cp -L "$library" "$bundle/lib/"
done <"$scratch/libraries"
strip --strip-unneeded "$bundle"/lib/*
find "$bundle/plugins" -type f -exec strip --strip-unneeded {} +

# Every file looks in lib/ first, wherever the bundle lies. An rpath in the executable alone would not
# do: some libraries (libmpi) have a runpath of their own, which shuts it out. DT_RPATH comes before
# LD_LIBRARY_PATH, so that no other version of a library is mixed in by a user's environment.
set_path() { # rpath, files...
    local path=$1
    shift
    for file; do patchelf --force-rpath --set-rpath "$path" "$file"; done
}
# shellcheck disable=SC2016 # the loader expands $ORIGIN
{
    find "$bundle/bin" -type f ! -name qt.conf -print0 | while IFS= read -r -d '' file; do
        set_path '$ORIGIN/../lib' "$file"
    done
    set_path '$ORIGIN' "$bundle"/lib/*
    set_path '$ORIGIN/../../lib' "$bundle"/plugins/*/*
}

if [ $small = yes ]; then
    # An ICU archive with an empty table of contents, as in ICU's own stubdata: 30 MB less, and Qt
    # sorts and formats as in the C locale.
    icu=$(basename "$bundle"/lib/libicudata.so.*)
    sed "s/VERSION/${icu##*.}/" >"$scratch/icu.c" <<'C'
#include <stdint.h>
const struct {
    uint16_t headerSize; uint8_t magic1, magic2;
    uint16_t infoSize, reserved; uint8_t bigEndian, charset, charSize, reserved2;
    uint8_t format[4], formatVersion[4], dataVersion[4];
    uint8_t padding[8]; uint32_t count, reserved3;
} __attribute__((aligned(16))) icudtVERSION_dat = {
    32, 0xda, 0x27, 20, 0, 0, 0, 2, 0, {'T', 'o', 'C', 'P'}, {1}, {0}, {0}, 0, 0 };
C
    rm "$bundle/lib/$icu"
    cc -shared -fPIC -s -Wl,-soname,"$icu" -o "$bundle/lib/$icu" "$scratch/icu.c"
fi

# --- data
cp -r "$root"/assets/* "$bundle/share/systole/assets/"
cp -r "$root/docs/lessons" "$root/docs/manual" "$bundle/share/systole/"
mkdir "$bundle/share/systole/pictures" # of the manual's pages
grep -rhoP '\.\./pictures/\K[\w.-]+' "$root/docs/manual" | sort -u |
    while read -r picture; do cp "$root/docs/pictures/$picture" "$bundle/share/systole/pictures/"; done
font=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
cp "$font" "$bundle/share/systole/assets/"
ln -s ../assets/DejaVuSans.ttf "$bundle/share/systole/fonts/DejaVuSans.ttf"
cat >"$bundle/share/systole/fonts/fonts.conf" <<'XML'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
XML

# --- licences: what Debian says of every package that a file of the bundle comes from
cp "$root/LICENSE" "$bundle/licences/systole"
# In the executable itself: headers, static libraries and CUDA's runtime.
linked_in=(libimgui-dev libstb-dev libcli11-dev nlohmann-json3-dev libeigen3-dev libfmt-dev
    libinsighttoolkit5-dev)
{
    for path in $(cat "$scratch/libraries") $(for p in $chosen; do echo "$plugins/$p"; done) "$font"; do
        # Packages name files as they were before /lib became a link to /usr/lib.
        real=$(readlink -f "$path")
        dpkg-query -S "$real" 2>/dev/null || dpkg-query -S "${real#/usr}"
    done | sed 's/: .*//; s/:.*//'
    dpkg-query -W -f '${Package}\n' "${linked_in[@]}" 2>/dev/null
} | sort -u >"$scratch/packages"
while read -r package; do
    cp -L "/usr/share/doc/$package/copyright" "$bundle/licences/$package"
done <"$scratch/packages"
mkdir "$bundle/licences/common"
cp -L /usr/share/common-licenses/* "$bundle/licences/common/"
{
    echo "The program is under licences/systole, the data under share/systole/assets/LICENSES.md."
    echo "The other files of this folder are Debian's statements on the packages that the libraries here"
    echo "were taken from, unchanged but stripped; licences/common holds the texts that they name."
    echo "Sources of each are in Debian's archive (https://snapshot.debian.org) under these versions:"
    echo
    # shellcheck disable=SC2016,SC2046 # dpkg-query expands its own format; names are words
    dpkg-query -W -f '${Package} ${Version}, source ${source:Package} ${source:Version}\n' \
        $(cat "$scratch/packages")
    if grep -qa cudaLaunchKernel "$bundle/bin/systole"; then
        echo
        echo "CUDA's runtime library is linked in, under NVIDIA's licence: https://docs.nvidia.com/cuda/eula"
    fi
} >"$bundle/licences/README"

# --- launcher
install -m 755 "$root/tools/bundle_launcher.sh" "$bundle/systole"
glibc=$(find "$bundle" -type f ! -name qt.conf \( -path '*/bin/*' -o -name '*.so*' \) -exec readelf -V {} + 2>/dev/null |
    grep -oE 'GLIBC_2\.[0-9]+' | sort -t. -k2 -n | tail -n 1)
cat >"$bundle/README" <<TEXT
Systole $version
./systole runs it, ./systole --help lists what it does, ./systole doctor what this machine offers.
It needs Linux on $(uname -m) with glibc ${glibc#GLIBC_} or newer, libstdc++ of GCC 12 or newer, and OpenGL: a graphics
driver, or Mesa. CUDA needs NVIDIA's driver alone.
For research and teaching, not for diagnosis. Licences of all parts are in licences/.
TEXT

(cd "$bundle" && find . ! -type d | sort) >"$scratch/files" && mv "$scratch/files" "$bundle/files.txt"

if [ -n "$folder" ]; then
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    mv "$bundle" "$folder"
    say "$folder, $(du -sh "$folder" | cut -f 1)"
else
    mkdir -p "$(dirname "$output")"
    tar -C "$scratch" --owner=0 --group=0 -c "$name" |
        xz --x86 --lzma2=preset="$compression" -T 0 >"$output.partial"
    mv "$output.partial" "$output"
    say "$output, $(du -h "$output" | cut -f 1); unpacked $(du -sh "$bundle" | cut -f 1)"
fi
