// The order of several sweeps that take one pass over memory. A step of a sweep (one color) needs
// the step before it on the neighboring rows and planes alone, so it can follow a plane behind, and
// what a sweep has loaded is still in the cache when the next one comes. The result is that of
// whole steps one after the other, bit for bit, whatever slabs and tiles are.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

#include <cstddef>
#include <functional>

namespace systole {

/// Part of a sweep that one call handles: rows [firstRow, endRow) of plane z in step `step` of a
/// pass.
struct SweepPart {
    int step, z, firstRow, endRow;
};

class SweepOrder {
public:
    /// A pass has as many sweeps of `colors` steps as slabs of planes, one a thread, are thick
    /// enough for; at most `sweeps`. `planeBytes`: all that a step reads and writes in a plane.
    SweepOrder(Size3 size, int colors, int sweeps, std::size_t planeBytes, int threads);

    /// Sweeps in a pass, at least 1.
    int sweeps() const { return steps_ / colors_; }
    /// Calls part() for every row of every plane in every step once, on several threads. Of two
    /// calls for neighboring rows (at most one row and one plane apart) in steps that differ, the
    /// one of the lower step comes first.
    /// Throws Cancelled.
    void run(const ExecContext& ctx, const std::function<void(const SweepPart&)>& part) const;

private:
    /// Planes [first + firstStep ∙ step, end + endStep ∙ step) of each step.
    struct Planes {
        int first, end, firstStep, endStep;
    };
    int border(int slab) const { return slab * size_.z / slabs_; }
    void runOver(const Planes& planes, const std::function<void(const SweepPart&)>& part) const;

    Size3 size_;
    int colors_, steps_, slabs_;
    int tile_; ///< rows of a plane that go together
};

} // namespace systole
