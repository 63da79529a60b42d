#include "app/features/registration/picture.h"

#include "app/features/registration/displacement.h"
#include "app/features/registration/measures.h"
#include "compute/ops/jacobian.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace systole {

Comparison comparisonFor(const WantedPicture& wanted) {
    const Geometry& grid = wanted.images.fixed->geometry;
    Comparison comparison;
    comparison.fixed = wanted.images.fixed->view();
    comparison.moving = wanted.images.moving->view();
    comparison.toMoving = IndexMap::between(grid, wanted.images.moving->geometry);
    comparison.low = wanted.scale.low;
    comparison.high = wanted.scale.high;
    setCubes(comparison, grid);
    return comparison;
}

void copyIntoVolume(const float* voxels, const VoxelBox& box, VolumeView<float> volume) {
    for (int z = 0; z < box.size.z; ++z)
        for (int y = 0; y < box.size.y; ++y, voxels += box.size.x)
            std::copy_n(voxels, box.size.x, volume.row(box.y + y, box.z + z) + box.x);
}

namespace {

/// The voxels of the box, x fastest.
void drawBox(const WantedPicture& wanted, Comparison comparison, const VoxelBox& box, float* out,
             const ExecContext& ctx) {
    const Geometry& grid = wanted.images.fixed->geometry;
    const bool derivative =
        wanted.view == ComparisonView::Jacobian || wanted.view == ComparisonView::LogJacobian;
    const VoxelBox needed = derivative ? box.grown(grid.size()) : box;
    Buffer<float> values;
    if (wanted.view != ComparisonView::Fixed) {
        values = ctx.pool->acquire<float>(3 * needed.voxels(), "motion in a picture");
        const FieldView<float> field(values.data(), needed.size);
        displacementIn(wanted.iterate.get(), grid, needed, field, ctx);
        comparison.field = field;
        comparison.fieldBox = needed;
    }
    drawComparison(wanted.view, comparison, box, out, ctx);
}

/// mm; looks at some thousand voxels, enough for a scale.
double longestOf(const VectorField& field) {
    const FieldView<const float> d = field.view();
    const std::size_t voxels = d.size.voxels(), step = std::max<std::size_t>(1, voxels / 20000);
    std::vector<double> lengths;
    for (std::size_t i = 0; i < voxels; i += step)
        lengths.push_back(length(field.geometry.voxelVectorToPhysical(
            {static_cast<double>(d.u[i]), static_cast<double>(d.v[i]),
             static_cast<double>(d.w[i])})));
    const auto at = lengths.begin() +
                    static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), at, lengths.end());
    return *at;
}

struct ViewTexts {
    const char* name;
    const char* description;
    ComparisonView image; ///< image that is warped for the view
};
const ViewTexts& textsOf(RegistrationView view) {
    static constexpr ViewTexts texts[] = {
        {"fixed", "the image that stays", ComparisonView::Fixed},
        {"warped", "moving image, brought onto the fixed one", ComparisonView::Warped},
        {"difference", "fixed minus warped", ComparisonView::Difference},
        {"checkerboard", "cubes of fixed and warped in turn", ComparisonView::Checkerboard},
        {"flicker", "fixed and warped, one after the other", ComparisonView::Warped},
        {"deformed grid", "warped, with a grid that moved with it", ComparisonView::Grid},
        {"|J|", "Jacobian determinant: 1 where volume stays, 0 or less where it folds",
         ComparisonView::Jacobian},
        {"log |J|", "half of the volume, as it was, twice: on a logarithmic scale",
         ComparisonView::LogJacobian}};
    // The table has the order of registrationViews.
    static_assert(std::size(texts) == std::size(registrationViews));
    return texts[static_cast<std::size_t>(view)];
}

} // namespace

const char* name(RegistrationView view) { return textsOf(view).name; }
const char* description(RegistrationView view) { return textsOf(view).description; }
ComparisonView comparisonOf(RegistrationView view) { return textsOf(view).image; }

std::shared_ptr<const Volume> drawPicture(const WantedPicture& wanted,
                                          const std::vector<VoxelBox>& boxes,
                                          const ExecContext& ctx) {
    if (wanted.view == ComparisonView::Fixed)
        return wanted.images.fixed;
    const Geometry& grid = wanted.images.fixed->geometry;
    auto volume = std::make_shared<Volume>(grid, *ctx.pool, "picture of a registration");
    const Comparison comparison = comparisonFor(wanted);
    if (boxes.empty())
        drawBox(wanted, comparison, VoxelBox::whole(grid.size()), volume->voxels.data(), ctx);
    for (const VoxelBox& box : boxes) {
        Buffer<float> values = ctx.pool->acquire<float>(box.voxels(), "slices in a picture");
        drawBox(wanted, comparison, box, values.data(), ctx);
        copyIntoVolume(values.data(), box, volume->view());
    }
    return volume;
}

RegistrationFigures figuresOf(const WantedPicture& wanted, const ExecContext& ctx) {
    const Volume& fixed = *wanted.images.fixed;
    const auto field = denseField(wanted.iterate.get(), fixed.geometry, ctx);
    RegistrationFigures figures;
    const RegistrationImages images{wanted.images.fixed.get(), wanted.images.moving.get()};
    const MovedImage moved = movedImage(images, field->view(), ctx);
    figures.correlation =
        countedCorrelation(fixed.view(), moved.gray.view(), moved.counted.view(), ctx);
    if (!wanted.iterate)
        return figures;
    const JacobianFigures folds = jacobianFigures(field->view(), 0, ctx);
    figures.smallestJacobian = folds.smallest;
    figures.foldedPercent =
        100 * static_cast<double>(folds.folded) / static_cast<double>(fixed.geometry.voxels());
    figures.longest = longestOf(*field);
    auto motion = std::make_shared<FrameResult>();
    motion->fixed = wanted.images.fixed;
    motion->moving = wanted.images.moving;
    motion->field = field;
    figures.motion = std::move(motion);
    return figures;
}

} // namespace systole
