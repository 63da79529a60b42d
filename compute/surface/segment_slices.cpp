// The chamber in a stack of thick slices, as experts draw it.
#include "compute/core/median.h"
#include "compute/core/neighbors.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/segment_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Voxels brighter than the compact wall by so many of its standard deviations are blood, or
/// trabeculae between which blood lies. The difference is at
/// least the share of the contrast by which noiseless walls are blurred, and less than half of the
/// contrast, which would be the border of a voxel half blood and half muscle.
constexpr double deviations = 3, minShare = 0.15, maxShare = 0.4;
/// Distances from the borders to voxels that surely are wall, mm: the blur is half a voxel of cine
/// MR or more.
constexpr double besideChamber = 1.5, besideOutside = 1;
/// Fraction of the wall's mean thickness in a plane: nothing so near the wall's outer border is
/// chamber, because the bright fat and right ventricle beyond are blurred into it.
constexpr double compactShare = 0.4;
/// A left ventricle nearly fills its hull in a slice; a right ventricle, and a contour that has run
/// out of its chamber, do not.
constexpr double minConvex = 0.85;
/// Fraction of the contour's pixels in a plane: bright places that surround less aren't its blood
/// (shading, a jet, a thrombus, the apex's partial volume).
constexpr double minHeld = 0.5;
constexpr int linesAround = 64;
/// A slice in which muscle makes up less than `minMuscle` of the chamber's surroundings lies in
/// the atrium or the outflow tract, if in half of all slices it is `usualMuscle` or more (what was
/// clicked is a left ventricle) and the chamber isn't much smaller than in the middle (the apex).
constexpr double minMuscle = 0.75, usualMuscle = 0.9, minAreaShare = 0.5;
constexpr double surroundingFrom = 2, surroundingTo = 4; // distance from the chamber, mm

/// The gray values of compact wall.
struct WallRange {
    float darkest, brightest;
    bool holds(float gray) const { return gray >= darkest && gray <= brightest; }
};

/// None where blood isn't brighter.
std::optional<WallRange> wallRange(const SegmentGrid& grid, VolumeView<const float> phi,
                                   VolumeView<const float> outer) {
    std::vector<double> depths, blood, wall;
    for (const float level : phi.span())
        if (level < 0)
            depths.push_back(level);
    // The deeper half: a chamber may be thin.
    const double deep = depths.empty() ? 0 : median(depths);
    for (std::size_t i = 0; i < phi.voxels(); ++i) {
        const auto gray = static_cast<double>(grid.gray.voxels.data()[i]);
        if (phi.data[i] < 0 && phi.data[i] <= deep)
            blood.push_back(gray);
        else if (phi.data[i] > besideChamber && outer.data[i] < -besideOutside)
            wall.push_back(gray);
    }
    if (blood.empty() || wall.empty())
        return std::nullopt;
    const double muscle = median(wall), contrast = median(blood) - muscle;
    if (contrast <= 0)
        return std::nullopt;
    for (double& value : wall)
        value = std::abs(value - muscle);
    const double beyond = deviations * 1.4826 * median(wall);
    const double reach = std::clamp(beyond, minShare * contrast, maxShare * contrast);
    return WallRange{static_cast<float>(muscle - reach), static_cast<float>(muscle + reach)};
}

/// One plane of cubes along the slices.
class Plane {
public:
    Plane(Size3 size, int axis, int index)
        : size_(size), axis_(axis), u_((axis + 1) % 3), v_((axis + 2) % 3), index_(index) {}
    int wide() const { return size_[u_]; }
    int high() const { return size_[v_]; }
    /// Offset of the plane's pixel (a, b) in a volume.
    std::size_t offset(int a, int b) const {
        std::array<int, 3> at{};
        at[static_cast<std::size_t>(axis_)] = index_;
        at[static_cast<std::size_t>(u_)] = a;
        at[static_cast<std::size_t>(v_)] = b;
        return VolumeView<const float>(nullptr, size_).offset(at[0], at[1], at[2]);
    }
    template <typename Body>
    void overPixels(const Body& body) const {
        for (int b = 0; b < high(); ++b)
            for (int a = 0; a < wide(); ++a)
                body(a, b);
    }

private:
    Size3 size_;
    int axis_, u_, v_, index_;
};

