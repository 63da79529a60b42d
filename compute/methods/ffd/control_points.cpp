#include "compute/methods/ffd/control_points.h"

#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Weights of the coarse control points in a new one along one axis.
struct Stencil {
    int first = 0; ///< index of the first coarse point
    int count = 1;
    float weight[3] = {1, 0, 0};
};

/// `ahead`: fine spacings from where the coarse grid's tiles begin to where the fine one's do.
Stencil stencilOf(int fine, int refinement, int ahead) {
    if (refinement == 1)
        return {fine};
    // Fine point i lies (i − 1 + ahead)/2 coarse spacings behind the coarse grid's beginning.
    const int i = fine + ahead;
    if (i % 2 == 0)
        return {i / 2, 2, {0.5f, 0.5f, 0}};
    return {(i + 1) / 2 - 1, 3, {0.125f, 0.75f, 0.125f}};
}

/// Stencils of all points along an axis of the fine grid.
std::vector<Stencil> stencilsAlong(int axis, const ControlGrid& coarse, const ControlGrid& fine,
                                   int refinement) {
    const int ahead = coarse.tiles()[axis] - fine.tiles()[axis] / 2;
    std::vector<Stencil> stencils;
    for (int point = 0; point < fine.points()[axis]; ++point)
        stencils.push_back(stencilOf(point, refinement, ahead));
    return stencils;
}

/// Sample of a field at a control point, trilinear; beyond the last voxels it goes on linearly.
class Extended {
public:
    Extended(VolumeView<const float> component, const ControlGrid& grid)
        : values_(component), grid_(grid) {}
    double at(int i, int j, int k) const {
        const Vec3 p = grid_.position(i, j, k);
        return onLine(p.z, values_.size.z, [&](int z) {
            return onLine(p.y, values_.size.y, [&](int y) {
                return onLine(p.x, values_.size.x,
                              [&](int x) { return static_cast<double>(values_(x, y, z)); });
            });
        });
    }

private:
    /// The value at p of a row of n values, by the line through the two nearest.
    template <typename Row>
    static double onLine(double p, int n, const Row& row) {
        if (n == 1)
            return row(0);
        const int below = std::clamp(static_cast<int>(std::floor(p)), 0, n - 2);
        const double part = p - below, value = row(below);
        return part == 0 ? value : value + part * (row(below + 1) - value);
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

} // namespace

void refine(ControlPointsView<const float> coarse, std::array<int, 3> refinement,
            std::array<int, 3> factor, ControlPointsView<float> fine, const ExecContext& ctx) {
    const Size3 size = fine.grid.points(), from = coarse.grid.points();
    std::vector<Stencil> along[3];
    for (int axis = 0; axis < 3; ++axis)
        along[axis] =
            stencilsAlong(axis, coarse.grid, fine.grid, refinement[static_cast<std::size_t>(axis)]);
    const auto& [xs, ys, zs] = along;
    overRows(size, 1, ctx, [&](int j, int k) {
        const Stencil &y = ys[static_cast<std::size_t>(j)], &z = zs[static_cast<std::size_t>(k)];
        for (int axis = 0; axis < 3; ++axis) {
            const VolumeView<const float> in(coarse.values.component(axis), from);
            float* const out = VolumeView<float>(fine.values.component(axis), size).row(j, k);
            std::fill_n(out, size.x, 0.0f);
            for (int n = 0; n < z.count; ++n)
                for (int m = 0; m < y.count; ++m) {
                    const float* const row = in.row(y.first + m, z.first + n);
                    const float across = z.weight[n] * y.weight[m];
                    for (std::size_t i = 0; i < xs.size(); ++i)
                        for (int l = 0; l < xs[i].count; ++l)
                            out[i] += across * xs[i].weight[l] * row[xs[i].first + l];
                }
            const auto gain = static_cast<float>(factor[static_cast<std::size_t>(axis)]);
            std::transform(out, out + size.x, out, [&](float v) { return gain * v; });
        }
    });
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
