#include "app/bench/benchmark.h"
#include "app/bench/clg_parity.h"
#include "app/bench/memory_bandwidth.h"
#include "app/bench/motion_benchmark.h"

namespace systole {

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> list{
        {"memory", "bandwidth of the main memory: the floor under everything else", benchMemory},
        {"clg-parity", "CLG in CUDA against the CPU form, every variant", benchClgParity},
        {"motion", "CLG on phantoms: accuracy, stages against the floor, peers", benchMotion},
    };
    return list;
}

} // namespace systole
