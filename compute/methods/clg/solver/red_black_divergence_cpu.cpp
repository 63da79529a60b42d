// The divergence term of ColorSystem: its four colors.
#include "compute/methods/clg/solver/math.h"
#include "compute/methods/clg/solver/red_black_cpu.h"
#include "compute/methods/clg/solver/rows.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <vector>

namespace systole {

void ColorSystem::setDivergence(const ClgSystem& system, const ExecContext& ctx) {
    beta_ = system.beta;
    scale_ = system.scale;
    if (system.incompressibility.empty())
        return;
    weight_ = ctx.pool->acquire<float>(2 * volume_ + 2 * margin, "solver, volume weight");
    clearGaps(weight_);
    overRows(size_, ctx, [&](int y, int z) {
        const int evenParity = (y + z) & 1;
        rows::splitRow(system.incompressibility.row(y, z), size_.x, stride_,
                       weightRow(evenParity, y, z), weightRow(1 - evenParity, y, z));
    });
}

rows::DivergenceRow ColorSystem::divergenceRow(int parity, int y, int z, bool product) const {
    const int other = 1 - parity;
    const int x = (parity + y + z) & 1; // first x of the row's half
    struct Step {
        int y, z;
    };
    constexpr Step steps[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const auto inside = [&](Step s) {
        return y + s.y >= 0 && y + s.y < size_.y && z + s.z >= 0 && z + s.z < size_.z;
    };
    const auto own = [&](int k) { return product ? fieldRow(parity, k, y, z) : zeros_.data(); };

    rows::DivergenceRow row{};
    row.beta = beta_;
    std::copy(scale_.begin(), scale_.end(), row.scale);
    row.shift = x;
    row.last = ((size_.x - 1) & 1) == x ? (size_.x - 1) / 2 : -1;
    row.stride = stride_;
    row.inside = y > 0 && y + 1 < size_.y && z > 0 && z + 1 < size_.z;
    row.component = static_cast<std::ptrdiff_t>(volume_);
    row.y = stride_;
    row.z = static_cast<std::ptrdiff_t>(plane_);
    for (int k = 0; k < 3; ++k) {
        row.self[k] = fieldRow(parity, k, y, z);
        row.beside[k] = fieldRow(other, k, y, z);
    }
    const bool weighted = weight_.size() > 0;
    if (weighted) {
        row.weight = weightRow(parity, y, z);
        row.weightBeside = weightRow(other, y, z);
    }
    if (row.inside && !product)
        return row;
    // A step along one axis changes the parity, and so does the one to the row's other half.
    for (int n = 0; n < 4; ++n)
        for (int k = 0; k < 3; ++k)
            row.across[n][k] =
                inside(steps[n]) ? fieldRow(other, k, y + steps[n].y, z + steps[n].z) : own(k);
    for (int n = 0; n < 4; ++n) {
        const Step s = steps[n];
        const bool exists = inside(s);
        for (int k = 0; k < 2; ++k) {
            const int component = k == 0 ? 0 : n < 2 ? 1 : 2;
            row.besideAcross[n][k] =
                exists ? fieldRow(parity, component, y + s.y, z + s.z) : row.beside[component];
        }
        row.endsOfU[n] = row.across[n][0];
        row.sign[n] = exists ? 1.0f : -1.0f;
        const int third = n < 2 ? 2 : 1;
        for (int ahead = 0; ahead < 2; ++ahead) {
            const int m = (n < 2 ? 2 : 0) + ahead;
            const Step t = steps[m];
            row.diagonal[n][ahead] = !exists ? row.across[m][third]
                                     : inside(t)
                                         ? fieldRow(parity, third, y + s.y + t.y, z + s.z + t.z)
                                         : row.across[n][third];
        }
        if (weighted)
            row.weightAcross[n] = exists ? weightRow(other, y + s.y, z + s.z) : row.weight;
    }
    return row;
}

float ColorSystem::sweepRowsWithDivergence(const SweepPart& part, int color, float omega) const {
    const int z = part.z;
    // A color is a pair of parities, of x + y and of x + z; a row has voxels of it if both fit.
    const int xy = color >> 1, xz = color & 1;
    rows::DivergenceSweep sweep{};
    std::copy(weights_.begin(), weights_.end(), sweep.smoothness);
    sweep.omega = omega;
    float largest = 0;
    const int parity = (xy + z) & 1;
    const int first = part.firstRow + ((part.firstRow + z + xy + xz) & 1);
    for (int y = first; y < part.endRow;) {
        // Rows that have both neighbors along y go together.
        const int end = std::min(part.endRow, size_.y - 1);
        const int together = y > 0 && y < end ? (end - y + 1) / 2 : 1;
        rows::DivergenceRow row = divergenceRow(parity, y, z, false);
        row.more = together - 1;
        for (int k = 0; k < 9; ++k)
            sweep.system[k] = systemRow(parity, k, y, z);
        largest = std::max(largest, rows::sweepWithDivergence(row, sweep));
        y += 2 * together;
    }
    return largest;
}

void ColorSystem::addDivergenceTo(const ClgSystem& system, const ExecContext& ctx) const {
    parallelFor(ctx, size_.z, 1, [&](int begin, int end) {
        const auto width = static_cast<std::size_t>(stride_);
        std::vector<float> halves(6 * width), whole(static_cast<std::size_t>(size_.x));
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size_.y; ++y) {
                for (int odd = 0; odd < 2; ++odd) {
                    float* const out = halves.data() + static_cast<std::size_t>(3 * odd) * width;
                    rows::divergenceOf(divergenceRow((y + z + odd) & 1, y, z, true),
                                       {out, out + width, out + 2 * width});
                }
                for (std::size_t k = 0; k < 3; ++k) {
                    rows::mergeRow(halves.data() + k * width, halves.data() + (3 + k) * width,
                                   size_.x, whole.data());
                    float* const b = system.coefficient[6 + k].row(y, z);
                    for (std::size_t x = 0; x < whole.size(); ++x)
                        b[x] += whole[x];
                }
            }
    });
}

} // namespace systole
