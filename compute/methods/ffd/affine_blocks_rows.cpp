#include "compute/methods/ffd/affine_blocks_rows.h"

#include "compute/methods/ffd/affine_blocks_math.h"
#include "compute/ops/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/ffd/affine_blocks_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::affine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace parts = systole::rows::HWY_NAMESPACE;

/// Vectors of at most eight lanes: the seven candidates of a row and one more.
using Tag = hn::CappedTag<float, 8>;
using Vec = hn::Vec<Tag>;
HWY_INLINE int lanes() { return static_cast<int>(hn::Lanes(Tag())); }

/// Values of a row of candidates, and of a row of the region: rows of candidates that begin up to
/// three values later are read as whole vectors.
constexpr int candidateRow = 8, regionRow = 12;
constexpr int regionRows = regionSide * regionSide;

/// The region of a search, 0 where it has no value.
struct Region {
    HWY_ALIGN float m[regionRows * regionRow];
    HWY_ALIGN float known[regionRows * regionRow];
    bool allKnown = true;
};

/// A fixed block without its mean; f2 are its squares.
struct Block {
    Size3 extent;
    float voxels;
    HWY_ALIGN float f[blockSide * blockSide * blockSide];
    HWY_ALIGN float f2[blockSide * blockSide * blockSide];
    float ff = 0;

    HWY_INLINE Block(VolumeView<const float> fixed, Voxel o, Size3 e)
        : extent(e), voxels(static_cast<float>(e.voxels())) {
        float sum = 0;
        int i = 0;
        for (int z = 0; z < e.z; ++z)
            for (int y = 0; y < e.y; ++y)
                for (int x = 0; x < e.x; ++x) {
                    f[i] = fixed(o.x + x, o.y + y, o.z + z);
                    sum += f[i++];
                }
        const float mean = sum / voxels;
        for (int k = 0; k < i; ++k) {
            f[k] -= mean;
            f2[k] = f[k] * f[k];
            ff = fused(f[k], f[k], ff);
        }
    }
};

/// Reads what a search of this radius needs.
HWY_INLINE void readRegion(VolumeView<const float> warped, Voxel o, Size3 e, int radius,
                           Region& region) {
    const hn::CappedTag<float, 4> part;
    const float middle = warped(o.x + e.x / 2, o.y + e.y / 2, o.z + e.z / 2);
    const float reference = std::isnan(middle) ? 0 : middle;
    const int first = searchRadius - radius, reach = searchRadius + radius;
    bool allKnown = true;
    for (int z = first; z < e.z + reach; ++z)
        for (int y = first; y < e.y + reach; ++y) {
            const int at = (z * regionSide + y) * regionRow;
            const Voxel p{o.x - searchRadius, o.y + y - searchRadius, o.z + z - searchRadius};
            HWY_ALIGN float copy[2 * candidateRow];
            const float* from = copy;
            const bool inside = p.y >= 0 && p.z >= 0 && p.y < warped.size.y && p.z < warped.size.z;
            if (inside && p.x >= 0 && p.x + 2 * candidateRow <= warped.size.x)
                from = warped.row(p.y, p.z) + p.x;
            else
                for (int x = 0; x < regionRow; ++x)
                    copy[x] = inside && p.x + x >= 0 && p.x + x < warped.size.x
                                  ? warped(p.x + x, p.y, p.z)
                                  : std::numeric_limits<float>::quiet_NaN();
            for (int x = 0; x < regionRow; x += static_cast<int>(hn::Lanes(part))) {
                const auto value = hn::LoadU(part, from + x);
                const auto missing = hn::IsNaN(value);
                hn::Store(hn::IfThenZeroElse(missing, hn::Sub(value, hn::Set(part, reference))),
                          part, region.m + at + x);
                hn::Store(hn::IfThenZeroElse(missing, hn::Set(part, 1.0f)), part,
                          region.known + at + x);
            }
            float lowest = 1;
            for (int x = first; x < e.x + reach; ++x)
                lowest = std::min(lowest, region.known[at + x]);
            allKnown = allKnown && lowest > 0;
        }
    region.allKnown = allKnown;
}

