#include "compute/surface/contour_edit.h"

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/sample_at.h"
#include "compute/surface/label_box.h"

#include <cmath>

namespace systole {
namespace {

/// The voxels of a grid that a ball may reach; empty if there are none.
VoxelBox boxOfBall(const Geometry& geometry, Vec3 center, double radius) {
    // How far the ball reaches along an index axis: the length of that row of the inverse matrix.
    const Vec3 index = geometry.physicalToIndex(center);
    const Matrix3& inverse = geometry.physicalToVoxelMatrix();
    Vec3 first, last;
    for (int axis = 0; axis < 3; ++axis) {
        const auto& row = inverse[static_cast<std::size_t>(axis)];
        const double reach = radius * std::hypot(row[0], row[1], row[2]);
        first[axis] = std::ceil(index[axis] - reach);
        last[axis] = std::floor(index[axis] + reach);
    }
    return boxBetween(first, last, geometry.size());
}

/// Calls body(offset, index) for every voxel of a box.
template <typename T, typename Body>
void overBox(VolumeView<T> voxels, const VoxelBox& box, const Body& body) {
    for (int z = box.z; z < box.z + box.size.z; ++z)
        for (int y = box.y; y < box.y + box.size.y; ++y)
            for (int x = box.x; x < box.x + box.size.x; ++x)
                body(voxels.offset(x, y, z), voxelPoint(x, y, z));
}

} // namespace

void requireLength(double millimeters, const char* what) {
    if (!(millimeters > 0) || !std::isfinite(millimeters))
        throw ComputeError(std::string(what) + " must be a positive number of mm");
}

EditChange remember(VolumeView<const std::uint8_t> labels, const VoxelBox& box) {
    EditChange change{box, {}};
    change.before.reserve(box.voxels());
    overBox(labels, box, [&](std::size_t i, Vec3) { change.before.push_back(labels.data[i]); });
    return change;
}

void exchange(VolumeView<std::uint8_t> labels, EditChange& change) {
    if (change.empty())
        return;
    if (change.before.size() != change.box.voxels() ||
        !VoxelBox::whole(labels.size).contains(change.box))
        throw ComputeError("an edit can be undone only in the volume that was edited");
    std::size_t next = 0;
    overBox(labels, change.box,
            [&](std::size_t i, Vec3) { std::swap(labels.data[i], change.before[next++]); });
}

EditChange paint(VolumeView<std::uint8_t> labels, const Geometry& geometry, const Brush& brush) {
    requireLength(brush.radius, "the radius of a brush");
    if (brush.axis < 0 || brush.axis > 2)
        throw ComputeError("the axis of a brush must be 0, 1 or 2");
    if (labels.size != geometry.size())
        throw ComputeError("a brush needs labels on the grid of the image");
    if (!isFinite(brush.center))
        return {};
    VoxelBox box = boxOfBall(geometry, brush.center, brush.radius);
    if (brush.disk && box.voxels() > 0) {
        const auto slice =
            static_cast<int>(std::lround(geometry.physicalToIndex(brush.center)[brush.axis]));
        int low[3] = {box.x, box.y, box.z}, count[3] = {box.size.x, box.size.y, box.size.z};
        if (slice < 0 || slice >= geometry.size()[brush.axis])
            return {};
        low[brush.axis] = slice;
        count[brush.axis] = 1;
        box = {low[0], low[1], low[2], {count[0], count[1], count[2]}};
    }
    EditChange change = remember(labels, box);
    bool changed = false;
    overBox(labels, box, [&](std::size_t i, Vec3 index) {
        Vec3 away = geometry.indexToPhysical(index) - brush.center;
        if (brush.disk) {
            // Distances count within the slice: the center may lie between two of them.
            Vec3 inSlice = geometry.physicalToIndex(brush.center);
            inSlice[brush.axis] = index[brush.axis];
            away = geometry.indexToPhysical(index) - geometry.indexToPhysical(inSlice);
        }
        if (length(away) > brush.radius)
            return;
        const std::uint8_t wanted =
            brush.erase ? (labels.data[i] == brush.label ? std::uint8_t{0} : labels.data[i])
                        : brush.label;
        changed = changed || wanted != labels.data[i];
        labels.data[i] = wanted;
    });
    return changed ? std::move(change) : EditChange{};
}

void pullContour(VolumeView<float> phi, const Geometry& geometry, Vec3 from, Vec3 to,
                 double width) {
    requireLength(width, "the width of a pull");
    if (phi.size != geometry.size())
        throw ComputeError("a pull needs a signed distance on the grid of the image");
    if (!isFinite(from) || !isFinite(to))
        throw ComputeError("the points of a pull must be finite");
    if (!isInside(geometry.physicalToIndex(to), geometry.size()))
        throw ComputeError("a contour can't be pulled out of the image");
    const auto at = [&](Vec3 lps) { return valueAt(phi, geometry.physicalToIndex(lps)); };
    const double change = static_cast<double>(at(from) - at(to));
    // Beyond four widths the weight is below 0.0004.
    const VoxelBox box = boxOfBall(geometry, to, 4 * width);
    overBox(phi, box, [&](std::size_t i, Vec3 index) {
        const Vec3 away = geometry.indexToPhysical(index) - to;
        const double squared = dot(away, away) / (2 * width * width);
        if (squared <= 8)
            phi.data[i] += static_cast<float>(change * std::exp(-squared));
    });
}

} // namespace systole
