#include "bench/stage_rows.h"

#include "bench/timing.h"
#include "compute/ops/host_bandwidth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {
namespace {

std::string overFloor(double seconds, double floor) {
    return floor > 0 ? fmt::format("{:.1f}×", seconds / floor) : "–";
}

} // namespace

std::vector<StageRow> stageRows(const FrameProfile& profile, CpuCall which, int iterations) {
    const bool kernels = std::ranges::any_of(
        profile.spans, [](const ProfileSpan& span) { return span.stage.empty(); });
    std::vector<StageRow> rows;
    std::string stage;
    for (const ProfileSpan& span : profile.spans) {
        if (!span.stage.empty())
            stage = span.stage;
        if (kernels && span.stage.empty())
            rows.push_back({stage, span.kernel, static_cast<double>(span.launches) / iterations,
                            span.launchSeconds, span.launchBytes, span.launchFlops});
        if (kernels)
            continue;
        auto row = std::ranges::find_if(rows, [&](const StageRow& known) {
            return known.stage == stage && known.name == span.kernel;
        });
        if (row == rows.end())
            row = rows.insert(rows.end(), {stage, span.kernel});
        ++row->calls;
        if (which == CpuCall::Mean)
            row->seconds += span.seconds;
        if (which == CpuCall::Mean || span.seconds > row->seconds)
            row->bytes = span.bytes;
        row->seconds = std::max(row->seconds, span.seconds);
    }
    for (StageRow& row : rows)
        if (!kernels) {
            if (which == CpuCall::Mean)
                row.seconds /= row.calls;
            row.calls /= iterations;
        }
    return rows;
}

void printStageRows(const std::vector<StageRow>& rows, double bytesPerSecond, Json& record) {
    fmt::print("    {:<14} {:<34} {:>7} {:>10} {:>9} {:>9} {:>10} {:>9}\n", "stage", "", "calls",
               "µs a call", "MB", "GFLOP/s", "floor, µs", "of floor");
    for (const StageRow& row : rows) {
        const double floor = row.bytes / bytesPerSecond;
        const std::string rate =
            row.flops > 0 ? fmt::format("{:.0f}", row.flops / row.seconds / 1e9) : "–";
        const std::string calls = row.calls > 0 ? fmt::format("{:.4g}", row.calls) : "begin";
        fmt::print("    {:<14} {:<34} {:>7} {:>10.1f} {:>9.2f} {:>9} {:>10.1f} {:>9}\n", row.stage,
                   row.name, calls, 1e6 * row.seconds, row.bytes / 1e6, rate, 1e6 * floor,
                   overFloor(row.seconds, floor));
        record[row.stage][row.name] = {{"calls", row.calls},
                                       {"seconds", row.seconds},
                                       {"declared_bytes", row.bytes},
                                       {"declared_flops", row.flops},
                                       {"floor_seconds", floor}};
    }
}

void printStageSum(const char* name, const std::vector<StageRow>& rows, double bytesPerSecond,
                   Json& record) {
    double seconds = 0, floor = 0;
    for (const StageRow& row : rows) {
        seconds += row.calls * row.seconds;
        floor += row.calls * row.bytes / bytesPerSecond;
    }
    fmt::print("    {:<14} {:<34} {:>7} {:>10.1f} {:>9} {:>9} {:>10.1f} {:>9}\n", "all", name, "",
               1e6 * seconds, "", "", 1e6 * floor, overFloor(seconds, floor));
    record = {{"seconds", seconds}, {"floor_seconds", floor}};
}

StageBench openStageBench(const char* benchmark, const MotionMethod& method, const ExecContext& ctx,
                          Json& record) {
    StageBench bench{openBenchDevice(benchmark, method, record), 0, {}, ctx};
    bench.bytesPerSecond = bench.device ? bench.device->speed.copyBandwidth() : triadBandwidth(ctx);
    bench.bandwidthText = fmt::format("{:.0f} GB/s ({})", bench.bytesPerSecond / 1e9,
                                      bench.device ? "copies" : "triad");
    bench.ctx = bench.device ? contextOn(*bench.device, ctx) : ctx;
    if (!bench.device)
        bench.ctx.backend = Backend::Cpu;
    record["backend"] = bench.device ? "cuda" : "cpu";
    record["bytes_per_second"] = bench.bytesPerSecond;
    return bench;
}

void overSides(const BenchOptions& options, const StageBench& bench, std::vector<int> deviceSides,
               Json& record, const std::function<void(int side, const HostPair&, Json&)>& measure) {
    const std::vector<int> standard =
        bench.device ? std::move(deviceSides) : std::vector<int>{options.size};
    for (const int side : options.sides.empty() ? standard : options.sides) {
        bench.ctx.throwIfCancelled();
        fmt::print("  {0}×{0}×{0} voxels\n", side);
        measure(side, shiftedTexture(side, bench.ctx), record["sides"][std::to_string(side)]);
    }
}

FrameProfile stageProfile(MotionEstimator& estimator, const HostPair& host, const StageBench& bench,
                          int repeats) {
    if (bench.device) {
        ResidentPair pair(host.fixed, host.moving, host.scale, bench.device->cuda);
        return timeResident(estimator, pair, true, repeats, bench.ctx).profile;
    }
    VectorField field(host.fixed.geometry, *bench.ctx.pool, "displacement");
    std::vector<FrameProfile> runs;
    for (int n = 0; n < repeats; ++n) {
        setToRest(field);
        runs.push_back(profileOf(bench.ctx, false, [&](const ExecContext& ctx) {
            estimator.estimate(host.input(), field.view(), ctx);
        }));
    }
    return medianRun(std::move(runs),
                     [](const FrameProfile& profile) { return profile.totalSeconds(); });
}

} // namespace systole