/// out[candidate] = Σ over the block of weight · value at the candidate's place: in the order z, y,
/// x for each. The rows of a plane of candidates share the weights. Candidates outside the radius
/// along y and z are left out.
template <int Radius>
HWY_INLINE void correlate(const float* weights, Size3 e, const float* region, float* out) {
    const Tag d;
    constexpr int first = searchRadius - Radius, last = searchRadius + Radius;
    for (int half = 0; half < candidateRow; half += lanes())
        for (int dz = first; dz <= last; ++dz) {
            auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0;
            const float* weight = weights;
            for (int z = 0; z < e.z; ++z)
                for (int y = 0; y < e.y; ++y) {
                    const float* const row =
                        region + ((z + dz) * regionSide + y + first) * regionRow + half;
                    for (int x = 0; x < e.x; ++x) {
                        const auto w = hn::Set(d, *weight++);
                        const float* const at = row + x;
                        s0 = hn::MulAdd(w, hn::LoadU(d, at), s0);
                        s1 = hn::MulAdd(w, hn::LoadU(d, at + regionRow), s1);
                        s2 = hn::MulAdd(w, hn::LoadU(d, at + 2 * regionRow), s2);
                        if constexpr (Radius > 1) {
                            s3 = hn::MulAdd(w, hn::LoadU(d, at + 3 * regionRow), s3);
                            s4 = hn::MulAdd(w, hn::LoadU(d, at + 4 * regionRow), s4);
                        }
                        if constexpr (Radius > 2) {
                            s5 = hn::MulAdd(w, hn::LoadU(d, at + 5 * regionRow), s5);
                            s6 = hn::MulAdd(w, hn::LoadU(d, at + 6 * regionRow), s6);
                        }
                    }
                }
            float* const to = out + (dz * searchSide + first) * candidateRow + half;
            hn::Store(s0, d, to);
            hn::Store(s1, d, to + candidateRow);
            hn::Store(s2, d, to + 2 * candidateRow);
            if constexpr (Radius > 1) {
                hn::Store(s3, d, to + 3 * candidateRow);
                hn::Store(s4, d, to + 4 * candidateRow);
            }
            if constexpr (Radius > 2) {
                hn::Store(s5, d, to + 5 * candidateRow);
                hn::Store(s6, d, to + 6 * candidateRow);
            }
        }
}

/// out[candidate] = Σ over its window of the region's values, or of their squares: rows, then
/// planes, then all.
template <int Radius, bool Squares>
HWY_INLINE void sumWindows(const float* region, Size3 e, float* out) {
    const Tag d;
    constexpr int first = searchRadius - Radius, last = searchRadius + Radius;
    HWY_ALIGN float inRows[regionRows * candidateRow];
    HWY_ALIGN float inPlanes[regionSide * searchSide * candidateRow];
    for (int half = 0; half < candidateRow; half += lanes()) {
        for (int z = first; z < e.z + last; ++z)
            for (int y = first; y < e.y + last; ++y) {
                const int row = z * regionSide + y;
                auto sum = hn::Zero(d);
                for (int x = 0; x < e.x; ++x) {
                    const auto value = hn::LoadU(d, region + row * regionRow + half + x);
                    sum = Squares ? hn::MulAdd(value, value, sum) : hn::Add(sum, value);
                }
                hn::Store(sum, d, inRows + row * candidateRow + half);
            }
        for (int z = first; z < e.z + last; ++z)
            for (int dy = first; dy <= last; ++dy) {
                auto sum = hn::Zero(d);
                for (int y = 0; y < e.y; ++y)
                    sum = hn::Add(
                        sum, hn::Load(d, inRows + (z * regionSide + dy + y) * candidateRow + half));
                hn::Store(sum, d, inPlanes + (z * searchSide + dy) * candidateRow + half);
            }
        for (int dz = first; dz <= last; ++dz)
            for (int dy = first; dy <= last; ++dy) {
                auto sum = hn::Zero(d);
                for (int z = 0; z < e.z; ++z)
                    sum = hn::Add(
                        sum,
                        hn::Load(d, inPlanes + ((dz + z) * searchSide + dy) * candidateRow + half));
                hn::Store(sum, d, out + (dz * searchSide + dy) * candidateRow + half);
            }
    }
}

constexpr int candidateLanes = searchSide * searchSide * candidateRow;

