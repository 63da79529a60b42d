#include "compute/methods/ffd/affine.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/ffd/affine_fit.h"
#include "compute/methods/ffd/affine_start.h"
#include "compute/methods/ffd/affine_steps.h"
#include "compute/ops/affine_displacement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace systole {
namespace {

using namespace affine;

/// Fewer pairs than these tell nothing.
constexpr int leastPairs = 6, leastPairsForAffine = 24;
/// A single correction beyond this (of the linear part's entries) isn't one.
constexpr double largestCorrection = 0.5;
/// A level that ends with less similarity than it had by this went astray.
constexpr double similarityLost = 0.02;
/// The initial map is kept unless another start has so much more evidence.
constexpr double betterStart = 1.1;
/// A result with a smaller share of the initial map's evidence isn't one.
constexpr double evidenceKept = 0.9;

FrameGrids gridsOf(const MotionInput& input) {
    if (input.grids)
        return *input.grids;
    const Geometry grid(input.fixed.size, input.spacing);
    return {grid, grid};
}

void checkImage(VolumeView<const float> image, VolumeView<const float> mask, const Geometry& grid,
                const char* name, MemorySpace space, const ExecContext& ctx) {
    const Size3 n = image.size, g = grid.size();
    if (image.empty() || n != g)
        throw ComputeError(fmt::format("the {} image has {}×{}×{} voxels, but its grid {}×{}×{}",
                                       name, n.x, n.y, n.z, g.x, g.y, g.z));
    if (!mask.empty() && mask.size != n)
        throw ComputeError(fmt::format("the mask of the {} image must have its size", name));
    if (space != MemorySpace::Host)
        return;
    const double bad = parallelMax(ctx, n.z, 8, [&](int begin, int end) {
        // A sum of differences with itself is zero unless something isn't finite.
        float sum = 0;
        for (std::size_t i = image.offset(0, 0, begin); i < image.offset(0, 0, end); ++i)
            sum += image.data[i] - image.data[i];
        return sum == 0 ? 0.0 : 1.0;
    });
    if (bad > 0)
        throwNotFinite(name);
}

VoxelMap voxelMap(const Geometry& from, const Geometry& to, const AffineMap& map) {
    const auto image = [&](Vec3 voxel) {
        return to.physicalToIndex(map(from.indexToPhysical(voxel)));
    };
    const Vec3 origin = image({0, 0, 0});
    const Vec3 columns[] = {image({1, 0, 0}) - origin, image({0, 1, 0}) - origin,
                            image({0, 0, 1}) - origin, origin};
    VoxelMap result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column)
            result[row][column] = static_cast<float>(columns[column][static_cast<int>(row)]);
    return result;
}

AffineMap inverseOf(const AffineMap& map) {
    const std::optional<AffineMap> inverse = map.inverse();
    if (!inverse)
        throw ComputeError("the affine map from the fixed to the moving image has no inverse");
    return *inverse;
}

double largestEntry(const AffineMap& map) {
    double largest = 0;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            largest =
                std::max(largest, std::abs(map.matrix[row][column] - (row == column ? 1.0 : 0.0)));
    return largest;
}

double smallestStep(const Geometry& grid) {
    double smallest = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.size()[axis] > 1 && (smallest == 0 || grid.spacing()[axis] < smallest))
            smallest = grid.spacing()[axis];
    return smallest > 0 ? smallest : grid.spacing().x;
}

