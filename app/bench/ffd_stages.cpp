#include "app/bench/benchmarks.h"
#include "app/bench/device_bench.h"
#include "app/bench/memory_bandwidth.h"
#include "app/bench/timing.h"
#include "compute/core/control_grid.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

constexpr int iterations = 5, spacing = 5;
/// NiftyReg's NMI at 256³, recorded on an H200.
constexpr int recordedSide = 256;
constexpr double recordedNmi = 0.64e-3;

/// What is minimized: one similarity, one penalty.
struct Energy {
    const char* name;
    const char* similarity;
    const char* penalty; ///< parameter
    double weight;
    bool penaltyAlone; ///< only the penalty's rows are of interest
};
constexpr Energy energies[] = {
    {"ssd", "ssd", "bending", 10, false},
    {"nmi", "nmi", "bending", 10, false},
    {"lncc", "lncc", "bending", 10, false},
    {"elasticity", "ssd", "elasticity", 1, true},
    {"volume change", "ssd", "jacobian", 0.1, true},
};

struct Work {
    double seconds = 0, bytes = 0;
    int calls = 0;

    void add(double moreSeconds, double moreBytes, int moreCalls) {
        seconds += moreSeconds;
        bytes += moreBytes;
        calls += moreCalls;
    }
};

/// A stage of one run: its CUDA kernels, or on the CPU its calls.
struct Stage {
    Work calls;
    std::map<std::string, Work> kernels;

    double seconds() const {
        double sum = kernels.empty() ? calls.seconds : 0;
        for (const auto& [name, work] : kernels)
            sum += work.seconds;
        return sum;
    }
    int count() const {
        int least = kernels.empty() ? calls.calls : kernels.begin()->second.calls;
        for (const auto& [name, work] : kernels)
            least = std::min(least, work.calls);
        return least;
    }
};

std::map<std::string, Stage> stagesOf(const FrameProfile& profile) {
    std::map<std::string, Stage> stages;
    std::string current;
    for (const ProfileSpan& span : profile.spans)
        if (!span.stage.empty()) {
            current = span.stage;
            stages[current].calls.add(span.seconds, span.bytes, 1);
        } else {
            stages[current].kernels[span.kernel].add(span.seconds, span.bytes, span.launches);
        }
    return stages;
}

/// A row of the table: a call of a stage.
struct Row {
    std::string name;
    double seconds = 0;      ///< of a call
    double perIteration = 0; ///< calls
    double bytes = 0;        ///< that a call must move: what it reads and writes, each once
};

/// What a call must read and write; `n` voxels, `p` control points.
double leastBytes(const std::string& stage, const std::string& similarity, double n, double p) {
    const bool lncc = similarity == "lncc";
    if (stage == "spline" || stage == "gradient")
        return 12 * n + 12 * p;
    if (stage == "warp") // field and moving image in, warped image and weight out
        return 24 * n;
    if (stage == "similarity") // lncc: the windows' statistics in, the derivative's factors out
        return (lncc ? 36 : 12) * n;
    if (stage == "derivative")
        return (lncc ? 24 : 16) * n;
    return 32 * n; // forces: derivative, field and moving image in, three components out
}

std::vector<Row> rowsOf(const std::map<std::string, Stage>& stages, const Energy& energy, double n,
                        double p) {
    const auto stage = [&](const std::string& name) {
        const auto found = stages.find(name);
        return found == stages.end() ? Stage() : found->second;
    };
    const double evaluations = stage("similarity").count() / static_cast<double>(iterations),
                 gradients = stage("forces").count() / static_cast<double>(iterations);
    std::vector<Row> rows;
    const auto perCall = [](double sum, double calls) { return calls > 0 ? sum / calls : 0; };
    if (!energy.penaltyAlone)
        for (const char* name :
             {"spline", "warp", "similarity", "derivative", "forces", "gradient"}) {
            const Stage s = stage(name);
            const bool once = std::string(name) == "gradient"; // kernels, several of one name
            const int calls = once ? stage("forces").count() : s.count();
            const bool ofGradient =
                once || std::string(name) == "derivative" || std::string(name) == "forces";
            rows.push_back({name, perCall(s.seconds(), calls), ofGradient ? gradients : evaluations,
                            leastBytes(name, energy.similarity, n, p)});
        }
    const Stage penalty = stage("penalty");
    for (const auto& [name, work] : penalty.kernels)
        rows.push_back({name, perCall(work.seconds, work.calls),
                        name.ends_with("gradient") ? gradients : evaluations,
                        perCall(work.bytes, work.calls)});
    if (penalty.kernels.empty())
        rows.push_back({energy.penaltyAlone ? energy.name : "bending",
                        perCall(penalty.calls.seconds, penalty.calls.calls),
                        evaluations + gradients,
                        perCall(penalty.calls.bytes, penalty.calls.calls)});
    if (!energy.penaltyAlone) {
        const Stage search = stage("search");
        rows.push_back(
            {"search", search.seconds() / iterations, 1, search.calls.bytes / iterations});
        rows.push_back({"level", stage("level").seconds(), 0, stage("level").calls.bytes});
    }
    return rows;
}

/// The medians of several runs.
std::vector<Row> medians(const std::vector<std::vector<Row>>& runs) {
    std::vector<Row> rows = runs.front();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<double> seconds;
        for (const std::vector<Row>& run : runs)
            seconds.push_back(run[i].seconds);
        rows[i].seconds = median(std::move(seconds));
    }
    return rows;
}

