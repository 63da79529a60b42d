#include "compute/cardiac/frame_sums.h"

#include "compute/cardiac/frame_gradients.h"
#include "compute/cardiac/rotation.h"
#include "compute/core/chunk_sums.h"
#include "compute/core/points.h"

#include <algorithm>
#include <cmath>
#include <utility>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cardiac/frame_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// A header that every instruction set's pass needs once.
#ifndef SYSTOLE_FRAME_SUMS_ONCE
#define SYSTOLE_FRAME_SUMS_ONCE
namespace systole::cardiac {

template <typename T>
using ByFrame = std::array<T, FrameGradients::most>;

/// Sums over a chunk's voxels, by frame. Jacobians and bins are those of the last voxel.
struct alignas(64) FrameTotals {
    std::array<ByFrame<double>, wallSums> sums{};
    ByFrame<double> jacobian{}, bin{};
};

/// A voxel and its level. `since` is its change at end diastole; if it isn't known yet it is that
/// of the first frame, and is set.
struct SummedVoxel {
    const float* gradients; ///< FrameGradients::sums()
    const float* moved;     ///< FrameGradients::moved()
    const HeartAxes* axes;
    Vec3 still; ///< place in the labels, relative to the middle of its level
    const std::array<ByFrame<double>, 3>* shift;
    Vec3 before; ///< place at end diastole, relative to the middle of its level
    Vec3 about;  ///< unit vector from base to apex
    VoxelChange* since;
    bool sinceIsKnown;
    Tensor tensor;
    int frames;
};

} // namespace systole::cardiac
#endif

HWY_BEFORE_NAMESPACE();
namespace systole::cardiac::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t most = FrameGradients::most;
using D = hn::CappedTag<double, most>;
using V = hn::Vec<D>;

struct V3 {
    V x, y, z;
};
struct Deformations {
    V3 row[3];
};

/// Same order of additions as dot(Vec3, Vec3).
V DotOf(V3 a, V3 b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}

V3 Set3(Vec3 v) {
    const D d;
    return {hn::Set(d, v.x), hn::Set(d, v.y), hn::Set(d, v.z)};
}

V Widened(const float* from) {
    const D d;
    const hn::Rebind<float, D> narrow;
    return hn::PromoteTo(d, hn::LoadU(narrow, from));
}

/// F = I + ∇u from `lane` on.
Deformations DeformationsAt(const float* gradients, std::size_t lane) {
    const V one = hn::Set(D(), 1.0), none = hn::Zero(D());
    const auto at = [&](std::size_t k, V still) {
        return hn::Add(still, Widened(gradients + k * most + lane));
    };
    return {{{at(0, one), at(1, none), at(2, none)},
             {at(3, none), at(4, one), at(5, none)},
             {at(6, none), at(7, none), at(8, one)}}};
}

V Determinant(const Deformations& f) {
    const auto minor = [](V a, V b, V c, V e) { return hn::Sub(hn::Mul(a, b), hn::Mul(c, e)); };
    const V3 &p = f.row[0], &q = f.row[1], &r = f.row[2];
    return hn::Add(
        hn::Sub(hn::Mul(p.x, minor(q.y, r.z, q.z, r.y)), hn::Mul(p.y, minor(q.x, r.z, q.z, r.x))),
        hn::Mul(p.z, minor(q.x, r.y, q.y, r.x)));
}

V SquaredStretch(const Deformations& f, Vec3 direction) {
    const V3 n = Set3(direction);
    const V3 moved{DotOf(f.row[0], n), DotOf(f.row[1], n), DotOf(f.row[2], n)};
    return DotOf(moved, moved);
}

void AddDeterminants(const float* gradients, int frames, double* sums) {
    const D d;
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(frames); lane += hn::Lanes(d))
        hn::StoreU(hn::Add(hn::LoadU(d, sums + lane), Determinant(DeformationsAt(gradients, lane))),
                   d, sums + lane);
}

