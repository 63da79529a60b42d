#include "bench/benchmarks.h"
#include "bench/stage_rows.h"
#include "bench/timing.h"
#include "compute/core/control_grid.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr int iterations = 5, spacing = 5;
/// NiftyReg's NMI at 256³, recorded on an H200.
constexpr int recordedSide = 256;
constexpr double recordedNmi = 0.64e-3;

/// The minimized energy: one similarity, one penalty.
struct Energy {
    const char* name;
    const char* similarity;
    const char* penalty; ///< parameter
    double weight;
    bool penaltyAlone; ///< only the penalty's rows are reported
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

/// Bytes that a call must read and write; `n` voxels, `p` control points.
double minBytes(const std::string& stage, const std::string& similarity, double n, double p) {
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

std::vector<StageRow> rowsOf(const std::map<std::string, Stage>& stages, const Energy& energy,
                             double n, double p) {
    const auto stage = [&](const std::string& name) {
        const auto found = stages.find(name);
        return found == stages.end() ? Stage() : found->second;
    };
    const double evaluations = stage("similarity").count() / static_cast<double>(iterations),
                 gradients = stage("forces").count() / static_cast<double>(iterations);
    std::vector<StageRow> rows;
    const auto add = [&](const std::string& name, double calls, double seconds, double bytes) {
        rows.push_back({energy.name, name, calls, seconds, bytes});
    };
    const auto perCall = [](double sum, double calls) { return calls > 0 ? sum / calls : 0; };
    if (!energy.penaltyAlone)
        for (const char* name :
             {"spline", "warp", "similarity", "derivative", "forces", "gradient"}) {
            const Stage s = stage(name);
            const bool once = std::string(name) == "gradient"; // kernels, several of one name
            const int calls = once ? stage("forces").count() : s.count();
            const bool ofGradient =
                once || std::string(name) == "derivative" || std::string(name) == "forces";
            add(name, ofGradient ? gradients : evaluations, perCall(s.seconds(), calls),
                minBytes(name, energy.similarity, n, p));
        }
    const Stage penalty = stage("penalty");
    for (const auto& [name, work] : penalty.kernels)
        add(name, name.ends_with("gradient") ? gradients : evaluations,
            perCall(work.seconds, work.calls), perCall(work.bytes, work.calls));
    if (penalty.kernels.empty())
        add(energy.penaltyAlone ? energy.name : "bending", evaluations + gradients,
            perCall(penalty.calls.seconds, penalty.calls.calls),
            perCall(penalty.calls.bytes, penalty.calls.calls));
    if (!energy.penaltyAlone) {
        const Stage search = stage("search");
        add("search", 1, search.seconds() / iterations, search.calls.bytes / iterations);
        add("level", 0, stage("level").seconds(), stage("level").calls.bytes);
    }
    return rows;
}

/// The medians of several runs.
std::vector<StageRow> medians(const std::vector<std::vector<StageRow>>& runs) {
    std::vector<StageRow> rows = runs.front();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<double> seconds;
        for (const std::vector<StageRow>& run : runs)
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

void measure(int side, const HostPair& host, const StageBench& bench, int repeats, Json& record) {
    const ControlGrid grid{{side, side, side}, {spacing, spacing, spacing}};
    const auto voxels = static_cast<double>(grid.image.voxels()),
               points = static_cast<double>(grid.points().voxels());
    std::optional<ResidentPair> resident;
    if (bench.device)
        resident.emplace(host.fixed, host.moving, host.scale, bench.device->cuda);
    VectorField field(host.fixed.geometry, *bench.ctx.pool, "displacement");
    fmt::print("  {} control points\n", grid.points().voxels());
    for (const Energy& energy : energies) {
        bench.ctx.throwIfCancelled();
        const auto estimator = motionMethod("ffd").make(parametersFor(energy), bench.ctx.backend);
        std::vector<std::vector<StageRow>> runs;
        const auto once = [&] {
            double seconds = 0;
            const auto estimate = [&](const ExecContext& ctx) {
                seconds = secondsOf([&] {
                    if (resident) {
                        resident->clear();
                        estimator->estimate(resident->input(), resident->displacement(), ctx);
                        ctx.cuda->synchronize(CudaStream::Compute);
                    } else {
                        setToRest(field);
                        estimator->estimate(host.input(), field.view(), ctx);
                    }
                });
            };
            runs.push_back(rowsOf(stagesOf(profileOf(bench.ctx, bench.device != nullptr, estimate)),
                                  energy, voxels, points));
            return seconds;
        };
        if (bench.device) { // the first launches of kernels load them
            once();
            runs.clear();
        }
        constexpr double budgetSeconds = 1;
        medianWithin(repeats, budgetSeconds, once);
        const std::vector<StageRow> rows = medians(runs);
        Json& entry = record[energy.name];
        Json below;
        printStageRows(rows, bench.bytesPerSecond, below);
        entry["stages"] = below[energy.name];
        if (!energy.penaltyAlone)
            printStageSum("one iteration", rows, bench.bytesPerSecond, entry["iteration"]);
        const auto value = std::ranges::find(rows, "similarity", &StageRow::name);
        if (bench.device && std::string(energy.name) == "nmi" && value != rows.end() &&
            side == recordedSide)
            fmt::print("    the value of NMI alone: {:.4f} ms; NiftyReg's, recorded on an H200: "
                       "{:.2f} ms\n",
                       1e3 * value->seconds, 1e3 * recordedNmi);
    }
}

} // namespace

void benchFfd(const BenchOptions& options, const ExecContext& base, Json& record) {
    const StageBench bench = openStageBench("ffd", motionMethod("ffd"), base, record);
    fmt::print("ffd: an iteration of the free-form deformation, control points {} voxels apart, a "
               "shifted texture; medians. The floor is what a\n  call must read and write, at {}; "
               "a call's times are {}\n",
               spacing, bench.bandwidthText,
               bench.device ? "the sums of its kernels' events" : "of the wall clock");
    overSides(options, bench, {128, 256}, record, [&](int side, const HostPair& host, Json& entry) {
        measure(side, host, bench, options.repeats, entry);
    });
}

} // namespace systole
