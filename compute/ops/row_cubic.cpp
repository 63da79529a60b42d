// Cubic sampling of rows (compute/ops/sample_cubic.h). Weights and offsets of a stretch of voxels
// are found in vectors of voxels; then each voxel takes sixteen loads of four values in a row,
// which cost less than 64 gathered ones.
#include "compute/ops/row_kernels.h"
#include "compute/ops/sample_cubic.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
// clang-format off
#define HWY_TARGET_INCLUDE "compute/ops/row_cubic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_trilinear-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

using Four = hn::CappedTag<float, 4>;

/// The axes of a vector of positions: cubicAxis() lane by lane.
struct CubicAxes {
    HWY_ALIGN int first[maximumLanes];
    HWY_ALIGN float weight[4][maximumLanes];

    HWY_INLINE void find(const AxisPosition& a, int size) {
        const Tag d;
        const IntTag di;
        const auto t = a.fraction, t2 = hn::Mul(t, t), t3 = hn::Mul(t2, t);
        const auto half = hn::Set(d, 0.5f), two = hn::Set(d, 2.0f);
        const auto threeHalves = hn::Set(d, 1.5f), zero = hn::Zero(d);
        auto w0 = hn::NegMulAdd(half, hn::Add(t3, t), t2);
        auto w1 =
            hn::MulAdd(threeHalves, t3, hn::NegMulAdd(hn::Set(d, 2.5f), t2, hn::Set(d, 1.0f)));
        auto w2 = hn::NegMulAdd(threeHalves, t3, hn::MulAdd(two, t2, hn::Mul(half, t)));
        auto w3 = hn::Mul(half, hn::Sub(t3, t2));
        const auto beginMask = hn::Eq(a.index, hn::Zero(di));
        const auto endMask = hn::Gt(a.index, hn::Set(di, size - 3));
        const auto atBegin = hn::RebindMask(d, beginMask), atEnd = hn::RebindMask(d, endMask);
        const auto before = hn::IfThenElseZero(atBegin, w0);
        w1 = hn::MulAdd(two, before, w1);
        w2 = hn::Sub(w2, before);
        w0 = hn::IfThenElse(atBegin, zero, w0);
        const auto after = hn::IfThenElseZero(atEnd, w3);
        w2 = hn::MulAdd(two, after, w2);
        w1 = hn::Sub(w1, after);
        w3 = hn::IfThenElse(atEnd, zero, w3);
        // The four voxels are moved into the grid, and the weights with them.
        const auto up = atBegin;
        const auto down = size >= 4 ? hn::AndNot(atBegin, atEnd) : hn::FirstN(d, 0);
        const auto moved = [&](Vec stay, Vec next, Vec previous) HWY_ATTR {
            return hn::IfThenElse(up, next, hn::IfThenElse(down, previous, stay));
        };
        hn::Store(moved(w0, w1, zero), d, weight[0]);
        hn::Store(moved(w1, w2, w0), d, weight[1]);
        hn::Store(moved(w2, w3, w1), d, weight[2]);
        hn::Store(moved(w3, zero, w2), d, weight[3]);
        const auto one = hn::Set(di, 1);
        auto begin = hn::IfThenElse(beginMask, hn::Zero(di), hn::Sub(a.index, one));
        if (size >= 4)
            begin = hn::Min(begin, hn::Set(di, size - 4));
        hn::Store(begin, di, first);
    }
};

HWY_INLINE float cubicValue(const Volume& volume, const CubicAxes (&axes)[3], int lane) {
    const Four d;
    const auto stride = static_cast<std::size_t>(volume.size.x);
    const auto plane = stride * static_cast<std::size_t>(volume.size.y);
    const float* const first = volume.data + axes[0].first[lane];
    std::size_t rows[4];
    for (int j = 0; j < 4; ++j)
        rows[j] =
            stride * static_cast<std::size_t>(std::min(axes[1].first[lane] + j, volume.size.y - 1));
    const auto y0 = hn::Set(d, axes[1].weight[0][lane]), y1 = hn::Set(d, axes[1].weight[1][lane]),
               y2 = hn::Set(d, axes[1].weight[2][lane]), y3 = hn::Set(d, axes[1].weight[3][lane]);
    auto sum = hn::Zero(d);
    for (int k = 0; k < 4; ++k) {
        const float* const at =
            first +
            plane * static_cast<std::size_t>(std::min(axes[2].first[lane] + k, volume.size.z - 1));
        auto value = hn::Mul(y0, hn::LoadU(d, at + rows[0]));
        value = hn::MulAdd(y1, hn::LoadU(d, at + rows[1]), value);
        value = hn::MulAdd(y2, hn::LoadU(d, at + rows[2]), value);
        value = hn::MulAdd(y3, hn::LoadU(d, at + rows[3]), value);
        sum = hn::MulAdd(hn::Set(d, axes[2].weight[k][lane]), value, sum);
    }
    HWY_ALIGN float alongX[4];
    hn::Store(sum, d, alongX);
    const auto weight = [&](int i) { return axes[0].weight[i][lane]; };
    return (weight(0) * alongX[0] + weight(1) * alongX[1]) +
           (weight(2) * alongX[2] + weight(3) * alongX[3]);
}

void WarpCubic(const Volume& volume, float y, float z, const float* const (&d)[3], int count,
               float* out, float* inside) {
    const Tag tag;
    // Four values in a row need as many voxels, and vectors of four.
    const bool inRows = volume.size.x >= 4 && hn::Lanes(Four()) == 4;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto px = hn::Add(hn::Iota(tag, static_cast<float>(i)), loadPart(d[0] + i, part));
        const auto py = hn::Add(hn::Set(tag, y), loadPart(d[1] + i, part));
        const auto pz = hn::Add(hn::Set(tag, z), loadPart(d[2] + i, part));
        const Trilinear at(volume, px, py, pz);
        if (inside)
            storePart(at.insideWeight(), inside + i, part);
        if (inRows) {
            CubicAxes axes[3];
            axes[0].find(at.x, volume.size.x);
            axes[1].find(at.y, volume.size.y);
            axes[2].find(at.z, volume.size.z);
            for (int lane = 0; lane < part; ++lane)
                out[i + lane] = cubicValue(volume, axes, lane);
        } else {
            for (int n = i; n < i + part; ++n)
                out[n] = cubicSample(volume.size, static_cast<float>(n) + d[0][n], y + d[1][n],
                                     z + d[2][n], volume);
        }
    });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(WarpCubic);

void warpCubic(const Volume& volume, float y, float z, const float* const (&d)[3], int count,
               float* out, float* inside) {
    HWY_DYNAMIC_DISPATCH(WarpCubic)(volume, y, z, d, count, out, inside);
}

} // namespace systole::rows
#endif