/// addTurn() of wall_sums_math.h.
void AddTurns(const SummedVoxel& of, std::size_t lane, FrameTotals& to) {
    const D d;
    const auto place = [&](std::size_t axis, double still) {
        return hn::Sub(hn::Add(hn::Set(d, still), Widened(of.moved + axis * most + lane)),
                       hn::LoadU(d, (*of.shift)[axis].data() + lane));
    };
    const V3 q{place(0, of.still.x), place(1, of.still.y), place(2, of.still.z)};
    const V3 about = Set3(of.about);
    const Vec3 first = of.before - dot(of.before, of.about) * of.about;
    const V along = DotOf(q, about);
    const auto across = [&](V x, V axis) { return hn::Sub(x, hn::Mul(along, axis)); };
    const V3 a = Set3(first), b{across(q.x, about.x), across(q.y, about.y), across(q.z, about.z)};
    const V cosine = DotOf(a, b);
    const V3 turned{hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
                    hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
                    hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
    const V sine = DotOf(turned, about);
    const V size = hn::Sqrt(hn::Add(hn::Mul(sine, sine), hn::Mul(cosine, cosine)));
    const auto turns = hn::Gt(size, hn::Zero(d));
    for (const auto& [sum, part] : {std::pair{SumSine, sine}, std::pair{SumCosine, cosine}}) {
        double* const total = to.sums[sum].data() + lane;
        hn::StoreU(hn::Add(hn::LoadU(d, total), hn::IfThenElseZero(turns, hn::Div(part, size))), d,
                   total);
    }
}

/// addVoxel() of wall_sums_math.h but for the counts and the logarithms of J's sign.
void AddVoxel(const SummedVoxel& of, FrameTotals& to) {
    const D d;
    const V one = hn::Set(d, 1.0);
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(of.frames); lane += hn::Lanes(d)) {
        const auto add = [&](WallSum sum, V part) {
            double* const total = to.sums[sum].data() + lane;
            hn::StoreU(hn::Add(hn::LoadU(d, total), part), d, total);
        };
        const Deformations f = DeformationsAt(of.gradients, lane);
        const V jacobian = Determinant(f);
        const V stretch[] = {SquaredStretch(f, of.axes->longitudinal),
                             SquaredStretch(f, of.axes->circumferential),
                             SquaredStretch(f, of.axes->radial)};
        if (lane == 0 && !of.sinceIsKnown)
            *of.since = {
                {hn::GetLane(stretch[0]), hn::GetLane(stretch[1]), hn::GetLane(stretch[2])},
                hn::GetLane(jacobian)};
        const V j = hn::Div(jacobian, hn::Set(d, of.since->jacobian));
        add(SumVolume, jacobian);
        add(SumJacobian, j);
        add(SumSquare, hn::Mul(j, j));
        add(SumBeyond5, hn::IfThenElseZero(
                            hn::Or(hn::Gt(j, hn::Set(d, 1.05)), hn::Lt(j, hn::Set(d, 0.95))), one));
        V product = one;
        for (int k = 0; k < 3; ++k) {
            const V squared = hn::Div(stretch[k], hn::Set(d, of.since->stretch[k]));
            product = hn::Mul(product, squared);
            add(static_cast<WallSum>(SumLongitudinal + k),
                of.tensor == Tensor::Engineering ? hn::Sub(hn::Sqrt(squared), one)
                                                 : hn::Div(hn::Sub(squared, one), hn::Set(d, 2.0)));
        }
        add(SumProduct, hn::Sqrt(product));
        AddTurns(of, lane, to);
        // jacobianBin() of wall_sums_math.h.
        const V bin =
            hn::Floor(hn::Div(hn::Sub(j, hn::Set(d, jacobianFrom)), hn::Set(d, jacobianStep)));
        hn::StoreU(j, d, to.jacobian.data() + lane);
        hn::StoreU(hn::IfThenElseZero(hn::Gt(bin, hn::Zero(d)),
                                      hn::Min(bin, hn::Set(d, double{jacobianBins - 1}))),
                   d, to.bin.data() + lane);
    }
}

} // namespace systole::cardiac::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::cardiac {

HWY_EXPORT(AddDeterminants);
HWY_EXPORT(AddVoxel);

namespace {

struct DeterminantSums {
    ByFrame<double> of{};

    void operator+=(const DeterminantSums& other) {
        for (std::size_t t = 0; t < of.size(); ++t)
            of[t] += other.of[t];
    }
};

struct ChunkTotals {
    FrameTotals totals;
    ByFrame<std::array<int, jacobianBins>> histogram{};

    void addSigns(std::size_t frames) {
        for (std::size_t t = 0; t < frames; ++t) {
            const double j = totals.jacobian[t];
            totals.sums[j > 0 ? SumPositive : SumFolded][t] += 1;
            if (j > 0) {
                const double logarithm = std::log(j);
                totals.sums[SumLogarithm][t] += logarithm;
                totals.sums[SumLogarithmSquare][t] += logarithm * logarithm;
            }
            ++histogram[t][static_cast<std::size_t>(totals.bin[t])];
        }
    }
};

/// Up to FrameGradients::most frames of a ventricle, one per vector lane.
class Block {
public:
    Block(const WallSumming& how, const FrameChange& diastole, const Displacements& atDiastole,
          std::span<const FrameChange> changes, std::span<const Displacements> wall)
        : how_(how)
        , atDiastole_(atDiastole)
        , gradients_(how.fits.ventricle().wall, how.fits.wall(), wall)
        , frames_(changes.size())
        , first_(how.levels.shift(diastole)) {
        for (std::size_t t = 0; t < frames_; ++t) {
            const BandSums shift = how.levels.shift(changes[t]);
            for (std::size_t level = 0; level < bands; ++level)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    shift_[level][axis][t] = shift[level][static_cast<int>(axis)];
        }
    }

