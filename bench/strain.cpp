// Measures of the left ventricle from estimated motion, against those of the exact motion.
#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/figure_table.h"
#include "bench/phantom_case.h"
#include "bench/programs.h"
#include "bench/studied_heart.h"
#include "compute/motion/methods.h"
#include "io/phantom/family.h"
#include "io/phantom/infarct.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace systole {
namespace {

using cardiac::Directions;
using cardiac::FrameMeasures;
using cardiac::Measures;
using cardiac::StrainDefinition;

constexpr std::size_t segmentCount = 16; ///< all but the cap: the phantom's tears on the axis
/// Activity of the wall below which a segment has an infarct, and above which it has none.
constexpr double infarcted = 0.4, healthy = 0.7;

/// Sums over the seeds: squares of errors, and segments counted.
struct StrainErrors {
    double seeds = 0;
    Directions global, segments; ///< percent, squared
    double twist = 0, byMidWall = 0, byVoxels = 0;
    double still = 0, missed = 0, moving = 0, flagged = 0;
    /// The largest of a heart: of the whole ventricle, of its worst segment, twist, both EF.
    std::array<double, 9> largest{};

    void add(std::size_t column, double error, double& squares, double share = 1) {
        squares += share * error * error;
        largest[column] = std::max(largest[column], std::abs(error));
    }

    FigureRow row(const std::string& name) const {
        const auto rootMean = [&](double squares) { return std::sqrt(squares / seeds); };
        return {name,
                {rootMean(global[0]), rootMean(global[1]), rootMean(global[2]),
                 rootMean(segments[0]), rootMean(segments[1]), rootMean(segments[2]),
                 rootMean(twist), rootMean(byMidWall), rootMean(byVoxels), 100 * missed / still,
                 100 * flagged / moving}};
    }
    FigureRow largestRow(const std::string& name) const {
        return {name, {largest.begin(), largest.end()}};
    }
};
const std::vector<std::string> columns{"GLS",        "GCS",       "GRS",     "long.",
                                       "circ.",      "radial",    "twist",   "EF mid",
                                       "EF, voxels", "missed, %", "false, %"};

/// A member of the family, and how active each of its segments is.
class FamilyHeart : public StudiedHeart {
public:
    FamilyHeart(const PhantomPair& pair, const ExecContext& given) : StudiedHeart(pair, given) {
        const HeartShape& shape = pair.phantom.options().heart;
        const cardiac::AhaModel model = cardiac::AhaModel::Seventeen;
        const WallActivity activity(shape);
        const HeartPose pose(shape);
        std::array<double, 17> counts{};
        const std::vector<int> segments = cardiac::segmentsOf(ventricle(), model);
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const Vec3 p = pose.toOwn(ventricle().wall.position(i));
            const auto s = static_cast<std::size_t>(segments[i] - 1);
            activity_[s] += activity.at(std::atan2(p.y, p.x), p.z, 1).activity;
            ++counts[s];
        }
        for (std::size_t s = 0; s < counts.size(); ++s)
            activity_[s] /= counts[s];
    }

    void compare(const Measures& found, const Measures& exact, StrainErrors& errors) const {
        const FrameMeasures &of = found.frames[1], &is = exact.frames[1];
        ++errors.seeds;
        for (int k = 0; k < 3; ++k) {
            const auto column = static_cast<std::size_t>(k);
            errors.add(column, 100 * (of.strain[k] - is.strain[k]), errors.global[k]);
            for (std::size_t s = 0; s < segmentCount; ++s)
                errors.add(3 + column, 100 * (of.segments[s].strain[k] - is.segments[s].strain[k]),
                           errors.segments[k], 1.0 / segmentCount);
        }
        errors.add(6, of.rotation.twist - is.rotation.twist, errors.twist);
        const double truth = ejected(exact, &cardiac::CavityVolumes::voxels);
        errors.add(7, ejected(found, &cardiac::CavityVolumes::midWall) - truth, errors.byMidWall);
        errors.add(8, ejected(found, &cardiac::CavityVolumes::voxels) - truth, errors.byVoxels);
        count({&found}, errors);
    }
    /// A segment is flagged if it thickens by less than half of what the healthiest quarter does,
    /// as a mean of the readings.
    void count(const std::vector<const Measures*>& readings, StrainErrors& errors) const {
        std::array<double, segmentCount> thickening{};
        for (const Measures* reading : readings) {
            std::array<double, segmentCount> radial{};
            for (std::size_t s = 0; s < segmentCount; ++s)
                radial[s] = reading->frames[1].segments[s].strain.radial;
            std::array<double, segmentCount> sorted = radial;
            std::ranges::sort(sorted);
            for (std::size_t s = 0; s < segmentCount; ++s)
                thickening[s] +=
                    radial[s] / sorted[segmentCount * 3 / 4] / static_cast<double>(readings.size());
        }
        for (std::size_t s = 0; s < segmentCount; ++s) {
            const bool flagged = thickening[s] < 0.5;
            errors.still += activity_[s] < infarcted ? 1 : 0;
            errors.missed += activity_[s] < infarcted && !flagged ? 1 : 0;
            errors.moving += activity_[s] > healthy ? 1 : 0;
            errors.flagged += activity_[s] > healthy && flagged ? 1 : 0;
        }
    }

private:
    std::array<double, 17> activity_{};
};

} // namespace

void benchStrain(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    const MotionMethod& method = motionMethod(options.method);
    const MotionProgram program =
        methodProgram(method.name, method, ParamSet(*method.parameters, "default"));
    fmt::print(
        "strain: {0} on the family of phantoms, {1}×{1}×{1}, seeds from {2} on. Root mean square "
        "errors against the exact motion by the same definition, percent of length and "
        "degrees: the whole ventricle, segments; ejection fraction by both ways against the "
        "exact one; segments with an infarct that aren't found, and others that are\n",
        method.name, options.size, options.seed);
    for (const PhantomLookRow& look : chosenCases(phantomLooks(), options.cases)) {
        std::map<std::string, StrainErrors> errors;
        for (int n = 0; n < options.seeds; ++n) {
            const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(n);
            const PhantomPair pair(
                {look.name, look.title, familyMember(look.name, options.size, seed)}, ctx);
            const FamilyHeart heart(pair, ctx);
            const ProgramRun run = program.run({pair.fixed, pair.moving, pair.scale}, ctx);
            std::map<std::string, Measures> found;
            for (const StrainDefinition& definition : cardiac::strainDefinitions()) {
                ctx.throwIfCancelled();
                const Measures exact = heart.measure(pair.truth, definition);
                heart.compare(exact, exact, errors[fmt::format("{}, exact", definition.name)]);
                if (!run.field)
                    continue;
                found[definition.name] = heart.measure(*run.field, definition);
                heart.compare(found[definition.name], exact, errors[definition.name]);
            }
            if (run.field)
                heart.count({&found["midwall"], &found["voxels"]}, errors["midwall and voxels"]);
        }
        std::vector<FigureRow> rows;
        for (const auto& [name, sums] : errors) {
            rows.push_back(sums.row(name));
            if (sums.seeds > 0) // else segments are counted, and nothing is measured
                rows.push_back(sums.largestRow(name + ", largest"));
        }
        for (const FigureRow& row : rows)
            for (std::size_t i = 0; i < row.figures.size(); ++i)
                record[look.name][row.name][columns[i]] = row.figures[i];
        printFigures(fmt::format("{}: {} seeds", look.title, options.seeds), columns, rows, 2);
        std::fflush(stdout);
    }
}

} // namespace systole