/// The fraction of blocks with the largest variance; among equals those that come first.
std::vector<int> mostVarying(const std::vector<float>& variances, double share, const char* image) {
    std::vector<int> chosen;
    int inMask = 0;
    for (std::size_t b = 0; b < variances.size(); ++b) {
        inMask += variances[b] >= 0 ? 1 : 0;
        if (variances[b] > 0)
            chosen.push_back(static_cast<int>(b));
    }
    if (inMask == 0)
        throw ComputeError(fmt::format("the mask of the {} image leaves nothing to compare: no "
                                       "block of 4×4×4 voxels is half in it",
                                       image));
    if (chosen.empty())
        throw ComputeError(fmt::format(
            "the {} image can't be registered: it is constant, so that no place differs from "
            "another",
            image));
    const auto keep = std::min(
        chosen.size(), static_cast<std::size_t>(std::ceil(share * static_cast<double>(inMask))));
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(keep - 1),
                     chosen.end(), [&](int a, int b) {
                         const float va = variances[static_cast<std::size_t>(a)],
                                     vb = variances[static_cast<std::size_t>(b)];
                         return va > vb || (va == vb && a < b);
                     });
    chosen.resize(keep);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/// One registration: the map so far and its steps.
class Registration {
public:
    Registration(const FrameGrids& grids, const PairLevels& levels, Steps& steps,
                 const AffineParameters& parameters, const ExecContext& ctx)
        : grids_(grids), levels_(levels), steps_(steps), p_(parameters), ctx_(ctx) {}

    /// Chooses the blocks of a level.
    void enter(int level) {
        level_ = level;
        // A coarse level has few blocks: all of them are used on the coarsest.
        const double share = level == levels_.count() - 1 ? 1 : p_.blocks;
        choose(Side::Fixed, share);
        if (p_.symmetric)
            choose(Side::Moving, share);
        const Geometry& grid = gridAt(Side::Fixed, level);
        report_ = {grid.size(), grid.spacing(), static_cast<int>(blocks(Side::Fixed).size()),
                   false,       true,           {}};
    }

    /// Corrects the map until it rests. Returns false if too few blocks match.
    bool settle(AffineMap& map, Freedom freedom, bool observed) {
        AffineMap best = map;
        double bestSimilarity = -2;
        report_.converged = false;
        for (int n = 0; n < p_.iterations; ++n) {
            ctx_.throwIfCancelled();
            AffineMap next;
            const std::optional<AffineIteration> done = iterate(map, freedom, next);
            if (!done)
                return false;
            report_.iterations.push_back(*done);
            if (done->similarity > bestSimilarity) {
                bestSimilarity = done->similarity;
                best = map;
            } else if (done->similarity < bestSimilarity - similarityLost) {
                map = best;
                return true;
            }
            map = next;
            if (observed && ctx_.iteration)
                observe(map, done->similarity);
            if (done->change < p_.tolerance) {
                report_.converged = true;
                return true;
            }
        }
        return true;
    }

    const AffineLevel& report() const { return report_; }
    void resume(AffineLevel report) { report_ = std::move(report); }

private:
    using Bias = std::vector<Vec3>; ///< of each block's match, voxels

    struct Found {
        std::vector<PointPair> pairs;
        double similarity = 0;
    };

    const Geometry& gridAt(Side side, int level) const {
        const ImageLevels& of = side == Side::Fixed ? levels_.fixed : levels_.moving;
        return of.grids[of.ofLevel[static_cast<std::size_t>(level)]];
    }
    std::vector<int>& blocks(Side side) { return blocks_[side == Side::Fixed ? 0 : 1]; }

    void choose(Side side, double share) {
        blocks(side) = mostVarying(steps_.variances(side, level_), share,
                                   side == Side::Fixed ? "fixed" : "moving");
        steps_.setBlocks(side, blocks(side));
        // The parabola errs where a block's surroundings differ to either side: by as much as when
        // it is looked for in its own image, where the answer is known.
        Bias& bias = side == Side::Fixed ? bias_[0] : bias_[1];
        bias.clear();
        for (const BlockMatch& m : steps_.matchItself(side, level_, {1, sign()}))
            bias.push_back(voxels(m));
    }
    Sign sign() const { return p_.anyContrast ? Sign::Ignored : Sign::Matters; }
    static Vec3 voxels(const BlockMatch& m) {
        return {static_cast<double>(m.x), static_cast<double>(m.y), static_cast<double>(m.z)};
    }

