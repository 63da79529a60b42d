#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/motion/methods.h"
#include "compute/ops/host_bandwidth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace systole {
namespace {

struct StageFigures {
    double seconds = 0, bytes = 0, floor = 0;
};

void printHeading(const char* copy) {
    fmt::print("  {:>4} {:<10} {:<16} {:>9} {:>10} {:>8} {:>9} {:>9} {:>11}\n", "side", "stage",
               "variant", "ms", "MB moved", "GB/s", copy, "floor, ms", "time/floor");
}

void printStage(int side, const std::string& stage, const std::string& variant,
                const StageFigures& f, double bandwidth, Json& record) {
    fmt::print("  {:>4} {:<10} {:<16} {:>9.3f} {:>10.1f} {:>8.0f} {:>8.0f}% {:>9.3f} {:>10.2f}×\n",
               side, stage, variant, 1e3 * f.seconds, f.bytes / 1e6, f.bytes / f.seconds / 1e9,
               100 * f.bytes / f.seconds / bandwidth, 1e3 * f.floor, f.seconds / f.floor);
    record = {{"seconds", f.seconds},
              {"declared_bytes", f.bytes},
              {"part_of_copy_bandwidth", f.bytes / f.seconds / bandwidth},
              {"floor_seconds", f.floor},
              {"time_over_floor", f.seconds / f.floor}};
}

/// The stage's figures in this run; zero time when it has none. Where a method doesn't say what a
/// stage must move, the declared bytes are the floor.
StageFigures figuresOf(const MotionMethod& method, const FrameProfile& profile,
                       const MotionReport& report, const std::string& stage, double voxels,
                       double bandwidth) {
    StageFigures f;
    f.seconds = profile.seconds(stage);
    f.bytes = profile.bytes(stage);
    const double least = method.minBytes ? method.minBytes(stage, voxels, report) : 0;
    f.floor = (least > 0 ? least : f.bytes) / bandwidth;
    return f;
}

/// The plainest preset: one level, a fixed number of iterations, where a method has such.
ParamSet floorParameters(const MotionMethod& method) {
    return ParamSet(*method.parameters, method.parameters->presets().back());
}

/// The kernels inside one stage, each with its shape.
void printKernels(const FrameProfile& profile, const std::string& wanted, double bandwidth,
                  Json& record) {
    std::string stage;
    for (const ProfileSpan& span : profile.spans) {
        if (!span.stage.empty())
            stage = span.stage;
        if (!span.stage.empty() || stage != wanted || span.seconds <= 0)
            continue;
        const double part = span.bytes / span.seconds / bandwidth;
        if (span.bytes > 0) // kernels of the solver's bookkeeping are only in the record
            fmt::print("       · {:<26} {:>4} × {:>7.1f} µs {:>8.0f} GB/s {:>4.0f}% of a copy; "
                       "{}×{}×{} blocks of {}×{}×{}, {} registers, {} B shared, {} B local\n",
                       span.kernel, span.launches, 1e6 * span.seconds / span.launches,
                       span.bytes / span.seconds / 1e9, 100 * part, span.grid[0], span.grid[1],
                       span.grid[2], span.block[0], span.block[1], span.block[2], span.registers,
                       span.sharedBytes, span.localBytes);
        record[span.kernel] = {{"launches", span.launches},     {"seconds", span.seconds},
                               {"declared_bytes", span.bytes},  {"part_of_copy_bandwidth", part},
                               {"registers", span.registers},   {"shared_bytes", span.sharedBytes},
                               {"local_bytes", span.localBytes}};
    }
}

void measureDevice(const MotionMethod& method, BenchDevice& device, int side, int repeats,
                   const ExecContext& base, Json& record) {
    const double bandwidth = device.speed.copyBandwidth();
    const ExecContext ctx = contextOn(device, base);
    const HostPair host = shiftedTexture(side, ctx);
    ResidentPair pair(host.fixed, host.moving, host.scale, device.cuda);
    for (const MethodVariation& variation : method.variations) {
        if (variation.stage.empty() || variation.preset != method.parameters->presets().back())
            continue;
        ParamSet parameters = floorParameters(method);
        std::string name;
        for (const auto& [id, value] : variation.storage) {
            parameters.setText(id, value);
            name += (name.empty() ? "" : ", ") + value;
        }
        const auto estimator = method.make(parameters, Backend::Cuda);
        const DeviceTimes whole = timeResident(*estimator, pair, false, repeats, ctx);
        const DeviceTimes kernels = timeResident(*estimator, pair, true, repeats, ctx);
        const StageFigures figures =
            figuresOf(method, whole.profile, whole.report, variation.stage,
                      static_cast<double>(host.fixed.geometry.voxels()), bandwidth);
        if (figures.seconds <= 0)
            continue;
        Json& entry = record[variation.stage][name];
        printStage(side, variation.stage, name, figures, bandwidth, entry);
        printKernels(kernels.profile, variation.stage, bandwidth, entry["kernels"]);
        if (whole.report.iterations > 0)
            entry["seconds_per_iteration"] = figures.seconds / whole.report.iterations;
    }
}

void measureCpu(const MotionMethod& method, int side, int repeats, const ExecContext& base,
                Json& record) {
    const double bandwidth = triadBandwidth(base);
    record["triad_bytes_per_second"] = bandwidth;
    fmt::print("  memory in this run: {:.1f} GB/s (triad, {} threads)\n", bandwidth / 1e9,
               base.threads->threads());
    const HostPair host = shiftedTexture(side, base);
    VectorField field(host.fixed.geometry, *base.pool, "displacement");
    const auto estimator = method.make(floorParameters(method), Backend::Cpu);
    ExecContext onCpu = base;
    onCpu.backend = Backend::Cpu;
    FrameProfile last;
    MotionReport report;
    medianWithin(repeats, 1, [&] {
        setToRest(field);
        last = profileOf(onCpu, false, [&](const ExecContext& ctx) {
            report = estimator->estimate(host.input(), field.view(), ctx);
        });
        return last.totalSeconds();
    });
    printHeading("of triad");
    for (const std::string& stage : method.stages) {
        const StageFigures figures =
            figuresOf(method, last, report, stage,
                      static_cast<double>(host.fixed.geometry.voxels()), bandwidth);
        if (figures.seconds > 0)
            printStage(side, stage, "CPU", figures, bandwidth, record[stage]);
    }
}

} // namespace

void benchFloors(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const MotionMethod& method = motionMethod(options.method);
    const std::unique_ptr<BenchDevice> device = openBenchDevice("floors", method, record);
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides = device ? std::vector<int>{128, 200, 256} : std::vector<int>{128};
    fmt::print("floors: method {}, preset {}; a shifted texture\n", method.name,
               method.parameters->presets().back());
    record["method"] = method.name;
    if (!device) {
        measureCpu(method, sides.front(), options.repeats, ctx, record["cpu"]);
        return;
    }
    printHeading("of copy");
    for (const int side : sides) {
        ctx.throwIfCancelled();
        measureDevice(method, *device, side, options.repeats, ctx,
                      record["sides"][std::to_string(side)]);
    }
}

} // namespace systole
