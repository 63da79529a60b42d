#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/core/random.h"
#include "compute/lab/bench.h"
#include "compute/lab/kernels/interpolate.h"
#include "compute/lab/kernels/task.h"
#include "compute/lab/kernels/thin_plate.h"
#include "compute/landmarks/sest.h"
#include "compute/model/device_limits.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr double cpuBudgetSeconds = 1; ///< time budget of the repeats of one figure
constexpr int someBlocks[] = {32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024};

float gray(std::size_t i) {
    return 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(5, 1, i)));
}

/// Two landmarks a thread, in the middle of the cube, scaled to side²/16 of them.
double trackOnCpu(int side, int repeats, const ExecContext& ctx) {
    const Size3 size = lab::labSize(side);
    std::vector<float> frame(size.voxels()), planes(sest::features * size.voxels());
    for (std::size_t i = 0; i < frame.size(); ++i)
        frame[i] = gray(i);
    sest::findFeatures({frame.data(), size}, planes.data(), ctx);
    const sest::FeatureView features{planes.data(), size};
    const int count = 2 * ctx.threads->threads(), all = side * side / 16;
    std::vector<Voxel> landmarks;
    landmarks.reserve(static_cast<std::size_t>(count));
    for (int l = 0; l < count; ++l)
        landmarks.push_back({side / 2 + l % 5, side / 2, side / 2 - l % 3});
    const auto many = static_cast<std::size_t>(count);
    std::vector<float> descriptors(sest::numbers * many), distances(sest::candidates * many);
    sest::describe(features, landmarks, descriptors.data(), ctx);
    return medianSeconds(repeats, cpuBudgetSeconds,
                         [&] {
                             sest::findDistances(features, landmarks, descriptors.data(),
                                                 distances.data(), ctx);
                         }) *
           all / count;
}

/// Some planes of the cube, scaled to all of them.
double transformOnCpu(int side, int repeats, const ExecContext& ctx) {
    constexpr int landmarks = 300;
    std::vector<Vec3> from, to;
    for (std::size_t i = 0; i < landmarks; ++i) {
        const auto coordinate = [&](std::size_t axis) {
            return static_cast<double>(gray(3 * i + axis)) / 255 * side;
        };
        from.push_back({coordinate(0), coordinate(1), coordinate(2)});
        to.push_back(from.back() + Vec3{0.01 * coordinate(1), 0, -0.02 * coordinate(0)});
    }
    const ThinPlateSpline spline = fitThinPlate(from, to, 0.1);
    const Size3 size{side, side, std::min(side, ctx.threads->threads() > 1 ? 32 : 4)};
    std::vector<float> positions(3 * size.voxels());
    const FieldView<float> view(positions.data(), size);
    return medianSeconds(repeats, cpuBudgetSeconds,
                         [&] { lab::transformGrid(spline, view, ctx); }) *
           side / size.z;
}

double interpolateOnCpu(int side, int repeats, const ExecContext& ctx) {
    const Size3 size = lab::labSize(side);
    const std::size_t voxels = size.voxels();
    std::vector<float> values(5 * voxels);
    for (std::size_t i = 0; i < voxels; ++i)
        values[i] = gray(i);
    const FieldView<float> positions(values.data() + voxels, size);
    for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                const std::size_t i = positions.componentView(0).offset(x, y, z);
                positions.u[i] = static_cast<float>(x) + 0.03f * static_cast<float>(y % 91);
                positions.v[i] = static_cast<float>(y) - 0.04f * static_cast<float>(z % 67);
                positions.w[i] = static_cast<float>(z) + 0.02f * static_cast<float>(x % 83);
            }
    return medianSeconds(repeats, cpuBudgetSeconds, [&] {
        lab::interpolate({values.data(), size}, positions, {values.data() + 4 * voxels, size}, ctx);
    });
}

struct Task {
    const char* name; ///< task of the laboratory
    const char* what;
    const char* paper; ///< the paper's speedup over one thread of its processor
    double (*onCpu)(int side, int repeats, const ExecContext& ctx);
};
constexpr Task tasks[] = {
    {"sest", "tracking, side²/16 landmarks of 5525 candidates", "80, 100, 200, 800×", trackOnCpu},
    {"tps", "transform of every voxel by 300 landmarks", "150–1500×", transformOnCpu},
    {"trilinear", "interpolation at one position per voxel", "50–250×", interpolateOnCpu},
};

struct CpuTimes {
    double oneThread = 0, allThreads = 0;
};

CpuTimes measureCpu(const Task& task, int side, int repeats, const ExecContext& base,
                    Json& record) {
    CpuTimes times;
    ThreadTeam one(1);
    ExecContext ctx = base;
    ctx.threads = &one;
    ctx.backend = Backend::CpuReference;
    times.oneThread = task.onCpu(side, repeats, ctx);
    ctx.threads = base.threads;
    ctx.backend = Backend::Cpu;
    times.allThreads = task.onCpu(side, repeats, ctx);
    record["cpu_one_thread_seconds"] = times.oneThread;
    record["cpu_all_threads_seconds"] = times.allThreads;
    fmt::print("    CPU: {:.2f} ms plain on 1 thread, {:.2f} ms on {}\n", 1e3 * times.oneThread,
               1e3 * times.allThreads, base.threads->threads());
    return times;
}

