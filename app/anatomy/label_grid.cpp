#include "app/anatomy/label_grid.h"

#include "app/base/grid_text.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace systole {
namespace {

using Index = std::array<int, 3>;

Index placed(const LabelPlacement& placement, const Index& at) {
    Index index = placement.shift;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            index[row] += placement.turn[row][column] * at[column];
    return index;
}

bool isWithin(const Index& at, Size3 size) {
    return at[0] >= 0 && at[0] < size.x && at[1] >= 0 && at[1] < size.y && at[2] >= 0 &&
           at[2] < size.z;
}

/// The whole numbers nearest to the map from one grid to the other; nothing if it isn't one of
/// exchanged and flipped axes.
std::optional<LabelPlacement> nearestPlacement(const Geometry& labels, const Geometry& grid) {
    LabelPlacement placement;
    const Vec3 origin = grid.physicalToIndex(labels.origin());
    constexpr double maxVoxels = 1e6;
    for (int row = 0; row < 3; ++row) {
        if (!(std::abs(origin[row]) < maxVoxels))
            return {};
        placement.shift[static_cast<std::size_t>(row)] = static_cast<int>(std::lround(origin[row]));
    }
    std::array<int, 3> used{};
    for (std::size_t column = 0; column < 3; ++column) {
        Vec3 step;
        step[static_cast<int>(column)] = 1;
        const Vec3 along = grid.physicalVectorToVoxel(labels.voxelVectorToPhysical(step));
        int ones = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            const double part = along[static_cast<int>(row)];
            if (!(std::abs(part) < 1.5))
                return {};
            const int whole = static_cast<int>(std::lround(part));
            placement.turn[row][column] = whole;
            ones += std::abs(whole);
            used[row] += std::abs(whole);
        }
        if (ones != 1)
            return {};
    }
    return used == std::array<int, 3>{1, 1, 1} ? std::optional(placement) : std::nullopt;
}

} // namespace

std::optional<LabelPlacement> placementOf(const Geometry& labels, const Geometry& grid) {
    constexpr double millimeters = 1e-2, voxels = 0.05;
    if (labels.matches(grid, millimeters))
        return LabelPlacement();
    const std::optional<LabelPlacement> placement = nearestPlacement(labels, grid);
    if (!placement)
        return {};
    const Size3 size = labels.size();
    std::array<int, 3> lowest{}, highest{}; // voxels of `grid` at the corners of the labels
    for (int corner = 0; corner < 8; ++corner) {
        const Index at{(corner & 1) != 0 ? size.x - 1 : 0, (corner & 2) != 0 ? size.y - 1 : 0,
                       (corner & 4) != 0 ? size.z - 1 : 0};
        const Index there = placed(*placement, at);
        const Vec3 exact = grid.physicalToIndex(labels.indexToPhysical(
            {static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])}));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!(std::abs(exact[static_cast<int>(axis)] - there[axis]) <= voxels))
                return {};
            lowest[axis] = corner == 0 ? there[axis] : std::min(lowest[axis], there[axis]);
            highest[axis] = corner == 0 ? there[axis] : std::max(highest[axis], there[axis]);
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (highest[axis] < 0 || lowest[axis] >= grid.size()[static_cast<int>(axis)])
            return {};
    return placement;
}

LabelPlacement requirePlacement(const std::string& path, const Geometry& labels,
                                const Geometry& grid, const char* what) {
    if (const std::optional<LabelPlacement> placement = placementOf(labels, grid))
        return *placement;
    const auto [found, expected] = textsOfGrids(labels, grid);
    throw fileError(
        path,
        fmt::format("{} on another grid than the images: found {}; expected {}, or its voxels in "
                    "another order, or some of them; resample it to the images by nearest neighbor",
                    what, found, expected));
}

Volume labelsOnGrid(Volume map, const std::string& path, const Geometry& grid,
                    std::vector<std::string>& notes, const ExecContext& ctx, const char* what) {
    const LabelPlacement placement = requirePlacement(path, map.geometry, grid, what);
    const Size3 size = map.geometry.size();
    if (placement == LabelPlacement() && size == grid.size()) {
        map.geometry = grid; // the header of the map may have rounded it
        return map;
    }
    Volume moved(grid, *ctx.pool, "labels");
    const VolumeView<float> out = moved.view();
    std::fill_n(out.data, grid.voxels(), 0.0f);
    const VolumeView<const float> in = std::as_const(map).view();
    std::size_t beyond = 0, within = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const float label = in(x, y, z);
                const Index there = placed(placement, {x, y, z});
                if (isWithin(there, grid.size()))
                    out(there[0], there[1], there[2]) = label;
                if (label > 0)
                    ++(isWithin(there, grid.size()) ? within : beyond);
            }
    if (within == 0 && beyond > 0)
        throw fileError(path, "none of its labelled voxels lies on the grid of the images");
    notes.push_back(fmt::format(
        "{}: {}×{}×{} voxels, {}, of the images' grid of {}×{}×{}, {}, taken one by one{}", path,
        size.x, size.y, size.z, map.geometry.orientationLetters(), grid.size().x, grid.size().y,
        grid.size().z, grid.orientationLetters(),
        beyond > 0 ? fmt::format("; {} labelled voxels lie beyond it and are left out", beyond)
                   : std::string()));
    return moved;
}

void roundToLabels(std::span<float> values, const std::string& file, const char* hint) {
    constexpr float maxLabel = 65535, rounding = 0.01f;
    for (float& value : values) {
        const float whole = std::round(value);
        if (!(std::abs(value - whole) <= rounding) || whole < 0 || whole > maxLabel)
            throw FileError(fmt::format("{}: labels are whole numbers from 0 to {}, found {}{}",
                                        file, maxLabel, value, hint));
        value = std::max(whole, 0.0f); // no negative zero
    }
}

} // namespace systole
