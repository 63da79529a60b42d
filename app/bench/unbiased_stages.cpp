#include "app/bench/benchmarks.h"
#include "app/bench/device_bench.h"
#include "app/bench/memory_bandwidth.h"
#include "app/bench/timing.h"
#include "compute/methods/unbiased/variants.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

/// What the preset `paper` does on its one level.
constexpr int wholeIterations = 300;
/// The CPU's whole is taken from so many.
constexpr int cpuIterations = 30;

/// The paper's times for 300 iterations: one thread of a CPU, and a GTX 480.
struct Printed {
    int side;
    double cpuSeconds, gpuSeconds;
};
constexpr Printed printed[] = {{128, 35 * 60, 24}, {240, 7 * 3600, 150}};

/// A kernel, or on the CPU a stage's calls.
struct Row {
    std::string stage, name;
    double perIteration = 0;
    double seconds = 0, bytes = 0, flops = 0; ///< of a call
};

std::vector<Row> rowsOf(const FrameProfile& profile, int iterations) {
    const bool kernels = std::any_of(profile.spans.begin(), profile.spans.end(),
                                     [](const ProfileSpan& span) { return span.stage.empty(); });
    std::vector<Row> rows;
    std::string stage;
    for (const ProfileSpan& span : profile.spans) {
        if (!span.stage.empty())
            stage = span.stage;
        if (stage == "pyramid" || (kernels && !span.stage.empty()))
            continue;
        if (kernels) {
            rows.push_back({stage, span.kernel, static_cast<double>(span.launches) / iterations,
                            span.launchSeconds, span.launchBytes, span.launchFlops});
            continue;
        }
        auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& known) { return known.name == span.kernel; });
        if (row == rows.end())
            row = rows.insert(rows.end(), {stage, span.kernel});
        row->perIteration += 1.0 / iterations;
        row->seconds += span.seconds;
        row->bytes = span.bytes;
    }
    for (Row& row : rows)
        if (!kernels)
            row.seconds /= row.perIteration * iterations;
    return rows;
}

void print(const std::vector<Row>& rows, double bandwidth, Json& record) {
    fmt::print("    {:<8} {:<24} {:>8} {:>10} {:>9} {:>9} {:>10} {:>9}\n", "stage", "", "an iter.",
               "µs a call", "MB", "GFLOP/s", "floor, µs", "of floor");
    double seconds = 0, floors = 0;
    for (const Row& row : rows) {
        const double floor = row.bytes / bandwidth;
        fmt::print("    {:<8} {:<24} {:>8.2f} {:>10.1f} {:>9.2f} {:>9} {:>10.1f} {:>9}\n",
                   row.stage, row.name, row.perIteration, 1e6 * row.seconds, row.bytes / 1e6,
                   row.flops > 0 ? fmt::format("{:.0f}", row.flops / row.seconds / 1e9)
                                 : std::string("–"),
                   1e6 * floor,
                   floor > 0 ? fmt::format("{:.1f}×", row.seconds / floor) : std::string("–"));
        record[row.stage][row.name] = {{"calls_an_iteration", row.perIteration},
                                       {"seconds", row.seconds},
                                       {"declared_bytes", row.bytes},
                                       {"declared_flops", row.flops},
                                       {"floor_seconds", floor}};
        seconds += row.perIteration * row.seconds;
        floors += row.perIteration * floor;
    }
    fmt::print("    {:<8} {:<24} {:>8} {:>10.1f} {:>9} {:>9} {:>10.1f} {:>8.1f}×\n", "all", "", "",
               1e6 * seconds, "", "", 1e6 * floors, seconds / floors);
}

ParamSet parametersFor(const std::string& preset, const std::string& variant) {
    const MotionMethod& method = motionMethod("unbiased");
    ParamSet values(*method.parameters, preset);
    values.setText("variant-force", variant);
    return values;
}

void printWhole(const std::string& name, double seconds, int iterations, int side, bool onDevice,
                Json& record) {
    const auto paper = std::find_if(std::begin(printed), std::end(printed),
                                    [&](const Printed& row) { return row.side == side; });
    std::string beside;
    if (paper != std::end(printed) && iterations == wholeIterations) {
        const double theirs = onDevice ? paper->gpuSeconds : paper->cpuSeconds;
        beside = fmt::format("; the paper's {}: {:.0f} s, {:.0f} times as long",
                             onDevice ? "GTX 480" : "CPU, one thread", theirs, theirs / seconds);
    }
    fmt::print("    {:<34} {:>10.1f} ms, {} iterations{}\n", name, 1e3 * seconds, iterations,
               beside);
    record["whole"][name] = {{"seconds", seconds}, {"iterations", iterations}};
}

