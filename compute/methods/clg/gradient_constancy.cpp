#include "compute/methods/clg/gradient_constancy.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using namespace clg;

/// A chunk computes the planes beside it again; wide chunks waste less.
constexpr int gradientPlanesPerChunk = 8;

std::size_t n(int count) { return static_cast<std::size_t>(count); }

/// A row of one channel of a volume.
void channelRow(VolumeView<const float> v, float scale, int axis, int y, int z, float* out) {
    const Size3 size = v.size;
    if (axis == 0) {
        const float* const row = v.row(y, z);
        for (int x = 0; x < size.x; ++x)
            out[x] = gradientChannel(scale, row[clampedBeside(x, -1, size.x)],
                                     row[clampedBeside(x, 1, size.x)]);
        return;
    }
    const int dy = axis == 1 ? 1 : 0, dz = axis == 2 ? 1 : 0;
    const float* const behind = v.row(clampedBeside(y, -dy, size.y), clampedBeside(z, -dz, size.z));
    const float* const ahead = v.row(clampedBeside(y, dy, size.y), clampedBeside(z, dz, size.z));
    for (int x = 0; x < size.x; ++x)
        out[x] = gradientChannel(scale, behind[x], ahead[x]);
}

/// The channels of a volume in one plane.
class ChannelPlane {
public:
    explicit ChannelPlane(Size3 size)
        : width_(n(size.x)), plane_(width_ * n(size.y)), values_(gradientChannels * plane_) {}

    void compute(VolumeView<const float> v, std::array<float, 3> scale, int z) {
        for (int axis = 0; axis < gradientChannels; ++axis)
            for (int y = 0; y < v.size.y; ++y)
                channelRow(v, scale[n(axis)], axis, y, z,
                           values_.data() + n(axis) * plane_ + n(y) * width_);
    }
    const float* row(int channel, int y) const {
        return values_.data() + n(channel) * plane_ + n(y) * width_;
    }

private:
    std::size_t width_, plane_;
    std::vector<float> values_;
};

/// |∇I|² + epsilon of a row, of the mean of both frames.
void normRow(const GradientConstancyInput& in, int y, int z, float* out) {
    const Size3 size = in.fixed.size;
    std::fill_n(out, size.x, in.epsilon);
    const auto add = [&](int axis, int x, std::size_t ahead, std::size_t behind) {
        const float g = differenceFactor(true, in.scale[n(axis)]) *
                        (in.fixed.data[ahead] + in.warped.data[ahead] -
                         (in.fixed.data[behind] + in.warped.data[behind]));
        out[x] += g * g;
    };
    const std::size_t row = in.fixed.offset(0, y, z);
    for (int x = 1; x + 1 < size.x; ++x)
        add(0, x, row + n(x) + 1, row + n(x) - 1);
    const int at[3] = {0, y, z};
    for (int axis = 1; axis < 3; ++axis) {
        if (at[axis] == 0 || at[axis] + 1 >= size[axis])
            continue;
        const std::size_t step = in.fixed.offset(0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0);
        for (int x = 0; x < size.x; ++x)
            add(axis, x, row + n(x) + step, row + n(x) - step);
    }
}

/// Measures of the frames on which the weights of all voxels depend.
struct Measures {
    float epsilon; ///< channelEpsilon of the gradient's components
    float typical; ///< typicalNorm of gray values
};
struct MeasureSums {
    double squared = 0, inside = 0, reciprocal = 0;
};

/// Adds a row; `scratch` holds three of them.
void addRow(const GradientConstancyInput& in, int y, int z, float* scratch, MeasureSums& sums) {
    const std::size_t width = n(in.fixed.size.x);
    float *const channel = scratch, *const squared = scratch + width,
                 *const norm = scratch + 2 * width;
    std::fill_n(squared, width, 0.0f);
    for (int axis = 0; axis < gradientChannels; ++axis) {
        channelRow(in.difference, in.scale[n(axis)], axis, y, z, channel);
        for (std::size_t x = 0; x < width; ++x)
            squared[x] += channel[x] * channel[x];
    }
    const float* const inside = in.inside.row(y, z);
    for (std::size_t x = 0; x < width; ++x) {
        sums.squared += static_cast<double>(inside[x] * squared[x]);
        sums.inside += static_cast<double>(inside[x]);
    }
    if (in.epsilon < 0)
        return;
    normRow(in, y, z, norm);
    for (std::size_t x = 0; x < width; ++x)
        sums.reciprocal += static_cast<double>(inside[x] / norm[x]);
}

