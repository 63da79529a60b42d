#include "compute/methods/ffd/affine.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/ffd/affine_registration.h"
#include "compute/methods/ffd/affine_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace systole {
namespace {

using namespace affine;

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
                        minPairs));
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

/// The coarsest level on which both images have enough blocks in their masks. Throws ComputeError
/// if there is none on the finest.
int coarsestLevel(Steps& steps, const PairLevels& levels) {
    const auto enough = [&](Side side, int level) {
        const std::vector<float> variances = steps.variances(side, level);
        return std::count_if(variances.begin(), variances.end(), [](float v) { return v > 0; }) >=
               minPairsForAffine;
    };
    for (int level = levels.count() - 1; level > 0; --level)
        if (enough(Side::Fixed, level) && enough(Side::Moving, level))
            return level;
    for (const Side side : {Side::Fixed, Side::Moving})
        static_cast<void>(
            blocksThatVary(steps.variances(side, 0), 1, side == Side::Fixed ? "fixed" : "moving"));
    return 0;
}

} // namespace

AffineResult registerAffine(const MotionInput& input, const AffineMap& initial,
                            const AffineParameters& parameters, const ExecContext& ctx,
                            const AffineObserver& observe) {
    const FrameGrids grids = gridsOf(input);
    checkImage(input.fixed, input.fixedMask, grids.fixed, "fixed", input.space, ctx);
    checkImage(input.moving, input.movingMask, grids.moving, "moving", input.space, ctx);
    if (!initial.inverse())
        throw ComputeError("the initial map of the affine registration has no inverse");

    const PairLevels levels = pairLevels(grids.fixed, grids.moving, parameters.levels);
    const std::unique_ptr<Steps> steps = stepsFor(input, levels, parameters, ctx);
    const int coarsest = coarsestLevel(*steps, levels);
    const HostImage fixed = steps->image(Side::Fixed, coarsest),
                    moving = steps->image(Side::Moving, coarsest);

    Registration registration(grids, levels, coarsest, *steps, parameters, observe, ctx);
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
