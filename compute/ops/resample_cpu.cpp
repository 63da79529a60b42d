#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// A row of a field.
struct FieldRow {
    const float* of[3];

    FieldRow(FieldView<const float> field, std::size_t first)
        : of{field.u + first, field.v + first, field.w + first} {}
};

void resample(FieldView<const float> in, const FieldResampling& how, FieldView<float> out,
              const ExecContext& ctx) {
    const auto count = static_cast<std::size_t>(out.size.x);
    std::vector<float> offset(count), zero(count, 0.0f);
    for (std::size_t x = 0; x < count; ++x)
        offset[x] = static_cast<float>(x) * (how.ratio[0] - 1);
    const float* const offsets[3] = {offset.data(), zero.data(), zero.data()};
    for (int axis = 0; axis < 3; ++axis)
        overRows(out.size, 4, ctx, [&](int y, int z) {
            float* const row = out.componentView(axis).row(y, z);
            rows::warp(in.componentView(axis), static_cast<float>(y) * how.ratio[1],
                       static_cast<float>(z) * how.ratio[2], offsets, out.size.x, row, nullptr);
            rows::affine(row, how.gain[static_cast<std::size_t>(axis)], 0, out.size.x, row);
        });
}

} // namespace

void warpVolume(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
                VolumeView<float> inside, const ExecContext& ctx) {
    overRows(out.size, 2, ctx, [&](int y, int z) {
        const FieldRow d(field, out.offset(0, y, z));
        rows::warp(moving, static_cast<float>(y), static_cast<float>(z), d.of, out.size.x,
                   out.row(y, z), inside.empty() ? nullptr : inside.row(y, z));
    });
}

void warpVolumeCubic(VolumeView<const float> moving, FieldView<const float> field,
                     VolumeView<float> out, VolumeView<float> inside, const ExecContext& ctx) {
    overRows(out.size, 2, ctx, [&](int y, int z) {
        const FieldRow d(field, out.offset(0, y, z));
        rows::warpCubic(moving, static_cast<float>(y), static_cast<float>(z), d.of, out.size.x,
                        out.row(y, z), inside.empty() ? nullptr : inside.row(y, z));
    });
}

void composeFields(FieldView<const float> field, FieldView<const float> step, FieldView<float> out,
                   const ExecContext& ctx) {
    const rows::Volume components[3] = {field.componentView(0), field.componentView(1),
                                        field.componentView(2)};
    overRows(out.size, 2, ctx, [&](int y, int z) {
        const std::size_t i = out.componentView(0).offset(0, y, z);
        const FieldRow d(step, i);
        float* const o[3] = {out.u + i, out.v + i, out.w + i};
        rows::compose(components, static_cast<float>(y), static_cast<float>(z), d.of, out.size.x,
                      o);
    });
}

void scaleField(FieldView<float> field, std::array<float, 3> factor, const ExecContext& ctx) {
    for (int k = 0; k < 3; ++k) {
        const float by = factor[static_cast<std::size_t>(k)];
        if (by == 1)
            continue;
        const VolumeView<float> component = field.componentView(k);
        parallelFor(ctx, field.size.z, 2, [&](int begin, int end) {
            float* const first = component.data + component.offset(0, 0, begin);
            const auto count = static_cast<int>(component.offset(0, 0, end - begin));
            rows::affine(first, by, 0, count, first);
        });
    }
}

void decimate(VolumeView<const float> in, std::array<int, 3> factor, VolumeView<float> out,
              const ExecContext& ctx) {
    Buffer<float> scratch = ctx.pool->acquire<float>(in.voxels(), "pyramid");
    const VolumeView<float> smooth(scratch.data(), in.size);
    const auto sigma = [&](std::size_t axis) { return factor[axis] > 1 ? decimationSigma : 0.0; };
    smoothGaussian(in, smooth, {sigma(0), sigma(1), sigma(2)}, ctx);
    overRows(out.size, 4, ctx, [&](int y, int z) {
        const float* from = smooth.row(y * factor[1], z * factor[2]);
        float* to = out.row(y, z);
        for (int x = 0; x < out.size.x; ++x)
            to[x] = from[x * factor[0]];
    });
}

FieldResampling upsampling(std::array<int, 3> factor) {
    FieldResampling how;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        how.gain[axis] = static_cast<float>(factor[axis]);
        how.ratio[axis] = 1 / how.gain[axis];
    }
    return how;
}

FieldResampling downsampling(std::array<int, 3> factor) {
    const FieldResampling up = upsampling(factor);
    return {up.gain, up.ratio};
}

void upsampleField(FieldView<const float> coarse, std::array<int, 3> factor, FieldView<float> out,
                   const ExecContext& ctx) {
    resample(coarse, upsampling(factor), out, ctx);
}

void downsampleField(FieldView<const float> fine, std::array<int, 3> factor, FieldView<float> out,
                     const ExecContext& ctx) {
    resample(fine, downsampling(factor), out, ctx);
}

} // namespace systole
