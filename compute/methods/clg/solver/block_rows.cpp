#include "compute/methods/clg/solver/block_rows.h"

#include "compute/methods/clg/solver/math.h"

#include <algorithm>

namespace systole {
namespace {

int count(int i, int n) { return (i > 0) + (i < n - 1); }

} // namespace

BlockRows::BlockRows(int width) : neighbors_(static_cast<std::size_t>(width)) {
    for (std::vector<float>& copy : copies_)
        copy.resize(neighbors_.size());
}

void BlockRows::addSmoothness(const std::array<float, 3>& weights, Size3 size, int y, int z) {
    const float across = weights[1] * static_cast<float>(count(y, size.y)) +
                         weights[2] * static_cast<float>(count(z, size.z));
    for (int x = 0; x < size.x; ++x)
        neighbors_[static_cast<std::size_t>(x)] =
            across + weights[0] * static_cast<float>(count(x, size.x));
}

float* BlockRows::copyOf(const float* (&in)[9], std::size_t k) {
    std::copy_n(in[k], copies_[k].size(), copies_[k].data());
    in[k] = copies_[k].data();
    return copies_[k].data();
}

void BlockRows::addDivergence(const ClgSystem& system, int y, int z, const float* (&in)[9]) {
    const Size3 size = system.size();
    const VolumeView<const float> weight = system.incompressibility;
    for (int k = 0; k < 3; ++k) {
        float* const diagonal = copyOf(in, clg::tensorIndex(k, k));
        const float scale = system.scale[static_cast<std::size_t>(k)];
        const float edge = 0.5f * system.beta * scale * scale;
        for (int by = -1; by <= 1; by += 2) {
            if (k > 0 && !clg::exists(size, {0, y, z}, k, by))
                continue;
            // The voxels from `first` to `end` have this neighbor; along x it lies at `by` in the
            // row.
            const int first = k == 0 && by < 0 ? 1 : 0;
            const int end = k == 0 && by > 0 ? size.x - 1 : size.x;
            if (weight.empty()) {
                for (int x = first; x < end; ++x)
                    diagonal[x] += 2 * edge;
                continue;
            }
            const float* const own = weight.row(y, z);
            const float* const next =
                k == 0 ? own : weight.row(k == 1 ? y + by : y, k == 2 ? z + by : z);
            const int step = k == 0 ? by : 0;
            for (int x = first; x < end; ++x)
                diagonal[x] += edge * (own[x] + next[x + step]);
        }
    }
    const bool onY = count(y, size.y) < 2, onZ = count(z, size.z) < 2;
    if (!onY && !onZ)
        return;
    for (int k = 0; k < 3; ++k)
        for (int l = k + 1; l < 3; ++l) {
            float* const mixed = copyOf(in, clg::tensorIndex(k, l));
            for (int x = 0; x < size.x; ++x)
                mixed[x] += clg::ownCoupling(system, {x, y, z}, k, l);
        }
}

} // namespace systole
