#include "compute/lab/kernels/thin_plate.h"
#include "compute/landmarks/thin_plate_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace systole::lab {
namespace {

/// tps::addTerms() without SIMD.
void addTermsPlainly(std::span<const tps::Term> terms, const float* const (&points)[3], int count,
                     float* const (&out)[3]) {
    const auto root = [](float squared) { return std::sqrt(squared); };
    for (int i = 0; i < count; ++i) {
        tps::Point sum{0, 0, 0};
        for (const tps::Term& term : terms)
            tps::addTerm(term, {points[0][i], points[1][i], points[2][i]}, root, sum);
        out[0][i] += sum.x;
        out[1][i] += sum.y;
        out[2][i] += sum.z;
    }
}

} // namespace

void transformGrid(const ThinPlateSpline& spline, FieldView<float> positions,
                   const ExecContext& ctx) {
    const tps::Affine affine = tps::affineOf(spline);
    const std::vector<tps::Term> terms = tps::termsOf(spline);
    const Size3 size = positions.size;
    const auto count = static_cast<std::size_t>(size.x);
    const auto add = ctx.backend == Backend::CpuReference ? addTermsPlainly : tps::addTerms;
    parallelFor(ctx, size.y * size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        std::vector<float> x(count), y(count), z(count);
        std::iota(x.begin(), x.end(), 0.0f);
        for (int row = begin; row < end; ++row) {
            std::ranges::fill(y, static_cast<float>(row % size.y));
            std::ranges::fill(z, static_cast<float>(row / size.y));
            const std::size_t first = static_cast<std::size_t>(row) * count;
            float* const out[3] = {positions.u + first, positions.v + first, positions.w + first};
            for (float* const sums : out)
                std::fill_n(sums, count, 0.0f);
            add(terms, {x.data(), y.data(), z.data()}, size.x, out);
            for (std::size_t i = 0; i < count; ++i) {
                const tps::Point start = tps::affineAt(affine, {x[i], y[i], z[i]});
                out[0][i] += start.x;
                out[1][i] += start.y;
                out[2][i] += start.z;
            }
        }
    });
}

} // namespace systole::lab
