#include "compute/core/error.h"
#include "compute/lab/kernels/similarity_gradient.h"
#include "compute/lab/kernels/similarity_gradient_math.h"
#include "compute/methods/ffd/similarity_rows.h"
#include "compute/ops/over_voxels.h"

#include <cmath>
#include <vector>

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
    const Size3 size = out.size;
    if (ctx.backend == Backend::CpuReference)
        return overVoxels(size, ctx, [&](int x, int y, int z) {
            const std::size_t i = images.fixed.offset(x, y, z);
            const TablePlace place(slope.fixedBins, slope.warpedBins, images.fixed.data[i],
                                   images.warped.data[i]);
            const float by = nmiSlopeAt(place, slope.warpedBins, images.weight.data[i],
                                        [&](int entry) { return slope.table[entry]; });
            for (int axis = 0; axis < 3; ++axis)
                out.component(axis)[i] = by * slope.gradient.component(axis)[i];
        });
    const auto count = static_cast<std::size_t>(size.x);
    parallelFor(ctx, size.z, 2, [&](int begin, int end) {
        std::vector<float> cells(count), by(count);
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y) {
                const std::size_t first = images.fixed.offset(0, y, z);
                for (std::size_t x = 0; x < count; ++x)
                    cells[x] =
                        nmiBins *
                        std::floor(slope.fixedBins.position(images.fixed.data[first + x]) + 0.5f);
                rows::parzenDerivative(
                    cells.data(), images.warped.data + first, images.weight.data + first,
                    {slope.warpedBins, -slope.warpedBins.scale}, slope.table, size.x, by.data());
                for (int axis = 0; axis < 3; ++axis)
                    for (std::size_t x = 0; x < count; ++x)
                        out.component(axis)[first + x] =
                            by[x] * slope.gradient.component(axis)[first + x];
            }
    });
}

} // namespace systole::lab
