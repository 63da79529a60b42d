#include "app/kit/map_slice.h"

#include "render/base/colormaps.h"
#include "render/display_scale.h"
#include "render/view_plane.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// An index axis along a direction of the picture.
struct PictureAxis {
    int axis = 0;
    bool reversed = false; ///< the index falls along the picture's direction

    int at(int step, int count) const { return reversed ? count - 1 - step : step; }
};

struct Turned {
    PictureAxis right, down;
    int across = 2;
};

PictureAxis axisAlong(const Geometry& grid, Vec3 direction) {
    for (int lps = 0; lps < 3; ++lps)
        if (std::abs(direction[lps]) > 0.5) {
            const Geometry::AnatomicalAxis found = grid.axisAlong(lps);
            return {found.indexAxis, direction[lps] * found.sign < 0};
        }
    return {};
}

Turned turned(const Geometry& grid, ViewKind kind) {
    const ViewPlane plane = viewPlane(kind);
    return {axisAlong(grid, plane.right), axisAlong(grid, -1 * plane.up),
            grid.axisAlong(plane.axis).indexAxis};
}

PicturePlace placeAt(const Geometry& grid, const Turned& axes, const Vec3& index) {
    const auto share = [&](const PictureAxis& of) {
        const double along = (index[of.axis] + 0.5) / grid.size()[of.axis];
        return of.reversed ? 1 - along : along;
    };
    return {share(axes.right), share(axes.down)};
}

std::uint8_t byteOf(float part) { return static_cast<std::uint8_t>(std::lround(255 * part)); }

} // namespace

int slicesAcross(const Geometry& grid, ViewKind plane) {
    return grid.size()[turned(grid, plane).across];
}

double heightOverWidth(const Geometry& grid, ViewKind plane) {
    const Turned axes = turned(grid, plane);
    const auto millimeters = [&](int axis) { return grid.size()[axis] * grid.spacing()[axis]; };
    return millimeters(axes.down.axis) / millimeters(axes.right.axis);
}

MapSlice sliceThrough(const Geometry& grid, ViewKind plane, Vec3 lps) {
    const int across = turned(grid, plane).across, last = grid.size()[across] - 1;
    const double index = grid.physicalToIndex(lps)[across];
    return {plane, static_cast<int>(std::lround(std::clamp(index, 0.0, double(last))))};
}

Vec3 inSlice(const Geometry& grid, const MapSlice& slice, Vec3 lps) {
    Vec3 index = grid.physicalToIndex(lps);
    index[turned(grid, slice.plane).across] = slice.index;
    return grid.indexToPhysical(index);
}

PicturePlace placeOf(const Geometry& grid, ViewKind plane, Vec3 lps) {
    return placeAt(grid, turned(grid, plane), grid.physicalToIndex(lps));
}

Vec3 pointAt(const Geometry& grid, const MapSlice& slice, PicturePlace place) {
    const Turned axes = turned(grid, slice.plane);
    Vec3 index;
    const auto set = [&](const PictureAxis& of, double share) {
        index[of.axis] = (of.reversed ? 1 - share : share) * grid.size()[of.axis] - 0.5;
    };
    set(axes.right, place.right);
    set(axes.down, place.down);
    index[axes.across] = slice.index;
    return grid.indexToPhysical(index);
}

std::vector<PictureLine> contourIn(const Geometry& grid, const MapSlice& slice,
                                   const TriangleMesh& mesh) {
    const Turned axes = turned(grid, slice.plane);
    std::vector<Vec3> points;
    points.reserve(mesh.points.size());
    for (const auto& [x, y, z] : mesh.points)
        points.push_back(grid.physicalToIndex({x, y, z}));
    const auto above = [&](const Vec3& point) { return point[axes.across] - slice.index; };
    std::vector<PictureLine> lines;
    for (const auto& triangle : mesh.triangles) {
        PictureLine line;
        int ends = 0;
        for (int corner = 0; corner < 3; ++corner) {
            const Vec3 &from = points[triangle[corner]], &to = points[triangle[(corner + 1) % 3]];
            if ((above(from) < 0) != (above(to) < 0))
                line[ends++] = placeAt(
                    grid, axes, from + above(from) / (above(from) - above(to)) * (to - from));
        }
        if (ends == 2)
            lines.push_back(line);
    }
    return lines;
}

RgbaImage pictureOf(const Volume& map, const MapSlice& slice, double maximum) {
    const Turned axes = turned(map.geometry, slice.plane);
    const Size3 size = map.geometry.size();
    const std::vector<Color> colors = colorTable(ColorMap::Diverging);
    const auto last = static_cast<double>(colors.size() - 1);
    RgbaImage picture{size[axes.right.axis], size[axes.down.axis], {}};
    picture.pixels.reserve(4 * static_cast<std::size_t>(picture.width) *
                           static_cast<std::size_t>(picture.height));
    int index[3] = {};
    index[axes.across] = std::clamp(slice.index, 0, size[axes.across] - 1);
    for (int row = 0; row < picture.height; ++row)
        for (int column = 0; column < picture.width; ++column) {
            index[axes.right.axis] = axes.right.at(column, picture.width);
            index[axes.down.axis] = axes.down.at(row, picture.height);
            const auto value = static_cast<double>(map.view()(index[0], index[1], index[2]));
            const double part = std::clamp(volumeContracts.place(value, maximum), 0.0, 1.0);
            const Color& color = colors[static_cast<std::size_t>(std::lround(last * part))];
            for (const float channel : {color.red, color.green, color.blue})
                picture.pixels.push_back(byteOf(channel));
            picture.pixels.push_back(255);
        }
    return picture;
}

double commonMaximum(const std::vector<std::shared_ptr<const Volume>>& maps) {
    constexpr std::size_t most = 50000; // samples per map: enough for a percentile
    std::vector<double> values;
    for (const auto& map : maps) {
        if (!map)
            continue;
        const std::size_t voxels = map->geometry.voxels(), step = 1 + voxels / most;
        for (std::size_t i = 0; i < voxels; i += step)
            values.push_back(std::abs(static_cast<double>(map->voxels.data()[i])));
    }
    constexpr double least = 1e-6;
    if (values.empty())
        return least;
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return std::max(roundUp(*at), least);
}

} // namespace systole