/// The half-planes that touch a set of pixels; their common part is its convex hull.
class Hull {
public:
    Hull() {
        for (int k = 0; k < linesAround; ++k) {
            const double angle = 2 * std::numbers::pi * k / linesAround;
            lines_.push_back(
                {std::cos(angle), std::sin(angle), std::numeric_limits<double>::lowest()});
        }
    }
    void add(int a, int b) {
        for (Line& line : lines_)
            line.farthest = std::max(line.farthest, line.u * a + line.v * b);
    }
    /// How far a pixel's center lies outside of the hull of whole pixels; negative inside.
    double level(int a, int b) const {
        double highest = std::numeric_limits<double>::lowest();
        for (const Line& line : lines_)
            highest = std::max(highest, line.u * a + line.v * b - line.farthest - 0.5);
        return highest;
    }

private:
    struct Line {
        double u, v, farthest;
    };
    std::vector<Line> lines_;
};

/// How thick a ring between two circles of these areas is.
double ringOf(double inner, double outer) {
    return (std::sqrt(std::max(outer, inner)) - std::sqrt(inner)) / std::sqrt(std::numbers::pi);
}

/// The inside of phi in a plane.
struct Inside {
    double pixels = 0;
    Hull hull;
};

Inside insideOf(const Plane& plane, VolumeView<const float> phi) {
    Inside inside;
    plane.overPixels([&](int a, int b) {
        if (phi.data[plane.offset(a, b)] < 0) {
            ++inside.pixels;
            inside.hull.add(a, b);
        }
    });
    return inside;
}

/// The pixels of a plane that are within a hull, and of those that are inside of phi.
struct Held {
    double all = 0, inside = 0;
};

Held heldBy(const Hull& hull, const Plane& plane, VolumeView<const float> phi) {
    Held held;
    plane.overPixels([&](int a, int b) {
        if (hull.level(a, b) >= 0)
            return;
        ++held.all;
        held.inside += phi.data[plane.offset(a, b)] < 0 ? 1 : 0;
    });
    return held;
}

/// How near to the outer border of the wall the chamber may come in a plane, mm, negative.
float deepestIn(const Plane& plane, double spacing, double inside, VolumeView<const float> border) {
    double within = 0;
    plane.overPixels([&](int a, int b) { within += border.data[plane.offset(a, b)] < 0 ? 1 : 0; });
    return static_cast<float>(-compactShare * spacing * ringOf(inside, within));
}

/// Hull of the bright pixels of a plane that are connected within it with bright pixels of the
/// chamber, and lie farther within the border than `deepest`.
Hull hullOfBright(const Plane& plane, const SegmentGrid& grid, float brightest, float deepest,
                  VolumeView<const float> phi, VolumeView<const float> border) {
    std::vector<std::uint8_t> taken(static_cast<std::size_t>(plane.wide() * plane.high()));
    std::vector<std::array<int, 2>> waiting;
    const auto take = [&](int a, int b) {
        const std::size_t i = plane.offset(a, b);
        std::uint8_t& is = taken[static_cast<std::size_t>(b * plane.wide() + a)];
        if (!is && grid.gray.voxels.data()[i] > brightest && border.data[i] < deepest) {
            is = 1;
            waiting.push_back({a, b});
        }
    };
    plane.overPixels([&](int a, int b) {
        if (phi.data[plane.offset(a, b)] < 0)
            take(a, b);
    });
    Hull hull;
    while (!waiting.empty()) {
        const auto [a, b] = waiting.back();
        waiting.pop_back();
        hull.add(a, b);
        overFaces({plane.wide(), plane.high(), 1}, a, b, 0, [&](int x, int y, int) { take(x, y); });
    }
    return hull;
}

