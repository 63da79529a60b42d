#include "compute/core/error.h"
#include "compute/lab/kernels/similarity_gradient.h"
#include "compute/lab/kernels/similarity_gradient_math.h"
#include "compute/ops/over_voxels.h"

namespace systole::lab {

void checkSimilarityGradient(const NmiSlope& slope, FieldView<float> out) {
    const ComparedImages& images = slope.images;
    if (images.fixed.size != out.size || images.warped.size != out.size ||
        images.weight.size != out.size || slope.gradient.size != out.size)
        throw ComputeError("images, weights and gradients of a similarity must be of one size");
}

void similarityGradient(const NmiSlope& slope, FieldView<float> out, const ExecContext& ctx) {
    checkSimilarityGradient(slope, out);
    const ComparedImages& images = slope.images;
    overVoxels(out.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = images.fixed.offset(x, y, z);
        const TablePlace place(slope.fixedBins, slope.warpedBins, images.fixed.data[i],
                               images.warped.data[i]);
        const float by = nmiSlopeAt(place, slope.warpedBins, images.weight.data[i],
                                    [&](int entry) { return slope.table[entry]; });
        for (int axis = 0; axis < 3; ++axis)
            out.component(axis)[i] = by * slope.gradient.component(axis)[i];
    });
}

} // namespace systole::lab
