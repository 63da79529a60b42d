// What every implementation of compute/lab/kernels/bspline_warp.h refuses.
#pragma once

#include "compute/lab/kernels/bspline_warp.h"
#include "compute/ops/bspline_field_check.h"

namespace systole::lab {

/// Throws ComputeError unless sizes fit each other.
inline void check(const BsplineWarp& in, const BsplineWarped& out) {
    bspline::check(in.points.grid, in.points.values.size, out.values.size);
    const Size3 size = out.values.size;
    if (out.inside.size != size || (!in.start.empty() && in.start.size != size) ||
        (!out.gradient.empty() && out.gradient.size != size))
        throw ComputeError("the arrays of a warp by a B-spline have different sizes");
    if (in.moving.empty() || in.moving.voxels() == 0)
        throw ComputeError("a warp by a B-spline has no moving image");
}

/// Calls run(start?, gradient?) with what is there as std::bool_constant.
template <typename Run>
void withParts(const BsplineWarp& in, const BsplineWarped& out, const Run& run) {
    const auto withGradient = [&](auto start) {
        if (out.gradient.empty())
            run(start, std::false_type{});
        else
            run(start, std::true_type{});
    };
    if (in.start.empty())
        withGradient(std::false_type{});
    else
        withGradient(std::true_type{});
}

} // namespace systole::lab