    void addChunk(const GroupedVoxels::Chunk& chunk, std::span<VoxelChange> since,
                  bool sinceIsKnown, ChunkTotals& to) const {
        const Ventricle& ventricle = how_.fits.ventricle();
        const std::size_t level = how_.levels.levelOf(static_cast<std::size_t>(chunk.group));
        alignas(64) float sums[9][FrameGradients::most];
        for (std::int32_t k = chunk.begin; k < chunk.end; ++k) {
            const auto i =
                static_cast<std::size_t>(how_.bySegment.voxel[static_cast<std::size_t>(k)]);
            gradients_.sums(i, sums);
            const Vec3 still = ventricle.wall.position(i) - how_.levels.middle(level);
            HWY_DYNAMIC_DISPATCH(AddVoxel)
            ({sums[0], gradients_.moved(i), &ventricle.axes[i], still, &shift_[level],
              still + widened(atDiastole_[i]) - first_[level], how_.levels.towardsApex(), &since[i],
              sinceIsKnown, how_.tensor, static_cast<int>(frames_)},
             to.totals);
            to.addSigns(frames_);
        }
    }

private:
    const WallSumming& how_;
    const Displacements& atDiastole_;
    const FrameGradients gradients_;
    std::size_t frames_;
    BandSums first_;
    std::array<std::array<ByFrame<double>, 3>, bands> shift_{};
};

} // namespace

std::vector<WallSums> wallSumsOfFrames(const WallSumming& how, std::span<const FrameChange> changes,
                                       std::span<const Displacements> wall,
                                       const ExecContext& ctx) {
    const GroupedVoxels& voxels = how.bySegment;
    std::vector<WallSums> all(
        changes.size(), {std::vector<SegmentSums>(static_cast<std::size_t>(how.segments)), {}});
    std::vector<VoxelChange> since(how.fits.ventricle().wall.count());
    for (std::size_t first = 0; first < changes.size(); first += FrameGradients::most) {
        ctx.throwIfCancelled();
        const std::size_t count = std::min(FrameGradients::most, changes.size() - first);
        const Block block(how, changes.front(), wall.front(), changes.subspan(first, count),
                          wall.subspan(first, count));
        std::vector<ChunkTotals> chunks(voxels.chunks.size());
        parallelFor(ctx, static_cast<int>(chunks.size()), 1, [&](int at, int) {
            block.addChunk(voxels.chunks[static_cast<std::size_t>(at)], since, first > 0,
                           chunks[static_cast<std::size_t>(at)]);
        });
        for (std::size_t t = 0; t < count; ++t)
            for (std::size_t c = 0; c < chunks.size(); ++c) {
                WallSums& to = all[first + t];
                SegmentSums& segment =
                    to.segments[static_cast<std::size_t>(voxels.chunks[c].group)];
                for (std::size_t k = 0; k < segment.size(); ++k)
                    segment[k] += chunks[c].totals.sums[k][t];
                for (std::size_t bin = 0; bin < to.histogram.size(); ++bin)
                    to.histogram[bin] += chunks[c].histogram[t][bin];
            }
    }
    return all;
}

std::vector<double> determinantSums(const TissueVoxels& voxels, const TissueFits& fits,
                                    std::span<const Displacements> frames, const ExecContext& ctx) {
    std::vector<double> all;
    for (std::size_t first = 0; first < frames.size(); first += FrameGradients::most) {
        ctx.throwIfCancelled();
        const std::size_t count = std::min(FrameGradients::most, frames.size() - first);
        const FrameGradients gradients(voxels, fits, frames.subspan(first, count));
        const auto sums = sumOfChunks(ctx, static_cast<int>(voxels.count()), cavityChunk,
                                      [&](int begin, int end) {
                                          DeterminantSums part;
                                          alignas(64) float of[9][FrameGradients::most];
                                          for (int i = begin; i < end; ++i) {
                                              gradients.sums(static_cast<std::size_t>(i), of);
                                              HWY_DYNAMIC_DISPATCH(AddDeterminants)
                                              (of[0], static_cast<int>(count), part.of.data());
                                          }
                                          return part;
                                      });
        all.insert(all.end(), sums.of.begin(),
                   sums.of.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return all;
}

} // namespace systole::cardiac
#endif