Measures measure(const GradientConstancyInput& in, const ExecContext& ctx) {
    const Size3 size = in.fixed.size;
    std::vector<MeasureSums> perPlane(n(size.z));
    parallelFor(ctx, size.z, gradientPlanesPerChunk, [&](int begin, int end) {
        std::vector<float> scratch(3 * n(size.x));
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                addRow(in, y, z, scratch.data(), perPlane[n(z)]);
    });
    MeasureSums all;
    for (const MeasureSums& plane : perPlane) {
        all.squared += plane.squared;
        all.inside += plane.inside;
        all.reciprocal += plane.reciprocal;
    }
    return {channelEpsilon(gradientChannels, all.squared, all.inside),
            typicalNorm(all.inside, all.reciprocal)};
}

/// Three consecutive planes of channels of the sum of both frames.
struct ThreePlanes {
    const ChannelPlane &behind, &here, &ahead;
};

/// Adds one row to the products.
class ProductRow {
public:
    ProductRow(const GradientConstancyInput& in, const Measures& measures)
        : in_(in)
        , measures_(measures)
        , differences_(gradientChannels * n(in.sum.size.x))
        , kept_(n(in.sum.size.x), 1 - in.share) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            factor_[axis] = differenceFactor(true, in.scale[axis]);
    }

    void add(const ThreePlanes& planes, int y, int z,
             const std::array<VolumeView<float>, 9>& product) {
        const Size3 size = in_.sum.size;
        for (int c = 0; c < gradientChannels; ++c)
            channelRow(in_.difference, in_.scale[n(c)], c, y, z, difference(c));
        findKept(y, z);
        const bool insideY = y > 0 && y + 1 < size.y, insideZ = z > 0 && z + 1 < size.z;
        const float* const inside = in_.inside.row(y, z);
        float* out[9];
        for (std::size_t k = 0; k < 9; ++k)
            out[k] = product[k].row(y, z);
        for (int x = 0; x < size.x; ++x) {
            const bool insideX = x > 0 && x + 1 < size.x;
            ChannelSums sums;
            for (int c = 0; c < gradientChannels; ++c) {
                const float* const here = planes.here.row(c, y);
                sums.add(
                    {insideX ? factor_[0] * (here[x + 1] - here[x - 1]) : 0,
                     insideY ? factor_[1] *
                                   (planes.here.row(c, y + 1)[x] - planes.here.row(c, y - 1)[x])
                             : 0,
                     insideZ ? factor_[2] * (planes.ahead.row(c, y)[x] - planes.behind.row(c, y)[x])
                             : 0,
                     difference(c)[x]});
            }
            const float weight = in_.share * sums.weight(inside[x], measures_.epsilon);
            for (std::size_t k = 0; k < 9; ++k)
                out[k][x] = kept_[n(x)] * out[k][x] + weight * sums.product[k];
        }
    }

private:
    float* difference(int channel) { return differences_.data() + n(channel) * n(in_.sum.size.x); }

    /// The factor on what the products hold.
    void findKept(int y, int z) {
        if (in_.epsilon < 0)
            return;
        normRow(in_, y, z, kept_.data());
        for (float& value : kept_)
            value = (1 - in_.share) *
                    rootFactor(value, measures_.typical, [](float v) { return std::sqrt(v); });
    }

    const GradientConstancyInput& in_;
    Measures measures_;
    std::array<float, 3> factor_{};
    std::vector<float> differences_, kept_;
};

} // namespace

void addGradientConstancy(const GradientConstancyInput& in,
                          const std::array<VolumeView<float>, 9>& product, const ExecContext& ctx) {
    const Size3 size = in.sum.size;
    const Measures measures = measure(in, ctx);
    parallelFor(ctx, size.z, gradientPlanesPerChunk, [&](int begin, int end) {
        std::vector<ChannelPlane> ring(3, ChannelPlane(size));
        ProductRow row(in, measures);
        const auto at = [&](int z) -> ChannelPlane& { return ring[n((z + 3) % 3)]; };
        const auto fill = [&](int z) {
            if (z >= 0 && z < size.z)
                at(z).compute(in.sum, in.scale, z);
        };
        fill(begin - 1);
        fill(begin);
        for (int z = begin; z < end; ++z) {
            fill(z + 1);
            for (int y = 0; y < size.y; ++y)
                row.add({at(z - 1), at(z), at(z + 1)}, y, z, product);
        }
    });
}

} // namespace systole
