#include "compute/methods/ffd/control_points.h"

#include "compute/ops/decimation.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// What a new control point takes from the coarse ones along one axis.
struct Stencil {
    int first = 0; ///< index of the first coarse point
    float weight[3] = {1, 0, 0};
};

Stencil stencilOf(int fine, int refinement) {
    if (refinement == 1)
        return {fine, {1, 0, 0}};
    // Fine point i lies at (i − 1)/2 coarse spacings from the first voxel.
    if (fine % 2 == 0)
        return {fine / 2, {0.5f, 0.5f, 0}};
    return {(fine + 1) / 2 - 1, {0.125f, 0.75f, 0.125f}};
}

/// Sample of a field at a control point; beyond the last voxels the field goes on linearly.
class Extended {
public:
    Extended(VolumeView<const float> component, const ControlGrid& grid)
        : values_(component), grid_(grid) {}
    double at(int i, int j, int k) const {
        return alongZ((i - 1) * grid_.tile.x, (j - 1) * grid_.tile.y, (k - 1) * grid_.tile.z);
    }

private:
    /// The value at p of a row of n values, continued by the line through two at its end.
    template <typename Row>
    static double extend(int p, int n, const Row& row) {
        if (p >= 0 && p < n)
            return row(p);
        if (n == 1)
            return row(0);
        const int end = p < 0 ? 0 : n - 1, inner = p < 0 ? 1 : n - 2;
        return row(end) + (row(end) - row(inner)) * std::abs(p - end);
    }
    double alongX(int x, int y, int z) const {
        return extend(x, values_.size.x,
                      [&](int p) { return static_cast<double>(values_(p, y, z)); });
    }
    double alongY(int x, int y, int z) const {
        return extend(y, values_.size.y, [&](int p) { return alongX(x, p, z); });
    }
    double alongZ(int x, int y, int z) const {
        return extend(z, values_.size.z, [&](int p) { return alongY(x, y, p); });
    }

    VolumeView<const float> values_;
    ControlGrid grid_;
};

/// v ← v − δ²v/6 along a line; the ends, where second differences are zero, remain.
void sharpenLine(double* line, int count, std::ptrdiff_t step) {
    double before = line[0];
    for (int i = 1; i + 1 < count; ++i) {
        double& here = line[i * step];
        const double old = here;
        here = old - (before - 2 * old + line[(i + 1) * step]) / 6;
        before = old;
    }
}

/// Calls body(first value, step to the next) for every line of a volume along an axis.
template <typename T, typename Body>
void overLines(T* values, Size3 size, int axis, const Body& body) {
    const std::ptrdiff_t step[3] = {1, size.x, static_cast<std::ptrdiff_t>(size.x) * size.y};
    const int across = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
    for (int b = 0; b < size[other]; ++b)
        for (int a = 0; a < size[across]; ++a)
            body(values + a * step[across] + b * step[other], step[axis]);
}

/// Continues a line whose last point is behind the image and that nothing determines: neither a
/// voxel nor a penalty depends on it, but shiftLine does.
void continueLine(float* line, int count, std::ptrdiff_t step) {
    line[(count - 1) * step] = 2 * line[(count - 2) * step] - line[(count - 3) * step];
}

/// Control points of the same spline by a grid of which `shift` spacings lie before the first
/// voxel, to the second order; exact for affine displacements. Beyond its ends a line goes on.
void shiftLine(float* line, int count, std::ptrdiff_t step, double shift) {
    double before = 2.0 * line[0] - (count > 1 ? line[step] : line[0]);
    for (int i = 0; i < count; ++i) {
        float& point = line[i * step];
        const double here = point, after = i + 1 < count ? line[(i + 1) * step] : 2 * here - before;
        point = static_cast<float>(here - shift * (after - before) / 2 +
                                   shift * shift * (after - 2 * here + before) / 2);
        before = here;
    }
}

} // namespace

std::vector<float> fromFirstVoxel(Size3 fineImage, ControlPointsView<const float> coarse,
                                  std::array<int, 3> factor) {
    const Size3 size = coarse.values.size;
    const std::size_t n = size.voxels();
    std::vector<float> points;
    for (int c = 0; c < 3; ++c)
        points.insert(points.end(), coarse.values.component(c), coarse.values.component(c) + n);
    for (int axis = 0; axis < 3; ++axis) {
        const int by = factor[static_cast<std::size_t>(axis)];
        const double shift = decimationShift(fineImage[axis], by) /
                             (static_cast<double>(by) * coarse.grid.tile[axis]);
        if (shift == 0)
            continue;
        // So little of the last tile lies in the image that its last spline is as good as zero
        // there.
        const bool free =
            2 * ((coarse.grid.image[axis] - 1) % coarse.grid.tile[axis]) < coarse.grid.tile[axis];
        for (std::size_t c = 0; c < 3; ++c)
            overLines(points.data() + c * n, size, axis, [&](float* line, std::ptrdiff_t step) {
                if (free)
                    continueLine(line, size[axis], step);
                shiftLine(line, size[axis], step, shift);
            });
    }
    return points;
}

void refine(ControlPointsView<const float> given, std::array<int, 3> refinement,
            std::array<int, 3> factor, ControlPointsView<float> fine) {
    const std::vector<float> moved = fromFirstVoxel(fine.grid.image, given, factor);
    const ControlPointsView<const float> coarse{{moved.data(), given.values.size}, given.grid};
    const Size3 size = fine.grid.points(), from = coarse.grid.points();
    for (int axis = 0; axis < 3; ++axis) {
        const VolumeView<const float> in(coarse.values.component(axis), from);
        const VolumeView<float> out(fine.values.component(axis), size);
        const auto gain = static_cast<float>(factor[static_cast<std::size_t>(axis)]);
        for (int k = 0; k < size.z; ++k)
            for (int j = 0; j < size.y; ++j)
                for (int i = 0; i < size.x; ++i) {
                    const Stencil x = stencilOf(i, refinement[0]), y = stencilOf(j, refinement[1]),
                                  z = stencilOf(k, refinement[2]);
                    float sum = 0;
                    for (int n = 0; n < 3; ++n)
                        for (int m = 0; m < 3; ++m)
                            for (int l = 0; l < 3; ++l) {
                                const float weight = z.weight[n] * y.weight[m] * x.weight[l];
                                if (weight != 0)
                                    sum += weight * in(x.first + l, y.first + m, z.first + n);
                            }
                    out(i, j, k) = gain * sum;
                }
    }
}

void approximate(FieldView<const float> field, ControlPointsView<float> points) {
    const Size3 size = points.grid.points();
    std::vector<double> samples(size.voxels());
    for (int axis = 0; axis < 3; ++axis) {
        const Extended from(field.componentView(axis), points.grid);
        const VolumeView<double> s(samples.data(), size);
        for (int k = 0; k < size.z; ++k)
            for (int j = 0; j < size.y; ++j)
                for (int i = 0; i < size.x; ++i)
                    s(i, j, k) = from.at(i, j, k);
        for (int along = 0; along < 3; ++along)
            overLines(samples.data(), size, along, [&](double* line, std::ptrdiff_t step) {
                sharpenLine(line, size[along], step);
            });
        std::transform(samples.begin(), samples.end(), points.values.component(axis),
                       [](double v) { return static_cast<float>(v); });
    }
}

} // namespace systole