/// `level` in a plane becomes the hull of what is bright, where that may be a ventricle.
void roundIn(const Plane& plane, const SegmentGrid& grid, float brightest,
             VolumeView<const float> phi, VolumeView<const float> border, VolumeView<float> level) {
    const Inside inside = insideOf(plane, phi);
    if (inside.pixels < minConvex * heldBy(inside.hull, plane, phi).all)
        return;
    const float deepest = deepestIn(plane, grid.spacing(), inside.pixels, border);
    const Hull hull = hullOfBright(plane, grid, brightest, deepest, phi, border);
    if (heldBy(hull, plane, phi).inside <= minHeld * inside.pixels)
        return;
    plane.overPixels([&](int a, int b) {
        const std::size_t i = plane.offset(a, b);
        // Pixels outside the contour aren't added near the border.
        level.data[i] = std::max(static_cast<float>(grid.spacing() * hull.level(a, b)),
                                 std::min(phi.data[i], border.data[i] - deepest));
    });
}

/// Surroundings of the chamber in a plane.
struct Surrounding {
    double area = 0;   ///< area of the chamber, pixels; 0: there is none
    double muscle = 0; ///< share of the surroundings that is like compact wall
};

Surrounding surroundingOf(const Plane& plane, const SegmentGrid& grid, const WallRange& wall,
                          VolumeView<const float> level) {
    Surrounding found;
    double ring = 0, muscle = 0;
    plane.overPixels([&](int a, int b) {
        const std::size_t i = plane.offset(a, b);
        found.area += level.data[i] < 0 ? 1 : 0;
        if (level.data[i] < surroundingFrom || level.data[i] > surroundingTo)
            return;
        ++ring;
        muscle += wall.holds(grid.gray.voxels.data()[i]) ? 1 : 0;
    });
    found.muscle = ring > 0 ? muscle / ring : 0;
    return found;
}

/// The first and the last plane of the ventricle.
std::pair<int, int> ventricleAmong(const std::vector<Surrounding>& around) {
    std::vector<int> held;
    std::vector<double> shares;
    for (std::size_t i = 0; i < around.size(); ++i)
        if (around[i].area > 0) {
            held.push_back(static_cast<int>(i));
            shares.push_back(around[i].muscle);
        }
    int first = 0, last = static_cast<int>(around.size()) - 1;
    if (held.empty() || median(shares) < usualMuscle)
        return {first, last};
    const int middle = held[held.size() / 2];
    const double minArea = minAreaShare * around[static_cast<std::size_t>(middle)].area;
    for (const int plane : held) {
        const Surrounding& here = around[static_cast<std::size_t>(plane)];
        if (here.muscle >= minMuscle || here.area < minArea)
            continue;
        if (plane < middle)
            first = plane + 1;
        else
            last = std::min(last, plane - 1);
    }
    return {first, last};
}

} // namespace

Volume hullInSlices(const SegmentGrid& grid, const Volume& chamber, const Volume& outer,
                    bool endsAtValves, const ExecContext& ctx) {
    const VolumeView<const float> phi = chamber.view();
    Volume out(grid.geometry(), *ctx.pool, "chamber in slices");
    std::ranges::copy(phi.span(), out.voxels.data());
    const std::optional<WallRange> wall = wallRange(grid, phi, outer.view());
    if (!wall)
        return out;
    const int planes = phi.size[grid.thickAxis];
    std::vector<Surrounding> around(static_cast<std::size_t>(planes));
    overItems(around.size(), 1, ctx, [&](std::size_t index) {
        const Plane plane(phi.size, grid.thickAxis, static_cast<int>(index));
        roundIn(plane, grid, wall->brightest, phi, outer.view(), out.view());
        around[index] = surroundingOf(plane, grid, *wall, out.view());
    });
    if (endsAtValves) {
        const auto [first, last] = ventricleAmong(around);
        for (int index = 0; index < planes; ++index) {
            const auto beyond =
                static_cast<float>(grid.spacing() * (std::max(first - index, index - last) - 0.5));
            const Plane plane(phi.size, grid.thickAxis, index);
            plane.overPixels([&](int a, int b) {
                float& level = out.voxels.data()[plane.offset(a, b)];
                level = std::max(level, beyond);
            });
        }
    }
    return out;
}

} // namespace systole
