#include "app/features/cardiac/heart_picture.h"

#include "app/features/cardiac/wall_mesh.h"
#include "compute/core/points.h"
#include "compute/ops/sample_at.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace systole {
namespace {

struct Rgb {
    double red = 0, green = 0, blue = 0;
};
constexpr Rgb cavityColor{255, 140, 90}, wallColor{77, 184, 255}, contourColor{255, 224, 60};
constexpr double plainGround = 96;       ///< gray value without an image: black would look like one
constexpr double tint = 0.35;            ///< opacity of the labels over the image
constexpr double lineWidth = 1.6;        ///< pixels
constexpr double roomAround = 1.35;      ///< picture's size relative to the wall's
constexpr double insertionDegrees = 120; ///< position of the anterior insertion in the bull's-eye

Rgb mixed(Rgb below, Rgb above, double share) {
    const auto mix = [share](double a, double b) { return (1 - share) * a + share * b; };
    return {mix(below.red, above.red), mix(below.green, above.green), mix(below.blue, above.blue)};
}

/// One plane: pixels and millimeters.
class Tile {
public:
    Tile(const HeartPlane& plane, double reach) : plane_(plane), reach_(reach) {}

    Vec3 position(int x, int y) const {
        return plane_.center + millimeters(x + 0.5) * plane_.right -
               millimeters(y + 0.5) * plane_.up;
    }
    Vec3 normal() const { return cross(plane_.right, plane_.up); }
    /// Height above the plane.
    double height(Vec3 p) const { return dot(p - plane_.center, normal()); }
    struct Pixel {
        double x, y;
    };
    Pixel pixel(Vec3 p) const {
        const double scale = heartTile / (2 * reach_);
        return {heartTile / 2.0 + scale * dot(p - plane_.center, plane_.right),
                heartTile / 2.0 - scale * dot(p - plane_.center, plane_.up)};
    }

private:
    double millimeters(double pixel) const { return reach_ * (2 * pixel / heartTile - 1); }
    HeartPlane plane_;
    double reach_;
};

using Coverage = std::vector<double>; ///< coverage of a tile's pixels, 0 to 1

std::size_t offsetIn(int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(heartTile) +
           static_cast<std::size_t>(x);
}

void drawSegment(Tile::Pixel a, Tile::Pixel b, Coverage& line) {
    const double around = lineWidth / 2 + 1;
    const auto from = [&](double low) { return std::max(0, static_cast<int>(low - around)); };
    const auto to = [&](double high) {
        return std::min(heartTile - 1, static_cast<int>(high + around));
    };
    const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    for (int y = from(std::min(a.y, b.y)); y <= to(std::max(a.y, b.y)); ++y)
        for (int x = from(std::min(a.x, b.x)); x <= to(std::max(a.x, b.x)); ++x) {
            const double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
            const double part =
                squared > 0 ? std::clamp((px * dx + py * dy) / squared, 0.0, 1.0) : 0;
            const double away = std::hypot(px - part * dx, py - part * dy);
            double& covered = line[offsetIn(x, y)];
            covered = std::max(covered, std::clamp(lineWidth / 2 + 0.5 - away, 0.0, 1.0));
        }
}

/// Line along which the triangles cut the plane.
Coverage contourIn(const Tile& tile, const TriangleMesh& mesh) {
    Coverage line(offsetIn(0, heartTile), 0.0);
    std::vector<double> heights;
    heights.reserve(mesh.points.size());
    for (const auto& point : mesh.points)
        heights.push_back(tile.height(widened(point)));
    for (const auto& triangle : mesh.triangles) {
        std::vector<Tile::Pixel> ends;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto i = static_cast<std::size_t>(triangle[k]),
                       j = static_cast<std::size_t>(triangle[(k + 1) % 3]);
            if ((heights[i] < 0) == (heights[j] < 0))
                continue;
            const double share = heights[i] / (heights[i] - heights[j]);
            const Vec3 p = widened(mesh.points[i]), q = widened(mesh.points[j]);
            ends.push_back(tile.pixel(p + share * (q - p)));
        }
        if (ends.size() == 2)
            drawSegment(ends[0], ends[1], line);
    }
    return line;
}

bool isAt(const cardiac::TissueVoxels& tissue, Vec3 position) {
    if (tissue.placeOf.empty())
        return false;
    const Vec3 index = tissue.grid.physicalToIndex(position);
    return tissue.place(static_cast<int>(std::lround(index.x)),
                        static_cast<int>(std::lround(index.y)),
                        static_cast<int>(std::lround(index.z))) >= 0;
}