ParamSet parametersFor(const Energy& energy) {
    ParamSet values(*motionMethod("ffd").parameters, "default");
    values.set("levels", 1);
    values.set("iterations", iterations);
    values.set("tolerance", 0.0);
    values.set("spacing", spacing);
    values.set("bending", 0.0);
    values.setText("similarity", energy.similarity);
    values.set(energy.penalty, energy.weight);
    return values;
}

void printRows(const std::vector<Row>& rows, const Energy& energy, double bandwidth, Json& record) {
    double seconds = 0, floor = 0;
    for (const Row& row : rows) {
        const double least = row.bytes / bandwidth;
        const std::string ratio =
            least > 0 ? fmt::format("{:.1f}×", row.seconds / least) : std::string("–");
        const std::string often =
            row.perIteration > 0 ? fmt::format("{:.1f}", row.perIteration) : "begin";
        fmt::print("    {:<14} {:<34} {:>9.4f} {:>7} {:>9.2f} {:>9.4f} {:>9}\n", energy.name,
                   row.name, 1e3 * row.seconds, often, row.bytes / 1e6, 1e3 * least, ratio);
        record["stages"][row.name] = {{"seconds", row.seconds},
                                      {"calls_an_iteration", row.perIteration},
                                      {"least_bytes", row.bytes},
                                      {"floor_seconds", least}};
        seconds += row.perIteration * row.seconds;
        floor += row.perIteration * least;
    }
    if (energy.penaltyAlone)
        return;
    fmt::print("    {:<14} {:<34} {:>9.4f} {:>7} {:>9} {:>9.4f} {:>8.1f}×\n", energy.name,
               "one iteration", 1e3 * seconds, "", "", 1e3 * floor, seconds / floor);
    record["iteration"] = {{"seconds", seconds}, {"floor_seconds", floor}};
}

void measure(int side, BenchDevice* device, double bandwidth, int repeats, const ExecContext& base,
             Json& record) {
    const HostPair host = shiftedTexture(side, base);
    KernelProfile profile;
    ExecContext ctx = base;
    ctx.backend = device ? Backend::Cuda : Backend::Cpu;
    ctx.cuda = device ? &device->cuda : nullptr;
    ctx.profile = &profile;
    ctx.profileKernels = device != nullptr;
    const ControlGrid grid{{side, side, side}, {spacing, spacing, spacing}};
    const auto voxels = static_cast<double>(grid.image.voxels()),
               points = static_cast<double>(grid.points().voxels());
    std::unique_ptr<ResidentPair> resident;
    if (device)
        resident =
            std::make_unique<ResidentPair>(host.fixed, host.moving, host.scale, device->cuda);
    VectorField field(host.fixed.geometry, *base.pool, "displacement");
    fmt::print("  {0}×{0}×{0} voxels, {1} control points\n", side, grid.points().voxels());
    fmt::print("    {:<14} {:<34} {:>9} {:>7} {:>9} {:>9} {:>9}\n", "", "stage", "ms a call",
               "calls", "MB", "floor, ms", "of floor");
    for (const Energy& energy : energies) {
        ctx.throwIfCancelled();
        const auto estimator = motionMethod("ffd").make(parametersFor(energy), ctx.backend);
        std::vector<std::vector<Row>> runs;
        const auto once = [&] {
            profile.beginFrame(0);
            const BenchClock::time_point begin = BenchClock::now();
            if (resident) {
                resident->clear();
                estimator->estimate(resident->input(), resident->displacement(), ctx);
                ctx.cuda->synchronize(CudaStream::Compute);
            } else {
                std::fill_n(field.components.data(), field.components.size(), 0.0f);
                estimator->estimate(host.input(), field.view(), ctx);
            }
            const double seconds = secondsSince(begin);
            runs.push_back(rowsOf(stagesOf(profile.endFrame()), energy, voxels, points));
            return seconds;
        };
        if (device) { // the first launches of kernels load them
            once();
            runs.clear();
        }
        constexpr double budgetSeconds = 1;
        medianWithin(repeats, budgetSeconds, once);
        const std::vector<Row> rows = medians(runs);
        printRows(rows, energy, bandwidth, record[energy.name]);
        const auto value = std::find_if(rows.begin(), rows.end(),
                                        [](const Row& row) { return row.name == "similarity"; });
        if (device && std::string(energy.name) == "nmi" && value != rows.end() &&
            side == recordedSide)
            fmt::print("    the value of NMI alone: {:.4f} ms; NiftyReg's, recorded on an H200: "
                       "{:.2f} ms\n",
                       1e3 * value->seconds, 1e3 * recordedNmi);
    }
}

} // namespace

void benchFfd(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const std::unique_ptr<BenchDevice> device = openBenchDevice("ffd", motionMethod("ffd"), record);
    const double bandwidth = device ? device->speed.copyBandwidth() : triadBandwidth(ctx);
    record["backend"] = device ? "cuda" : "cpu";
    record["bytes_per_second"] = bandwidth;
    fmt::print(
        "ffd: an iteration of the free-form deformation, control points {} voxels apart, a "
        "shifted texture; medians. The floor is what a\n  call must read and write, at {:.0f} "
        "GB/s ({}); a call's times are {}\n",
        spacing, bandwidth / 1e9, device ? "copies" : "triad",
        device ? "the sums of its kernels' events" : "of the wall clock");
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides = device ? std::vector<int>{128, 256} : std::vector<int>{options.size};
    for (const int side : sides)
        measure(side, device.get(), bandwidth, options.repeats, ctx,
                record["sides"][std::to_string(side)]);
}

} // namespace systole
