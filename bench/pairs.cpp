#include "app/base/given_parameters.h"
#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/goals.h"
#include "bench/pairs_against.h"
#include "bench/phantom_case.h"
#include "bench/programs.h"
#include "bench/timing.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace systole {
namespace {

/// Pairs per second that the default method is to reach on an H200.
std::optional<double> goalOf(const MotionMethod& method, int side) {
    const auto found = std::ranges::find(goals(), fmt::format("pairs-{}", side), &Goal::id);
    if (&method != &motionMethods().front() || found == goals().end())
        return {};
    return found->bar;
}

/// The preset `default` with what the user sets instead.
std::unique_ptr<MotionEstimator> estimatorOf(const MotionMethod& method, Backend backend,
                                             const BenchOptions& options) {
    return method.make(givenParameters(*method.parameters, options.set), backend);
}

struct CpuFigures {
    double seconds = 0, error = 0;
};

CpuFigures onCpu(const MotionMethod& method, const PhantomPair& pair, const BenchOptions& options,
                 const ExecContext& base) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    VectorField field(pair.phantom.geometry(), *ctx.pool, "displacement");
    const auto estimator = estimatorOf(method, Backend::Cpu, options);
    CpuFigures figures;
    figures.seconds = medianWithin(options.repeats, 1, [&] {
        setToRest(field);
        return secondsOf([&] { estimator->estimate(pair.input(), field.view(), ctx); });
    });
    figures.error = wallError(pair, field.view()).mean;
    return figures;
}

/// Pairs a second of estimations one after another, without a profile: what a stream gets.
double pairsPerSecond(MotionEstimator& estimator, ResidentPair& pair, int repeats,
                      const ExecContext& ctx) {
    constexpr int pairsARun = 8;
    const double seconds = medianWithin(repeats, 2, [&] {
        ctx.throwIfCancelled();
        const BenchClock::time_point begin = BenchClock::now();
        for (int n = 0; n < pairsARun; ++n) {
            pair.clear();
            estimator.estimate(pair.input(), pair.displacement(), ctx);
        }
        ctx.cuda->synchronize(CudaStream::Compute);
        return secondsSince(begin);
    });
    return pairsARun / seconds;
}

struct DeviceFigures {
    double pairsPerSecond = 0, seconds = 0, error = 0;
};

DeviceFigures onDevice(const MotionMethod& method, BenchDevice& device, const PhantomPair& pair,
                       const BenchOptions& options, const ExecContext& base, Json& record) {
    const ExecContext ctx = contextOn(device, base);
    ResidentPair resident(pair.fixed, pair.moving, pair.scale, device.cuda);
    const auto estimator = estimatorOf(method, Backend::Cuda, options);
    const DeviceTimes times = timeResident(*estimator, resident, false, options.repeats, ctx);
    DeviceFigures figures;
    figures.seconds = times.estimation;
    figures.error = wallError(pair, resident.download(*ctx.pool).view()).mean;
    figures.pairsPerSecond = pairsPerSecond(*estimator, resident, options.repeats, ctx);
    fmt::print("       stages, ms:");
    for (const std::string& stage : times.profile.stages())
        if (const double seconds = times.profile.seconds(stage); seconds > 0) {
            const double bytes = times.profile.bytes(stage);
            fmt::print("  {} {:.3f} ({:.0f} GB/s)", stage, 1e3 * seconds, bytes / seconds / 1e9);
            record["stages"][stage] = {{"seconds", seconds}, {"declared_bytes", bytes}};
        }
    fmt::print("; all {:.3f} of {:.3f}{}\n", 1e3 * times.kernels(), 1e3 * times.estimation,
               times.kernels() > times.estimation ? ", as some run beside others" : "");
    const TransferCounters before = device.cuda.transfers();
    resident.clear();
    estimator->estimate(resident.input(), resident.displacement(), ctx);
    device.cuda.synchronize(CudaStream::Compute);
    const TransferCounters after = device.cuda.transfers();
    record["bytes_to_device_a_pair"] = after.toDeviceBytes - before.toDeviceBytes;
    record["bytes_to_host_a_pair"] = after.toHostBytes - before.toHostBytes;
    const std::size_t peak = device.cuda.devicePool().usage().peakBytes;
    record["peak_device_bytes"] = peak;
    fmt::print("       over the bus per pair: {} bytes up, {} down; peak device memory {}, {:.0f} "
               "bytes per voxel with frames and motion\n",
               after.toDeviceBytes - before.toDeviceBytes, after.toHostBytes - before.toHostBytes,
               bytesText(peak),
               static_cast<double>(peak) / static_cast<double>(pair.fixed.geometry.voxels()));
    return figures;
}

} // namespace

void benchPairs(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    if (!options.program.empty())
        return comparePairs(options.program, options, ctx, record);
    const MotionMethod& method = motionMethod(options.method);
    const std::unique_ptr<BenchDevice> device = openBenchDevice("pairs", method, record);
    record["method"] = method.name;
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides = {128, 200, 256};
    fmt::print(
        "pairs: method {}, preset default from a zero field, echo phantom, seed {}{}; CPU with "
        "{} threads\n",
        method.name, options.seed, device ? ", frames and motion resident on the device" : "",
        ctx.threads->threads());
    record["threads"] = ctx.threads->threads();
    double cpuSecondsAVoxel = 0;
    for (const int side : sides) {
        ctx.throwIfCancelled();
        const double voxels = std::pow(static_cast<double>(side), 3);
        const bool cpuFits =
            options.cpuSeconds > 0 && cpuSecondsAVoxel * voxels <= options.cpuSeconds;
        if (!device && !cpuFits)
            break;
        const PhantomPair pair(phantomCases({side, side, side}, options.seed).front(), ctx);
        Json& entry = record["sides"][std::to_string(side)];
        fmt::print("  {0}×{0}×{0}, mean motion in the wall {1:.2f} voxel\n", side,
                   wallError(pair, pair.truth.view()).motion);
        std::optional<DeviceFigures> cuda;
        if (device) {
            cuda = onDevice(method, *device, pair, options, ctx, entry);
            const std::optional<double> goal = goalOf(method, side);
            fmt::print("       CUDA: {:.1f} pairs per second{}, {:.2f} ms for a single one, "
                       "endpoint error "
                       "{:.4f} voxel\n",
                       cuda->pairsPerSecond, goal ? fmt::format(" (goal {:g})", *goal) : "",
                       1e3 * cuda->seconds, cuda->error);
            entry["cuda"] = {{"pairs_per_second", cuda->pairsPerSecond},
                             {"seconds", cuda->seconds},
                             {"error_voxel", cuda->error}};
            if (goal)
                entry["cuda"]["goal_pairs_per_second"] = *goal;
        }
        if (!cpuFits)
            continue;
        const CpuFigures cpu = onCpu(method, pair, options, ctx);
        cpuSecondsAVoxel = cpu.seconds / voxels;
        fmt::print("       CPU: {:.2f} pairs per second, {:.3f} s, endpoint error {:.4f} voxel\n",
                   1 / cpu.seconds, cpu.seconds, cpu.error);
        entry["cpu"] = {{"seconds", cpu.seconds}, {"error_voxel", cpu.error}};
        if (cuda) {
            fmt::print("       difference of the errors {:+.5f} voxel, CPU over CUDA {:.1f}×\n",
                       cuda->error - cpu.error, cpu.seconds / cuda->seconds);
            entry["error_difference_voxel"] = cuda->error - cpu.error;
        }
    }
}

} // namespace systole
