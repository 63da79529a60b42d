// Motion through landmarks on the CPU: what fit and evaluation cost, and what they are worth on a
// breathing chest of large motion, alone and as a start of other methods.
#include "bench/benchmarks.h"
#include "bench/timing.h"
#include "compute/core/motion_start.h"
#include "compute/core/random.h"
#include "compute/lab/kernels/thin_plate.h"
#include "compute/landmarks/far_field.h"
#include "compute/landmarks/robust_fit.h"
#include "compute/motion/methods.h"
#include "compute/ops/sample.h"
#include "io/phantom/lungs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr double evaluationTolerance = 0.02; ///< voxel
constexpr double breaths[] = {12, 25};       ///< mm

struct Marks {
    std::vector<Vec3> from, to;
};

/// Places all over a cube, a bend of a few voxels, and noise of up to a fifth of a voxel.
Marks bentMarks(int count, int side) {
    Marks marks;
    for (int i = 0; i < count; ++i) {
        const auto random = [&](std::uint64_t which) {
            return static_cast<double>(uniformFloat(
                static_cast<std::uint32_t>(randomBits(17, static_cast<std::uint64_t>(i), which))));
        };
        const Vec3 p{side * random(0), side * random(1), side * random(2)};
        marks.from.push_back(p);
        marks.to.push_back({p.x + 4 * std::sin(p.y / 20) + 0.4 * (random(3) - 0.5),
                            p.y + 6 * std::cos(p.z / 30) + 0.4 * (random(4) - 0.5),
                            p.z + 0.05 * p.x + 0.4 * (random(5) - 0.5)});
    }
    return marks;
}

/// The greatest length of a difference in voxels.
double largestDifference(FieldView<const float> positions, FieldView<const float> displacement) {
    double largest = 0;
    const Size3 size = positions.size;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const auto difference = [&](int axis, int place) {
                    return static_cast<double>(positions.componentView(axis)(x, y, z)) - place -
                           static_cast<double>(displacement.componentView(axis)(x, y, z));
                };
                largest = std::max(
                    largest, std::hypot(difference(0, x), difference(1, y), difference(2, z)));
            }
    return largest;
}

void measureTransform(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const int side = options.size;
    const Size3 size{side, side, side};
    fmt::print("\n  thin-plate spline over {0}×{0}×{0}, seconds\n"
               "  {1:>9} {2:>8} {3:>10} {4:>8} {5:>8} {6:>8} {7:>10} {8:>9} {9:>6}\n",
               side, "landmarks", "fit", "residual", "robust", "exact", "far", "difference",
               "terms", "degree");
    Buffer<float> memory = ctx.pool->acquire<float>(6 * size.voxels(), "benchmark fields");
    const FieldView<float> positions(memory.data(), size),
        displacement(memory.data() + 3 * size.voxels(), size);
    for (const int count : {300, 1000, 4000}) {
        const Marks marks = bentMarks(count, side);
        ThinPlateSpline through;
        const double fit = secondsOf([&] {
            through = fitThinPlate(marks.from, marks.to,
                                   std::vector<double>(marks.from.size(), 0.0), ctx);
        });
        double residual = 0;
        for (std::size_t i = 0; i < marks.from.size(); ++i)
            residual = std::max(residual, length(through.at(marks.from[i]) - marks.to[i]));
        RobustFit found;
        const double robust =
            secondsOf([&] { found = fitRobustly(marks.from, marks.to, {}, {}, ctx); });
        FarFieldWork work;
        const double exact = secondsOf([&] { lab::transformGrid(found.spline, positions, ctx); });
        const double far = secondsOf([&] {
            work =
                displacementOnGrid(found.spline, {1, 1, 1}, evaluationTolerance, displacement, ctx);
        });
        const double share =
            work.terms / (static_cast<double>(count) * static_cast<double>(size.voxels()));
        const double difference = largestDifference(positions, displacement);
        fmt::print("  {:>9} {:>8.3f} {:>10.1e} {:>8.3f} {:>8.3f} {:>8.3f} {:>10.1e} {:>8.1f}% "
                   "{:>6}\n",
                   count, fit, residual, robust, exact, far, difference, 100 * share, work.degree);
        std::fflush(stdout);
        record["transform"].push_back({{"landmarks", count},
                                       {"fit_seconds", fit},
                                       {"largest_residual", residual},
                                       {"robust_fit_seconds", robust},
                                       {"exact_seconds", exact},
                                       {"far_field_seconds", far},
                                       {"far_field_tolerance", evaluationTolerance},
                                       {"far_field_difference", difference},
                                       {"far_field_terms", share}});
    }
}

/// A method with some of its parameters.
struct Entry {
    const char* title;
    const char* method;
    std::map<std::string, std::string> parameters;
};
const Entry entries[] = {
    {"clg", "clg", {}},
    {"ffd", "ffd", {}},
    {"landmarks, 300", "landmarks", {{"number", "300"}, {"distance", "3"}}},
    {"landmarks, 1000", "landmarks", {{"number", "1000"}}},
    {"landmarks, 3000", "landmarks", {{"number", "3000"}, {"distance", "3"}}},
    {"landmarks, then clg", "landmarks", {{"refine", "clg"}}},
    {"landmarks 3000, then clg",
     "landmarks",
     {{"number", "3000"}, {"distance", "3"}, {"refine", "clg"}}},
    {"landmarks, then ffd", "landmarks", {{"refine", "ffd"}}},
};

struct ChestError {
    double mean = 0, percentile95 = 0; ///< error in the lungs, mm
    double landmarks = 0;              ///< mean at the phantom's landmarks, mm
};

