#include "compute/ops/decimation.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"
#include "compute/ops/row_resampling.h"
#include "compute/ops/sample.h"
#include "compute/ops/smooth.h"

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

/// What decimate() does along an axis.
struct DecimatedAxis {
    static constexpr int mostReach = 3; // of a Gaussian of one voxel
    int voxels, factor, shift, radius;  ///< shift: in halves of a voxel
    std::vector<float> taps;

    DecimatedAxis(int count, int by)
        : voxels(count)
        , factor(by)
        , shift(decimationShiftInHalves(count, by))
        , radius(by > 1 ? gaussianRadius(decimationSigma(shift)) : 0)
        , taps(gaussianTaps(by > 1 ? decimationSigma(shift) : 0, radius)) {}

    /// Row `i` of the result, from the rows in(0) … in(voxels − 1). `second`: room for a row.
    template <typename Rows>
    void row(int i, int count, const Rows& in, float* out, float* second) const {
        smooth(factor * i, count, in, out);
        if (shift == 0)
            return;
        smooth(factor * i + 1, count, in, second);
        for (int x = 0; x < count; ++x)
            out[x] = 0.5f * (out[x] + second[x]);
    }
    /// The kept voxels of a smoothed row.
    void pick(const float* smooth, int count, float* out) const {
        if (shift == 0)
            for (int x = 0; x < count; ++x)
                out[x] = smooth[x * factor];
        else
            for (int x = 0; x < count; ++x)
                out[x] = 0.5f * (smooth[x * factor] + smooth[x * factor + 1]);
    }

private:
    template <typename Rows>
    void smooth(int center, int count, const Rows& in, float* out) const {
        std::array<const float*, 2 * mostReach + 1> window{};
        for (int k = -radius; k <= radius; ++k)
            window[static_cast<std::size_t>(k + radius)] =
                in(std::clamp(center + k, 0, voxels - 1));
        rows::weightedSum(window.data(), taps.data(), radius, count, out);
    }
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
    const DecimatedAxis alongX(in.size.x, factor[0]), alongY(in.size.y, factor[1]),
        alongZ(in.size.z, factor[2]);
    Buffer<float> scratch =
        ctx.pool->acquire<float>(decimationScratch(in.size, out.size), "pyramid");
    const VolumeView<float> planes(scratch.data(), {out.size.x, out.size.y, in.size.z});
    parallelFor(ctx, in.size.z, 1, [&](int begin, int end) {
        const int reach = alongX.radius, width = in.size.x;
        std::vector<float> padded(static_cast<std::size_t>(width + 2 * reach)),
            line(static_cast<std::size_t>(width));
        float* const row = padded.data() + reach;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y) {
                alongY.row(
                    y, width, [&](int i) { return in.row(i, z); }, row, line.data());
                std::fill(padded.data(), row, row[0]);
                std::fill(row + width, row + width + reach, row[width - 1]);
                rows::convolve(padded.data(), alongX.taps.data(), reach, width, line.data());
                alongX.pick(line.data(), out.size.x, planes.row(y, z));
            }
    });
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        std::vector<float> second(static_cast<std::size_t>(out.size.x));
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y)
                alongZ.row(
                    z, out.size.x, [&](int i) { return planes.row(y, i); }, out.row(y, z),
                    second.data());
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