HWY_INLINE Vec withSign(Vec square, Vec product, Sign sign) {
    return sign == Sign::Matters ? hn::CopySignToAbs(square, product) : square;
}

/// Calls body(row) for the rows of candidates in the search.
template <int Radius, class Body>
HWY_INLINE void forRows(const Body& body) {
    for (int dz = searchRadius - Radius; dz <= searchRadius + Radius; ++dz)
        for (int dy = searchRadius - Radius; dy <= searchRadius + Radius; ++dy)
            body(dz * searchSide + dy);
}

/// fullScore() for the rows of candidates in the search.
template <int Radius>
HWY_INLINE void fullScores(const Block& block, const Region& region, Sign sign, float* scores) {
    const Tag d;
    HWY_ALIGN float m[candidateLanes];
    HWY_ALIGN float mm[candidateLanes];
    HWY_ALIGN float fm[candidateLanes];
    correlate<Radius>(block.f, block.extent, region.m, fm);
    sumWindows<Radius, false>(region.m, block.extent, m);
    sumWindows<Radius, true>(region.m, block.extent, mm);
    const auto voxels = hn::Set(d, block.voxels), ff = hn::Set(d, block.ff);
    const auto scoreLanes = [&](int i) HWY_ATTR {
        const auto sum = hn::Load(d, m + i), squares = hn::Load(d, mm + i);
        const auto product = hn::Load(d, fm + i);
        const auto centered = hn::MulAdd(hn::Neg(sum), hn::Div(sum, voxels), squares);
        const auto square = hn::Mul(hn::Div(product, ff), hn::Div(product, centered));
        const auto contrast = hn::Gt(centered, hn::Mul(hn::Set(d, minVariancePart), squares));
        hn::Store(hn::IfThenElse(contrast, withSign(square, product, sign), hn::Set(d, -2.0f)), d,
                  scores + i);
    };
    forRows<Radius>([&](int row) HWY_ATTR {
        for (int i = 0; i < candidateRow; i += lanes())
            scoreLanes(row * candidateRow + i);
    });
}

/// score() for the rows of candidates in the search.
template <int Radius>
HWY_INLINE void partScores(const Block& block, const Region& region, Sign sign, float* scores) {
    const Tag d;
    HWY_ALIGN float sums[6][candidateLanes];
    sumWindows<Radius, false>(region.known, block.extent, sums[0]);
    correlate<Radius>(block.f, block.extent, region.known, sums[1]);
    correlate<Radius>(block.f2, block.extent, region.known, sums[2]);
    sumWindows<Radius, false>(region.m, block.extent, sums[3]);
    sumWindows<Radius, true>(region.m, block.extent, sums[4]);
    correlate<Radius>(block.f, block.extent, region.m, sums[5]);
    const auto minPart = hn::Set(d, minVariancePart);
    const auto scoreLanes = [&](int i) HWY_ATTR {
        const auto n = hn::Load(d, sums[0] + i), f = hn::Load(d, sums[1] + i),
                   ff = hn::Load(d, sums[2] + i), m = hn::Load(d, sums[3] + i),
                   mm = hn::Load(d, sums[4] + i), fm = hn::Load(d, sums[5] + i);
        const auto centeredF = hn::MulAdd(hn::Neg(f), hn::Div(f, n), ff);
        const auto centeredM = hn::MulAdd(hn::Neg(m), hn::Div(m, n), mm);
        const auto product = hn::MulAdd(hn::Neg(f), hn::Div(m, n), fm);
        const auto square = hn::Mul(hn::Div(product, centeredF), hn::Div(product, centeredM));
        const auto enough = hn::Ge(hn::Add(n, n), hn::Set(d, block.voxels));
        const auto contrast = hn::And(hn::Gt(centeredF, hn::Mul(minPart, ff)),
                                      hn::Gt(centeredM, hn::Mul(minPart, mm)));
        hn::Store(hn::IfThenElse(hn::And(enough, contrast), withSign(square, product, sign),
                                 hn::Set(d, -2.0f)),
                  d, scores + i);
    };
    forRows<Radius>([&](int row) HWY_ATTR {
        for (int i = 0; i < candidateRow; i += lanes())
            scoreLanes(row * candidateRow + i);
    });
}

