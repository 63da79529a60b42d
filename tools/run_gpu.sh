#!/usr/bin/env bash
# Everything that needs a CUDA device: tests, compute-sanitizer, the laboratory's recording, benchmark tables,
# pictures. Builds first, or runs from an unpacked bundle made with --with-tests.
#   tools/run_gpu.sh [--bundle DIR] [--output DIR] [--only tests|sanitize|laboratory|bench|pictures] [OPTION...]
#     --bundle DIR      run from this bundle instead of building
#     --output DIR      output folder (default build/gpu-results), with summary.md
#     --only PART       only this part; repeatable
#     --sequence FILE   another sequence to measure, in addition to the bundled one; repeatable
#     --sides LIST      sides of the paper's table (default: the benchmark's own, 50 to 512)
#     --bench LIST      benchmarks, separated by commas
#     --cpu-seconds N   longest single run on the CPU (default 10)
#     --sanitize-filter FILTER   tests for compute-sanitizer, as --gtest_filter takes them
#     --shards N        processes at a time under compute-sanitizer, each with its share of the tests (default 4)
# Exits with 0 only if everything that ran passed; the summary lists what couldn't be run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bundle='' output=$root/build/gpu-results parts='' sequences=() sides='' cpu_seconds=10 shards=4
benchmarks=memory,method-memory,parity,floors,pairs,clg-table,clg-stages,landmark-tasks,bspline,ffd,unbiased,surface,pictures,registration,live
# The sanitizer is some hundred times slower. memcheck and initcheck leave out what fills the device's memory, asks
# for blocks that can't be launched, or compares times; racecheck runs every kernel once by itself: whole estimations
# launch the same ones again.
filter=''
memcheck_filter='-*OutOfMemory*:*TakesTheMemory*:*Slab*:*Occupancy*:*FiguresFitTogether*'
racecheck_filter='ClgKernels*:*ClgSweep*:*ClgRedBlack*:FieldDifference*:Interpolate*:FfdParts*:*SimilarityOnDevice*:*PenaltyOnDevice*:Sest*Distances*:ThinPlate*:RenderGpu.*'

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --bundle | --output | --only | --sequence | --sides | --bench | --cpu-seconds | --sanitize-filter | --shards)
            [ $# -gt 1 ] || { echo "run_gpu: $1 needs a value" >&2; exit 2; } ;;
        *) echo "run_gpu: there is no option '$1'" >&2; usage >&2; exit 2 ;;
    esac
    case $1 in
        --bundle)
            if [ ! -x "$2/systole" ] || [ ! -d "$2/bin" ]; then
                echo "run_gpu: $2 is no unpacked bundle (made by ./dev bundle --with-tests)" >&2
                exit 2
            fi
            bundle=$(cd "$2" && pwd) ;;
        --output) output=$2 ;;
        --only)
            case $2 in
                tests | sanitize | laboratory | bench | pictures) parts="$parts $2" ;;
                *)
                    echo "run_gpu: --only knows tests, sanitize, laboratory, bench and pictures, not '$2'" >&2
                    exit 2 ;;
            esac ;;
        --sequence) sequences+=(--file "$2") ;;
        --sides) sides=$2 ;;
        --bench) benchmarks=$2 ;;
        --cpu-seconds) cpu_seconds=$2 ;;
        --shards) shards=$2 ;;
        *) filter=$2 ;;
    esac
    shift 2
done
: "${parts:=tests sanitize laboratory bench pictures}"

if [ -z "$bundle" ]; then
    "$root/dev" bundle --with-tests --folder "$root/build/bundle-files"
    bundle=$root/build/bundle-files
fi
mkdir -p "$output"
output=$(cd "$output" && pwd)
summary=$output/summary.md
program() { # which, arguments...
    local which=$1
    shift
    SYSTOLE_PROGRAM=$which "$bundle/systole" "$@"
}
test_programs=$(cd "$bundle/bin" && echo *gpu_tests)
[ "$test_programs" != '*gpu_tests' ] || test_programs=

