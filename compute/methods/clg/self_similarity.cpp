#include "compute/methods/clg/self_similarity.h"

#include "compute/methods/clg/solver/rows.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

using namespace clg;

/// A chunk computes the planes beside it again; wide chunks waste less.
constexpr int similarityPlanesPerChunk = 8;

std::size_t n(int count) { return static_cast<std::size_t>(count); }

/// One plane's squared differences along an axis, smoothed within the plane.
class PatchPlane {
public:
    PatchPlane(VolumeView<const float> volume, const ComparedAxes& axes)
        : volume_(volume)
        , axes_(axes)
        , width_(n(volume.size.x))
        , height_(n(volume.size.y))
        , squared_(width_ * height_)
        , alongX_(width_ * height_) {}

    void compute(int axis, int z, std::vector<float>& out) {
        square(axis, z);
        if (axes_.is[0])
            smoothAlongX();
        else
            alongX_ = squared_;
        for (std::size_t y = 0; y < height_; ++y) {
            const float* const here = alongX_.data() + y * width_;
            const float* const before = y > 0 ? here - width_ : here;
            const float* const after = y + 1 < height_ ? here + width_ : here;
            float* const row = out.data() + y * width_;
            if (axes_.is[1])
                for (std::size_t x = 0; x < width_; ++x)
                    row[x] = patchCenter * here[x] + patchSide * (before[x] + after[x]);
            else
                std::copy_n(here, width_, row);
        }
    }

private:
    void square(int axis, int z) {
        const Size3 size = volume_.size;
        const int ahead = axis == 2 ? std::min(z + comparedDistance, size.z - 1) : z;
        const std::size_t step = axis == 0 ? n(comparedDistance) : 0;
        for (int y = 0; y < size.y; ++y) {
            const float* const here = volume_.row(y, z);
            const float* const there =
                volume_.row(axis == 1 ? std::min(y + comparedDistance, size.y - 1) : y, ahead);
            float* const out = squared_.data() + n(y) * width_;
            const std::size_t within = width_ > step ? width_ - step : 0;
            for (std::size_t x = 0; x < within; ++x)
                out[x] = (here[x] - there[x + step]) * (here[x] - there[x + step]);
            for (std::size_t x = within; x < width_; ++x)
                out[x] = (here[x] - there[width_ - 1]) * (here[x] - there[width_ - 1]);
        }
    }
    void smoothAlongX() {
        const std::size_t last = width_ - 1;
        for (std::size_t y = 0; y < height_; ++y) {
            const float* const in = squared_.data() + y * width_;
            float* const out = alongX_.data() + y * width_;
            for (std::size_t x = 1; x < last; ++x)
                out[x] = patchCenter * in[x] + patchSide * (in[x - 1] + in[x + 1]);
            out[0] = patchCenter * in[0] + patchSide * (in[0] + in[1]);
            out[last] = patchCenter * in[last] + patchSide * (in[last - 1] + in[last]);
        }
    }

    VolumeView<const float> volume_;
    ComparedAxes axes_;
    std::size_t width_, height_;
    std::vector<float> squared_, alongX_;
};

