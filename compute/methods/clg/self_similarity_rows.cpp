#include "compute/methods/clg/self_similarity_rows.h"

// Order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/clg/self_similarity_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

/// The scale of a frame's channels, and what each is divided by but for its own difference.
struct FrameScale {
    Vec mean, scaled;
};
HWY_INLINE FrameScale scaleOf(const float* const (&difference)[clg::maxChannels], int channels,
                              int i, int part) {
    const Tag d;
    auto sum = loadPart(difference[0] + i, part);
    for (int c = 1; c < channels; ++c)
        sum = hn::Add(sum, loadPart(difference[c] + i, part));
    const auto mean = hn::Add(hn::Div(sum, hn::Set(d, static_cast<float>(channels))),
                              hn::Set(d, clg::channelVariance));
    return {mean, hn::Mul(hn::Set(d, clg::channelRange), mean)};
}
HWY_INLINE Vec channelOf(const FrameScale& scale, Vec difference) {
    return hn::Div(scale.scaled, hn::Add(scale.mean, difference));
}

/// Calls use(channel, fixed, warped) for the channels at i.
template <class Use>
HWY_INLINE void forChannels(const ChannelDifferences& of, int i, int part, const Use& use) {
    const FrameScale fixed = scaleOf(of.fixed, of.channels, i, part),
                     warped = scaleOf(of.warped, of.channels, i, part);
    for (int c = 0; c < of.channels; ++c)
        use(c, channelOf(fixed, loadPart(of.fixed[c] + i, part)),
            channelOf(warped, loadPart(of.warped[c] + i, part)));
}

void Channels(const ChannelDifferences& differences, int count,
              float* const (&sum)[clg::maxChannels], float* const (&difference)[clg::maxChannels]) {
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        forChannels(differences, i, part, [&](int c, Vec fixed, Vec warped) HWY_ATTR {
            storePart(hn::Add(warped, fixed), sum[c] + i, part);
            storePart(hn::Sub(warped, fixed), difference[c] + i, part);
        });
    }
}

ResidualSum SquaredChannels(const ChannelDifferences& differences, const float* inside, int count) {
    const Tag d;
    auto squared = hn::Zero(d), voxels = hn::Zero(d);
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        auto here = hn::Zero(d);
        forChannels(differences, i, part, [&](int, Vec fixed, Vec warped) HWY_ATTR {
            const auto t = hn::Sub(warped, fixed);
            here = hn::MulAdd(t, t, here);
        });
        const auto counts = loadPart(inside + i, part);
        squared = hn::MulAdd(counts, here, squared);
        voxels = hn::Add(voxels, counts);
    }
    return {static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squared))),
            static_cast<double>(hn::GetLane(hn::SumOfLanes(d, voxels)))};
}

ResidualSum AddChannels(const ChannelRow& row, const float* inside, float epsilon,
                        clg::DataWeights weights, int count, float* const (&product)[9]) {
    const Tag d;
    const auto factorX = hn::Set(d, row.factor[0]), factorY = hn::Set(d, row.factor[1]),
               factorZ = hn::Set(d, row.factor[2]), intensity = hn::Set(d, weights.intensity),
               selfSimilarity = hn::Set(d, weights.selfSimilarity);
    auto squared = hn::Zero(d), voxels = hn::Zero(d);
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        const auto between = [&](const float* after, const float* before, Vec factor) HWY_ATTR {
            return hn::Mul(factor, hn::Sub(loadPart(after + i, part), loadPart(before + i, part)));
        };
        Vec sum[9];
        for (Vec& value : sum)
            value = hn::Zero(d);
        auto squaredDifference = hn::Zero(d);
        for (int c = 0; c < row.channels; ++c) {
            const auto x = between(row.sum[c] + 1, row.sum[c] - 1, factorX),
                       y = between(row.afterY[c], row.beforeY[c], factorY),
                       z = between(row.afterZ[c], row.beforeZ[c], factorZ),
                       t = loadPart(row.difference[c] + i, part);
            sum[0] = hn::MulAdd(x, x, sum[0]);
            sum[1] = hn::MulAdd(x, y, sum[1]);
            sum[2] = hn::MulAdd(x, z, sum[2]);
            sum[3] = hn::MulAdd(y, y, sum[3]);
            sum[4] = hn::MulAdd(y, z, sum[4]);
            sum[5] = hn::MulAdd(z, z, sum[5]);
            sum[6] = hn::MulAdd(x, t, sum[6]);
            sum[7] = hn::MulAdd(y, t, sum[7]);
            sum[8] = hn::MulAdd(z, t, sum[8]);
            squaredDifference = hn::MulAdd(t, t, squaredDifference);
        }
        // The squared gradient is the sum of the products' diagonal.
        const auto norm = hn::Add(hn::Add(hn::Add(sum[0], sum[3]), sum[5]), hn::Set(d, epsilon));
        const auto counts = loadPart(inside + i, part);
        const auto weight = hn::Div(counts, norm), share = hn::Mul(selfSimilarity, weight);
        for (int k = 0; k < 9; ++k)
            storePart(hn::MulAdd(share, sum[k], hn::Mul(intensity, loadPart(product[k] + i, part))),
                      product[k] + i, part);
        squared = hn::MulAdd(weight, squaredDifference, squared);
        voxels = hn::Add(voxels, counts);
    }
    return {static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squared))),
            static_cast<double>(hn::GetLane(hn::SumOfLanes(d, voxels)))};
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Channels);
HWY_EXPORT(SquaredChannels);
HWY_EXPORT(AddChannels);

void channels(const ChannelDifferences& differences, int count,
              float* const (&sum)[clg::maxChannels], float* const (&difference)[clg::maxChannels]) {
    HWY_DYNAMIC_DISPATCH(Channels)(differences, count, sum, difference);
}
ResidualSum squaredChannels(const ChannelDifferences& differences, const float* inside, int count) {
    return HWY_DYNAMIC_DISPATCH(SquaredChannels)(differences, inside, count);
}
ResidualSum addChannels(const ChannelRow& row, const float* inside, float epsilon,
                        clg::DataWeights weights, int count, float* const (&product)[9]) {
    return HWY_DYNAMIC_DISPATCH(AddChannels)(row, inside, epsilon, weights, count, product);
}

} // namespace systole::rows
#endif