    /// Where the blocks of a side lie in the other image under the map from this side to that, and
    /// where they were found: LPS mm of the other side.
    Found find(Side side, const AffineMap& map) {
        // What coarser levels have found leaves little to search for, and among few windows there
        // are fewer that are alike by chance.
        const int radius = level_ == levels_.count() - 1 ? searchRadius
                           : report_.iterations.empty()  ? 2
                                                         : 1;
        const Geometry& here = gridAt(side, level_);
        const Geometry& there = gridAt(side == Side::Fixed ? Side::Moving : Side::Fixed, level_);
        const std::span<const BlockMatch> matches =
            steps_.match(side, level_, voxelMap(here, there, map), {radius, sign()});
        const Bias& bias = side == Side::Fixed ? bias_[0] : bias_[1];
        const BlockGrid grid{here.size()};
        Found found;
        found.pairs.reserve(matches.size());
        for (std::size_t i = 0; i < matches.size(); ++i) {
            const BlockMatch& m = matches[i];
            if (!std::isnan(m.here))
                found.similarity += static_cast<double>(m.here);
            if (!(m.correlation > 0))
                continue;
            const Vec3 center = grid.center(blocks(side)[i]);
            const Vec3 moved = center + voxels(m) - bias[i];
            found.pairs.push_back(
                {map(here.indexToPhysical(center)), map(here.indexToPhysical(moved))});
        }
        found.similarity /= static_cast<double>(matches.size());
        return found;
    }

    /// The correction of a map by the pairs; of a rigid kind if they are few or an affine one is
    /// out of bounds.
    ///
    /// The first one of all is the whole search from the fit of all pairs. From then on the map is
    /// nearly right, and a single C-step from the pairs that it already fits is taken before the
    /// blocks are matched again: where most have no counterpart, as in the brains of two people,
    /// the squares of the best half have minima everywhere, and more steps would lead to any.
    TrimmedFit correction(const std::vector<PointPair>& pairs, Freedom freedom) const {
        const ScopedSpan span(ctx_.profile, "fit", "least trimmed squares");
        const bool first = level_ == levels_.count() - 1 && report_.iterations.empty();
        if (freedom == Freedom::Affine && static_cast<int>(pairs.size()) >= leastPairsForAffine) {
            TrimmedFit fit = leastTrimmedSquares(pairs, p_.inliers, freedom, {}, 1);
            if (largestEntry(fit.map) <= largestCorrection)
                return fit;
        }
        if (first)
            return leastTrimmedSquares(pairs, p_.inliers, Freedom::Rigid,
                                       leastSquares(pairs, Freedom::Rigid), 30);
        return leastTrimmedSquares(pairs, p_.inliers, Freedom::Rigid, {}, 1);
    }

    /// Empty if too few blocks match.
    std::optional<AffineIteration> iterate(const AffineMap& map, Freedom freedom, AffineMap& next) {
        const Found forward = find(Side::Fixed, map);
        if (static_cast<int>(forward.pairs.size()) < leastPairs)
            return std::nullopt;
        const TrimmedFit fit = correction(forward.pairs, freedom);
        next = compose(fit.map, map);
        if (p_.symmetric) {
            const AffineMap back = inverseOf(map);
            const Found backward = find(Side::Moving, back);
            if (static_cast<int>(backward.pairs.size()) < leastPairs)
                return std::nullopt;
            const AffineMap other =
                inverseOf(compose(correction(backward.pairs, freedom).map, back));
            if (const std::optional<AffineMap> middle = halfWay(next, other))
                next = *middle;
        }
        AffineIteration done;
        done.rigid = freedom == Freedom::Rigid;
        done.similarity = forward.similarity;
        done.change = change(map, next);
        done.pairs = static_cast<int>(forward.pairs.size());
        done.kept = static_cast<int>(fit.kept.size());
        done.rms = fit.rms;
        return done;
    }

