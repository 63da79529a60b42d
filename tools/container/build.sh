#!/bin/sh
# The first stage of the container: builds Systole from SOURCE with Debian's packages and leaves it, with the
# libraries that it needs, in FOLDER.
#   build.sh SOURCE FOLDER
set -eu
source=$1
folder=$2
"$source/tools/deps.sh" build bundle
cmake -S "$source" -B /tmp/systole-build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSYSTOLE_TESTS=OFF
cmake --build /tmp/systole-build --target systole systole-bench
"$source/tools/bundle.sh" --small --folder "$folder" /tmp/systole-build
rm -rf /tmp/systole-build
