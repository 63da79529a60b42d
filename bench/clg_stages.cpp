#include "bench/benchmarks.h"
#include "bench/stage_rows.h"
#include "bench/timing.h"
#include "compute/motion/methods.h"
#include "compute/ops/residual.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace systole {
namespace {

/// Adds the residual, which follows an estimation on the device: did the motion bring the frames
/// closer?
void addResidual(std::vector<StageRow>& rows, const HostPair& host, const StageBench& bench,
                 int repeats) {
    if constexpr (cudaIsBuilt) {
        ResidentPair pair(host.fixed, host.moving, host.scale, bench.device->cuda);
        const MotionInput input = pair.input();
        std::vector<std::vector<StageRow>> runs;
        for (int n = 0; n <= repeats; ++n) // the first loads the kernel
            runs.push_back(stageRows(profileOf(bench.ctx, true,
                                               [&](const ExecContext& ctx) {
                                                   residualChangeOnDevice(
                                                       input.fixed, input.moving, input.moving,
                                                       pair.displacement(), {}, ctx);
                                               }),
                                     CpuCall::Longest));
        runs.erase(runs.begin());
        for (StageRow& row :
             medianRun(std::move(runs), [](const auto& run) { return run.front().seconds; })) {
            row.stage = "residual";
            rows.push_back(std::move(row));
        }
    }
}

} // namespace

void benchClgStages(const BenchOptions& options, const ExecContext& base, Json& record) {
    const MotionMethod& method = motionMethod("clg");
    const StageBench bench = openStageBench("clg-stages", method, base, record);
    fmt::print("clg-stages: preset default, a shifted texture; a call on the finest level of the "
               "median run, and the time that its declared bytes take at {}.\n  Work that depends "
               "on what is found declares no bytes\n",
               bench.bandwidthText);
    overSides(options, bench, {128, 256}, record, [&](int, const HostPair& host, Json& entry) {
        const auto estimator =
            method.make(ParamSet(*method.parameters, "default"), bench.ctx.backend);
        std::vector<StageRow> rows =
            stageRows(stageProfile(*estimator, host, bench, options.repeats), CpuCall::Longest);
        if (bench.device)
            addResidual(rows, host, bench, options.repeats);
        printStageRows(rows, bench.bytesPerSecond, entry);
    });
}

} // namespace systole