    /// The largest distance between both images of a block, in the smallest voxels.
    double change(const AffineMap& before, const AffineMap& after) {
        const Geometry& here = gridAt(Side::Fixed, level_);
        const BlockGrid grid{here.size()};
        double largest = 0;
        for (const int block : blocks(Side::Fixed)) {
            const Vec3 p = here.indexToPhysical(grid.center(block));
            largest = std::max(largest, length(after(p) - before(p)));
        }
        return largest / smallestStep(here);
    }

    void observe(const AffineMap& map, double similarity) {
        const Geometry& grid = gridAt(Side::Fixed, level_);
        VectorField field(grid, *ctx_.pool, "affine, field");
        displacementOf(map, {grid, grids_.moving}, field.view(), ctx_);
        const VectorField& done = field;
        ctx_.iteration(
            {level_, static_cast<int>(report_.iterations.size()), 1 - similarity, done.view()});
    }

    const FrameGrids& grids_;
    const PairLevels& levels_;
    Steps& steps_;
    const AffineParameters& p_;
    const ExecContext& ctx_;
    int level_ = 0;
    std::vector<int> blocks_[2];
    Bias bias_[2];
    AffineLevel report_;
};

/// The coarsest level's rigid registration from every start; the one after which the images agree
/// best, the initial one where others are hardly better.
struct Begun {
    Start start;
    AffineLevel report;
    double evidence = -1;
};
Begun begin(Registration& registration, const HostImage& fixed, const HostImage& moving,
            const AffineMap& initial, const ExecContext& ctx) {
    std::optional<Begun> best;
    const AffineLevel fresh = registration.report();
    for (Start start : possibleStarts(fixed, moving, initial)) {
        ctx.throwIfCancelled();
        registration.resume(fresh);
        if (!registration.settle(start.map, Freedom::Rigid, false))
            continue;
        const double evidence = agreement(fixed, moving, start.map).evidence();
        const double needed =
            !best ? -1
                  : best->evidence * (best->start.kind == AffineStart::Initial ? betterStart : 1.0);
        if (evidence > needed)
            best = Begun{start, registration.report(), evidence};
    }
    if (!best)
        throw ComputeError(
            fmt::format("the images have too little in common to be registered: fewer than {} "
                        "blocks of 4×4×4 voxels match, neither where they lie in space nor with "
                        "their centers together",
                        leastPairs));
    return *best;
}

std::unique_ptr<Steps> stepsFor(const MotionInput& input, const PairLevels& levels,
                                const AffineParameters& parameters, const ExecContext& ctx) {
    if (ctx.backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeStepsOnDevice(input, levels, parameters.matchVariant, ctx);
        else
            throw ComputeError("this build has no CUDA implementation");
    }
    return makeSteps(input, levels, ctx);
}

} // namespace

AffineParameters AffineParameters::from(const ParamSet& values) {
    AffineParameters p;
    p.rigid = values.choice("dof") == "rigid";
    p.symmetric = values.isOn("symmetric");
    p.anyContrast = values.isOn("any-contrast");
    p.levels = values.integer("levels");
    p.iterations = values.integer("iterations");
    p.blocks = values.real("blocks") / 100;
    p.inliers = values.real("inliers") / 100;
    p.tolerance = values.real("tolerance");
    p.matchVariant = matchFamily.named(values.choice("variant-match"));
    return p;
}

