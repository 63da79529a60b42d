#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/device_bench.h"
#include "bench/figure_table.h"
#include "bench/phantom_case.h"
#include "bench/programs.h"
#include "bench/real_cases.h"
#include "bench/real_measures.h"
#include "bench/timing.h"
#include "compute/measures/similarity.h"
#include "compute/motion/methods.h"
#include "compute/motion/registration.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace systole {
namespace {

/// Our registration in its default presets on the backend of the context.
MotionProgram ours(const std::string& name, const MotionMethod* method) {
    return {name, false, true, [method, name](const ImagePair& pair, const ExecContext& ctx) {
                RegistrationPlan plan;
                plan.affine = AffineParameters::from(ParamSet(affineParameterTable(), "default"));
                plan.affineBackend = ctx.backend;
                if (method) {
                    plan.method = method;
                    plan.parameters = ParamSet(*method->parameters, "default");
                    plan.methodBackend = ctx.backend;
                }
                return ownRun(name, [&] {
                    return std::move(
                        registerImages({&pair.fixed, &pair.moving}, {}, plan, ctx).displacement);
                });
            }};
}

/// A pair to register, with what its result is measured by.
struct RegistrationCase {
    std::string name, title;
    std::function<double(const VectorField&)> endpointError; ///< voxels; empty: no truth
    std::function<double(const VectorField&)> meanDice;      ///< empty: no labels
    const Volume *fixed = nullptr, *moving = nullptr;
    IntensityScale scale;
};

constexpr const char* figureNames[] = {"NMI",  "SSIM",      "NCC",    "error, voxel",
                                       "Dice", "folded, %", "seconds"};
constexpr const char* figureKeys[] = {"nmi",  "ssim",           "ncc",    "endpoint_error",
                                      "dice", "folded_percent", "seconds"};

std::vector<double> figuresOf(const RegistrationCase& which, const VectorField& field,
                              double seconds, const ExecContext& ctx) {
    Volume moved(which.fixed->geometry, *ctx.pool, "moved image"),
        inside(which.fixed->geometry, *ctx.pool, "where it is inside");
    warpVolume(which.moving->view(), field.view(), moved.view(), inside.view(), ctx);
    constexpr GrayRanges mapped{{0, 255}, {0, 255}};
    const GrayRanges ranges = which.endpointError ? GrayRanges{which.scale, which.scale} : mapped;
    const SimilarityFigures alike =
        similarityFigures(which.fixed->view(), moved.view(), inside.view(), ranges, ctx);
    return {alike.mutualInformation,
            alike.structural,
            alike.correlation,
            which.endpointError ? which.endpointError(field) : NAN,
            which.meanDice ? which.meanDice(field) : NAN,
            percentThatMayFold(field.view(), ctx),
            seconds};
}

/// The one table, and the same figures as record[case][program][figure].
class RegistrationTable {
public:
    void add(const RegistrationCase& which, const std::string& program,
             const std::vector<double>& figures) {
        rows_.push_back({fmt::format("{:<10} {}", which.name, program), figures});
        Json& entry = record_[which.name][program];
        for (std::size_t i = 0; i < figures.size(); ++i)
            entry[figureKeys[i]] = std::isnan(figures[i]) ? Json(nullptr) : Json(figures[i]);
    }
    void addFailure(const RegistrationCase& which, const std::string& program) {
        rows_.push_back({fmt::format("{:<10} {}", which.name, program), {}, "failed"});
        record_[which.name][program] = nullptr;
    }
    void print() const {
        printFigures("similarity of the fixed and the moved image where it is inside; endpoint "
                     "error in the wall of a phantom, smallest spacings; mean Dice of the labels",
                     {std::begin(figureNames), std::end(figureNames)}, rows_, 3);
    }
    const Json& record() const { return record_; }

private:
    std::vector<FigureRow> rows_;
    Json record_ = Json::object();
};

/// A program and what it runs with.
struct Competitor {
    MotionProgram program;
    ExecContext ctx;
};

void runCase(RegistrationTable& table, const RegistrationCase& which,
             const std::vector<Competitor>& competitors, const ExecContext& ctx) {
    fmt::print("  {:<10} {}\n", which.name, which.title);
    std::fflush(stdout);
    VectorField none = fieldAtRest(which.fixed->geometry, *ctx.pool, "no motion");
    table.add(which, "no registration", figuresOf(which, none, NAN, ctx));
    for (const Competitor& each : competitors) {
        ctx.throwIfCancelled();
        if (!each.program.installed)
            continue;
        const ProgramRun run =
            each.program.run({*which.fixed, *which.moving, which.scale}, each.ctx);
        fmt::print("    {:<28} {:>8.2f} s\n", each.program.name, run.seconds);
        std::fflush(stdout);
        if (run.field)
            table.add(which, each.program.name, figuresOf(which, *run.field, run.seconds, ctx));
        else
            table.addFailure(which, each.program.name);
    }
}

void runPhantom(RegistrationTable& table, const PhantomCase& named,
                const std::vector<Competitor>& competitors, const ExecContext& ctx) {
    const PhantomPair pair(named, ctx);
    RegistrationCase which{named.name, named.title, {}, {}, &pair.fixed, &pair.moving, pair.scale};
    which.endpointError = [&](const VectorField& field) {
        return wallError(pair, field.view()).mean;
    };
    runCase(table, which, competitors, ctx);
}

void runReal(RegistrationTable& table, const std::string& folder, const RealCase& named,
             const std::vector<Competitor>& competitors, const ExecContext& ctx) {
    const std::vector<Volume> frames = readFrames(folder, named, ctx);
    RegistrationCase which{named.name, named.title, {}, {}, frames.data(), &frames[1], {0, 255}};
    const PairLabels labels = readPairLabels(folder, named, ctx);
    if (!named.structures.empty())
        which.meanDice = [&](const VectorField& field) {
            const std::vector<double> dice = measurePair(frames, labels, field.view(), ctx).dice;
            return std::accumulate(dice.begin(), dice.end(), 0.0) /
                   static_cast<double>(dice.size());
        };
    runCase(table, which, competitors, ctx);
}

/// A pair of the benchmark: a phantom by its name, or a real case.
struct NamedCase {
    std::string name;
    bool isReal = false;
};

std::vector<NamedCase> namedCases() {
    return {{"echo"},
            {"ct"},
            {"slices8"},
            {"brains", true},
            {"thorax-ex", true},
            {"thorax-in", true},
            {"acdc-es", true},
            {"acdc-ed", true}};
}

template <typename Case>
Case caseNamed(const std::vector<Case>& all, const std::string& name) {
    return chosenCases(all, {name}).front();
}

} // namespace

