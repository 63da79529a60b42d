#!/bin/sh
# The list of Debian packages. Installs the missing packages of the groups named on the command line:
# shellcheck disable=SC2086,SC2116 # package lists are meant to be split into words
#   tools/deps.sh [--list] [GROUP...]   (default: build)
set -eu

# Compiler and build tools.
build="g++ cmake ninja-build ccache pkg-config python3"
# Numerical libraries and command line.
build="$build libtbb-dev libhwy-dev libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev"
# Images: ITK's CMake files require every library that its modules use.
build="$build libinsighttoolkit5-dev libgdcm-dev libdcmtk-dev libhdf5-dev zlib1g-dev libdeflate-dev"
build="$build libssl-dev"
# Window and drawing. libgl1-mesa-dri draws in software where there is no graphics card.
build="$build libvtk9-dev qt6-base-dev libqt6opengl6-dev libimgui-dev libstb-dev libegl-dev libgl-dev libpng-dev"
build="$build libgl1-mesa-dri libegl1 fonts-dejavu-core"
# Tests. Xvfb is the display of the tests, and of machines that have none; xdotool presses keys there.
build="$build libgtest-dev libgmock-dev xvfb xauth xdotool"
format="clang-format git"
tidy="clang-tidy"
fuzz="clang llvm libclang-rt-14-dev"
bundle="patchelf xz-utils binutils"
# The engine of 'systole cohort', and Slurm on one host for the test that starts it.
cohort="snakemake"
slurm="munge slurmctld slurmd slurm-client"
# A bare Debian in which the container's recipe is executed.
container="mmdebstrap"

groups="build format tidy fuzz bundle cohort slurm container"
list=no
[ "${1:-}" = --list ] && { list=yes; shift; }
[ $# -gt 0 ] || set -- build
wanted=
for group; do
    case " $groups " in
        *" $group "*) eval "wanted=\"$wanted \$$group\"" ;;
        *) echo "deps: there is no group '$group'; there are: $groups" >&2; exit 2 ;;
    esac
done
if [ $list = yes ]; then
    printf '%s\n' $wanted
    exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deps: this isn't a Debian system; it needs the like of: $(echo $wanted)" >&2
    exit 1
fi
installed=" $(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
    sed -n 's/ installed$//p' | tr '\n' ' ') "
missing=
for package in $wanted; do
    case $installed in *" $package "*) ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps: packages are missing and this user can't install them; as root run:" >&2
        echo "apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

log=${TMPDIR:-/tmp}/systole-deps-$(id -u).log
run_logged() { # what it says, command...
    echo "deps: $1"
    shift
    if ! $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        echo "deps: that failed: $*" >&2
        echo "deps: everything it said is in $log" >&2
        exit 1
    fi
}
run_logged "fetching Debian's package lists (some seconds)" apt-get update -q
run_logged "installing $(set -- $missing; echo $#) packages and what they need (a full set: about 500 MB to fetch, 2 to 5 minutes)" \
    apt-get install -y -q --no-install-recommends $missing
echo "deps: done"