const ParamTable& affineParameterTable() {
    static const ParamTable table = [] {
        ParamTable rows({
            choiceParam("dof", "affine", {"rigid", "affine"},
                        "Rotation and translation, or scales and shears as well.")
                .titled("degrees of freedom"),
            switchParam("symmetric", false,
                        "Match in both directions and take the map half-way between.")
                .titled("symmetric"),
            switchParam("any-contrast", false,
                        "Compare by squared correlation: contrasts may be inverted, as between "
                        "different modalities.")
                .titled("any contrast"),
            integerParam("levels", 4, 1, 10, "", "Maximum number of resolutions.")
                .titled("pyramid levels"),
            integerParam("iterations", 10, 1, 1000, "",
                         "Maximum number of iterations per level, rigid and affine each.")
                .titled("iterations per level"),
            realParam("blocks", 50, 1, 100, "%",
                      "Share of the blocks that is matched: those that vary most.")
                .titled("blocks used"),
            realParam("inliers", 50, 1, 100, "%",
                      "Share of the matched blocks that the map fits; the rest may move otherwise.")
                .titled("blocks fitted"),
            realParam("tolerance", 0.03, 1e-6, 1, "voxel",
                      "A level ends when no block moves farther in an iteration."),
            choiceParam("variant-match", matchFamily.standard, matchFamily.names(),
                        matchFamily.help)
                .titled("match kernel")
                .forCudaOnly(),
        });
        rows.addPreset("default", {});
        return rows;
    }();
    return table;
}

double AffineLevel::standardError() const {
    return iterations.empty()
               ? 0
               : iterations.back().rms / std::sqrt(static_cast<double>(iterations.back().kept));
}

const char* name(AffineStart start) {
    switch (start) {
    case AffineStart::Initial:
        return "initial map";
    case AffineStart::CentersOfMass:
        return "centers of mass";
    case AffineStart::CentersOfGrids:
        return "centers of the grids";
    }
    return "";
}

AffineResult registerAffine(const MotionInput& input, const AffineMap& initial,
                            const AffineParameters& parameters, const ExecContext& ctx) {
    const FrameGrids grids = gridsOf(input);
    checkImage(input.fixed, input.fixedMask, grids.fixed, "fixed", input.space, ctx);
    checkImage(input.moving, input.movingMask, grids.moving, "moving", input.space, ctx);
    if (!initial.inverse())
        throw ComputeError("the initial map of the affine registration has no inverse");

    const PairLevels levels = pairLevels(grids.fixed, grids.moving, parameters.levels);
    const std::unique_ptr<Steps> steps = stepsFor(input, levels, parameters, ctx);
    const int coarsest = levels.count() - 1;
    const HostImage fixed = steps->image(Side::Fixed, coarsest),
                    moving = steps->image(Side::Moving, coarsest);
    // Not matched without the symmetric option, but no less needed.
    static_cast<void>(mostVarying(steps->variances(Side::Moving, coarsest), 1, "moving"));

    Registration registration(grids, levels, *steps, parameters, ctx);
    registration.enter(coarsest);
    Begun begun = begin(registration, fixed, moving, initial, ctx);
    AffineResult result;
    result.start = begun.start.kind;
    result.map = begun.start.map;
    registration.resume(std::move(begun.report));
    double precision = 0;
    for (int level = coarsest; level >= 0; --level) {
        ctx.report("affine registration",
                   static_cast<double>(coarsest - level) / static_cast<double>(coarsest + 1));
        if (level < coarsest)
            registration.enter(level);
        const Freedom freedom = parameters.rigid ? Freedom::Rigid : Freedom::Affine;
        AffineMap map = result.map;
        const bool matched =
            (level == coarsest && parameters.rigid) || registration.settle(map, freedom, true);
        result.levels.push_back(registration.report());
        AffineLevel& done = result.levels.back();
        // A finer level counts if it tells more: not where few blocks match, nor where noise hides
        // on it what a coarser one sees.
        done.used = matched && (level == coarsest || done.standardError() <= precision);
        if (!done.used)
            break;
        precision = done.standardError();
        result.map = map;
    }
    const Agreement before = agreement(fixed, moving, initial),
                    after = agreement(fixed, moving, result.map);
    result.overlap = after.overlap;
    if (after.evidence() < evidenceKept * before.evidence()) {
        result.map = initial;
        result.start = AffineStart::Initial;
        result.overlap = before.overlap;
        result.rejected = true;
    }
    return result;
}

} // namespace systole
