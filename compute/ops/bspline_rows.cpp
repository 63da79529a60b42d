#include "compute/ops/bspline_rows.h"

#include "compute/ops/bspline_field_math.h"

#include <algorithm>
#include <cmath>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/ops/bspline_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::bspline::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace vectors = systole::rows::HWY_NAMESPACE;

void CombineEach(const float* const* rows, const float* const* weights, int rowCount, int count,
                 float* out) {
    vectors::forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        auto sum = hn::Zero(vectors::Tag());
        for (int r = 0; r < rowCount; ++r)
            sum = hn::MulAdd(vectors::loadPart(weights[r] + i, part),
                             vectors::loadPart(rows[r] + i, part), sum);
        vectors::storePart(sum, out + i, part);
    });
}

void AddToFour(const float* first, std::size_t stride, const float* weights, int rowCount,
               int count, float* const (&sums)[4]) {
    const vectors::Tag d;
    vectors::forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        auto a = vectors::loadPart(sums[0] + i, part), b = vectors::loadPart(sums[1] + i, part),
             c = vectors::loadPart(sums[2] + i, part), e = vectors::loadPart(sums[3] + i, part);
        const float* row = first + i;
        const float* w = weights;
        for (int r = 0; r < rowCount; ++r, row += stride, w += 4) {
            const auto value = vectors::loadPart(row, part);
            a = hn::MulAdd(hn::Set(d, w[0]), value, a);
            b = hn::MulAdd(hn::Set(d, w[1]), value, b);
            c = hn::MulAdd(hn::Set(d, w[2]), value, c);
            e = hn::MulAdd(hn::Set(d, w[3]), value, e);
        }
        vectors::storePart(a, sums[0] + i, part);
        vectors::storePart(b, sums[1] + i, part);
        vectors::storePart(c, sums[2] + i, part);
        vectors::storePart(e, sums[3] + i, part);
    });
}

/// The lanes of a vector of voxels lie in a few tiles: their control points are a permutation of
/// the vector of points from the first voxel's on.
void Expand(const AxisTable& table, const float* const (&points)[3], float* const (&out)[3]) {
    const vectors::Tag d;
    const ControlAxis axis = table.axis;
    vectors::forRow(
        axis.voxels,
        [&](int i) HWY_ATTR {
            const int first = axis.tileOf(i), place = axis.placeInTile(i);
            const auto step = hn::SetTableIndices(d, table.step.data() + place);
            const auto w0 = hn::LoadU(d, table.of[0].data() + place);
            const auto w1 = hn::LoadU(d, table.of[1].data() + place);
            const auto w2 = hn::LoadU(d, table.of[2].data() + place);
            const auto w3 = hn::LoadU(d, table.of[3].data() + place);
            for (int c = 0; c < 3; ++c) {
                const float* const p = points[c] + first;
                auto sum = hn::Mul(w0, hn::TableLookupLanes(hn::LoadU(d, p), step));
                sum = hn::MulAdd(w1, hn::TableLookupLanes(hn::LoadU(d, p + 1), step), sum);
                sum = hn::MulAdd(w2, hn::TableLookupLanes(hn::LoadU(d, p + 2), step), sum);
                sum = hn::MulAdd(w3, hn::TableLookupLanes(hn::LoadU(d, p + 3), step), sum);
                hn::StoreU(sum, d, out[c] + i);
            }
        },
        [&](int i) {
            const int first = axis.tileOf(i);
            const float* const w = table.weights(i);
            for (int c = 0; c < 3; ++c) {
                const float* const p = points[c] + first;
                float sum = w[0] * p[0];
                for (int l = 1; l < 4; ++l)
                    sum = std::fma(w[l], p[l], sum);
                out[c][i] = sum;
            }
        });
}

#if HWY_TARGET == HWY_SCALAR // has no vectors of four lanes
void Reduce(const AxisTable& table, const float* const (&values)[3], float* const (&points)[3]) {
    for (int c = 0; c < 3; ++c) {
        std::fill_n(points[c], table.axis.points(), 0.0f);
        for (int x = 0; x < table.axis.voxels; ++x)
            for (int l = 0; l < 4; ++l)
                points[c][table.axis.tileOf(x) + l] += table.weights(x)[l] * values[c][x];
    }
}
#else
/// Four lanes hold the sums of the four points that a tile belongs to; with the next tile the
/// lowest is complete and the others move down.
void Reduce(const AxisTable& table, const float* const (&values)[3], float* const (&points)[3]) {
    const hn::FixedTag<float, 4> d;
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0;
    const int tiles = table.axis.tiles();
    int point = 0;
    for (; point < tiles; ++point) {
        const int begin = table.axis.begin(point), end = table.axis.begin(point + 1);
        const float* weights = table.weights(begin);
        for (int x = begin; x < end; ++x, weights += 4) {
            const auto w = hn::LoadU(d, weights);
            sum0 = hn::MulAdd(w, hn::Set(d, values[0][x]), sum0);
            sum1 = hn::MulAdd(w, hn::Set(d, values[1][x]), sum1);
            sum2 = hn::MulAdd(w, hn::Set(d, values[2][x]), sum2);
        }
        points[0][point] = hn::GetLane(sum0);
        points[1][point] = hn::GetLane(sum1);
        points[2][point] = hn::GetLane(sum2);
        sum0 = hn::ShiftRightLanes<1>(d, sum0);
        sum1 = hn::ShiftRightLanes<1>(d, sum1);
        sum2 = hn::ShiftRightLanes<1>(d, sum2);
    }
    HWY_ALIGN float last[4];
    const auto storeRest = [&](auto sum, float* to) HWY_ATTR {
        hn::Store(sum, d, last);
        std::copy(last, last + 3, to + point);
    };
    storeRest(sum0, points[0]);
    storeRest(sum1, points[1]);
    storeRest(sum2, points[2]);
}
#endif

} // namespace systole::bspline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::bspline {

HWY_EXPORT(CombineEach);
HWY_EXPORT(AddToFour);
HWY_EXPORT(Expand);
HWY_EXPORT(Reduce);

AxisTable::AxisTable(const ControlAxis& along) : axis(along) {
    for (int t = 0; t < axis.tile + rowPadding; ++t) {
        const Weights<float> w = weightsOfVoxel(t % axis.tile, axis);
        for (std::size_t l = 0; l < 4; ++l)
            of[l].push_back(w.of[l]);
        step.push_back(t / axis.tile);
        if (t < axis.tile)
            perVoxel.insert(perVoxel.end(), w.of, w.of + 4);
    }
}

void combineEach(const float* const* rows, const float* const* weights, int rowCount, int count,
                 float* out) {
    HWY_DYNAMIC_DISPATCH(CombineEach)(rows, weights, rowCount, count, out);
}
void addToFour(const float* first, std::size_t stride, const float* weights, int rowCount,
               int count, float* const (&sums)[4]) {
    HWY_DYNAMIC_DISPATCH(AddToFour)(first, stride, weights, rowCount, count, sums);
}
void expand(const AxisTable& table, const float* const (&points)[3], float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(Expand)(table, points, out);
}
void reduce(const AxisTable& table, const float* const (&values)[3], float* const (&points)[3]) {
    HWY_DYNAMIC_DISPATCH(Reduce)(table, values, points);
}

} // namespace systole::bspline
#endif