/// Gray values of all tiles, NaN beside the image.
std::vector<std::vector<float>> grayIn(const std::vector<Tile>& tiles,
                                       const VolumeView<const float>& image, const Geometry& grid) {
    std::vector<std::vector<float>> gray;
    for (const Tile& tile : tiles) {
        gray.emplace_back(offsetIn(0, heartTile), std::numeric_limits<float>::quiet_NaN());
        for (int y = 0; y < heartTile; ++y)
            for (int x = 0; x < heartTile; ++x) {
                const Vec3 index = grid.physicalToIndex(tile.position(x, y));
                const Size3 size = grid.size();
                bool inside = true;
                for (int axis = 0; axis < 3; ++axis)
                    inside = inside && index[axis] > -0.5 && index[axis] < size[axis] - 0.5;
                if (inside)
                    gray.back()[offsetIn(x, y)] = valueAt(image, index);
            }
    }
    return gray;
}

struct GrayRange {
    float low = 0, high = 1;
    double of(float value) const {
        return std::isnan(value)
                   ? 0
                   : 255 * std::clamp(static_cast<double>((value - low) / (high - low)), 0.0, 1.0);
    }
};
GrayRange rangeIn(const std::vector<std::vector<float>>& gray) {
    std::vector<float> values;
    for (const auto& tile : gray)
        std::ranges::copy_if(tile, std::back_inserter(values),
                             [](float value) { return std::isfinite(value); });
    if (values.empty())
        return {};
    const auto at = [&](double share) {
        const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                                share * static_cast<double>(values.size() - 1));
        std::ranges::nth_element(values, place);
        return *place;
    };
    const float low = at(0.01), high = at(0.99);
    return {low, high > low ? high : low + 1};
}

} // namespace

std::array<HeartPlane, 4> heartPlanes(const cardiac::Ventricle& ventricle) {
    const cardiac::LongAxis& axis = ventricle.axis();
    const Vec3 base = axis.towardsBase(), towardsViewer = -1.0 * base;
    // The insertion, turned back to 0 degrees of the bull's-eye.
    const Vec3 insertion = axis.outwards(0);
    const double turn = -insertionDegrees * std::numbers::pi / 180;
    const Vec3 right =
        std::cos(turn) * insertion + std::sin(turn) * cross(towardsViewer, insertion);
    const Vec3 up = cross(towardsViewer, right);
    const auto shortAxis = [&](double share, const char* name) {
        return HeartPlane{axis.at(share * axis.length()), right, up, name};
    };
    return {shortAxis(0.75, "basal"), shortAxis(0.5, "mid"), shortAxis(0.25, "apical"),
            HeartPlane{axis.at(axis.length() / 2), right, base, "long axis"}};
}

double heartPictureReach(const cardiac::Ventricle& ventricle) {
    const cardiac::LongAxis& axis = ventricle.axis();
    double reach = axis.length() / 2;
    for (std::size_t i = 0; i < ventricle.wall.count(); ++i) {
        const Vec3 p = ventricle.wall.position(i);
        reach = std::max({reach, length(p - axis.at(axis.height(p))),
                          std::abs(axis.height(p) - axis.length() / 2)});
    }
    return roomAround * reach;
}

RgbaImage heartPicture(const StrainOutcome& outcome, std::size_t t,
                       const VolumeView<const float>* image, const Geometry& grid, bool labels) {
    const cardiac::Ventricle& ventricle = *outcome.ventricle;
    const auto planes = heartPlanes(ventricle);
    const double reach = heartPictureReach(ventricle);
    std::vector<Tile> tiles;
    for (const HeartPlane& plane : planes)
        tiles.emplace_back(plane, reach);
    const auto gray = image ? grayIn(tiles, *image, grid) : std::vector<std::vector<float>>{};
    const GrayRange range = rangeIn(gray);
    const TriangleMesh wall =
        wallMesh(outcome.measures.shells[t], outcome.measures.shellSegments, 0);

    const int count = static_cast<int>(tiles.size());
    RgbaImage picture{count * heartTile + (count - 1) * heartTileGap, heartTile, {}};
    picture.pixels.assign(
        4 * static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(heartTile), 255);
    for (int n = 0; n < count; ++n) {
        const Tile& tile = tiles[static_cast<std::size_t>(n)];
        const Coverage line = contourIn(tile, wall);
        for (int y = 0; y < heartTile; ++y)
            for (int x = 0; x < heartTile; ++x) {
                const double value =
                    image ? range.of(gray[static_cast<std::size_t>(n)][offsetIn(x, y)])
                          : plainGround;
                Rgb color{value, value, value};
                if (const Vec3 p = tile.position(x, y); labels && isAt(ventricle.wall, p))
                    color = mixed(color, wallColor, tint);
                else if (labels && isAt(ventricle.cavity, p))
                    color = mixed(color, cavityColor, tint);
                color = mixed(color, contourColor, line[offsetIn(x, y)]);
                std::uint8_t* const at =
                    picture.pixels.data() +
                    4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                         static_cast<std::size_t>(n * (heartTile + heartTileGap) + x));
                at[0] = static_cast<std::uint8_t>(std::lround(color.red));
                at[1] = static_cast<std::uint8_t>(std::lround(color.green));
                at[2] = static_cast<std::uint8_t>(std::lround(color.blue));
            }
    }
    return picture;
}

} // namespace systole
