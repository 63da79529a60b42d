#include "compute/methods/clg/solver/sweep_order.h"

#include <algorithm>

namespace systole {
namespace {

/// Part of a core's own cache that the planes of a tile may take.
constexpr std::size_t cacheBytes = std::size_t{1} << 20;
constexpr int fewestRows = 8;

/// Planes that a slab needs so that steps which leave a plane more at each border don't meet.
int thinnest(int steps) { return std::max(1, 2 * (steps - 1)); }

} // namespace

SweepOrder::SweepOrder(Size3 size, int colors, int sweeps, std::size_t planeBytes, int threads)
    : size_(size), colors_(colors), steps_(colors * sweeps) {
    const int planes = std::max(1, size.z / threads);
    while (steps_ > colors && threads > 1 && thinnest(steps_) > planes)
        steps_ -= colors;
    slabs_ = std::clamp(size.z / thinnest(steps_), 1, threads);
    const auto rowBytes = planeBytes / static_cast<std::size_t>(size.y);
    tile_ = std::max(fewestRows, static_cast<int>(cacheBytes / rowBytes) / (steps_ + 1));
}

void SweepOrder::run(const ExecContext& ctx,
                     const std::function<void(const SweepPart&)>& work) const {
    const auto part = [&](const SweepPart& here) {
        if (here.step == 0)
            ctx.throwIfCancelled();
        work(here);
    };
    // A step leaves a plane more than the one before at each border between slabs …
    parallelFor(ctx, slabs_, 1, [&](int begin, int end) {
        for (int slab = begin; slab < end; ++slab)
            runOver({border(slab), border(slab + 1), slab > 0 ? 1 : 0, slab + 1 < slabs_ ? -1 : 0},
                    part);
    });
    // … which follow.
    parallelFor(ctx, slabs_ - 1, 1, [&](int begin, int end) {
        for (int slab = begin; slab < end; ++slab)
            runOver({border(slab + 1), border(slab + 1), -1, 1}, part);
    });
}

void SweepOrder::runOver(const Planes& planes,
                         const std::function<void(const SweepPart&)>& part) const {
    const int last = steps_ - 1;
    // A tile ends a row earlier in each step, as its last row needs the row beyond in the step
    // before.
    for (int row = 0; row < size_.y + last; row += tile_)
        for (int front = planes.first; front < planes.end + (planes.endStep + 1) * last; ++front)
            for (int step = 0; step < steps_; ++step) {
                const int z = front - step;
                if (z < planes.first + planes.firstStep * step ||
                    z >= planes.end + planes.endStep * step)
                    continue;
                const SweepPart here{step, z, std::max(0, row - step),
                                     std::min(size_.y, row + tile_ - step)};
                if (here.firstRow < here.endRow)
                    part(here);
            }
}

} // namespace systole
