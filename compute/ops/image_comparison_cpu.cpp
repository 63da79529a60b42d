#include "compute/ops/image_comparison.h"
#include "compute/ops/image_comparison_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/row_kernels.h"

#include <vector>

namespace systole {
namespace {

using namespace comparison;

constexpr int squares = 8;      ///< number of squares of the checkerboard along the longest axis
constexpr int planes = 16;      ///< number of planes of the grid along the longest axis
constexpr float minSpacing = 4; ///< min spacing of squares and planes, voxels

/// The moving image along a row of the box, in SIMD.
class WarpedRow {
public:
    explicit WarpedRow(int count) : x_(n(count)), y_(n(count)), z_(n(count)), values_(n(count)) {}

    const float* of(const Comparison& c, const VoxelBox& box, int y, int z) {
        const std::size_t first = fieldOffset(c, box.x, y, z);
        for (int x = 0; x < box.size.x; ++x) {
            const Position p = movingPoint(c, first + n(x), box.x + x, y, z);
            x_[n(x)] = p.x;
            y_[n(x)] = p.y;
            z_[n(x)] = p.z;
        }
        rows::sample(c.moving, x_.data(), y_.data(), z_.data(), box.size.x, values_.data());
        return values_.data();
    }

private:
    static std::size_t n(int count) { return static_cast<std::size_t>(count); }
    std::vector<float> x_, y_, z_, values_;
};

template <ComparisonView view>
void drawRows(const Comparison& c, const VoxelBox& box, float* out, const ExecContext& ctx) {
    parallelFor(ctx, box.size.y * box.size.z, 8, [&](int begin, int end) {
        ctx.throwIfCancelled();
        WarpedRow warped(box.size.x);
        for (int row = begin; row < end; ++row) {
            const int y = box.y + row % box.size.y, z = box.z + row / box.size.y;
            const float* const values = needsWarp(view) ? warped.of(c, box, y, z) : nullptr;
            float* const to =
                out + static_cast<std::size_t>(row) * static_cast<std::size_t>(box.size.x);
            for (int x = 0; x < box.size.x; ++x)
                to[x] = valueAt<view>(c, needsWarp(view) ? values[x] : 0.0f, box.x + x, y, z);
        }
    });
}

} // namespace

void setCubes(Comparison& comparison, const Geometry& fixed) {
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis)
        longest = std::max(longest, fixed.size()[axis] * fixed.spacing()[axis]);
    for (int axis = 0; axis < 3; ++axis) {
        const auto voxels = [&](int count) {
            return std::max(minSpacing,
                            static_cast<float>(longest / count / fixed.spacing()[axis]));
        };
        comparison.square[axis] = voxels(squares);
        comparison.plane[axis] = voxels(planes);
    }
}

void drawComparison(ComparisonView view, const Comparison& comparison, const VoxelBox& box,
                    float* out, const ExecContext& ctx) {
    check(view, comparison, box);
    withView(view, [&]<ComparisonView chosen>() { drawRows<chosen>(comparison, box, out, ctx); });
}

} // namespace systole
