#include "compute/methods/ffd/course.h"

#include "compute/core/error.h"
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/unfold.h"

#include <limits>
#include <utility>

namespace systole {
namespace {

std::vector<PyramidLevel> imagesOf(const FfdLevels& plan) {
    std::vector<PyramidLevel> images;
    for (const FfdLevel& level : plan.levels)
        images.push_back(level.image);
    return images;
}

template <typename T>
ControlPointsView<T> viewOf(T* values, const ControlGrid& grid) {
    return {{values, grid.points()}, grid};
}

std::vector<float> refined(const std::vector<float>& points, const FfdLevel& coarse,
                           const FfdLevel& fine, const ExecContext& ctx) {
    std::vector<float> result(3 * fine.grid.points().voxels());
    refine(viewOf(points.data(), coarse.grid), coarse.refinement, coarse.image.factor,
           viewOf(result.data(), fine.grid), ctx);
    return result;
}

} // namespace

FfdBuffers::FfdBuffers(const FfdLevels& plan, const FfdParameters& p, const FfdMasks& masks,
                       int moreSlots)
    : slots(descentSlots(p.descent.method))
    , fixed(imagesOf(plan), masks.fixed || masks.still, space)
    , moving(plan.moving, masks.moving, space)
    , pointFloats(3 * plan.maxPoints()) {
    const std::size_t n = plan.levels[0].image.size.voxels();
    field = space.add<float>("displacement field", 3 * n);
    warped = space.add<float>("warped image", n);
    weight = space.add<float>("weights", n);
    derivative = space.add<float>("similarity derivative", n);
    coarseStart = space.add<float>(
        "starting field", plan.levels.size() > 1 ? 3 * plan.levels[1].image.size.voxels() : 0);
    for (auto* block : {&kinds, &counts})
        *block = space.add<std::uint8_t>("still region", masks.still ? n : 0);
    points = space.add<float>("control points",
                              static_cast<std::size_t>(slots + moreSlots) * pointFloats);
}

FfdCourse::FfdCourse(const FfdSetup& setup)
    : ctx_(setup.ctx)
    , start_(setup.start)
    , plan_(setup.plan)
    , b_(setup.buffers)
    , similarity_(setup.similarity)
    , descent_(setup.parameters.descent)
    , weights_(setup.parameters)
    , compensated_(setup.parameters.compensated && setup.similarity.seesLoss())
    , movingMasked_(setup.movingMasked)
    , observedPenalty_(setup.observedPenalty) {}

FfdCourse::Result FfdCourse::run() {
    const std::vector<FfdLevel>& all = plan_.levels;
    Result result;
    result.points.assign(3 * all.back().grid.points().voxels(), 0.0f);
    for (std::size_t index = all.size(); index-- > 0;) {
        ctx_.report("motion estimation",
                    1 - static_cast<double>(index + 1) / static_cast<double>(all.size()));
        ctx_.throwIfCancelled();
        beginLevel(index);
        setPoints(0, result.points);
        const double unexplained = weighPenalties();
        const DescentResult descent = minimize(*this, descent_);
        result.points = points(descent.slot);
        if (index == 0 && unfoldPoints(result.points))
            setPoints(descent.slot, result.points);
        const double energy = value(descent.slot);
        MotionReport::Level& entry = result.report.levels.emplace_back();
        entry.size = all[index].image.size;
        entry.iterations = descent.iterations;
        entry.energy = energy;
        entry.figures = {{"similarity", similarity_.known(terms_.similarity), ""},
                         {"penalty", terms_.penalty, ""},
                         {"unexplained", unexplained, ""},
                         {"evaluations", static_cast<double>(descent.evaluations), ""}};
        if (index > 0)
            result.points = refined(result.points, all[index], all[index - 1], ctx_);
    }
    result.report.finish();
    setPoints(0, result.points);
    displace(0);
    if (started_)
        unfoldField();
    return result;
}

/// Whether points of the finest level had to be changed so that they don't fold: there is room for
/// that, which coarser grids needn't have. A start that is no spline is left to unfoldField().
bool FfdCourse::unfoldPoints(std::vector<float>& changed) {
    const ControlPointsView<float> view = viewOf(changed.data(), level().grid);
    if (!started_)
        return unfold(view, {}, level().unit, ctx_);
    const std::vector<float> start = points(startSlot());
    const FieldView<const float> added(start.data(), view.values.size);
    return isAffine(added) && unfold(view, added, level().unit, ctx_);
}

void FfdCourse::beginLevel(std::size_t index) {
    index_ = index;
    enterLevel();
    setPenalties(weights_);
    moving_ = {b_.moving.image(level().moving), b_.moving.mask(level().moving), level().map};
    // Noise counts on the finest level only: the voxels of coarser ones are means of eight and have
    // nearly none. Differences where masks leave out voxels aren't noise.
    if (compensated_ && index == 0 && level().moving == 0 && !movingMasked_)
        moving_.noise = noiseToMakeGood();
    levelStart_ = start_;
    if (started_ && index > 0) {
        const FieldView<float> coarse(data(b_.coarseStart), level().image.size);
        downsampleStart(coarse);
        levelStart_ = coarse;
    }
    // Penalties judge the whole motion: the start is one more spline that is added.
    if (started_)
        approximateStart();
    beginSimilarity({b_.fixed.image(index), fixedMask(), moving_.image, movingMasked_,
                     level().image.alongAxes(1)});
    setPoints(0, std::vector<float>(count(), 0.0f));
    warp(0);
    minWeight_ = ffdSmallestShare * totalWeight();
    if (!(minWeight_ > 0))
        throw ComputeError(
            "the images have no voxel in common that counts: they don't overlap in space, or a "
            "mask is empty there");
}

/// The level's penalties get the weights for what the similarity leaves unexplained at the points
/// to begin with, and this share is returned; until then they have those of the parameters.
double FfdCourse::weighPenalties() {
    if (!std::isfinite(value(0)))
        return 1;
    const double share = similarity_.unexplained(terms_.similarity);
    setPenalties(weights_.smoother(smoothnessFactor(share, index_)));
    return share;
}

void FfdCourse::warp(int slot) {
    displace(slot);
    warpImage();
}

double FfdCourse::value(int slot) {
    ctx_.throwIfCancelled();
    warp(slot);
    const std::optional<Terms> found = evaluate(slot, minWeight_);
    if (!found)
        return std::numeric_limits<double>::infinity();
    terms_ = *found;
    return terms_.similarity + terms_.penalty;
}

void FfdCourse::iterated(int iteration, double energy, int slot) {
    ctx_.throwIfCancelled();
    if (!ctx_.iteration)
        return;
    observedPenalty_ = penaltyAt(slot);
    displace(slot);
    observe({static_cast<int>(index_), iteration, energy, {}}, slot);
}

ControlPointsView<const float> FfdBase::controlPoints() const {
    if (points_.empty())
        return {};
    return viewOf(points_.data(), grid_);
}

FfdLevels FfdBase::levelsFor(Size3 size, Vec3 spacing) const {
    const Geometry grid(size, spacing);
    return ffdLevels(grid, grid, p_.levels, p_.spacing);
}

MotionReport FfdBase::run(const MotionInput& input, FieldView<float> displacement,
                          const ExecContext& ctx) {
    if (!input.grids && input.moving.size != input.fixed.size)
        throw ComputeError("two frames of different sizes need their grids in space");
    const FrameGrids grids = gridsOf(input);
    return estimateOn(ffdLevels(grids.fixed, grids.moving, p_.levels, p_.spacing),
                      FfdMasks(input, grids), input, displacement, ctx);
}

MotionReport FfdBase::follow(FfdCourse& course, const FfdLevels& plan) {
    FfdCourse::Result result = course.run();
    points_ = std::move(result.points);
    grid_ = plan.levels[0].grid;
    result.report.comparesGrayValues = p_.similarity.kind == SimilarityKind::Ssd;
    return result.report;
}

} // namespace systole
