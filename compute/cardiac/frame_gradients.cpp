#include "compute/cardiac/frame_gradients.h"

#include <algorithm>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cardiac/frame_gradients.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// A header that every instruction set's pass needs once.
#ifndef SYSTOLE_FRAME_GRADIENTS_ONCE
#define SYSTOLE_FRAME_GRADIENTS_ONCE
namespace systole::cardiac {

/// A voxel's neighbors and weights, and where the motions of voxels are: `stride` floats apart,
/// `most` for each component.
struct GradientSum {
    const std::int32_t* here; ///< places of voxels, from that of the voxel on
    const std::ptrdiff_t* stencil;
    std::span<const std::uint8_t> neighbors;
    const std::array<float, 4>* weights;
    const float* moved;
    std::size_t stride;
    int frames;
};

} // namespace systole::cardiac
#endif

HWY_BEFORE_NAMESPACE();
namespace systole::cardiac::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out[3 i + j]: the derivative of component i along j, by frame.
void SumGradients(const GradientSum& of, float (*out)[FrameGradients::most]) {
    constexpr std::size_t most = FrameGradients::most;
    const hn::CappedTag<float, most> d;
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(of.frames); lane += hn::Lanes(d)) {
        const float* const moved = of.moved + lane;
        const float* const own = moved + of.stride * static_cast<std::size_t>(*of.here);
        const auto ownX = hn::Load(d, own), ownY = hn::Load(d, own + most),
                   ownZ = hn::Load(d, own + 2 * most);
        auto xx = hn::Zero(d), xy = xx, xz = xx, yx = xx, yy = xx, yz = xx, zx = xx, zy = xx,
             zz = xx;
        for (std::size_t k = 0; k < of.neighbors.size(); ++k) {
            const float* const there =
                moved + of.stride * static_cast<std::size_t>(of.here[of.stencil[of.neighbors[k]]]);
            const auto x = hn::Sub(hn::Load(d, there), ownX);
            const auto y = hn::Sub(hn::Load(d, there + most), ownY);
            const auto z = hn::Sub(hn::Load(d, there + 2 * most), ownZ);
            const std::array<float, 4>& w = of.weights[k];
            const auto alongX = hn::Set(d, w[0]), alongY = hn::Set(d, w[1]),
                       alongZ = hn::Set(d, w[2]);
            xx = hn::Add(xx, hn::Mul(x, alongX));
            xy = hn::Add(xy, hn::Mul(x, alongY));
            xz = hn::Add(xz, hn::Mul(x, alongZ));
            yx = hn::Add(yx, hn::Mul(y, alongX));
            yy = hn::Add(yy, hn::Mul(y, alongY));
            yz = hn::Add(yz, hn::Mul(y, alongZ));
            zx = hn::Add(zx, hn::Mul(z, alongX));
            zy = hn::Add(zy, hn::Mul(z, alongY));
            zz = hn::Add(zz, hn::Mul(z, alongZ));
        }
        std::size_t at = 0;
        for (const auto& sum : {xx, xy, xz, yx, yy, yz, zx, zy, zz})
            hn::StoreU(sum, d, out[at++] + lane);
    }
}

} // namespace systole::cardiac::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::cardiac {

HWY_EXPORT(SumGradients);

FrameGradients::FrameGradients(const TissueVoxels& voxels, const TissueFits& fits,
                               std::span<const Displacements> frames)
    : voxels_(voxels)
    , fits_(fits)
    , stencil_(stencilOf(voxels.grid.size()))
    , frames_(static_cast<int>(frames.size()))
    , moved_(voxels.count()) {
    for (std::size_t t = 0; t < frames.size(); ++t)
        for (std::size_t i = 0; i < moved_.size(); ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                moved_[i].along[axis][t] = frames[t][i][axis];
}

void FrameGradients::sums(std::size_t voxel, float (&out)[9][most]) const {
    const TissueFits::Range range = fits_.ranges()[voxel];
    for (std::size_t k = 0; k < 9; ++k)
        std::fill(out[k] + frames_, out[k] + most, 0.0f);
    HWY_DYNAMIC_DISPATCH(SumGradients)
    ({voxels_.placeOf.data() + voxels_.offset(voxel), stencil_.data(),
      fits_.neighbors().subspan(range.first, range.count), fits_.weights().data() + range.first,
      moved_.data()->along[0].data(), sizeof(Moved) / sizeof(float), frames_},
     out);
}

} // namespace systole::cardiac
#endif
