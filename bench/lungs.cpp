// Motion of lungs that slide along the wall of the chest, on phantoms whose motion is known: what
// nobody moved, every method, every program that is installed.
#include "compute/surface/lungs.h"

#include "app/base/given_parameters.h"
#include "bench/accuracy_figures.h"
#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/figure_table.h"
#include "bench/programs.h"
#include "bench/timing.h"
#include "compute/core/motion_start.h"
#include "compute/landmarks/target_error.h"
#include "compute/motion/methods.h"
#include "compute/motion/registration.h"
#include "compute/motion/sliding.h"
#include "compute/ops/fold_math.h"
#include "compute/surface/signed_distance.h"
#include "io/phantom/lungs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace systole {
namespace {

/// A breath in voxels 2.5 times as high as wide.
struct LungCase {
    const char* name;
    const char* title;
    double breath, unevenness; ///< LungOptions
    bool keepsMass;
    double noise; ///< Hounsfield units
};
const std::vector<LungCase> lungCases{
    {"quiet", "15 mm, as dense breathed out as in", 15, 0, false, 20},
    {"deep", "25 mm, uneven, denser breathed out", 25, 0.15, true, 40},
    {"deepest", "35 mm, uneven, denser breathed out, noisy", 35, 0.2, true, 80},
};
constexpr double pleuraMillimeters = 10; ///< largest distance of the pleura's voxels from it
constexpr int wantedLandmarks = 300;
constexpr const char* lungPreset = "lungs";

/// A phantom breathed in and out, with what errors are measured by.
struct Chest {
    Chest(const LungOptions& options, const ExecContext& ctx)
        : phantom(options)
        , fixed(options.grid, *ctx.pool, "chest, in")
        , moving(options.grid, *ctx.pool, "chest, out")
        , truth(phantom.truth(0, options.frames / 2, ctx))
        , distance(options.grid, *ctx.pool, "distance of the pleura") {
        phantom.image(0, fixed.view(), ctx);
        phantom.image(options.frames / 2, moving.view(), ctx);
        const std::vector<std::uint8_t> lungs = phantom.lungs(0, ctx);
        signedDistance({lungs.data(), options.grid.size()}, options.grid.spacing(), distance.view(),
                       ctx);
        for (const Vec3 p : phantom.landmarks(wantedLandmarks, ctx)) {
            pairs.fixed.push_back(p);
            pairs.moving.push_back(nearestVoxelCenter(options.grid, phantom.forward(p, 1)));
        }
    }
    LungPhantom phantom;
    Volume fixed, moving;
    VectorField truth;
    Volume distance;  ///< distance to the border of the lungs, mm, negative in them
    PointPairs pairs; ///< voxels' centers, as experts have
};

enum Figures { Lungs, Lungs95, Inside, Outside, Tre, TreDeviation, Folded, Seconds, FigureCount };
const std::vector<std::string> figureTitles{"lungs", "95 %",      "pleura, in", "out",
                                            "TRE",   "deviation", "folded, %",  "CPU s"};
constexpr const char* figureKeys[] = {"lungs_mm",          "lungs_95_mm", "pleura_inside_mm",
                                      "pleura_outside_mm", "tre_mm",      "tre_deviation_mm",
                                      "folded_percent",    "cpu_seconds"};

/// All but the seconds.
std::vector<double> figuresOf(const Chest& chest, const VectorField& field,
                              const ExecContext& ctx) {
    const FieldView<const float> found = field.view(), truth = chest.truth.view();
    const Vec3 spacing = chest.fixed.geometry.spacing();
    std::vector<double> lungs, inside, outside;
    std::size_t folded = 0, i = 0;
    for (int z = 0; z < found.size.z; ++z)
        for (int y = 0; y < found.size.y; ++y)
            for (int x = 0; x < found.size.x; ++x, ++i) {
                const auto depth = static_cast<double>(chest.distance.view().data[i]);
                if (depth > pleuraMillimeters)
                    continue;
                double square = 0;
                for (int axis = 0; axis < 3; ++axis)
                    square +=
                        std::pow(spacing[axis] * static_cast<double>(found.component(axis)[i] -
                                                                     truth.component(axis)[i]),
                                 2);
                const double error = std::sqrt(square);
                if (depth >= 0) {
                    outside.push_back(error);
                    continue;
                }
                lungs.push_back(error);
                if (depth > -pleuraMillimeters)
                    inside.push_back(error);
                const bool cell =
                    x + 1 < found.size.x && y + 1 < found.size.y && z + 1 < found.size.z;
                folded += cell && !folds::Cell(found, x, y, z).isAbove(0);
            }
    const ErrorFigures all = errorFigures(lungs);
    const MillimeterField millimeters = toMillimeters(field, *ctx.pool);
    std::vector<std::optional<Vec3>> moved;
    for (const Vec3& p : chest.pairs.fixed)
        moved.push_back(movedBy(millimeters, p));
    const ErrorFigures tre =
        errorFigures(known(targetErrors(chest.pairs, moved, &chest.fixed.geometry)));
    std::vector<double> figures(FigureCount, NAN);
    figures[Lungs] = all.mean;
    figures[Lungs95] = all.percentile95;
    figures[Inside] = errorFigures(inside).mean;
    figures[Outside] = errorFigures(outside).mean;
    figures[Tre] = tre.mean;
    figures[TreDeviation] = tre.deviation;
    figures[Folded] = 100.0 * static_cast<double>(folded) / static_cast<double>(lungs.size());
    return figures;
}

/// A method that registers both sides of the pleura apart, from the masks that it finds.
MotionProgram apart(const std::string& name, const MotionMethod& method,
                    const ParamSet& parameters) {
    return {name, false, true,
            [&method, name, parameters](const ImagePair& pair, const ExecContext& ctx) {
                RegistrationPlan plan;
                plan.method = &method;
                plan.parameters = parameters;
                plan.methodBackend = ctx.backend;
                return ownRun(name, [&] {
                    return std::move(registerSliding({&pair.fixed, &pair.moving, pair.fixedMask,
                                                      pair.movingMask},
                                                     {}, plan, ctx)
                                         .displacement);
                });
            }};
}

struct LungProgram {
    MotionProgram program;
    bool masked = false; ///< is given the lungs that findLungs() finds
};

std::vector<LungProgram> programsOf(const BenchOptions& options) {
    std::vector<MotionProgram> all;
    if (options.onlyMethod) {
        const MotionMethod& method = motionMethod(options.method);
        all.push_back(methodProgram(fmt::format("Systole {}", method.name), method,
                                    givenParameters(*method.parameters, options.set)));
    } else {
        all = motionPrograms(options.method, options.peers);
        for (const MotionMethod& method : motionMethods())
            if (std::ranges::count(method.parameters->presets(), std::string(lungPreset)) > 0)
                all.push_back(
                    methodProgram(fmt::format("Systole {}, preset {}", method.name, lungPreset),
                                  method, ParamSet(*method.parameters, lungPreset)));
    }
    std::vector<LungProgram> programs;
    for (const MotionProgram& program : all)
        programs.push_back({program});
    for (MotionProgram program : all) {
        if (program.isPeer)
            continue;
        program.name += ", lungs alone";
        programs.push_back({std::move(program), true});
    }
    const MotionMethod& method = motionMethod(options.method);
    programs.push_back({apart(fmt::format("Systole {}, sides apart", method.name), method,
                              givenParameters(*method.parameters, options.set)),
                        true});
    if (!options.onlyMethod)
        programs.push_back(
            {apart(fmt::format("Systole clg, preset {}, sides apart", lungPreset),
                   motionMethod("clg"), ParamSet(*motionMethod("clg").parameters, lungPreset)),
             true});
    return programs;
}

/// The mean of each figure over the seeds.
class CaseFigures {
public:
    explicit CaseFigures(const std::vector<LungProgram>& programs)
        : programs_(programs), sums_(programs.size() + 1), runs_(programs.size() + 1) {}

