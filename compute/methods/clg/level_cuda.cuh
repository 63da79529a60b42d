// Arguments of a level's kernels, made from the level's buffers.
#pragma once

#include "compute/methods/clg/plan.h"
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {

/// The next number of floats that keeps what lies behind them aligned for reads of four.
constexpr std::size_t aligned(std::size_t floats) { return (floats + 3) / 4 * 4; }

/// Whether the products of a warp aren't needed voxel by voxel: half the grid has pairs of voxels
/// along each axis, and nothing but self-similarity is added to gray values.
inline bool takesCells(const ClgParameters& p, const Warp& w) {
    const auto pairs = [&](std::size_t axis) {
        return w.m.grid.factor[axis] == 2 && w.b.size()[static_cast<int>(axis)] % 2 == 0;
    };
    return w.onHalf() && pairs(0) && pairs(1) && pairs(2) && p.centralGradient &&
           p.variants.gradient == gradientFamily.standardVariant() &&
           p.features != ClgFeatures::SelfSimilarity && !(w.b.level == 0 && p.refinesData());
}

/// `b`, `m`: as Warp has them. `coarser`: state of the next coarser level; null: none.
inline LevelStart levelStart(const ClgParameters& p, const LevelBuffers& b, const LevelBuffers& m,
                             const DeviceState* coarser) {
    LevelStart start{};
    start.epsilon = p.normalized ? 1.0f : -1.0f;
    std::copy_n(m.smoothness(b.alpha).begin(), 3, start.smoothness);
    std::copy_n(m.scale().begin(), 3, start.scale);
    start.coarser = coarser;
    return start;
}

/// `tensor`: the nine smoothed volumes, behind one another.
inline DeviceSystem systemOf(const ClgParameters& p, const Warp& w, float* tensor,
                             DeviceState* state) {
    DeviceSystem system{};
    system.size = w.m.size();
    for (std::size_t k = 0; k < 9; ++k)
        system.coefficient[k] = tensor + k * w.m.size().voxels();
    std::copy_n(w.m.scale().begin(), 3, system.scale);
    system.beta = static_cast<float>(p.beta);
    system.stencil = p.stencil();
    system.incompressibility = w.m.weight.data;
    system.state = state;
    return system;
}

} // namespace systole::clg
