#include "compute/motion/registration.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/motion_start.h"
#include "compute/core/points.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/landmarks/landmarks.h"
#include "compute/motion/gray_range.h"
#include "compute/ops/exponential.h"
#include "compute/ops/resample.h"
#include "compute/ops/resample_grids.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/two_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

void requireContrast(const Volume& image, const char* which) {
    const auto [low, high] =
        std::minmax_element(image.view().span().begin(), image.view().span().end());
    if (*low == *high)
        throw ComputeError(fmt::format("the {} image is constant, {} everywhere: nothing in it "
                                       "can be registered",
                                       which, *low));
}

/// Runs both parts and keeps what they report.
class Registration {
public:
    Registration(const RegistrationImages& images, const RegistrationPlan& plan,
                 const ExecContext& ctx)
        : images_(images), plan_(plan), ctx_(ctx) {
        images_.fixedMask = whereKnown(*images.fixed, images.fixedMask, "fixed", fixedMask_);
        images_.movingMask = whereKnown(*images.moving, images.movingMask, "moving", movingMask_);
    }

    RegistrationResult run(const RegistrationStart& start) {
        requireContrast(*images_.fixed, "fixed");
        requireContrast(*images_.moving, "moving");
        result_.affine = start.affine;
        start_ = start.field;
        const bool affine = plan_.affine && !start_;
        if (!affine && gridOverlap(images_.grids(), start) == 0)
            throw ComputeError("the images don't overlap in physical space, so that there is "
                               "nothing to compare; let an affine registration bring their "
                               "centers together, or start from a map");
        if (affine)
            runAffine();
        result_.displacement =
            VectorField(images_.fixed->geometry, *ctx_.pool, "registration field");
        setToStart();
        if (plan_.method)
            runMethod();
        return std::move(result_);
    }

private:
    /// The mask, 0 also where the image isn't known; null: it counts everywhere. `both`: memory.
    const Volume* whereKnown(const Volume& image, const Volume* mask, const char* which,
                             Volume& both) const {
        if (mask && !(mask->geometry.size() == image.geometry.size()))
            throw ComputeError(
                fmt::format("the mask of the {} image must be on the image's grid", which));
        if (!image.known || !mask)
            return mask ? mask : image.known.get();
        both = Volume(image.geometry, *ctx_.pool, "mask of known voxels");
        std::ranges::transform(mask->view().span(), image.known->view().span(), both.voxels.data(),
                               std::multiplies<>());
        return &both;
    }

    ExecContext contextOf(Backend backend) const {
        ExecContext ctx = ctx_;
        ctx.backend = backend;
        ctx.iteration = {};
        return ctx;
    }

    MotionInput input() const {
        MotionInput input = motionInput(*images_.fixed, *images_.moving,
                                        sharedScale(*images_.fixed, *images_.moving));
        input.grids = images_.grids();
        if (images_.fixedMask)
            input.fixedMask = images_.fixedMask->view();
        if (images_.movingMask)
            input.movingMask = images_.movingMask->view();
        return input;
    }

    void runAffine() {
        const auto begin = Clock::now();
        AffineObserver observe;
        if (plan_.observe)
            observe = [this](const AffineState& state) {
                plan_.observe({.iteration = {"affine", state.level, state.iteration, state.energy,
                                             std::nullopt},
                               .affine = &state.map});
            };
        result_.affineReport =
            registerAffine(input(), result_.affine.value_or(AffineMap{}), *plan_.affine,
                           contextOf(plan_.affineBackend), observe);
        result_.affine = result_.affineReport->map;
        const std::vector<AffineLevel>& levels = result_.affineReport->levels;
        for (std::size_t level = 0; level < levels.size(); ++level)
            for (std::size_t i = 0; i < levels[level].iterations.size(); ++i)
                result_.iterations.push_back(
                    {"affine", static_cast<int>(levels.size() - 1 - level), static_cast<int>(i + 1),
                     1 - levels[level].iterations[i].similarity, std::nullopt});
        result_.affineSeconds = secondsSince(begin);
    }

    void setToStart() {
        const FieldView<float> field = result_.displacement.view();
        if (start_) {
            copy(start_->view(), field);
            return;
        }
        std::fill_n(field.u, 3 * field.size.voxels(), 0.0f);
        if (result_.affine)
            appendAffine(*result_.affine, images_.fixed->geometry, field, ctx_);
    }

    void runMethod() {
        const auto begin = Clock::now();
        const auto estimator = plan_.method->make(*plan_.parameters, plan_.methodBackend);
        ExecContext ctx = contextOf(plan_.methodBackend);
        const auto* const ffd = dynamic_cast<const FfdEstimator*>(estimator.get());
        if (plan_.keepIterations || plan_.observe)
            ctx.iteration = [&](const IterationState& state) {
                RegistrationIteration iteration{plan_.method->name, state.level, state.iteration,
                                                state.energy, std::nullopt};
                if (ffd)
                    iteration.penalty = ffd->observedPenalty();
                if (plan_.observe)
                    plan_.observe({.iteration = iteration,
                                   .affine = result_.affine ? &*result_.affine : nullptr,
                                   .method = &state,
                                   .affineFollows = !estimator->allowsTwoGrids()});
                if (plan_.keepIterations)
                    result_.iterations.push_back(std::move(iteration));
            };
        try {
            if (estimator->allowsTwoGrids())
                result_.methodReport =
                    estimator->estimate(input(), result_.displacement.view(), ctx);
            else
                runOnOneGrid(*estimator, ctx);
        } catch (const TooFewLandmarks& error) {
            if (result_.affine || start_)
                throw;
            throw ComputeError(fmt::format("{}; images that lie far apart need an affine "
                                           "registration first (--affine)",
                                           error.what()));
        }
        if (ffd && !start_)
            keepControlPoints(ffd->controlPoints());
        result_.methodSeconds = secondsSince(begin);
    }