/// The least time for what the launches declare: bytes by the bandwidth of a copy, additions and
/// multiplications by the lanes that do one a cycle, roots by those of the special functions.
struct Floor {
    double seconds = 0;
    const char* by = "memory";
};

Floor floorOf(const lab::LabPoint& point, const BenchDevice& device) {
    const CudaDevice& gpu = device.cuda.device();
    const model::DeviceLimits& limits = model::deviceLimits(gpu.computeCapability);
    const double cycles = device.speed.clockHertz * gpu.multiprocessors;
    double arithmetic = 0, special = 0;
    for (const ProfileSpan& launch : point.launches) {
        double threads = 1;
        for (int axis = 0; axis < 3; ++axis)
            threads *= launch.grid[axis] * launch.block[axis];
        const KernelCost& cost = launch.cost;
        arithmetic += threads * (cost.add + cost.multiply + cost.fusedMultiplyAdd);
        special += threads * cost.squareRoot;
    }
    const Floor candidates[] = {{point.bytes() / device.speed.copyBandwidth(), "memory"},
                                {arithmetic / (cycles * limits.floatLanes), "arithmetic"},
                                {special / (cycles * limits.specialLanes), "roots"}};
    return *std::max_element(std::begin(candidates), std::end(candidates),
                             [](const Floor& a, const Floor& b) { return a.seconds < b.seconds; });
}

void measureVariant(const lab::LabKernel& kernel, int side, lab::LabBench& bench,
                    const BenchDevice& device, const CpuTimes& cpu, Json& record) {
    const lab::LabPoint standard = bench.measure(kernel, side, kernel.standardBlock);
    lab::LabPoint best = standard;
    Json& blocks = record["seconds_by_block"];
    for (const int threads : someBlocks)
        if (kernel.takes(threads)) {
            const lab::LabPoint point = bench.measure(kernel, side, threads);
            blocks[std::to_string(threads)] = point.seconds;
            if (point.seconds < best.seconds)
                best = point;
        }
    const double copies = bench.measureWithTransfers(kernel, side, kernel.standardBlock, true);
    const ProfileSpan& launch = standard.largest();
    const Floor floor = floorOf(standard, device);
    fmt::print("    {:<15} {:>4} {:>6} {:>9.3f} {:>6} {:>9.3f} {:>9.3f} {:>7.0f} {:>7.0f} {:>8.0f} "
               "{:>8.0f} {:>9.3f} {:>5.2f}× {}\n",
               kernel.variant, launch.registers, launch.localBytes, 1e3 * standard.seconds,
               best.threads, 1e3 * best.seconds, 1e3 * copies,
               standard.bytes() / standard.seconds / 1e9, standard.flops() / standard.seconds / 1e9,
               cpu.oneThread / best.seconds, cpu.oneThread / copies, 1e3 * floor.seconds,
               best.seconds / floor.seconds, floor.by);
    record["registers"] = launch.registers;
    record["local_bytes"] = launch.localBytes;
    record["standard_block"] = kernel.standardBlock;
    record["seconds"] = standard.seconds;
    record["best_block"] = best.threads;
    record["best_seconds"] = best.seconds;
    record["with_copies_seconds"] = copies;
    record["declared_bytes"] = standard.bytes();
    record["declared_flops"] = standard.flops();
    record["floor_seconds"] = floor.seconds;
    record["floor_by"] = floor.by;
}

} // namespace

void benchLandmarkTasks(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto device = openBenchDevice("landmark-tasks", motionMethods().front(), record);
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides = device ? std::vector<int>{64, 128, 200} : std::vector<int>{64};
    fmt::print("landmark-tasks: medians; kernels with their data on the device, at their standard "
               "block and at the best of some;\n  copies from and to pinned memory at the standard "
               "block; × is relative to the reference on one thread\n");
    record["threads"] = ctx.threads->threads();
    std::optional<lab::LabBench> bench;
    if (device)
        bench.emplace(device->cuda);
    for (const Task& task : tasks)
        for (const int side : sides) {
            ctx.throwIfCancelled();
            fmt::print("  {}, side {}: {} (the paper's GPUs over one thread: {})\n", task.name,
                       side, task.what, task.paper);
            Json& entry = record[task.name][std::to_string(side)];
            const CpuTimes cpu = measureCpu(task, side, options.repeats, ctx, entry);
            if (!device)
                continue;
            fmt::print("    {:<15} {:>4} {:>6} {:>9} {:>6} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8} "
                       "{:>9} {:>6}\n",
                       "variant", "regs", "local", "ms", "best", "ms", "+ copies", "GB/s",
                       "GFLOP/s", "×", "× + cop.", "floor, ms", "ratio");
            for (const lab::LabKernel* kernel : lab::variantsOf(task.name))
                measureVariant(*kernel, side, *bench, *device, cpu,
                               entry["variants"][kernel->variant]);
        }
}

} // namespace systole
