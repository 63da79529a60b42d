#include "compute/surface/lungs.h"

#include "compute/core/error.h"
#include "compute/measures/otsu.h"
#include "compute/surface/signed_distance.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace systole {
namespace {

/// Wider than all vessels but those of the root, which lie outside of the lungs.
constexpr double closingMillimeters = 6;
constexpr std::size_t largestOverLeast =
    10; ///< volume ratio of the largest part to the smallest kept one
/// The largest part must be more than one in so many voxels of the image.
constexpr std::size_t minShareOfImage = 100;

/// Otsu's threshold of the values above the lowest one.
float darkBelow(VolumeView<const float> image) {
    const auto values = image.span();
    const float padding = *std::ranges::min_element(values);
    std::vector<float> seen;
    seen.reserve(values.size());
    std::ranges::copy_if(values, std::back_inserter(seen),
                         [&](float value) { return value > padding; });
    if (seen.empty())
        throw ComputeError("the image is constant: there are no lungs in it");
    return otsuThreshold(seen);
}

/// Parts of voxels that touch by faces.
class Parts {
public:
    explicit Parts(Size3 size) : size_(size), part_(size.voxels(), none) {}

    /// Gives the voxel and all that `belongs` joins to it the next number, and returns how many
    /// they are: 0 if it doesn't belong or has one.
    std::size_t grow(std::size_t seed, const std::function<bool(std::size_t)>& belongs) {
        if (part_[seed] != none || !belongs(seed))
            return 0;
        const int number = next_++;
        std::size_t count = 0;
        std::vector<std::size_t> open{seed};
        part_[seed] = number;
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            ++count;
            forNeighbors(at, [&](std::size_t neighbor) {
                if (part_[neighbor] == none && belongs(neighbor)) {
                    part_[neighbor] = number;
                    open.push_back(neighbor);
                }
            });
        }
        return count;
    }
    /// Grows from all voxels of the four sides that all slices have; all parts get one number.
    void growFromSides(const std::function<bool(std::size_t)>& belongs) {
        const int number = next_;
        for (int z = 0; z < size_.z; ++z)
            for (int y = 0; y < size_.y; ++y) {
                const bool edge = y == 0 || y == size_.y - 1;
                for (int x = 0; x < size_.x; x += edge ? 1 : std::max(1, size_.x - 1)) {
                    next_ = number;
                    grow(offset(x, y, z), belongs);
                }
            }
        next_ = number + 1;
    }
    int of(std::size_t voxel) const { return part_[voxel]; }
    static constexpr int none = -1;

private:
    std::size_t offset(int x, int y, int z) const {
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_.y) +
                static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(size_.x) +
               static_cast<std::size_t>(x);
    }
    void forNeighbors(std::size_t at, const auto& visit) const {
        std::size_t stride = 1, rest = at;
        for (int axis = 0; axis < 3; ++axis) {
            const auto n = static_cast<std::size_t>(size_[axis]);
            const std::size_t place = rest % n;
            if (place > 0)
                visit(at - stride);
            if (place + 1 < n)
                visit(at + stride);
            rest /= n;
            stride *= n;
        }
    }

    Size3 size_;
    std::vector<int> part_;
    int next_ = 0;
};

/// The large dark parts that aren't the air around the patient.
std::vector<std::uint8_t> darkParts(VolumeView<const float> image) {
    const float threshold = darkBelow(image);
    const auto isDark = [&](std::size_t i) { return image.data[i] < threshold; };
    Parts parts(image.size);
    parts.growFromSides(isDark); // number 0
    std::vector<std::size_t> counts{0};
    for (std::size_t i = 0; i < image.voxels(); ++i)
        if (const std::size_t count = parts.grow(i, isDark))
            counts.push_back(count);
    const std::size_t largest = *std::ranges::max_element(counts);
    if (largest * minShareOfImage < image.voxels())
        throw ComputeError("no lungs were found: nothing dark inside of the patient is large "
                           "enough");
    std::vector<std::uint8_t> inside(image.voxels());
    for (std::size_t i = 0; i < inside.size(); ++i)
        inside[i] = parts.of(i) > 0 &&
                    counts[static_cast<std::size_t>(parts.of(i))] * largestOverLeast >= largest;
    return inside;
}

/// `inside` becomes what is closer to it than `millimeters`, or, below 0, deeper in it than that.
void grow(std::vector<std::uint8_t>& inside, const Geometry& grid, double millimeters,
          const ExecContext& ctx) {
    const auto count = static_cast<std::size_t>(std::ranges::count(inside, 1));
    if (count == 0 || count == inside.size())
        return; // no border
    Volume distance(grid, *ctx.pool, "distance of the lungs");
    signedDistance({inside.data(), grid.size()}, grid.spacing(), distance.view(), ctx);
    for (std::size_t i = 0; i < inside.size(); ++i)
        inside[i] = distance.view().data[i] < static_cast<float>(millimeters);
}

/// Fills what isn't joined to the border of the image.
void fillHoles(std::vector<std::uint8_t>& inside, Size3 size) {
    const auto isOutside = [&](std::size_t i) { return inside[i] == 0; };
    Parts parts(size);
    parts.growFromSides(isOutside);
    for (std::size_t i = 0; i < inside.size(); ++i)
        inside[i] = parts.of(i) == Parts::none;
}

} // namespace

Volume findLungs(const Volume& image, const ExecContext& ctx) {
    const Geometry& grid = image.geometry;
    std::vector<std::uint8_t> inside = darkParts(image.view());
    grow(inside, grid, closingMillimeters, ctx);
    grow(inside, grid, -closingMillimeters, ctx);
    fillHoles(inside, grid.size());
    Volume mask(grid, *ctx.pool, "lungs");
    std::ranges::copy(inside, mask.view().data);
    return mask;
}

} // namespace systole