    void measure(const LungOptions& options, const ExecContext& ctx) {
        const Chest chest(options, ctx);
        const double begin = processorSeconds();
        const Volume fixedMask = findLungs(chest.fixed, ctx),
                     movingMask = findLungs(chest.moving, ctx);
        const double masks = processorSeconds() - begin;
        const IntensityScale scale = sharedScale(chest.fixed, chest.moving);
        add(0, figuresOf(chest, fieldAtRest(options.grid, *ctx.pool, noMotionName), ctx));
        for (std::size_t p = 0; p < programs_.size(); ++p) {
            const auto& [program, masked] = programs_[p];
            if (!program.installed)
                continue;
            ctx.throwIfCancelled();
            const double before = processorSeconds();
            const ProgramRun run =
                program.run({chest.fixed, chest.moving, scale, masked ? &fixedMask : nullptr,
                             masked ? &movingMask : nullptr},
                            ctx);
            const double seconds = processorSeconds() - before + (masked ? masks : 0);
            if (!run.field)
                continue;
            std::vector<double> figures = figuresOf(chest, *run.field, ctx);
            figures[Seconds] = seconds;
            add(p + 1, figures);
        }
    }
    void print(const std::string& title) const {
        std::vector<FigureRow> rows;
        for (std::size_t p = 0; p < sums_.size(); ++p)
            rows.push_back({nameOf(p), means(p),
                            runs_[p] > 0                                   ? ""
                            : p > 0 && !programs_[p - 1].program.installed ? "not installed"
                                                                           : "failed"});
        printFigures(title, figureTitles, rows, 3);
        std::fflush(stdout);
    }
    Json record() const {
        Json record;
        for (std::size_t p = 0; p < sums_.size(); ++p)
            for (std::size_t f = 0; runs_[p] > 0 && f < FigureCount; ++f)
                record[nameOf(p)][figureKeys[f]] = means(p)[f];
        return record;
    }

private:
    std::string nameOf(std::size_t p) const {
        return p == 0 ? noMotionName : programs_[p - 1].program.name;
    }
    void add(std::size_t p, const std::vector<double>& figures) {
        sums_[p].resize(FigureCount);
        for (std::size_t f = 0; f < FigureCount; ++f)
            sums_[p][f] += figures[f];
        ++runs_[p];
    }
    std::vector<double> means(std::size_t p) const {
        std::vector<double> means = sums_[p];
        for (double& mean : means)
            mean /= runs_[p];
        return means;
    }

