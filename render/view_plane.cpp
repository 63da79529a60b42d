#include "render/view_plane.h"

#include "render/sampling_math.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Adds three views, beside one another or below.
template <typename Which, typename Add>
void threeInARow(bool across, const Which (&which)[3], int width, int height, int gap,
                 const Add& add) {
    const int along = (across ? width : height) + gap;
    for (int i = 0; i < 3; ++i) {
        const int from = along * i / 3, to = along * (i + 1) / 3 - gap;
        if (across)
            add(which[i], from, 0, to, height);
        else
            add(which[i], 0, from, width, to);
    }
}

/// Left, right and difference in a row, the difference below the other two, or all in a column:
/// whichever makes the smallest of the three largest.
std::vector<ViewArea> arrangeSides(ViewKind kind, int width, int height, int gap) {
    const int halfWidth = (width - gap) / 2, halfHeight = (height - gap) / 2;
    const int row = std::min((width - 2 * gap) / 3, height);
    const int corner = std::min(halfWidth, halfHeight);
    const int column = std::min(width, (height - 2 * gap) / 3);
    std::vector<ViewArea> areas;
    const auto add = [&](ViewSide side, int x, int y, int right, int bottom) {
        if (right > x && bottom > y)
            areas.push_back({kind, x, y, right - x, bottom - y, side, 0, 0});
    };
    static constexpr ViewSide sides[] = {ViewSide::Left, ViewSide::Right, ViewSide::Difference};
    if (corner > row && corner > column) {
        add(ViewSide::Left, 0, 0, halfWidth, halfHeight);
        add(ViewSide::Right, halfWidth + gap, 0, width, halfHeight);
        add(ViewSide::Difference, 0, halfHeight + gap, width, height);
    } else {
        threeInARow(row >= column, sides, width, height, gap, add);
    }
    int fitWidth = width, fitHeight = height;
    for (const ViewArea& area : areas) {
        fitWidth = std::min(fitWidth, area.width);
        fitHeight = std::min(fitHeight, area.height);
    }
    for (ViewArea& area : areas) {
        area.fitWidth = fitWidth;
        area.fitHeight = fitHeight;
    }
    return areas;
}

} // namespace

ViewPlane viewPlane(ViewKind slice) {
    ViewPlane plane{2, {1, 0, 0}, {0, -1, 0}, {}}; // axial
    if (slice == ViewKind::Coronal)
        plane = {1, {1, 0, 0}, {0, 0, 1}, {}};
    if (slice == ViewKind::Sagittal)
        plane = {0, {0, 1, 0}, {0, 0, 1}, {}};
    plane.towardsObserver = cross(plane.right, plane.up);
    return plane;
}

char directionLetter(int lpsAxis, int sign) {
    static constexpr char letters[2][3] = {{'R', 'A', 'I'}, {'L', 'P', 'S'}};
    return letters[sign > 0][lpsAxis];
}

std::array<char, 4> borderLetters(const ViewPlane& plane) {
    const auto letter = [](Vec3 direction) {
        for (int axis = 0; axis < 3; ++axis)
            if (std::abs(direction[axis]) > 0.5)
                return directionLetter(axis, direction[axis] > 0 ? 1 : -1);
        return '?';
    };
    return {letter(-1 * plane.right), letter(plane.right), letter(plane.up), letter(-1 * plane.up)};
}

Vec3 cornerOf(const Geometry& geometry, int corner) {
    Vec3 index;
    for (int axis = 0; axis < 3; ++axis)
        index[axis] = (corner >> axis) & 1 ? geometry.size()[axis] - 0.5 : -0.5;
    return geometry.indexToPhysical(index);
}

PhysicalBox boxAround(const Geometry& geometry) {
    PhysicalBox box;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p = cornerOf(geometry, corner);
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = corner == 0 ? p[axis] : std::min(box.low[axis], p[axis]);
            box.high[axis] = corner == 0 ? p[axis] : std::max(box.high[axis], p[axis]);
        }
    }
    return box;
}