void onDevice(int side, const HostPair& host, BenchDevice& device, double bandwidth, int repeats,
              ExecContext ctx, Json& record) {
    const MotionMethod& method = motionMethod("unbiased");
    ctx.backend = Backend::Cuda;
    ctx.cuda = &device.cuda;
    ResidentPair pair(host.fixed, host.moving, host.scale, device.cuda);
    const auto estimatorFor = [&](const char* preset, const char* variant) {
        return method.make(parametersFor(preset, variant), Backend::Cuda);
    };
    {
        const auto estimator = estimatorFor("paper", unbiased::forceFamily.standard);
        print(rowsOf(timeResident(*estimator, pair, true, repeats, ctx).profile, wholeIterations),
              bandwidth, record["stages"]);
    }
    const auto whole = [&](const char* preset, const char* variant) {
        const auto estimator = estimatorFor(preset, variant);
        MotionReport report;
        const auto once = [&] {
            ctx.throwIfCancelled();
            pair.clear();
            ctx.cuda->synchronize(CudaStream::Compute);
            const BenchClock::time_point begin = BenchClock::now();
            report = estimator->estimate(pair.input(), pair.displacement(), ctx);
            ctx.cuda->synchronize(CudaStream::Compute);
            return secondsSince(begin);
        };
        once(); // loads the kernels
        once(); // makes the graphs
        constexpr double budgetSeconds = 1;
        const double seconds = medianWithin(repeats, budgetSeconds, once);
        int iterations = 0;
        for (const MotionReport::Level& level : report.levels)
            iterations += level.iterations;
        printWhole(fmt::format("{}, force by {}", preset, variant), seconds, iterations, side, true,
                   record);
    };
    for (const KernelVariant& variant : unbiased::forceVariants)
        whole("paper", variant.name);
    whole("default", unbiased::forceFamily.standard);
}

void onCpu(int side, const HostPair& host, double bandwidth, ExecContext ctx, Json& record) {
    ParamSet values = parametersFor("paper", unbiased::forceFamily.standard);
    values.set("iterations", cpuIterations);
    const auto estimator = motionMethod("unbiased").make(values, Backend::Cpu);
    KernelProfile profile;
    ctx.backend = Backend::Cpu;
    ctx.profile = &profile;
    VectorField field(host.fixed.geometry, *ctx.pool, "displacement");
    profile.beginFrame(0);
    const BenchClock::time_point begin = BenchClock::now();
    estimator->estimate(host.input(), field.view(), ctx);
    const double seconds = secondsSince(begin);
    print(rowsOf(profile.endFrame(), cpuIterations), bandwidth, record["stages"]);
    printWhole(fmt::format("paper, from {} iterations", cpuIterations),
               seconds * wholeIterations / cpuIterations, wholeIterations, side, false, record);
}

} // namespace

void benchUnbiased(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const std::unique_ptr<BenchDevice> device =
        openBenchDevice("unbiased", motionMethod("unbiased"), record);
    const double bandwidth = device ? device->speed.copyBandwidth() : triadBandwidth(ctx);
    record["backend"] = device ? "cuda" : "cpu";
    record["bytes_per_second"] = bandwidth;
    fmt::print("unbiased: preset paper ({} iterations on one level), a shifted texture. The stages "
               "of an iteration with the bytes that they declare and the\n  time that these take "
               "at {:.0f} GB/s ({}), and the whole estimation between resident images\n",
               wholeIterations, bandwidth / 1e9, device ? "copies" : "triad");
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides = device ? std::vector<int>{128, 240} : std::vector<int>{options.size};
    for (const int side : sides) {
        ctx.throwIfCancelled();
        const HostPair host = shiftedTexture(side, ctx);
        fmt::print("  {0}×{0}×{0} voxels\n", side);
        Json& entry = record["sides"][std::to_string(side)];
        if (device)
            onDevice(side, host, *device, bandwidth, options.repeats, ctx, entry);
        else
            onCpu(side, host, bandwidth, ctx, entry);
    }
}

} // namespace systole
