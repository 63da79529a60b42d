#include "bench/benchmarks.h"
#include "bench/stage_rows.h"
#include "bench/timing.h"
#include "compute/methods/unbiased/variants.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

/// Iterations of the preset `paper` on its only level.
constexpr int wholeIterations = 300;
/// Iterations timed on the CPU, from which the time of all follows.
constexpr int cpuIterations = 30;

/// The paper's times for 300 iterations: one thread of a CPU, and a GTX 480.
struct Printed {
    int side;
    double cpuSeconds, gpuSeconds;
};
constexpr Printed printed[] = {{128, 35 * 60, 24}, {240, 7 * 3600, 150}};

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

/// The whole estimation between resident images.
void whole(const char* preset, const char* variant, int side, ResidentPair& pair, int repeats,
           const ExecContext& ctx, Json& record) {
    const auto estimator =
        motionMethod("unbiased").make(parametersFor(preset, variant), Backend::Cuda);
    MotionReport report;
    const auto once = [&] {
        ctx.throwIfCancelled();
        pair.clear();
        ctx.cuda->synchronize(CudaStream::Compute);
        return secondsOf([&] {
            report = estimator->estimate(pair.input(), pair.displacement(), ctx);
            ctx.cuda->synchronize(CudaStream::Compute);
        });
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
}

void measure(int side, const HostPair& host, const StageBench& bench, int repeats, Json& record) {
    const bool device = bench.device != nullptr;
    ParamSet values = parametersFor("paper", unbiased::forceFamily.standard);
    const int iterations = device ? wholeIterations : cpuIterations;
    values.set("iterations", iterations);
    const auto estimator = motionMethod("unbiased").make(values, bench.ctx.backend);
    FrameProfile profile;
    const double seconds =
        secondsOf([&] { profile = stageProfile(*estimator, host, bench, device ? repeats : 1); });
    std::vector<StageRow> rows = stageRows(profile, CpuCall::Mean, iterations);
    std::erase_if(rows, [](const StageRow& row) { return row.stage == "pyramid"; });
    printStageRows(rows, bench.bytesPerSecond, record["stages"]);
    printStageSum("an iteration", rows, bench.bytesPerSecond, record["iteration"]);
    if (!device)
        return printWhole(fmt::format("paper, from {} iterations", cpuIterations),
                          seconds * wholeIterations / cpuIterations, wholeIterations, side, false,
                          record);
    ResidentPair pair(host.fixed, host.moving, host.scale, bench.device->cuda);
    for (const KernelVariant& variant : unbiased::forceVariants)
        whole("paper", variant.name, side, pair, repeats, bench.ctx, record);
    whole("default", unbiased::forceFamily.standard, side, pair, repeats, bench.ctx, record);
}

} // namespace

void benchUnbiased(const BenchOptions& options, const ExecContext& base, Json& record) {
    const StageBench bench = openStageBench("unbiased", motionMethod("unbiased"), base, record);
    fmt::print("unbiased: preset paper ({} iterations on one level), a shifted texture. The stages "
               "of an iteration with the bytes that they declare and the\n  time that these take "
               "at {}, and the whole estimation between resident images\n",
               wholeIterations, bench.bandwidthText);
    overSides(options, bench, {128, 240}, record, [&](int side, const HostPair& host, Json& entry) {
        measure(side, host, bench, options.repeats, entry);
    });
}

} // namespace systole
