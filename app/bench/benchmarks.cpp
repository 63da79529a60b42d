#include "app/bench/benchmark.h"
#include "app/bench/clg_floors.h"
#include "app/bench/clg_pairs.h"
#include "app/bench/clg_parity.h"
#include "app/bench/clg_table.h"
#include "app/bench/landmark_tasks.h"
#include "app/bench/memory_bandwidth.h"
#include "app/bench/motion_benchmark.h"

#ifdef SYSTOLE_VIEWER
#include "app/bench/live.h"
#endif

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