    const std::vector<LungProgram>& programs_;
    std::vector<std::vector<double>> sums_; ///< sums of the figures by program, no motion first
    std::vector<int> runs_;
};

} // namespace

void benchLungs(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    const std::vector<LungCase> cases = chosenCases(lungCases, options.cases);
    const std::vector<LungProgram> programs = programsOf(options);
    const int side = options.size, slices = side * 3 / 8;
    fmt::print("lungs: chests of {0}×{0}×{1} voxels, {2} seeds from {3} on, {4} threads. Mean "
               "error in the lungs, mm, what 95 % stay below, within {5:g} mm of the pleura on "
               "both sides, at up to {6} landmarks as DIR-Lab has them, voxels of the lungs that "
               "fold, seconds of processor time\n",
               side, slices, options.seeds, options.seed, ctx.threads->threads(), pleuraMillimeters,
               wantedLandmarks);
    record["side"] = side;
    record["threads"] = ctx.threads->threads();
    record["set"] = options.set;
    for (const LungCase& each : cases) {
        CaseFigures figures(programs);
        for (int n = 0; n < options.seeds; ++n) {
            LungOptions chest;
            chest.grid =
                Geometry({side, side, slices}, {256.0 / side, 256.0 / side, 240.0 / slices});
            chest.frames = 2;
            chest.breathMillimeters = each.breath;
            chest.unevenness = each.unevenness;
            chest.keepsMass = each.keepsMass;
            chest.noiseHounsfield = each.noise;
            chest.seed = options.seed + static_cast<std::uint64_t>(n);
            figures.measure(chest, ctx);
        }
        figures.print(fmt::format("{}: {}", each.name, each.title));
        record["cases"][each.name] = figures.record();
    }
}

} // namespace systole
