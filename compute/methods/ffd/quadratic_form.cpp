#include "compute/methods/ffd/quadratic_form.h"

#include <algorithm>

namespace systole {
namespace {

/// A band by diagonals: [3 + j − i][i], so that a row's products lie side by side.
std::vector<float> byDiagonals(const Band& band) {
    const std::size_t n = band.size();
    std::vector<float> diagonals(7 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 7; ++k)
            diagonals[k * n + i] = band[i][k];
    return diagonals;
}

/// out = band along x · in.
void alongX(const Band& band, VolumeView<const float> in, VolumeView<float> out) {
    const int n = in.size.x;
    const std::vector<float> diagonals = byDiagonals(band);
    for (int k = 0; k < in.size.z; ++k)
        for (int j = 0; j < in.size.y; ++j) {
            const float* const from = in.row(j, k);
            float* const to = out.row(j, k);
            std::fill(to, to + n, 0.0f);
            for (int d = -3; d <= 3; ++d) {
                const float* const by = diagonals.data() + static_cast<std::ptrdiff_t>(d + 3) * n;
                for (int i = std::max(0, -d); i < std::min(n, n - d); ++i)
                    to[i] += by[i] * from[i + d];
            }
        }
}

/// out = Σ of rows, each times its entry of the band's row. Many parameters because it is an inner
/// loop over plain arrays.
void combineRows(const std::array<float, 7>& band, int index, int count, int length,
                 const float* first, std::ptrdiff_t step, bool add, float* out) {
    if (!add)
        std::fill(out, out + length, 0.0f);
    for (int d = std::max(-3, -index); d <= std::min(3, count - 1 - index); ++d) {
        const float by = band[static_cast<std::size_t>(d + 3)];
        const float* const from = first + (index + d) * step;
        for (int i = 0; i < length; ++i)
            out[i] += by * from[i];
    }
}

/// sum += the product of three bands · in. Scratch: two volumes.
void addProduct(const GridIntegrals& integrals, const QuadraticTerm& term,
                VolumeView<const float> in, VolumeView<float> x, VolumeView<float> y,
                VolumeView<float> sum) {
    const Size3 size = in.size;
    const auto band = [&](int axis) -> const Band& {
        return integrals.axes[axis].of[term.a[axis]][term.b[axis]];
    };
    const auto by =
        static_cast<float>(term.weight * integrals.unit[term.to] * integrals.unit[term.from]);
    alongX(band(0), in, x);
    for (int k = 0; k < size.z; ++k)
        for (int j = 0; j < size.y; ++j)
            combineRows(band(1)[static_cast<std::size_t>(j)], j, size.y, size.x, x.row(0, k),
                        size.x, false, y.row(j, k));
    const int plane = size.x * size.y;
    for (int k = 0; k < size.z; ++k) {
        std::array<float, 7> row = band(2)[static_cast<std::size_t>(k)];
        for (float& entry : row)
            entry *= by;
        combineRows(row, k, size.z, plane, y.data, plane, true, sum.row(0, k));
    }
}

} // namespace

double addQuadratic(const std::vector<QuadraticTerm>& terms, const GridIntegrals& integrals,
                    ControlPointsView<const float> points, double weight,
                    ControlPointsView<float> gradient, const ExecContext& ctx) {
    const Size3 size = integrals.points;
    const std::size_t n = size.voxels();
    // A component per chunk: each has its own scratch.
    const double energy = parallelSum(ctx, 3, 1, [&](int component, int) {
        std::vector<float> scratch(3 * n, 0.0f);
        const VolumeView<float> x(scratch.data(), size), y(scratch.data() + n, size),
            sum(scratch.data() + 2 * n, size);
        for (const QuadraticTerm& term : terms)
            if (term.to == component)
                addProduct(integrals, term, points.values.componentView(term.from), x, y, sum);
        double product = 0;
        const float* const at = points.values.component(component);
        for (std::size_t i = 0; i < n; ++i)
            product += static_cast<double>(at[i]) * static_cast<double>(sum.data[i]);
        if (!gradient.empty()) {
            float* const out = gradient.values.component(component);
            const auto twice = static_cast<float>(2 * weight);
            for (std::size_t i = 0; i < n; ++i)
                out[i] += twice * sum.data[i];
        }
        return product;
    });
    return weight * energy;
}

} // namespace systole