std::array<float, 16> physicalToTexture(const Geometry& geometry) {
    const Vec3 origin = geometry.physicalToIndex({0, 0, 0});
    const Size3 size = geometry.size();
    std::array<float, 16> m{};
    for (std::size_t row = 0; row < 3; ++row) {
        const int axis = static_cast<int>(row);
        for (std::size_t column = 0; column < 3; ++column)
            m[column * 4 + row] =
                static_cast<float>(geometry.physicalToVoxelMatrix()[row][column] / size[axis]);
        m[12 + row] = static_cast<float>((origin[axis] + 0.5) / size[axis]);
    }
    m[15] = 1;
    return m;
}

double sliceSpacing(const Geometry& geometry, int lpsAxis) {
    return geometry.spacing()[geometry.axisAlong(lpsAxis).indexAxis];
}

double steppedPosition(const Geometry& geometry, Vec3 from, int lpsAxis, int steps) {
    constexpr double parallel = 1e-6, onSlice = 1e-3;
    const auto [axis, sign] = geometry.axisAlong(lpsAxis);
    const double along =
        geometry.direction()[static_cast<std::size_t>(lpsAxis)][static_cast<std::size_t>(axis)];
    if (std::abs(along) < 1 - parallel)
        return from[lpsAxis] + steps * sliceSpacing(geometry, lpsAxis);
    Vec3 index = geometry.physicalToIndex(from);
    const int step = steps * sign;
    const double start = step == 0  ? std::round(index[axis])
                         : step > 0 ? std::floor(index[axis] + onSlice)
                                    : std::ceil(index[axis] - onSlice);
    index[axis] = std::clamp(start + step, 0.0, geometry.size()[axis] - 1.0);
    return geometry.indexToPhysical(index)[lpsAxis];
}

double smallestSpacing(const Geometry& geometry) {
    const Vec3 spacing = geometry.spacing();
    return std::min({spacing.x, spacing.y, spacing.z});
}

std::optional<float> valueAt(const Volume& volume, Vec3 position) {
    const sampling::Cell cell = sampling::cellAt(sampling::Grid(volume.geometry), position);
    if (!cell.inside)
        return std::nullopt;
    return static_cast<float>(sampling::interpolate(volume.view(), cell));
}

std::optional<Vec3> displacementAt(const VectorField& field, Vec3 position) {
    const sampling::Grid grid(field.geometry);
    const sampling::Cell cell = sampling::cellAt(grid, position);
    if (!cell.inside)
        return std::nullopt;
    return sampling::interpolate(grid, field.view(), cell);
}

std::vector<ViewArea> arrangeViews(Layout layout, int width, int height, int gap,
                                   ViewKind sideView) {
    std::vector<ViewArea> areas;
    const auto add = [&](ViewKind kind, int x, int y, int right, int bottom) {
        if (right > x && bottom > y)
            areas.push_back(
                {kind, x, y, right - x, bottom - y, ViewSide::Left, right - x, bottom - y});
    };
    switch (layout) {
    case Layout::Single3D:
        add(ViewKind::Volume3D, 0, 0, width, height);
        break;
    case Layout::ThreeSlices: {
        static constexpr ViewKind kinds[] = {ViewKind::Axial, ViewKind::Coronal,
                                             ViewKind::Sagittal};
        threeInARow(width >= height, kinds, width, height, gap, add);
        break;
    }
    case Layout::FourUp: {
        const int left = (width - gap) / 2, top = (height - gap) / 2;
        add(ViewKind::Axial, 0, 0, left, top);
        add(ViewKind::Volume3D, left + gap, 0, width, top);
        add(ViewKind::Coronal, 0, top + gap, left, height);
        add(ViewKind::Sagittal, left + gap, top + gap, width, height);
        break;
    }
    case Layout::SideBySide:
        return arrangeSides(sideView, width, height, gap);
    }
    return areas;
}

} // namespace systole
