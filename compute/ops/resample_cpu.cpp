#include "compute/ops/decimation_taps.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"
#include "compute/ops/row_resampling.h"
#include "compute/ops/row_window.h"
#include "compute/ops/sample.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// A row of a field.
struct FieldRow {
    const float* of[3];

    FieldRow(FieldView<const float> field, std::size_t first)
        : of{field.u + first, field.v + first, field.w + first} {}
};

/// Rows of a component along x at the positions of another grid's voxels: those of two planes, of
/// each the two rows that were asked for last.
class RowsAlongX {
public:
    RowsAlongX(VolumeView<const float> in, int count, float ratio)
        : in_(in), count_(count), low_(n(count)), part_(n(count)), rows_(4 * n(count)) {
        const float shift = resamplingShift(in.size.x, ratio, count);
        for (int x = 0; x < count; ++x) {
            const float from = static_cast<float>(x) * (ratio - 1) + shift;
            const AxisSample at = axisSample(static_cast<float>(x) + from, in.size.x);
            low_[n(x)] = at.low;
            part_[n(x)] = at.part;
        }
    }
    void setPlane(const AxisSample& z) {
        plane_[0] = z.low;
        plane_[1] = z.high;
        std::fill_n(&held_[0][0], 4, -1);
    }
    const float* row(int plane, int y) {
        float* const out = rows_.data() + n(2 * plane + (y & 1)) * n(count_);
        if (std::exchange(held_[plane][y & 1], y) != y)
            rows::along(in_.row(y, plane_[plane]), low_.data(), part_.data(),
                        in_.size.x > 1 ? 1 : 0, count_, out);
        return out;
    }

private:
    static std::size_t n(int count) { return static_cast<std::size_t>(count); }

    VolumeView<const float> in_;
    int count_;
    std::vector<int> low_;
    std::vector<float> part_, rows_;
    int plane_[2] = {}, held_[2][2] = {};
};

void resample(FieldView<const float> in, const FieldResampling& how, FieldView<float> out,
              const ExecContext& ctx) {
    const auto at = [&](int i, int axis) {
        const float ratio = how.ratio[static_cast<std::size_t>(axis)];
        return axisSample(static_cast<float>(i) * ratio +
                              resamplingShift(in.size[axis], ratio, out.size[axis]),
                          in.size[axis]);
    };
    for (int k = 0; k < 3; ++k)
        parallelFor(ctx, out.size.z, 4, [&](int begin, int end) {
            RowsAlongX from(in.componentView(k), out.size.x, how.ratio[0]);
            for (int z = begin; z < end; ++z) {
                const AxisSample atZ = at(z, 2);
                from.setPlane(atZ);
                for (int y = 0; y < out.size.y; ++y) {
                    const AxisSample atY = at(y, 1);
                    rows::between({from.row(0, atY.low), from.row(0, atY.high),
                                   from.row(1, atY.low), from.row(1, atY.high)},
                                  atY.part, atZ.part, how.gain[static_cast<std::size_t>(k)],
                                  out.size.x, out.componentView(k).row(y, z));
                }
            }
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

double decimationBytes(Size3 in, Size3 out) {
    return 4.0 * static_cast<double>(in.voxels() + 2 * decimationScratch(in, out) + out.voxels());
}

void decimate(VolumeView<const float> in, std::array<int, 3> factor, VolumeView<float> out,
              const ExecContext& ctx) {
    const auto tapsOf = [&](int axis) {
        return decimationTaps(in.size[axis], factor[static_cast<std::size_t>(axis)]);
    };
    const DecimationTaps tapsX = tapsOf(0), tapsY = tapsOf(1), tapsZ = tapsOf(2);
    const auto weights = [](const DecimationTaps& taps) {
        return std::span(taps.weight, static_cast<std::size_t>(taps.count));
    };
    Buffer<float> scratch =
        ctx.pool->acquire<float>(decimationScratch(in.size, out.size), "pyramid");
    const VolumeView<float> planes(scratch.data(), {out.size.x, out.size.y, in.size.z});
    parallelFor(ctx, in.size.z, 1, [&](int begin, int end) {
        ValueWindow alongX(weights(tapsX), -tapsX.first, in.size.x);
        RowWindow alongY(weights(tapsY), in.size.y);
        std::vector<float> line(static_cast<std::size_t>(in.size.x)),
            plane(Size3{out.size.x, in.size.y, 1}.voxels());
        const VolumeView<float> halved(plane.data(), {out.size.x, in.size.y, 1});
        for (int z = begin; z < end; ++z) {
            for (int y = 0; y < in.size.y; ++y) {
                alongX.sum(in.row(y, z), line.data());
                for (int x = 0; x < out.size.x; ++x)
                    halved.row(y, 0)[x] = line[static_cast<std::size_t>(x * tapsX.factor)];
            }
            for (int y = 0; y < out.size.y; ++y)
                alongY.sum(
                    y * tapsY.factor + tapsY.first, [&](int i) { return halved.row(i, 0); },
                    out.size.x, planes.row(y, z));
        }
    });
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        RowWindow alongZ(weights(tapsZ), in.size.z);
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y)
                alongZ.sum(
                    z * tapsZ.factor + tapsZ.first, [&](int i) { return planes.row(y, i); },
                    out.size.x, out.row(y, z));
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
