#include "app/features/registration/measures.h"

#include "compute/measures/local_gain.h"
#include "compute/motion/gray_range.h"
#include "compute/ops/resample_grids.h"

#include <algorithm>
#include <functional>

namespace systole {
namespace {

/// Voxels outside of the mask don't count; null: all may.
void leaveOut(const Volume* mask, Volume& counted) {
    if (mask)
        std::ranges::transform(counted.view().span(), mask->view().span(), counted.voxels.data(),
                               std::multiplies<>());
}

IntensityScale rangeOf(const Volume& image) {
    GrayRange range(1);
    range.add(image.view());
    return range.scale();
}

} // namespace

MovedImage movedImage(const RegistrationImages& images, FieldView<const float> field,
                      const ExecContext& ctx) {
    const Geometry& grid = images.fixed->geometry;
    MovedImage moved{Volume(grid, *ctx.pool, "moved image"),
                     Volume(grid, *ctx.pool, "where images are compared")};
    resampleMoving(images.moving->view(), field, images.grids(), {}, moved.gray.view(),
                   moved.counted.view(), ctx);
    leaveOut(images.fixedMask, moved.counted);
    leaveOut(images.fixed->known.get(), moved.counted);
    if (const Volume* const known = images.moving->known.get()) {
        Volume movedKnown(grid, *ctx.pool, "known voxels of the moved image");
        resampleMoving(known->view(), field, images.grids(), {}, movedKnown.view(), {}, ctx);
        // A partly known value is mixed with what isn't.
        for (float& part : movedKnown.view().span())
            part = part < 1 ? 0.0f : 1.0f;
        leaveOut(&movedKnown, moved.counted);
    }
    return moved;
}

GrayRanges grayRanges(const RegistrationImages& images) {
    return {rangeOf(*images.fixed), rangeOf(*images.moving)};
}

SimilarityFigures similarityOf(const RegistrationImages& images, const MovedImage& moved,
                               const GrayRanges& ranges, const ExecContext& ctx) {
    return similarityFigures(images.fixed->view(), moved.gray.view(), moved.counted.view(), ranges,
                             ctx);
}

RegistrationMeasures measuresOf(const RegistrationImages& images, const RegistrationResult& result,
                                const ExecContext& ctx) {
    const Geometry& grid = images.fixed->geometry;
    const GrayRanges ranges = grayRanges(images);
    const FieldView<const float> field = result.displacement.view();
    RegistrationMeasures measures;
    MotionOutcome outcome;
    const auto measure = [&](FieldView<const float> under, double& gain) {
        const MovedImage moved = movedImage(images, under, ctx);
        gain = localGainSpread(images.fixed->view(), moved.gray.view(), moved.counted.view());
        return similarityOf(images, moved, ranges, ctx);
    };
    VectorField none(grid, *ctx.pool, "no displacement");
    std::fill_n(none.view().u, 3 * grid.voxels(), 0.0f);
    outcome.before = measures.before = measure(none.view(), outcome.gainBefore);
    outcome.after = measures.after = measure(field, outcome.gainAfter);
    measures.jacobian = jacobianFigures(field, 0, ctx);
    measures.volumeChange = volumeChange(
        field, images.fixedMask ? images.fixedMask->view() : VolumeView<const float>{}, ctx);
    outcome.voxels = grid.voxels();
    outcome.folded = measures.jacobian.folded;
    outcome.meanDeterminant = measures.volumeChange.mean;
    outcome.smallestDeterminant = measures.jacobian.smallest;
    outcome.largestDeterminant = measures.jacobian.largest;
    outcome.affineAlone = !result.methodReport;
    if (result.methodReport) {
        outcome.comparesGrayValues = result.methodReport->comparesGrayValues;
        if (!result.methodReport->levels.empty())
            outcome.figures = result.methodReport->levels.front().figures;
    }
    measures.doubts = doubtsAbout(outcome);
    return measures;
}

} // namespace systole