template <int Radius>
HWY_INLINE BlockMatch matchWithin(const Block& block, const Region& region, Sign sign) {
    HWY_ALIGN float padded[candidateLanes];
    if (region.allKnown)
        fullScores<Radius>(block, region, sign, padded);
    else
        partScores<Radius>(block, region, sign, padded);
    float scores[candidates];
    std::fill_n(scores, candidates, -2.0f);
    int best = candidateIndex(searchRadius, searchRadius, searchRadius);
    float bestScore = -3;
    forRows<Radius>([&](int row) {
        for (int dx = searchRadius - Radius; dx <= searchRadius + Radius; ++dx) {
            const int at = row * searchSide + dx;
            scores[at] = padded[row * candidateRow + dx];
            if (scores[at] > bestScore) {
                bestScore = scores[at];
                best = at;
            }
        }
    });
    return matchOf(scores, best, [](float square) { return std::sqrt(square); });
}

BlockMatch MatchBlock(VolumeView<const float> fixed, VolumeView<const float> warped, int index,
                      Search search) {
    const BlockGrid grid{fixed.size};
    const Voxel o = grid.origin(index);
    const Block block(fixed, o, grid.extent());
    // Rows and planes that no search needs are summed, too: they have no values.
    Region region{};
    readRegion(warped, o, block.extent, search.radius, region);
    switch (search.radius) {
    case 1:
        return matchWithin<1>(block, region, search.sign);
    case 2:
        return matchWithin<2>(block, region, search.sign);
    default:
        return matchWithin<3>(block, region, search.sign);
    }
}

void WarpRow(VolumeView<const float> moving, VolumeView<const float> mask, const VoxelMap& map,
             VolumeView<float> out, int y, int z) {
    const parts::Tag d;
    constexpr int part = 256;
    HWY_ALIGN float at[3][part];
    HWY_ALIGN float inMask[part];
    const RowStart start(map, y, z);
    const float first[3] = {start.x, start.y, start.z};
    const int size[3] = {moving.size.x, moving.size.y, moving.size.z};
    float* const row = out.row(y, z);
    for (int x = 0; x < out.size.x; x += part) {
        const int count = std::min(part, out.size.x - x);
        for (int axis = 0; axis < 3; ++axis)
            for (int i = 0; i < count; i += parts::lanes())
                hn::Store(hn::MulAdd(hn::Set(d, map[static_cast<std::size_t>(axis)][0]),
                                     hn::Iota(d, static_cast<float>(x + i)),
                                     hn::Set(d, first[axis])),
                          d, at[axis] + i);
        rows::sample(moving, at[0], at[1], at[2], count, row + x);
        if (!mask.empty())
            rows::sample(mask, at[0], at[1], at[2], count, inMask);
        for (int i = 0; i < count; i += parts::lanes()) {
            auto inside = hn::Ge(hn::Set(d, 1.0f), hn::Zero(d));
            for (int axis = 0; axis < 3; ++axis) {
                const auto p = hn::Load(d, at[axis] + i);
                inside = hn::And(
                    inside, hn::And(hn::Ge(p, hn::Set(d, -0.5f)),
                                    hn::Le(p, hn::Set(d, static_cast<float>(size[axis]) - 0.5f))));
            }
            if (!mask.empty())
                inside = hn::And(inside, hn::Ge(hn::Load(d, inMask + i), hn::Set(d, 0.5f)));
            const int now = std::min(parts::lanes(), count - i);
            parts::storePart(hn::IfThenElse(inside, parts::loadPart(row + x + i, now),
                                            hn::Set(d, std::numeric_limits<float>::quiet_NaN())),
                             row + x + i, now);
        }
    }
}

} // namespace systole::affine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::affine {

HWY_EXPORT(MatchBlock);
HWY_EXPORT(WarpRow);

void warpRow(VolumeView<const float> moving, VolumeView<const float> mask, const VoxelMap& map,
             VolumeView<float> out, int y, int z) {
    HWY_DYNAMIC_DISPATCH(WarpRow)(moving, mask, map, out, y, z);
}

BlockMatch matchBlock(VolumeView<const float> fixed, VolumeView<const float> warped, int block,
                      Search search) {
    return HWY_DYNAMIC_DISPATCH(MatchBlock)(fixed, warped, block, search);
}

} // namespace systole::affine
#endif
