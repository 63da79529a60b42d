#include "compute/methods/ffd/affine_start.h"

#include "compute/ops/reduce.h"
#include "compute/ops/sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace systole::affine {
namespace {

bool counts(const HostImage& image, std::size_t voxel) {
    return image.mask.empty() || image.mask[voxel] >= 0.5f;
}

/// Calls body(voxel's offset, x, y, z) for every voxel in the mask.
template <typename Body>
void overMask(const HostImage& image, const Body& body) {
    const Size3 n = image.grid.size();
    std::size_t i = 0;
    for (int z = 0; z < n.z; ++z)
        for (int y = 0; y < n.y; ++y)
            for (int x = 0; x < n.x; ++x, ++i)
                if (counts(image, i))
                    body(i, x, y, z);
}

/// LPS mm. Empty for an image without contrast.
std::optional<Vec3> centerOfMass(const HostImage& image) {
    float lowest = image.gray[0];
    overMask(image,
             [&](std::size_t i, int, int, int) { lowest = std::min(lowest, image.gray[i]); });
    double mass = 0;
    Vec3 sum;
    overMask(image, [&](std::size_t i, int x, int y, int z) {
        const double m = static_cast<double>(image.gray[i]) - static_cast<double>(lowest);
        mass += m;
        sum =
            sum + m * Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    });
    if (!(mass > 0))
        return std::nullopt;
    return image.grid.indexToPhysical((1 / mass) * sum);
}

/// The map with the same linear part that brings one point to the other.
AffineMap bringing(Vec3 from, Vec3 to, const AffineMap& linear) {
    AffineMap map = linear;
    map.offset = to - linear.matrix * from;
    return map;
}

constexpr int bins = 32;

class Binning {
public:
    explicit Binning(const HostImage& image) {
        const std::vector<float> range =
            quantiles({image.gray.data(), image.grid.size()}, {0.01, 0.99, 0, 1});
        // Where almost everything is background, the range is that of all voxels.
        const bool wide = range[1] > range[0];
        low_ = wide ? range[0] : range[2];
        const float high = wide ? range[1] : range[3];
        scale_ = high > low_ ? static_cast<float>(bins) / (high - low_) : 0;
    }
    std::size_t operator()(float gray) const {
        const float position = (gray - low_) * scale_;
        return static_cast<std::size_t>(
            std::clamp(position, 0.0f, static_cast<float>(bins) - 0.5f));
    }

private:
    float low_, scale_;
};

double entropy(const double* counted, std::size_t many, double total) {
    double sum = 0;
    for (std::size_t i = 0; i < many; ++i)
        if (counted[i] > 0)
            sum -= counted[i] / total * std::log(counted[i] / total);
    return sum;
}

double volumeOf(const HostImage& image) {
    double voxels = 0;
    overMask(image, [&](std::size_t, int, int, int) { ++voxels; });
    return voxels * std::abs(determinant(image.grid.voxelToPhysicalMatrix()));
}

} // namespace

std::vector<Start> possibleStarts(const HostImage& fixed, const HostImage& moving,
                                  const AffineMap& initial) {
    std::vector<Start> starts{{AffineStart::Initial, initial}};
    const std::optional<Vec3> from = centerOfMass(fixed), to = centerOfMass(moving);
    if (from && to)
        starts.push_back({AffineStart::CentersOfMass, bringing(*from, *to, initial)});
    starts.push_back({AffineStart::CentersOfGrids,
                      bringing(fixed.grid.center(), moving.grid.center(), initial)});
    return starts;
}

Agreement agreement(const HostImage& fixed, const HostImage& moving, const AffineMap& map) {
    const Binning fixedBin(fixed), movingBin(moving);
    std::array<double, bins * bins> joint{};
    std::array<double, bins> ofFixed{}, ofMoving{};
    double common = 0;
    const Size3 size = moving.grid.size();
    overMask(fixed, [&](std::size_t i, int x, int y, int z) {
        const Vec3 p = moving.grid.physicalToIndex(map(fixed.grid.indexToPhysical(
            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)})));
        for (int axis = 0; axis < 3; ++axis)
            if (!(p[axis] >= -0.5 && p[axis] <= size[axis] - 0.5))
                return;
        const TrilinearSample sample(size, static_cast<float>(p.x), static_cast<float>(p.y),
                                     static_cast<float>(p.z));
        if (!moving.mask.empty() && sample.of(moving.mask.data()) < 0.5f)
            return;
        const std::size_t a = fixedBin(fixed.gray[i]), b = movingBin(sample.of(moving.gray.data()));
        ++joint[a * bins + b];
        ++ofFixed[a];
        ++ofMoving[b];
        ++common;
    });
    Agreement result;
    if (common == 0)
        return result;
    const double both = entropy(joint.data(), joint.size(), common);
    if (both > 0)
        result.information =
            (entropy(ofFixed.data(), bins, common) + entropy(ofMoving.data(), bins, common)) / both;
    const double voxel = std::abs(determinant(fixed.grid.voxelToPhysicalMatrix()));
    result.overlap = std::min(1.0, common * voxel / std::min(volumeOf(fixed), volumeOf(moving)));
    return result;
}

} // namespace systole::affine