say() { printf '%s\n' "$@" | tee -a "$summary"; }
failures=0
# Runs with its output in a file and one line in the summary: what, how it ended, how long it took.
step() { # name, command...
    local name=$1 begin=$SECONDS code=0 shown
    shift
    shown=$*
    shown=${shown#program }
    "$@" >"$output/$name.txt" 2>&1 </dev/null || code=$?
    if [ $code -eq 0 ]; then
        say "- $name: passed, $((SECONDS - begin)) s: \`$shown\`"
    else
        say "- $name: FAILED with $code, $((SECONDS - begin)) s: \`$shown\`"
        tail -n 15 "$output/$name.txt" | sed 's/^/      /' | tee -a "$summary"
        failures=$((failures + 1))
    fi
    return 0
}

{
    echo "# What ran on $(uname -n), $(date -u '+%Y-%m-%d %H:%M UTC')"
    echo
    echo '```'
    program systole doctor
    uname -sr
    sed -n 's/^PRETTY_NAME=//p' /etc/os-release
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,memory.total,power.limit \
        --format=csv 2>/dev/null || echo "nvidia-smi: not there"
    echo '```'
} >"$summary" 2>&1
cat "$summary"
if ! grep -q '^ *device 0:' "$summary"; then
    say "No CUDA device can be used here (see above): nothing was run."
    exit 1
fi

tests() {
    say '' '## Tests'
    [ -n "$test_programs" ] || { say "- the bundle was made without --with-tests"; failures=1; return; }
    for name in $test_programs; do
        step "$name" program "$name"
        grep -E '^\[  (PASSED|SKIPPED|FAILED)' "$output/$name.txt" | sed 's/^/    /' | tee -a "$summary" || true
        # Where everything is skipped nothing was tested.
        if ! grep -qE '^\[       OK \]' "$output/$name.txt"; then
            say "- $name: nothing passed in it"
            failures=$((failures + 1))
        fi
    done
}

sanitize() {
    say '' '## compute-sanitizer'
    local sanitizer chosen
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
    if [ -z "$sanitizer" ]; then
        say "- SKIPPED: compute-sanitizer isn't here (it comes with the CUDA toolkit)"
        return
    fi
    for name in $test_programs; do
        for tool in memcheck racecheck initcheck; do
            chosen=$memcheck_filter
            # initcheck leaves out what measures kernels by launching them thousands of times, too.
            [ $tool != initcheck ] || chosen=$chosen:*Microbenchmarks*
            [ $tool != racecheck ] || chosen=$racecheck_filter
            chosen=${filter:-$chosen}
            step "$tool-$name" sharded "$output/$tool-$name" "$name" "$sanitizer" --target-processes all \
                --tool "$tool" --error-exitcode 9 "$bundle/systole" "--gtest_filter=$chosen"
            grep -hE 'ERROR SUMMARY|RACECHECK SUMMARY|PASSED' "$output/$tool-$name"-*.txt | sort | uniq -c |
                tee -a "$summary" || true
        done
    done
}

# Runs a test program's shards beside each other, in turn on the devices that there are, each with its output in
# FILE-N.txt. Fails if one does.
sharded() { # FILE, program, command...
    local file=$1 name=$2 running=() code=0 devices
    shift 2
    mapfile -t devices < <(nvidia-smi --query-gpu=uuid --format=csv,noheader)
    for ((n = 0; n < shards; ++n)); do
        CUDA_VISIBLE_DEVICES=${devices[n % ${#devices[@]}]} SYSTOLE_PROGRAM=$name \
            GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$n "$@" >"$file-$n.txt" 2>&1 &
        running+=($!)
    done
    for process in "${running[@]}"; do
        wait "$process" || code=$?
    done
    return $code
}

# One record of every kernel (two minutes), and what it says: the file is what assets/gpu_profiles holds.
laboratory() {
    say '' '## Laboratory'
    local record=$output/gpu-record.json
    step lab-record program systole lab --record "$record" --overwrite
    [ -s "$record" ] || return 0
    for side in 128 200; do
        step "lab-evaluate-$side" program systole lab --evaluate --profile "$record" --side $side \
            --csv "$output/lab-evaluate-$side.csv" --overwrite
    done
    for lesson in $(program systole lab --lessons | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p'); do
        step "lab-lesson-$lesson" program systole lab --lesson "$lesson" --profile "$record" \
            --png "$output/lab-lesson-$lesson.png" --overwrite
    done
    for text in lab-record lab-evaluate-128 lab-evaluate-200; do
        say '' '```'
        tee -a "$summary" <"$output/$text.txt"
        say '```'
    done
}

bench() {
    say '' '## Benchmarks'
    local name options
    for name in ${benchmarks//,/ }; do
        options=(--json "$output/bench-$name.json" --overwrite --cpu-seconds "$cpu_seconds" "${sequences[@]}")
        [ "$name" != clg-table ] || [ -z "$sides" ] || options+=(--sides "$sides")
        step "bench-$name" program systole bench "$name" "${options[@]}"
    done
    for name in ${benchmarks//,/ }; do
        say '' '```'
        tee -a "$summary" <"$output/bench-$name.txt"
        say '```'
    done
}

pictures() {
    say '' '## Pictures'
    local demo=$bundle/share/systole/assets/demo_cine_mr.nii.gz
    step four-up program systole snapshot "$demo" -o "$output/four-up.png" --layout four --frame 1 \
        --overlay arrows,magnitude --upload interop --backend cuda --size 1400x900 --overwrite
    step side-by-side program systole snapshot "$demo" -o "$output/side-by-side.png" --layout side \
        --frame 1 --overlay arrows,magnitude --live 3 --panel "Side by side" --size 1600x900 --overwrite
    step timing-panel program systole snapshot "$demo" -o "$output/timing-panel.png" --layout four \
        --frame 1 --overlay arrows --live 3 --panel Timing --upload interop --size 1400x900 --overwrite
    cat "$output"/{four-up,side-by-side,timing-panel}.txt | sed 's/^/    /' | tee -a "$summary"
}

for part in $parts; do
    "$part"
done
say '' "$([ $failures -eq 0 ] && echo "Everything that ran passed." || echo "$failures failed.")"
[ $failures -eq 0 ]
