#include "app/bench/benchmarks.h"

namespace systole {

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> list{
        {"memory", "bandwidth of main memory: the floor for all others", benchMemory},
        {"clg-parity", "CLG in CUDA against the CPU, every variant", benchClgParity},
        {"clg-table", "the paper's table: cubes of growing sides, each variant, each stage",
         benchClgTable},
        {"clg-floors", "CLG's stages and variants against what the memory allows", benchClgFloors},
        {"landmark-tasks", "tracking, transform and interpolation: each variant and the CPU",
         benchLandmarkTasks},
        {"clg-pairs", "pairs per second and endpoint error of the default preset", benchClgPairs},
#ifdef SYSTOLE_VIEWER
        {"live", "file to pixels while it estimates: rates, latencies, bytes", benchLive},
#endif
        {"motion", "CLG on phantoms: accuracy, stages against the floor, peers", benchMotion},
    };
    return list;
}

} // namespace systole
