#include "compute/surface/surface_noise.h"

#include "compute/core/median.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/narrow_band.h"
#include "compute/surface/nonlocal_means_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace systole {
namespace {

constexpr int maxSamples = 4000;           ///< elements of the border that are sampled
constexpr double narrow = 0.7, wide = 1.4; ///< the two s
constexpr double minSpread = 0.01;         ///< spread at `narrow` that counts as noise
/// Range of `sharp` in which the grid becomes finer, down to the grid of phi.
constexpr double minSharp = 0.01, maxSharp = 0.1;
constexpr double narrowest = 0.3, widest = 4; ///< range of w
/// Factor of (a/w)² by which the distance is lower than its noise: found on spheres with known
/// noise.
constexpr double steepness = 0.83;
/// w up to which noise is that of single voxels, and from which it is correlated.
constexpr double independent = 0.6, whollyCorrelated = 0.85;
constexpr double finest = 1.1, coarsest = 2.25; ///< grids that are worth it; that keep edges
constexpr double ofThickness = 1.5;             ///< spacing over thickness up to which parts stay
constexpr double maxStretch = 1.5;              ///< a voxel's longest side over its shortest

/// (1 − G)² as weights of the voxels around one: 1 − 2 G + G ∗ G, along each axis as far as the
/// wider Gaussian has weight.
class Rest {
public:
    Rest(double sigma, Vec3 sides) {
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            const double s = sigma / sides[axis];
            radius_[a] = static_cast<int>(std::ceil(reach * s * std::numbers::sqrt2));
            once_[a] = gaussian(s, radius_[a]);
            twice_[a] = gaussian(s * std::numbers::sqrt2, radius_[a]);
        }
    }

    /// Rest of the volume at a voxel; its outermost voxels are repeated beyond the grid.
    double at(VolumeView<const float> phi, Voxel p) const {
        const auto inside = [](int i, int n) { return std::clamp(i, 0, n - 1); };
        double once = 0, twice = 0;
        for (int c = -radius_[2]; c <= radius_[2]; ++c)
            for (int b = -radius_[1]; b <= radius_[1]; ++b) {
                const float* const row = phi.data + phi.offset(0, inside(p.y + b, phi.size.y),
                                                               inside(p.z + c, phi.size.z));
                double onceOfRow = 0, twiceOfRow = 0;
                for (int a = -radius_[0]; a <= radius_[0]; ++a) {
                    const auto value = static_cast<double>(row[inside(p.x + a, phi.size.x)]);
                    onceOfRow += weight(once_, 0, a) * value;
                    twiceOfRow += weight(twice_, 0, a) * value;
                }
                once += weight(once_, 1, b) * weight(once_, 2, c) * onceOfRow;
                twice += weight(twice_, 1, b) * weight(twice_, 2, c) * twiceOfRow;
            }
        return static_cast<double>(phi(p.x, p.y, p.z)) - 2 * once + twice;
    }

private:
    static constexpr double reach = 2.5; ///< sigmas
    using Weights = std::array<std::vector<double>, 3>;

    double weight(const Weights& weights, std::size_t axis, int offset) const {
        return weights[axis][static_cast<std::size_t>(offset + radius_[axis])];
    }
    static std::vector<double> gaussian(double sigma, int radius) {
        std::vector<double> weights;
        double sum = 0;
        for (int i = -radius; i <= radius; ++i) {
            weights.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
            sum += weights.back();
        }
        for (double& weight : weights)
            weight /= sum;
        return weights;
    }

    std::array<int, 3> radius_{};
    Weights once_, twice_;
};

/// Spread of the rests at the border, and the share of rests far outside of it.
struct Spread {
    double spread = 0, outside = 0;
};

/// The distance from the median within which a fourth of the values lie, over that of a normal
/// distribution.
Spread spreadOf(std::vector<double> values) {
    constexpr double fraction = 0.25, ofNormal = 0.3186, far = 3;
    const double middle = median(values);
    for (double& value : values)
        value = std::abs(value - middle);
    const double spread = percentile(values, fraction) / ofNormal;
    const auto outside =
        std::ranges::count_if(values, [&](double value) { return value > far * spread; });
    return {spread, static_cast<double>(outside) / static_cast<double>(values.size())};
}

