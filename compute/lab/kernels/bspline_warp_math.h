// One voxel of compute/lab/kernels/bspline_warp.h: the formula of all implementations.
#pragma once

#include "compute/lab/kernels/bspline_warp.h"
#include "compute/ops/bspline_field_check.h"
#include "compute/ops/sample.h"

namespace systole::lab {

/// Value of a trilinear interpolation and its derivative along each axis of the volume.
struct SampleWithGradient {
    float value, x, y, z;
};

constexpr SampleWithGradient sampleWithGradient(VolumeView<const float> volume, float px, float py,
                                                float pz) {
    const TrilinearSample s(volume.size, px, py, pz);
    const float* v = volume.data + s.offset;
    const float a000 = v[0], a100 = v[s.alongX], a010 = v[s.alongY], a110 = v[s.alongX + s.alongY];
    v += s.alongZ;
    const float a001 = v[0], a101 = v[s.alongX], a011 = v[s.alongY], a111 = v[s.alongX + s.alongY];
    const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
    const float b00 = mix(a000, a100, s.partX), b10 = mix(a010, a110, s.partX),
                b01 = mix(a001, a101, s.partX), b11 = mix(a011, a111, s.partX);
    const float c0 = mix(b00, b10, s.partY), c1 = mix(b01, b11, s.partY);
    const auto free = [](float p, int n) {
        return p >= 0 && p <= static_cast<float>(n - 1) ? 1.0f : 0.0f;
    };
    const float alongX = mix(mix(a100 - a000, a110 - a010, s.partY),
                             mix(a101 - a001, a111 - a011, s.partY), s.partZ);
    return {mix(c0, c1, s.partZ), free(px, volume.size.x) * alongX,
            free(py, volume.size.y) * mix(b10 - b00, b11 - b01, s.partZ),
            free(pz, volume.size.z) * (c1 - c0)};
}

struct Displacement {
    float x, y, z;
};

/// Writes voxel i = (x, y, z), whose spline has the value `d`.
template <bool WithStart, bool WithGradient>
constexpr void warpVoxel(const BsplineWarp& in, const BsplineWarped& out, std::size_t i, int x,
                         int y, int z, Displacement d) {
    if constexpr (WithStart)
        d = {d.x + in.start.u[i], d.y + in.start.v[i], d.z + in.start.w[i]};
    const float at[3] = {static_cast<float>(x) + d.x, static_cast<float>(y) + d.y,
                         static_cast<float>(z) + d.z};
    const auto& m = in.toMoving.matrix;
    const auto row = [&](int r) {
        return m[r][0] * at[0] + m[r][1] * at[1] + m[r][2] * at[2] + in.toMoving.offset[r];
    };
    const float px = row(0), py = row(1), pz = row(2);
    const SampleWithGradient s = sampleWithGradient(in.moving, px, py, pz);
    out.values.data[i] = s.value;
    out.inside.data[i] = insideWeight(px, py, pz, in.moving.size);
    if constexpr (WithGradient) {
        const auto column = [&](int c) { return m[0][c] * s.x + m[1][c] * s.y + m[2][c] * s.z; };
        out.gradient.u[i] = column(0);
        out.gradient.v[i] = column(1);
        out.gradient.w[i] = column(2);
    }
}

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