/// Writes the channels of one row of a volume, two rows for each compared axis. `scratch` holds
/// three rows.
void channelsOfRow(FieldView<const float> differences, const ComparedAxes& axes, int y, int z,
                   float* const (&out)[mostChannels], float* scratch) {
    const std::size_t width = n(differences.size.x);
    float *const toNext = scratch, *const toBefore = scratch + width,
                 *const mean = scratch + 2 * width;
    const float* difference[mostChannels] = {};
    int channel = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (!axes.is[axis])
            continue;
        const VolumeView<const float> d = differences.componentView(axis);
        const auto ahead = [&](int i) { return pairAhead(i, differences.size[axis]); };
        if (axis == 0) {
            const float* const row = d.row(y, z);
            for (int x = 0; x < differences.size.x; ++x) {
                toNext[x] = row[ahead(x)];
                toBefore[x] = row[pairBehind(x)];
            }
            difference[channel++] = toNext;
            difference[channel++] = toBefore;
        } else {
            difference[channel++] = axis == 1 ? d.row(ahead(y), z) : d.row(y, ahead(z));
            difference[channel++] = axis == 1 ? d.row(pairBehind(y), z) : d.row(y, pairBehind(z));
        }
    }
    std::copy_n(difference[0], width, mean);
    for (int c = 1; c < channel; ++c)
        for (std::size_t x = 0; x < width; ++x)
            mean[x] += difference[c][x];
    for (std::size_t x = 0; x < width; ++x)
        mean[x] = meanDifference(mean[x], channel);
    for (int c = 0; c < channel; ++c)
        for (std::size_t x = 0; x < width; ++x)
            out[c][x] = channelValue(mean[x], difference[c][x]);
}

/// The channels of both frames in one plane: their sum, and warped − fixed.
class ChannelPlane {
public:
    ChannelPlane(Size3 size, const ComparedAxes& axes)
        : width_(n(size.x))
        , plane_(width_ * n(size.y))
        , sum_(plane_ * n(axes.channels()))
        , difference_(sum_.size())
        , scratch_(3 * width_ + mostChannels * width_) {}

    void compute(const SelfSimilarityInput& in, int z) {
        for (int y = 0; y < in.fixed.size.y; ++y) {
            float *sum[mostChannels] = {}, *warped[mostChannels] = {};
            for (int c = 0; c < in.axes.channels(); ++c) {
                sum[c] = sum_.data() + n(c) * plane_ + n(y) * width_;
                warped[c] = scratch_.data() + (3 + n(c)) * width_;
            }
            channelsOfRow(in.fixed, in.axes, y, z, sum, scratch_.data());
            channelsOfRow(in.warped, in.axes, y, z, warped, scratch_.data());
            for (int c = 0; c < in.axes.channels(); ++c) {
                float* const t = difference_.data() + n(c) * plane_ + n(y) * width_;
                for (std::size_t x = 0; x < width_; ++x) {
                    t[x] = warped[c][x] - sum[c][x];
                    sum[c][x] += warped[c][x];
                }
            }
        }
    }
    const float* sum(int channel, int y) const {
        return sum_.data() + n(channel) * plane_ + n(y) * width_;
    }
    const float* difference(int channel, int y) const {
        return difference_.data() + n(channel) * plane_ + n(y) * width_;
    }

private:
    std::size_t width_, plane_;
    std::vector<float> sum_, difference_, scratch_;
};

/// channelEpsilon of both frames.
float epsilonOfChannels(const SelfSimilarityInput& in, const ExecContext& ctx) {
    const Size3 size = in.fixed.size;
    const int channels = in.axes.channels();
    std::vector<rows::ResidualSum> perPlane(n(size.z));
    parallelFor(ctx, size.z, similarityPlanesPerChunk, [&](int begin, int end) {
        ChannelPlane plane(size, in.axes);
        for (int z = begin; z < end; ++z) {
            plane.compute(in, z);
            for (int y = 0; y < size.y; ++y) {
                const float* const inside = in.inside.row(y, z);
                for (std::size_t x = 0; x < n(size.x); ++x) {
                    float here = 0;
                    for (int c = 0; c < channels; ++c) {
                        const float t = plane.difference(c, y)[x];
                        here += t * t;
                    }
                    perPlane[n(z)].squared += static_cast<double>(inside[x] * here);
                    perPlane[n(z)].count += static_cast<double>(inside[x]);
                }
            }
        }
    });
    const rows::ResidualSum all = rows::total(perPlane);
    return channelEpsilon(channels, all.squared, all.count);
}

} // namespace

