#include "compute/lab/kernels/thin_plate.h"
#include "compute/lab/kernels/thin_plate_rows.h"
#include "compute/landmarks/thin_plate_math.h"

#include <cmath>
#include <vector>

namespace systole::lab {
namespace {

void transformPlainRow(const tps::Affine& affine, std::span<const tps::Term> terms, float y,
                       float z, int count, float* const (&out)[3]) {
    const auto root = [](float squared) { return std::sqrt(squared); };
    for (int x = 0; x < count; ++x) {
        const tps::Point p{static_cast<float>(x), y, z};
        tps::Point sum{0, 0, 0};
        for (const tps::Term& term : terms)
            tps::addTerm(term, p, root, sum);
        const tps::Point start = tps::affineAt(affine, p);
        out[0][x] = start.x + sum.x;
        out[1][x] = start.y + sum.y;
        out[2][x] = start.z + sum.z;
    }
}

} // namespace

void transformGrid(const ThinPlateSpline& spline, FieldView<float> positions,
                   const ExecContext& ctx) {
    const tps::Affine affine = tps::affineOf(spline);
    const std::vector<tps::Term> terms = tps::termsOf(spline);
    const Size3 size = positions.size;
    parallelFor(ctx, size.y * size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int row = begin; row < end; ++row) {
            const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(size.x);
            const int plane = row / size.y;
            const auto y = static_cast<float>(row % size.y), z = static_cast<float>(plane);
            float* const out[3] = {positions.u + i, positions.v + i, positions.w + i};
            if (ctx.backend == Backend::CpuReference)
                transformPlainRow(affine, terms, y, z, size.x, out);
            else
                transformRow(affine, terms, y, z, size.x, out);
        }
    });
}

} // namespace systole::lab