void benchRegistration(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const std::vector<NamedCase> cases = chosenCases(namedCases(), options.cases);
    fmt::print("registration: default presets, phantoms {0}×{0}×{0}, {1} threads; other programs' "
               "seconds include their files\n",
               options.size, ctx.threads->threads());
    record["size"] = options.size;
    record["threads"] = ctx.threads->threads();
    const std::vector<MotionMethod>& methods = motionMethods();
    const auto device = openBenchDevice("registration", methods.front(), record);
    std::vector<Competitor> competitors{{ours("Systole affine", nullptr), ctx}};
    for (const MotionMethod& method : methods) {
        const std::string name = "Systole affine + " + method.name;
        competitors.push_back({ours(name, &method), ctx});
        const bool hasDevice =
            std::ranges::find(method.backends, Backend::Cuda) != method.backends.end();
        if (device && hasDevice)
            competitors.push_back({ours(name + ", CUDA", &method), contextOn(*device, ctx)});
    }
    for (const MotionProgram& program : options.peers
                                            ? motionPrograms(motionMethods().front().name, true)
                                            : std::vector<MotionProgram>{})
        if (program.isPeer && program.name.find("B-spline") != std::string::npos) {
            competitors.push_back({program, ctx});
            if (!program.installed)
                fmt::print("  {}: not installed\n", program.name);
        }

    RegistrationTable table;
    const Size3 size{options.size, options.size, options.size};
    for (const NamedCase& each : cases) {
        if (!each.isReal) {
            runPhantom(table, caseNamed(phantomCases(size, options.seed), each.name), competitors,
                       ctx);
            continue;
        }
        const RealCase which = caseNamed(realCases(), each.name);
        if (const std::string missing = missingFile(options.dataFolder, which); !missing.empty()) {
            fmt::print("  {:<10} skipped, {} isn't in the folder of --data\n", which.name, missing);
            record["skipped"][which.name] = missing;
            continue;
        }
        runReal(table, options.dataFolder, which, competitors, ctx);
    }
    table.print();
    record["cases"] = table.record();
}

} // namespace systole
