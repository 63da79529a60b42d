#include "compute/methods/ffd/control_points.h"

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

} // namespace

void refine(ControlPointsView<const float> coarse, std::array<int, 3> refinement,
            std::array<int, 3> factor, ControlPointsView<float> fine) {
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
    const auto plane = static_cast<std::ptrdiff_t>(size.x) * size.y;
    for (int axis = 0; axis < 3; ++axis) {
        const Extended from(field.componentView(axis), points.grid);
        const VolumeView<double> s(samples.data(), size);
        for (int k = 0; k < size.z; ++k)
            for (int j = 0; j < size.y; ++j)
                for (int i = 0; i < size.x; ++i)
                    s(i, j, k) = from.at(i, j, k);
        for (int k = 0; k < size.z; ++k)
            for (int j = 0; j < size.y; ++j)
                sharpenLine(&s(0, j, k), size.x, 1);
        for (int k = 0; k < size.z; ++k)
            for (int i = 0; i < size.x; ++i)
                sharpenLine(&s(i, 0, k), size.y, size.x);
        for (int j = 0; j < size.y; ++j)
            for (int i = 0; i < size.x; ++i)
                sharpenLine(&s(i, j, 0), size.z, plane);
        std::transform(samples.begin(), samples.end(), points.values.component(axis),
                       [](double v) { return static_cast<float>(v); });
    }
}

} // namespace systole