void describe(VolumeView<const float> volume, const ComparedAxes& axes,
              FieldView<float> differences, const ExecContext& ctx) {
    const Size3 size = volume.size;
    const std::size_t plane = n(size.x) * n(size.y);
    for (int axis = 0; axis < 3; ++axis) {
        if (!axes.is[axis])
            continue;
        const VolumeView<float> out = differences.componentView(axis);
        parallelFor(ctx, size.z, similarityPlanesPerChunk, [&](int begin, int end) {
            PatchPlane patch(volume, axes);
            std::array<std::vector<float>, 3> ring;
            for (std::vector<float>& values : ring)
                values.resize(plane);
            const auto at = [&](int z) -> std::vector<float>& { return ring[n((z + 3) % 3)]; };
            const auto fill = [&](int z) {
                patch.compute(axis, std::clamp(z, 0, size.z - 1), at(z));
            };
            if (axes.is[2])
                fill(begin - 1);
            fill(begin);
            for (int z = begin; z < end; ++z) {
                float* const row = out.row(0, z);
                if (axes.is[2]) {
                    fill(z + 1);
                    const float *const before = at(z - 1).data(), *const here = at(z).data(),
                                       *const after = at(z + 1).data();
                    for (std::size_t i = 0; i < plane; ++i)
                        row[i] = patchCenter * here[i] + patchSide * (before[i] + after[i]);
                } else {
                    fill(z);
                    std::copy_n(at(z).data(), plane, row);
                }
            }
        });
    }
}

double addSelfSimilarity(const SelfSimilarityInput& in,
                         const std::array<VolumeView<float>, 9>& product, const ExecContext& ctx) {
    const Size3 size = in.fixed.size;
    const float epsilon = epsilonOfChannels(in, ctx);
    std::array<float, 3> factor{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        factor[axis] = differenceFactor(true, in.scale[axis]);
    std::vector<rows::ResidualSum> perPlane(n(size.z));
    parallelFor(ctx, size.z, similarityPlanesPerChunk, [&](int begin, int end) {
        std::vector<ChannelPlane> ring(3, ChannelPlane(size, in.axes));
        const auto at = [&](int z) -> ChannelPlane& { return ring[n((z + 3) % 3)]; };
        if (begin > 0)
            at(begin - 1).compute(in, begin - 1);
        at(begin).compute(in, begin);
        for (int z = begin; z < end; ++z) {
            if (z + 1 < size.z)
                at(z + 1).compute(in, z + 1);
            const bool insideZ = z > 0 && z + 1 < size.z;
            for (int y = 0; y < size.y; ++y) {
                const bool insideY = y > 0 && y + 1 < size.y;
                const float* const inside = in.inside.row(y, z);
                float* out[9];
                for (std::size_t k = 0; k < 9; ++k)
                    out[k] = product[k].row(y, z);
                for (int x = 0; x < size.x; ++x) {
                    ChannelSums sums;
                    const bool insideX = x > 0 && x + 1 < size.x;
                    for (int c = 0; c < in.axes.channels(); ++c) {
                        const float* const here = at(z).sum(c, y);
                        sums.add(
                            {insideX ? factor[0] * (here[x + 1] - here[x - 1]) : 0,
                             insideY ? factor[1] * (at(z).sum(c, y + 1)[x] - at(z).sum(c, y - 1)[x])
                                     : 0,
                             insideZ ? factor[2] * (at(z + 1).sum(c, y)[x] - at(z - 1).sum(c, y)[x])
                                     : 0,
                             at(z).difference(c, y)[x]});
                    }
                    const float weight = sums.weight(inside[x], epsilon);
                    for (std::size_t k = 0; k < 9; ++k)
                        out[k][x] = in.weights.intensity * out[k][x] +
                                    in.weights.selfSimilarity * weight * sums.product[k];
                    perPlane[n(z)].squared += static_cast<double>(weight * sums.squaredDifference);
                    perPlane[n(z)].count += static_cast<double>(inside[x]);
                }
            }
        }
    });
    return rows::total(perPlane).rootMeanSquare();
}

} // namespace systole
