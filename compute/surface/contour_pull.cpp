#include "compute/surface/contour_pull.h"

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/sample_at.h"
#include "compute/surface/label_box.h"
#include "compute/surface/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace systole {
namespace {

/// The voxels within `reach` mm of a point along each index axis; empty beyond the grid.
VoxelBox voxelsAround(const Geometry& geometry, Vec3 point, double reach) {
    const Vec3 index = geometry.physicalToIndex(point);
    Vec3 first, last;
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = std::floor(index[axis] - reach / geometry.spacing()[axis]);
        last[axis] = std::ceil(index[axis] + reach / geometry.spacing()[axis]);
    }
    return boxBetween(first, last, geometry.size());
}

/// The point, or the nearest in the image (half a voxel around the outermost centers included).
Vec3 withinImage(const Geometry& grid, Vec3 point) {
    Vec3 index = grid.physicalToIndex(point);
    for (int axis = 0; axis < 3; ++axis)
        index[axis] = std::clamp(index[axis], -0.5, grid.size()[axis] - 0.5);
    return grid.indexToPhysical(index);
}

/// Whether the contour crosses the slice through a point (index coordinates) near it.
bool isOnContour(VolumeView<const float> phi, const Geometry& grid, Vec3 point, int axis) {
    constexpr int directions = 24;
    constexpr double step = 0.25; // mm
    const int right = (axis + 1) % 3, down = (axis + 2) % 3;
    const bool inside = valueAt(phi, point) < 0;
    for (int i = 0; i < directions; ++i) {
        const double angle = 2 * std::numbers::pi * i / directions;
        for (double away = step; away <= ContourPull::grabMillimeters; away += step) {
            Vec3 at = point;
            at[right] += away * std::cos(angle) / grid.spacing()[right];
            at[down] += away * std::sin(angle) / grid.spacing()[down];
            if ((valueAt(phi, at) < 0) != inside)
                return true;
        }
    }
    return false;
}

} // namespace

ContourPull::ContourPull(VolumeView<const std::uint8_t> labels, const Geometry& geometry, Vec3 from,
                         int axis, double width, std::uint8_t label, const ExecContext& ctx)
    : from_(from), width_(width), label_(label) {
    requireLength(width, "the width of a pull");
    if (labels.size != geometry.size())
        throw ComputeError("a pull needs labels on the grid of the image");
    if (!isFinite(from))
        throw ComputeError("the points of a pull must be finite");
    // Beyond four widths a pull changes nothing.
    before_ = remember(labels, voxelsAround(geometry, from, reachMillimeters + 4 * width));
    if (before_.box.voxels() == 0)
        throw ComputeError("a contour is pulled from a point inside the image");
    grid_ = geometryOf(before_.box, geometry);
    std::vector<std::uint8_t> mask(before_.before.size());
    std::ranges::transform(before_.before, mask.begin(), [&](std::uint8_t value) {
        return static_cast<std::uint8_t>(inside(value));
    });
    if (std::ranges::count(mask, std::uint8_t{1}) == 0 || std::ranges::count(mask, 0) == 0)
        throw ComputeError("there is no contour near this point to pull");
    phi_.resize(mask.size());
    signedDistance({mask.data(), grid_.size()}, grid_.spacing(), {phi_.data(), grid_.size()}, ctx);
    if (!isOnContour({phi_.data(), grid_.size()}, grid_, grid_.physicalToIndex(from), axis))
        throw ComputeError("there is no contour under the pointer to pull");
}

std::vector<std::uint8_t> ContourPull::pulled(VolumeView<const float> phi) const {
    std::vector<std::uint8_t> labels = before_.before;
    std::vector<std::size_t> leaving;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const bool was = inside(labels[i]), is = phi.data[i] < 0;
        if (is && !was)
            labels[i] = label_;
        else if (was && !is && labels[i] == label_)
            leaving.push_back(i);
    }
    // Voxels get their new label from the outside inwards, one by one.
    std::vector<bool> open(labels.size());
    for (const std::size_t i : leaving)
        open[i] = true;
    const Size3 size = grid_.size();
    const auto nx = static_cast<std::size_t>(size.x), nxy = nx * static_cast<std::size_t>(size.y);
    const auto outsideAt = [&](std::size_t i, int at, int count, std::size_t step) {
        const auto outside = [&](std::size_t n) {
            return !open[n] && (!inside(before_.before[n]) || labels[n] != before_.before[n]) &&
                   !(phi.data[n] < 0);
        };
        if (at > 0 && outside(i - step))
            return i - step;
        return at + 1 < count && outside(i + step) ? i + step : i;
    };
    while (!leaving.empty()) {
        std::vector<std::pair<std::size_t, std::uint8_t>> found;
        for (const std::size_t i : leaving) {
            const int x = static_cast<int>(i % nx), y = static_cast<int>(i % nxy / nx),
                      z = static_cast<int>(i / nxy);
            std::size_t beside = outsideAt(i, x, size.x, 1);
            if (beside == i)
                beside = outsideAt(i, y, size.y, nx);
            if (beside == i)
                beside = outsideAt(i, z, size.z, nxy);
            if (beside != i)
                found.emplace_back(i, labels[beside]);
        }
        if (found.empty())
            for (const std::size_t i : leaving) // cut off from all that was outside
                found.emplace_back(i, std::uint8_t{0});
        for (const auto& [i, label] : found) {
            labels[i] = label;
            open[i] = false;
        }
        std::erase_if(leaving, [&](std::size_t i) { return !open[i]; });
    }
    return labels;
}

void ContourPull::pullTo(VolumeView<std::uint8_t> labels, Vec3 to) const {
    if (!isFinite(to))
        throw ComputeError("the points of a pull must be finite");
    const double far = length(to - from_);
    if (far > reachMillimeters)
        to = from_ + (reachMillimeters / far) * (to - from_);
    std::vector<float> phi = phi_;
    pullContour({phi.data(), grid_.size()}, grid_, from_, withinImage(grid_, to), width_);
    EditChange now{before_.box, pulled({phi.data(), grid_.size()})};
    exchange(labels, now);
}

} // namespace systole