/// E r_s² / a²
double restOfNoise(double width, double sigma) {
    constexpr double signs[] = {1, -4, 6, -4, 1};
    double sum = 0;
    for (int j = 0; j <= 4; ++j)
        sum += signs[j] * width * width / (width * width + j * sigma * sigma / 2);
    return sum;
}

/// The width whose noise has this ratio of spreads r_2 / r_1, which grows with it.
double widthOf(double ratio) {
    double low = narrowest, high = widest;
    for (int step = 0; step < 40; ++step) {
        const double middle = 0.5 * (low + high);
        const double there = restOfNoise(middle, wide) / restOfNoise(middle, narrow);
        (there < ratio * ratio ? low : high) = middle;
    }
    return low;
}

/// The elements of the border that are looked at, evenly over all in their order.
std::vector<int> someOf(std::span<const int> border) {
    const std::size_t count = std::min<std::size_t>(border.size(), maxSamples);
    std::vector<int> some(count);
    for (std::size_t i = 0; i < count; ++i)
        some[i] = border[i * border.size() / count];
    return some;
}

Spread spreadOfRests(VolumeView<const float> phi, std::span<const int> elements, const Rest& rest,
                     const ExecContext& ctx) {
    std::vector<double> rests(elements.size());
    constexpr int chunk = 64;
    overItems(rests.size(), chunk, ctx,
              [&](std::size_t i) { rests[i] = rest.at(phi, nlm::voxelAt(phi.size, elements[i])); });
    return spreadOf(std::move(rests));
}

double insideVoxels(VolumeView<const float> phi, const ExecContext& ctx) {
    return parallelSum(ctx, phi.size.z, 1, [&](int begin, int end) {
        const std::size_t plane = phi.voxels() / static_cast<std::size_t>(phi.size.z);
        return static_cast<double>(std::count_if(phi.data + static_cast<std::size_t>(begin) * plane,
                                                 phi.data + static_cast<std::size_t>(end) * plane,
                                                 [](float value) { return value < 0; }));
    });
}

} // namespace

SurfaceNoise findNoise(VolumeView<const float> phi, Vec3 spacing, const ExecContext& ctx) {
    const double side = std::min({spacing.x, spacing.y, spacing.z});
    const Vec3 sides = (1 / side) * spacing;
    const double largest = std::max({spacing.x, spacing.y, spacing.z});
    const Buffer<int> border = narrowBand(phi, static_cast<float>(0.5 * largest), ctx);
    const std::vector<int> elements = someOf(border.span());
    const double first = spreadOfRests(phi, elements, Rest(narrow, sides), ctx).spread / side;
    const Spread atWide = spreadOfRests(phi, elements, Rest(wide, sides), ctx);
    const double second = atWide.spread / side;
    SurfaceNoise noise;
    // The border's elements fill a layer one largest spacing thick.
    noise.thickness = largest / side * insideVoxels(phi, ctx) / static_cast<double>(border.size());
    noise.sharp = atWide.outside;
    if (first < minSpread || noise.sharp > maxSharp)
        return noise;
    noise.width = widthOf(second / first);
    const double seen = second / std::sqrt(restOfNoise(noise.width, wide));
    noise.amplitude = seen * (1 + steepness * (seen / noise.width) * (seen / noise.width));
    return noise;
}

bool canTellNoise(Vec3 spacing) {
    return std::max({spacing.x, spacing.y, spacing.z}) <=
           maxStretch * std::min({spacing.x, spacing.y, spacing.z});
}

double gridFor(const SurfaceNoise& noise) {
    if (noise.amplitude == 0)
        return 0;
    // Edges keep their grid; the wider the noise, the coarser the one on which it is independent.
    const double smooth = std::min(1.0, (maxSharp - noise.sharp) / (maxSharp - minSharp));
    const double correlated =
        std::clamp((noise.width - independent) / (whollyCorrelated - independent), 0.0, 1.0);
    const double grid =
        1 + (0.1 + 1.3 * noise.amplitude) * smooth * correlated * std::max(1.0, noise.width);
    const double maxGrid = std::min(coarsest, ofThickness * noise.thickness);
    return grid < finest ? 1 : std::clamp(grid, 1.0, std::max(1.0, maxGrid));
}

} // namespace systole