    /// The start comes after the method's motion: total(x) = d(x) + start(x + d(x)).
    void runOnOneGrid(MotionEstimator& estimator, const ExecContext& ctx) {
        const Geometry& grid = images_.fixed->geometry;
        MotionInput frames = input();
        frames.grids.reset();
        Volume resampled(grid, *ctx.pool, "moving image on the fixed grid");
        const FieldView<float> total = result_.displacement.view();
        // Beyond its border the moving image goes on as it ends, which makes no edge, but doesn't
        // count: it differs from what is there.
        Volume mask(grid, *ctx.pool, "moving mask on the fixed grid");
        const VolumeView<float> counts = mask.view();
        resampleMoving(images_.moving->view(), total, images_.grids(), {.clamp = true},
                       resampled.view(), counts, ctx);
        frames.moving = resampled.view();
        const bool reachesAll = std::ranges::find(counts.span(), 0.0f) == counts.span().end();
        if (images_.movingMask) {
            Volume given(grid, *ctx.pool, "moving mask beyond its border, too");
            resampleMoving(images_.movingMask->view(), total, images_.grids(), {.clamp = true},
                           given.view(), {}, ctx);
            std::ranges::transform(counts.span(), given.view().span(), counts.data,
                                   std::multiplies<>());
        }
        if (images_.movingMask || !reachesAll)
            frames.movingMask = counts;
        requireCommonVoxel(frames);
        VectorField motion(grid, *ctx.pool, "motion after the start");
        std::fill_n(motion.view().u, 3 * grid.voxels(), 0.0f);
        result_.methodReport = estimator.estimate(frames, motion.view(), ctx);
        if (start_) {
            composeFields(start_->view(), motion.view(), total, ctx);
            if (!hasFolds(start_->view(), ctx) && !hasFolds(motion.view(), ctx))
                removeFolds(total, ctx);
            return;
        }
        copy(motion.view(), total);
        if (result_.affine)
            appendAffine(*result_.affine, grid, total, ctx);
    }

    /// Throws unless some voxel counts in both masks at the start.
    static void requireCommonVoxel(const MotionInput& frames) {
        for (std::size_t i = 0; i < frames.fixed.voxels(); ++i)
            if ((frames.fixedMask.empty() || frames.fixedMask.data[i] > 0) &&
                (frames.movingMask.empty() || frames.movingMask.data[i] > 0))
                return;
        throw ComputeError("the images have no voxel in common that counts: they, or their masks, "
                           "don't overlap in space");
    }

    void keepControlPoints(ControlPointsView<const float> points) {
        if (points.empty())
            return;
        const Geometry& image = images_.fixed->geometry;
        const ControlGrid& grid = points.grid;
        result_.controlGrid = grid;
        result_.controlPoints =
            VectorField(controlGeometry(image, grid), *ctx_.pool, "control points");
        const FieldView<float> all = result_.controlPoints.view();
        copy(points.values, all);
        if (result_.affine)
            addAffine(*result_.affine, image, {all, grid});
        // Voxels of the image become units of the grid, in which VectorField is.
        for (int axis = 0; axis < 3; ++axis)
            for (std::size_t i = 0; i < all.size.voxels(); ++i)
                all.component(axis)[i] /= static_cast<float>(grid.tile[axis]);
    }

    RegistrationImages images_;
    Volume fixedMask_, movingMask_;
    const RegistrationPlan& plan_;
    const ExecContext& ctx_;
    const VectorField* start_ = nullptr;
    RegistrationResult result_;
};

} // namespace

double gridOverlap(const FrameGrids& grids, const RegistrationStart& start) {
    constexpr int maxPerAxis = 24;
    const Size3 size = grids.fixed.size(), moving = grids.moving.size();
    const AffineMap map =
        indexAffine(grids.fixed, grids.moving, start.affine.value_or(AffineMap{}));
    const auto stride = [](int n) { return std::max(1, n / maxPerAxis); };
    double inside = 0, count = 0;
    for (int z = 0; z < size.z; z += stride(size.z))
        for (int y = 0; y < size.y; y += stride(size.y))
            for (int x = 0; x < size.x; x += stride(size.x)) {
                Vec3 at = voxelPoint(x, y, z);
                if (start.field) {
                    const FieldView<const float> field = start.field->view();
                    at = at + vectorOf(field, field.componentView(0).offset(x, y, z));
                }
                inside += isInside(map(at), moving);
                ++count;
            }
    return inside / count;
}

IntensityScale sharedScale(const Volume& fixed, const Volume& moving) {
    GrayRange range(2);
    range.add(fixed.view());
    range.add(moving.view());
    return range.scale();
}

RegistrationResult registerImages(const RegistrationImages& images, const RegistrationStart& start,
                                  const RegistrationPlan& plan, const ExecContext& ctx) {
    return Registration(images, plan, ctx).run(start);
}

} // namespace systole