ChestError errorOf(FieldView<const float> field, FieldView<const float> truth,
                   const std::vector<std::uint8_t>& lungs, const std::vector<Vec3>& landmarks,
                   const Geometry& grid) {
    const Vec3 spacing = grid.spacing();
    const auto missed = [&](const auto& value) {
        const auto along = [&](int axis) {
            return spacing[axis] * static_cast<double>(value(field, axis) - value(truth, axis));
        };
        return std::hypot(along(0), along(1), along(2));
    };
    std::vector<double> errors;
    for (std::size_t i = 0; i < lungs.size(); ++i)
        if (lungs[i])
            errors.push_back(
                missed([i](FieldView<const float> f, int axis) { return f.component(axis)[i]; }));
    ChestError result;
    for (const double error : errors)
        result.mean += error / static_cast<double>(errors.size());
    const auto rank = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(errors.size() - 1));
    std::nth_element(errors.begin(), errors.begin() + rank, errors.end());
    result.percentile95 = errors[static_cast<std::size_t>(rank)];
    for (const Vec3& landmark : landmarks) {
        const Vec3 p = grid.physicalToIndex(landmark);
        const TrilinearSample sample(field.size, static_cast<float>(p.x), static_cast<float>(p.y),
                                     static_cast<float>(p.z));
        result.landmarks += missed([&](FieldView<const float> f, int axis) {
                                return sample.of(f.component(axis));
                            }) /
                            static_cast<double>(landmarks.size());
    }
    return result;
}

Volume maskOf(const std::vector<std::uint8_t>& labels, const Geometry& grid,
              const ExecContext& ctx) {
    Volume mask(grid, *ctx.pool, "lungs");
    std::copy(labels.begin(), labels.end(), mask.view().data);
    return mask;
}

void measureChest(const BenchOptions& options, double breath, bool masked, const ExecContext& ctx,
                  Json& record) {
    LungOptions chest;
    const int side = options.size;
    chest.grid = Geometry({side, side, side * 5 / 8}, {256.0 / side, 256.0 / side, 384.0 / side});
    chest.breathMillimeters = breath;
    chest.seed = options.seed;
    const LungPhantom phantom(chest);
    const Geometry& grid = phantom.geometry();
    const int out = chest.frames / 2;
    Volume fixed(grid, *ctx.pool, "chest, in"), moving(grid, *ctx.pool, "chest, out");
    phantom.image(0, fixed.view(), ctx);
    phantom.image(out, moving.view(), ctx);
    const VectorField truth = phantom.truth(0, out, ctx);
    const std::vector<std::uint8_t> lungs = phantom.lungs(0, ctx);
    const std::vector<Vec3> landmarks = phantom.landmarks(300, ctx);
    MotionInput input = motionInput(fixed, moving, {-1000, 400});
    const Volume fixedMask = maskOf(lungs, grid, ctx),
                 movingMask = maskOf(phantom.lungs(out, ctx), grid, ctx);
    if (masked) {
        input.fixedMask = fixedMask.view();
        input.movingMask = movingMask.view();
    }

    VectorField field = fieldAtRest(grid, *ctx.pool, "benchmark field");
    const ChestError still = errorOf(field.view(), truth.view(), lungs, landmarks, grid);
    fmt::print("\n  chest {}×{}×{}, breath {} mm, sliding along the wall{}; errors in the lungs, "
               "mm\n"
               "  {:<26} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8}\n"
               "  {:<26} {:>8.2f} {:>8.2f} {:>8.2f}\n",
               grid.size().x, grid.size().y, grid.size().z, breath,
               masked ? ", masks of the lungs" : "", "method", "mean", "95 %", "TRE", "time, s",
               "tracked", "rejected", "κ", "no motion", still.mean, still.percentile95,
               still.landmarks);
    for (const Entry& entry : entries) {
        ctx.throwIfCancelled();
        const MotionMethod& method = motionMethod(entry.method);
        ParamSet parameters(*method.parameters, "default");
        for (const auto& [id, text] : entry.parameters)
            parameters.setText(id, text);
        setToRest(field);
        MotionReport report;
        const double seconds = secondsOf([&] {
            report = method.make(parameters, Backend::Cpu)->estimate(input, field.view(), ctx);
        });
        const ChestError error = errorOf(field.view(), truth.view(), lungs, landmarks, grid);
        const auto figure = [&](const char* name) {
            const Figure* found = findFigure(report.levels.front().figures, name);
            return found ? fmt::format("{:.4g}", found->value) : std::string();
        };
        fmt::print("  {:<26} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.1f} {:>9} {:>9} {:>8}\n", entry.title,
                   error.mean, error.percentile95, error.landmarks, seconds, figure("tracked"),
                   figure("rejected"), figure("relaxation"));
        std::fflush(stdout);
        record["chest"].push_back({{"breath_mm", breath},
                                   {"masks", masked},
                                   {"method", entry.title},
                                   {"mean_mm", error.mean},
                                   {"error_95_mm", error.percentile95},
                                   {"tre_mm", error.landmarks},
                                   {"mean_without_mm", still.mean},
                                   {"tre_without_mm", still.landmarks},
                                   {"seconds", seconds}});
    }
}

} // namespace

void benchLandmarkMotion(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    fmt::print("landmark-motion: {} threads\n", ctx.threads->threads());
    record["threads"] = ctx.threads->threads();
    measureTransform(options, ctx, record);
    for (const double breath : breaths)
        for (const bool masked : {false, true})
            measureChest(options, breath, masked, ctx, record);
}

} // namespace systole
