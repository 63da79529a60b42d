// Stages of a method, a row per kernel or per part that runs on the CPU, against what their bytes
// take: shared by the benchmarks of single methods.
#pragma once

#include "bench/benchmark.h"
#include "bench/device_bench.h"
#include "compute/core/profile.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct StageRow {
    std::string stage, name;
    double calls = 0;                         ///< number per run, or per iteration of it
    double seconds = 0, bytes = 0, flops = 0; ///< costs per call; bytes 0: they depend on the data
};

/// The time per call on the CPU if there are several calls of one name.
enum class CpuCall {
    Longest, ///< time of the longest, on the finest level
    Mean     ///< mean time of equal calls
};

/// The kernels of a run, each after the stage that it belongs to; of a run without kernels the
/// parts of its stages. Calls are those of the run over `iterations`.
std::vector<StageRow> stageRows(const FrameProfile& profile, CpuCall which, int iterations = 1);

/// Prints a table, with the time that the bytes take at so many a second, and records the rows
/// below their stages and names.
void printStageRows(const std::vector<StageRow>& rows, double bytesPerSecond, Json& record);
/// A last line: the sum of all calls.
void printStageSum(const char* name, const std::vector<StageRow>& rows, double bytesPerSecond,
                   Json& record);

/// The backend of a benchmark of stages and its bandwidth: a device with that of copies, else the
/// CPU with that of the triad.
struct StageBench {
    std::unique_ptr<BenchDevice> device; ///< null: on the CPU
    double bytesPerSecond = 0;
    std::string bandwidthText; ///< "3000 GB/s (copies)"
    ExecContext ctx;           ///< context of the backend
};
StageBench openStageBench(const char* benchmark, const MotionMethod& method, const ExecContext& ctx,
                          Json& record);

/// Calls `measure` with a shifted texture for each of options.sides; by default the two sides on a
/// device, without one options.size.
void overSides(const BenchOptions& options, const StageBench& bench, std::vector<int> deviceSides,
               Json& record, const std::function<void(int side, const HostPair&, Json&)>& measure);

/// The profile of the run of median time, after one that loads the kernels of a device.
FrameProfile stageProfile(MotionEstimator& estimator, const HostPair& host, const StageBench& bench,
                          int repeats);

} // namespace systole
