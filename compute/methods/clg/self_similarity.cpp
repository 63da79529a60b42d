#include "compute/methods/clg/self_similarity.h"

#include "compute/methods/clg/self_similarity_rows.h"

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

/// The rows of squared differences that the channels of one row of voxels come from.
class DifferenceRows {
public:
    explicit DifferenceRows(int width) : alongX_(2 * (n(width) + comparedDistance)) {}

    rows::ChannelDifferences at(const SelfSimilarityInput& in, int y, int z) {
        rows::ChannelDifferences found{};
        found.channels = in.axes.channels();
        collect(in.fixed, in.axes, y, z, alongX_.data(), found.fixed);
        collect(in.warped, in.axes, y, z, alongX_.data() + alongX_.size() / 2, found.warped);
        return found;
    }

private:
    static void collect(FieldView<const float> differences, const ComparedAxes& axes, int y, int z,
                        float* alongX, const float* (&found)[maxChannels]) {
        int channel = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (!axes.is[axis])
                continue;
            const VolumeView<const float> d = differences.componentView(axis);
            const auto ahead = [&](int i) { return pairAhead(i, differences.size[axis]); };
            if (axis == 0) {
                const float* const row = d.row(y, z);
                // The row from its first pair to its last, and these again beyond both ends.
                const std::size_t pairs = n(ahead(differences.size.x - 1)) + 1;
                float* const end =
                    std::copy_n(row, pairs, std::fill_n(alongX, comparedDistance, row[0]));
                std::fill(end, alongX + differences.size.x + comparedDistance, row[pairs - 1]);
                found[channel++] = alongX + comparedDistance;
                found[channel++] = alongX;
            } else {
                found[channel++] = axis == 1 ? d.row(ahead(y), z) : d.row(y, ahead(z));
                found[channel++] = axis == 1 ? d.row(pairBehind(y), z) : d.row(y, pairBehind(z));
            }
        }
    }

    std::vector<float> alongX_; ///< rows of both frames, comparedDistance longer than a row
};

/// The channels of both frames in one plane: their sum, and warped − fixed.
class ChannelPlane {
public:
    ChannelPlane(Size3 size, const ComparedAxes& axes)
        : width_(n(size.x))
        , stride_(width_ + 2)
        , plane_(stride_ * n(size.y))
        , sum_(plane_ * n(axes.channels()))
        , difference_(sum_.size())
        , rows_(size.x) {}

    void compute(const SelfSimilarityInput& in, int z) {
        for (int y = 0; y < in.fixed.size.y; ++y) {
            float *sums[maxChannels] = {}, *differences[maxChannels] = {};
            for (int c = 0; c < in.axes.channels(); ++c) {
                sums[c] = sum_.data() + at(c, y);
                differences[c] = difference_.data() + at(c, y);
            }
            rows::channels(rows_.at(in, y, z), in.fixed.size.x, sums, differences);
            // Beyond both ends is what makes the derivative along x zero there.
            for (int c = 0; c < in.axes.channels(); ++c) {
                *(sums[c] - 1) = sums[c][width_ > 1 ? 1 : 0];
                sums[c][width_] = sums[c][width_ > 1 ? width_ - 2 : 0];
            }
        }
    }
    const float* sum(int channel, int y) const { return sum_.data() + at(channel, y); }
    const float* difference(int channel, int y) const {
        return difference_.data() + at(channel, y);
    }

private:
    /// Offset of the first value of a row; one more lies before it, one behind its end.
    std::size_t at(int channel, int y) const { return n(channel) * plane_ + n(y) * stride_ + 1; }

    std::size_t width_, stride_, plane_;
    std::vector<float> sum_, difference_;
    DifferenceRows rows_;
};

/// channelEpsilon of both frames.
float epsilonOfChannels(const SelfSimilarityInput& in, const ExecContext& ctx) {
    const Size3 size = in.fixed.size;
    std::vector<rows::ResidualSum> perPlane(n(size.z));
    parallelFor(ctx, size.z, similarityPlanesPerChunk, [&](int begin, int end) {
        DifferenceRows differences(size.x);
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                perPlane[n(z)] =
                    perPlane[n(z)] +
                    rows::squaredChannels(differences.at(in, y, z), in.inside.row(y, z), size.x);
    });
    const rows::ResidualSum all = rows::total(perPlane);
    return channelEpsilon(in.axes.channels(), all.squared, all.count);
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
    rows::ChannelRow everyRow{};
    everyRow.channels = in.axes.channels();
    for (std::size_t axis = 0; axis < 3; ++axis)
        everyRow.factor[axis] = differenceFactor(true, in.scale[axis]);
    std::vector<rows::ResidualSum> perPlane(n(size.z));
    parallelFor(ctx, size.z, similarityPlanesPerChunk, [&](int begin, int end) {
        rows::ChannelRow row = everyRow;
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
                for (int c = 0; c < row.channels; ++c) {
                    row.sum[c] = at(z).sum(c, y);
                    row.difference[c] = at(z).difference(c, y);
                    row.beforeY[c] = insideY ? at(z).sum(c, y - 1) : row.sum[c];
                    row.afterY[c] = insideY ? at(z).sum(c, y + 1) : row.sum[c];
                    row.beforeZ[c] = insideZ ? at(z - 1).sum(c, y) : row.sum[c];
                    row.afterZ[c] = insideZ ? at(z + 1).sum(c, y) : row.sum[c];
                }
                float* out[9];
                for (std::size_t k = 0; k < 9; ++k)
                    out[k] = product[k].row(y, z);
                perPlane[n(z)] =
                    perPlane[n(z)] +
                    rows::addChannels(row, in.inside.row(y, z), epsilon, in.weights, size.x, out);
            }
        }
    });
    return rows::total(perPlane).rootMeanSquare();
}

} // namespace systole
