// A benchmark of `systole bench`, and the list of all (benchmarks.cpp, one line each).
#pragma once

#include "compute/core/exec.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole {

/// The figures of a benchmark by name, in the order in which they were taken.
using Json = nlohmann::ordered_json;

struct BenchOptions {
    int size = 128;    ///< voxels along each side of the phantom
    int repeats = 5;   ///< number of runs; timings are medians
    bool peers = true; ///< also run other installed programs on the same images
    std::uint64_t seed = 1;
    int seeds = 3;                  ///< phantoms per case: seed, seed + 1, ...
    int peerSeeds = 1;              ///< number of these seeds that other programs get
    std::vector<std::string> cases; ///< names of cases to measure; empty: all
    std::string dataFolder;         ///< holds the real images; empty: there are none
    std::string method;             ///< name of a motion method; never empty
    bool onlyMethod = false;        ///< the user named the method, or a parameter of it
    std::vector<std::string> set;   ///< ID=VALUE of its parameters
    Json before;                    ///< an earlier record of accuracy; null: none
    std::string program;            ///< an earlier program to compare pairs with; empty: none
    /// Records that earlier runs wrote by --json, by the names of the files; for `goals`.
    std::vector<std::pair<std::string, Json>> records;
    /// Takes a page about the figures, HTML of accuracy and Markdown of goals; empty: none is
    /// wanted.
    std::function<void(const std::string& text)> takePage;
    std::vector<std::string> files; ///< additional sequences to measure
    std::vector<int> sides;         ///< sides of cubes to measure; empty: the benchmark's default
    double cpuSeconds = 10;         ///< skip CPU implementations if one run takes longer
    double playSeconds = 5;         ///< duration of each playback measurement
};

/// Prints its tables to standard output and fills `record` with the same figures. A list of
/// sentences record["worse"] that isn't empty makes the command fail when all is written.
struct Benchmark {
    using Run = void(const BenchOptions&, const ExecContext&, Json& record);
    std::string name;
    std::string summary;
    Run* run;
    /// The options that not every benchmark may be given and that this one reads, by their names
    /// without "--", separated by spaces.
    const char* options = "";
    int size = 128; ///< usual BenchOptions::size
    int seeds = 3;  ///< usual BenchOptions::seeds
    /// It runs if no benchmark is named: it measures something and needs no file.
    bool runsUnasked = true;
};

const std::vector<Benchmark>& benchmarks();
bool takes(const Benchmark& benchmark, std::string_view option);
/// Names of the benchmarks that take an option, with commas.
std::string takersOf(std::string_view option);

} // namespace systole
