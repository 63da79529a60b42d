// One voxel of compute/ops/image_comparison.h: the formula of all implementations.
#pragma once

#include "compute/core/error.h"
#include "compute/ops/field_gradient_math.h"
#include "compute/ops/image_comparison.h"
#include "compute/ops/sample.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace systole::comparison {

/// Half the thickness of a plane of the grid, voxels; it fades to nothing over three times that.
inline constexpr float thickness = 0.5f;
/// Contrast of a plane, as a part of the gray range: where planes cross they add up, so that a
/// slice along a plane still shows the others.
inline constexpr float planeBrightness = 0.35f;

constexpr float between(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}

/// 1 on a plane of the regular grid, fading over its thickness.
constexpr float onPlane(float position, float spacing) {
    const float steps = position / spacing + 0.5f;
    int nearest = static_cast<int>(steps);
    if (static_cast<float>(nearest) > steps)
        --nearest;
    const float offset = position - spacing * static_cast<float>(nearest);
    return between(1.5f - (offset < 0 ? -offset : offset) / thickness, 0, 1);
}

/// Determinant of I + the differences of the field.
constexpr float determinant(const FieldView<const float>& field, int x, int y, int z) {
    FieldGradient gradient = fieldGradient(field, x, y, z);
    for (int axis = 0; axis < 3; ++axis)
        gradient.m[axis][axis] += 1;
    return determinantOf(gradient.m);
}

/// It needs the displacement of the neighbors, too.
constexpr bool needsDerivative(ComparisonView view) {
    return view == ComparisonView::Jacobian || view == ComparisonView::LogJacobian;
}
constexpr bool needsWarp(ComparisonView view) {
    return view != ComparisonView::Fixed && !needsDerivative(view);
}

/// Offset in the field of a voxel of the fixed grid.
constexpr std::size_t fieldOffset(const Comparison& c, int x, int y, int z) {
    return c.field.componentView(0).offset(x - c.fieldBox.x, y - c.fieldBox.y, z - c.fieldBox.z);
}

/// Where a voxel of the fixed grid is in the moving one.
constexpr Position movingPoint(const Comparison& c, std::size_t field, int x, int y, int z) {
    const Position p = displaced(c.field, field, x, y, z);
    return {c.toMoving.row(0, p.x, p.y, p.z), c.toMoving.row(1, p.x, p.y, p.z),
            c.toMoving.row(2, p.x, p.y, p.z)};
}

/// The picture at a voxel of the fixed grid, given the moving image's value there.
template <ComparisonView view>
constexpr float valueAt(const Comparison& c, float warped, int x, int y, int z) {
    if constexpr (view == ComparisonView::Fixed)
        return c.fixed(x, y, z);
    else if constexpr (view == ComparisonView::Warped)
        return warped;
    else if constexpr (view == ComparisonView::Difference)
        return between(0.5f * (c.low + c.high) + 0.5f * (c.fixed(x, y, z) - warped), c.low, c.high);
    else if constexpr (view == ComparisonView::Checkerboard) {
        const int square = static_cast<int>(static_cast<float>(x) / c.square[0]) +
                           static_cast<int>(static_cast<float>(y) / c.square[1]) +
                           static_cast<int>(static_cast<float>(z) / c.square[2]);
        return square % 2 == 0 ? c.fixed(x, y, z) : warped;
    } else if constexpr (view == ComparisonView::Grid) {
        const std::size_t i = fieldOffset(c, x, y, z);
        const int at[3] = {x, y, z};
        float line = 0;
        for (int axis = 0; axis < 3; ++axis)
            if (c.fixed.size[axis] > 1)
                line += planeBrightness *
                        onPlane(static_cast<float>(at[axis]) + c.field.component(axis)[i],
                                c.plane[axis]);
        // Dark where a bright line would be lost at the upper end of the range.
        const float range = c.high - c.low, ground = between(warped, c.low, c.high);
        const bool bright = ground > c.high - planeBrightness * range;
        return between(ground + (bright ? -line : line) * range, c.low, c.high);
    } else {
        const float j = determinant(c.field, x - c.fieldBox.x, y - c.fieldBox.y, z - c.fieldBox.z);
        if constexpr (view == ComparisonView::LogJacobian) {
            constexpr float half = 0.5f, octave = std::numbers::ln2_v<float>;
            const float part = j > half ? 0.5f + 0.5f * std::log(j) / octave : 0;
            return between(c.low + (c.high - c.low) * part, c.low, c.high);
        }
        return between(c.low + 0.5f * (c.high - c.low) * j, c.low, c.high);
    }
}

/// Value of the comparison, from a value of the moving image at one position.
template <ComparisonView view>
constexpr float valueAt(const Comparison& c, int x, int y, int z) {
    float warped = 0;
    if constexpr (needsWarp(view)) {
        const Position p = movingPoint(c, fieldOffset(c, x, y, z), x, y, z);
        warped = TrilinearSample(c.moving.size, p).of(c.moving.data);
    }
    return valueAt<view>(c, warped, x, y, z);
}

/// Calls run.operator()<view>().
template <typename Run>
void withView(ComparisonView view, const Run& run) {
    switch (view) {
    case ComparisonView::Fixed:
        return run.template operator()<ComparisonView::Fixed>();
    case ComparisonView::Warped:
        return run.template operator()<ComparisonView::Warped>();
    case ComparisonView::Difference:
        return run.template operator()<ComparisonView::Difference>();
    case ComparisonView::Checkerboard:
        return run.template operator()<ComparisonView::Checkerboard>();
    case ComparisonView::Grid:
        return run.template operator()<ComparisonView::Grid>();
    case ComparisonView::Jacobian:
        return run.template operator()<ComparisonView::Jacobian>();
    case ComparisonView::LogJacobian:
        return run.template operator()<ComparisonView::LogJacobian>();
    }
}

/// Throws ComputeError unless the field covers what the picture of the box needs.
inline void check(ComparisonView view, const Comparison& c, const VoxelBox& box) {
    const VoxelBox needed = needsDerivative(view) ? box.grown(c.fixed.size) : box;
    if (view != ComparisonView::Fixed &&
        (!c.fieldBox.contains(needed) || c.field.size != c.fieldBox.size))
        throw ComputeError("a picture of two images needs the displacement of its own voxels");
}

} // namespace systole::comparison
