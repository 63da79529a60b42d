// What `systole bench` can run. The list is in benchmarks.cpp, one line each.
#pragma once

#include "compute/core/exec.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace systole {

struct BenchOptions {
    int size = 128;    ///< voxels along each side of the phantom
    int repeats = 5;   ///< timings are medians of so many
    bool peers = true; ///< run other programs that are installed, on the same pictures
    std::uint64_t seed = 1;
    std::string method;             ///< of motionMethods(); never empty
    std::vector<std::string> files; ///< sequences to measure on, besides what a benchmark has
    std::vector<int> sides;         ///< of cubes to measure on; empty: the benchmark's own
    double cpuSeconds = 10;         ///< runs on the CPU are left out where one run takes longer
    double playSeconds = 5;         ///< that each way of playing is measured
};

/// Prints its tables to standard output and fills `record` with the same figures.
struct Benchmark {
    std::string name;
    std::string summary;
    std::function<void(const BenchOptions&, const ExecContext&, nlohmann::ordered_json& record)>
        run;
};

const std::vector<Benchmark>& benchmarks();

} // namespace systole
