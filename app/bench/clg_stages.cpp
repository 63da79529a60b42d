#include "app/bench/benchmarks.h"
#include "app/bench/device_bench.h"
#include "app/bench/memory_bandwidth.h"
#include "app/bench/timing.h"
#include "compute/motion/methods.h"
#include "compute/ops/residual.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

/// One kernel, or on the CPU one part of a stage.
struct Row {
    std::string stage, name;
    int calls = 0;
    double seconds = 0; ///< of one call on the finest level
    double bytes = 0;   ///< that this call declares; 0: decided by what it finds
};

/// Kernels follow the stage that they belong to; parts of a stage on the CPU are spans of their
/// own, and the longest of them is the finest level's.
std::vector<Row> rowsOf(const FrameProfile& profile) {
    std::vector<Row> rows;
    const bool kernels = std::any_of(profile.spans.begin(), profile.spans.end(),
                                     [](const ProfileSpan& span) { return span.stage.empty(); });
    std::string stage;
    for (const ProfileSpan& span : profile.spans) {
        if (!span.stage.empty())
            stage = span.stage;
        if (kernels && span.stage.empty())
            rows.push_back(
                {stage, span.kernel, span.launches, span.launchSeconds, span.launchBytes});
        if (kernels)
            continue;
        auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& known) {
            return known.stage == stage && known.name == span.kernel;
        });
        if (row == rows.end())
            row = rows.insert(rows.end(), {stage, span.kernel});
        ++row->calls;
        if (span.seconds > row->seconds) {
            row->seconds = span.seconds;
            row->bytes = span.bytes;
        }
    }
    return rows;
}

void print(const std::vector<Row>& rows, double bandwidth, Json& record) {
    fmt::print("    {:<10} {:<30} {:>6} {:>10} {:>9} {:>10} {:>9}\n", "stage", "", "calls",
               "µs a call", "MB", "floor, µs", "of floor");
    for (const Row& row : rows) {
        const double floor = row.bytes / bandwidth;
        fmt::print("    {:<10} {:<30} {:>6} {:>10.1f} {:>9.2f} {:>10.1f} {:>9}\n", row.stage,
                   row.name, row.calls, 1e6 * row.seconds, row.bytes / 1e6, 1e6 * floor,
                   floor > 0 ? fmt::format("{:.1f}×", row.seconds / floor) : std::string("–"));
        record[row.stage][row.name] = {{"calls", row.calls},
                                       {"seconds", row.seconds},
                                       {"declared_bytes", row.bytes},
                                       {"floor_seconds", floor}};
    }
}

std::vector<Row> onDevice(MotionEstimator& estimator, const HostPair& host, BenchDevice& device,
                          int repeats, ExecContext ctx) {
    ctx.backend = Backend::Cuda;
    ctx.cuda = &device.cuda;
    ResidentPair pair(host.fixed, host.moving, host.scale, device.cuda);
    std::vector<Row> rows = rowsOf(timeResident(estimator, pair, true, repeats, ctx).profile);
    if constexpr (cudaIsBuilt) {
        // What follows an estimation: whether the motion brought the frames closer.
        KernelProfile profile;
        ctx.profile = &profile;
        ctx.profileKernels = true;
        const MotionInput input = pair.input();
        std::vector<std::vector<Row>> runs;
        for (int n = 0; n <= repeats; ++n) { // the first loads the kernel
            profile.beginFrame(0);
            residualChangeOnDevice(input.fixed, input.moving, input.moving, pair.displacement(),
                                   ctx);
            runs.push_back(rowsOf(profile.endFrame()));
        }
        runs.erase(runs.begin());
        std::nth_element(
            runs.begin(), runs.begin() + repeats / 2, runs.end(),
            [](const auto& a, const auto& b) { return a.front().seconds < b.front().seconds; });
        for (Row& row : runs[static_cast<std::size_t>(repeats / 2)]) {
            row.stage = "residual";
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::vector<Row> onCpu(MotionEstimator& estimator, const HostPair& host, int repeats,
                       ExecContext ctx) {
    KernelProfile profile;
    ctx.backend = Backend::Cpu;
    ctx.profile = &profile;
    VectorField field(host.fixed.geometry, *ctx.pool, "displacement");
    std::vector<FrameProfile> runs;
    for (int n = 0; n < repeats; ++n) {
        std::fill_n(field.components.data(), field.components.size(), 0.0f);
        profile.beginFrame(0);
        estimator.estimate(host.input(), field.view(), ctx);
        runs.push_back(profile.endFrame());
    }
    const auto middle = runs.begin() + repeats / 2;
    std::nth_element(runs.begin(), middle, runs.end(),
                     [](const FrameProfile& a, const FrameProfile& b) {
                         return a.totalSeconds() < b.totalSeconds();
                     });
    return rowsOf(*middle);
}

} // namespace

void benchClgStages(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const MotionMethod& method = motionMethod("clg");
    const std::unique_ptr<BenchDevice> device = openBenchDevice("clg-stages", method, record);
    const double bandwidth = device ? device->speed.copyBandwidth() : triadBandwidth(ctx);
    record["backend"] = device ? "cuda" : "cpu";
    record["bytes_per_second"] = bandwidth;
    fmt::print("clg-stages: preset default, a shifted texture; a call on the finest level of the "
               "median run, and the time that its declared bytes take at {:.0f}\n  GB/s ({}). Work "
               "that depends on what is found declares no bytes\n",
               bandwidth / 1e9, device ? "copies" : "triad");
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides = device ? std::vector<int>{128, 256} : std::vector<int>{options.size};
    for (const int side : sides) {
        ctx.throwIfCancelled();
        const HostPair host = shiftedTexture(side, ctx);
        const auto estimator = method.make(ParamSet(*method.parameters, "default"),
                                           device ? Backend::Cuda : Backend::Cpu);
        fmt::print("  {0}×{0}×{0} voxels\n", side);
        print(device ? onDevice(*estimator, host, *device, options.repeats, ctx)
                     : onCpu(*estimator, host, options.repeats, ctx),
              bandwidth, record["sides"][std::to_string(side)]);
    }
}

} // namespace systole
