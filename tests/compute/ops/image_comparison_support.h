// Two images of different grids and a displacement between them, for all implementations of
// compute/ops/image_comparison.h.
#pragma once

#include "compute/ops/image_comparison.h"

#include <cmath>
#include <vector>

namespace systole::test {

inline constexpr ComparisonView comparisonViews[] = {
    ComparisonView::Fixed,        ComparisonView::Warped, ComparisonView::Difference,
    ComparisonView::Checkerboard, ComparisonView::Grid,   ComparisonView::Jacobian,
    ComparisonView::LogJacobian};

struct ComparisonCase {
    explicit ComparisonCase(const VoxelBox& of) : fieldBox(of), field(3 * of.voxels()) {
        fill(fixed, fixedGrid);
        fill(moving, movingGrid);
        const FieldView<float> view(field.data(), fieldBox.size);
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x) {
                    const std::size_t i = view.componentView(0).offset(x, y, z);
                    const float p = 0.4f * static_cast<float>(fieldBox.x + x),
                                q = 0.3f * static_cast<float>(fieldBox.y + y),
                                r = 0.5f * static_cast<float>(fieldBox.z + z);
                    view.u[i] = 1.7f * std::sin(p + q);
                    view.v[i] = 0.9f * std::cos(q - r);
                    view.w[i] = 1.3f * std::sin(r + 0.5f * p);
                }
    }

    Comparison comparison() const {
        Comparison c;
        c.fixed = {fixed.data(), fixedGrid.size()};
        c.moving = {moving.data(), movingGrid.size()};
        c.toMoving = IndexMap::between(fixedGrid, movingGrid);
        c.field = FieldView<const float>(field.data(), fieldBox.size);
        c.fieldBox = fieldBox;
        c.low = -0.5f;
        c.high = 1.5f;
        setCubes(c, fixedGrid);
        return c;
    }

    static void fill(std::vector<float>& image, const Geometry& grid) {
        image.resize(grid.voxels());
        const VolumeView<float> view(image.data(), grid.size());
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x) {
                    const Vec3 p = grid.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                    view(x, y, z) = static_cast<float>(std::sin(0.3 * p.x) + std::cos(0.2 * p.y) +
                                                       std::sin(0.25 * p.z));
                }
    }

    const Geometry fixedGrid{{37, 26, 19}, {1, 1.5, 2}};
    const Geometry movingGrid{
        {30, 41, 22}, {1.2, 1, 1.7}, {36, -1, 2}, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    VoxelBox fieldBox;
    std::vector<float> fixed, moving, field;
};

} // namespace systole::test
