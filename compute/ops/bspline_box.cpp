#include "compute/ops/bspline_box.h"

#include "compute/ops/bspline_field_check.h"
#include "compute/ops/bspline_field_math.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace systole {
namespace {

constexpr int rowsAtOnce = 32; ///< they share the sums over z

/// The weights of a voxel of the box along an axis, and the first of its four control points,
/// counted from the box' first one.
struct Place {
    bspline::Weights<float> weights;
    int point;
};

std::vector<Place> placesOf(int first, int count, const ControlAxis& axis) {
    std::vector<Place> places;
    for (int voxel = first; voxel < first + count; ++voxel)
        places.push_back({bspline::weightsOfVoxel(axis.placeInTile(voxel), axis),
                          axis.tileOf(voxel) - axis.tileOf(first)});
    return places;
}

/// out[i] = Σ_m weights[m] · in[i + m · stride]
void sumOfFour(const float* in, std::size_t stride, const bspline::Weights<float>& weights,
               std::size_t count, float* out) {
    const float *a = in, *b = in + stride, *c = in + 2 * stride, *d = in + 3 * stride;
    for (std::size_t i = 0; i < count; ++i)
        out[i] = weights.of[0] * a[i] + weights.of[1] * b[i] + weights.of[2] * c[i] +
                 weights.of[3] * d[i];
}

/// One component on some rows of a plane of the box: the control points are summed over z once,
/// over y once per row, and over x per voxel.
class RowSums {
public:
    RowSums(const std::vector<Place>& x, const std::vector<Place>& y, int firstX, int firstY)
        : x_(x)
        , y_(y)
        , firstX_(firstX)
        , firstY_(firstY)
        , width_(static_cast<std::size_t>(x.back().point + 4))
        , line_(width_) {}

    void write(VolumeView<const float> points, const Place& z, int firstZ, int begin, int end,
               float* out) {
        const int low = y_[static_cast<std::size_t>(begin)].point,
                  high = y_[static_cast<std::size_t>(end - 1)].point + 4;
        plane_.resize(static_cast<std::size_t>(high - low) * width_);
        const std::size_t stride = points.offset(0, 0, 1);
        for (int j = low; j < high; ++j)
            sumOfFour(points.row(firstY_ + j, firstZ + z.point) + firstX_, stride, z.weights,
                      width_, plane_.data() + static_cast<std::size_t>(j - low) * width_);
        for (int row = begin; row < end; ++row) {
            const Place& y = y_[static_cast<std::size_t>(row)];
            sumOfFour(plane_.data() + static_cast<std::size_t>(y.point - low) * width_, width_,
                      y.weights, width_, line_.data());
            for (const Place& x : x_) {
                const float* const p = line_.data() + x.point;
                const float* const w = x.weights.of;
                *out++ = w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + w[3] * p[3];
            }
        }
    }

private:
    const std::vector<Place>&x_, &y_;
    int firstX_, firstY_; ///< the box' first control point
    std::size_t width_;   ///< control points along a row of the box
    std::vector<float> line_, plane_;
};

} // namespace

void bsplineFieldInBox(ControlPointsView<const float> points, const VoxelBox& box,
                       FieldView<float> field, const ExecContext& ctx) {
    const Size3 image = points.grid.image, size = box.size;
    bspline::check(points.grid, points.values.size, image);
    if (field.size != size || box.x < 0 || box.y < 0 || box.z < 0 || box.x + size.x > image.x ||
        box.y + size.y > image.y || box.z + size.z > image.z)
        throw ComputeError("a part of a B-spline's field must lie in its image");
    const ControlAxis alongX = points.grid.axis(0), alongY = points.grid.axis(1),
                      alongZ = points.grid.axis(2);
    const std::vector<Place> x = placesOf(box.x, size.x, alongX),
                             y = placesOf(box.y, size.y, alongY),
                             z = placesOf(box.z, size.z, alongZ);
    const int blocks = (size.y + rowsAtOnce - 1) / rowsAtOnce;
    parallelFor(ctx, blocks * size.z, 1, [&](int first, int last) {
        ctx.throwIfCancelled();
        RowSums sums(x, y, alongX.tileOf(box.x), alongY.tileOf(box.y));
        for (int block = first; block < last; ++block) {
            const int plane = block / blocks, begin = block % blocks * rowsAtOnce;
            for (int axis = 0; axis < 3; ++axis)
                sums.write(points.values.componentView(axis), z[static_cast<std::size_t>(plane)],
                           alongZ.tileOf(box.z), begin, std::min(begin + rowsAtOnce, size.y),
                           field.componentView(axis).row(begin, plane));
        }
    });
}

} // namespace systole
