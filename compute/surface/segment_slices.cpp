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

namespace systole {
namespace {

/// What is brighter than the compact wall by so many of its standard deviations is blood, or
/// trabeculae between which blood lies; as a share of the contrast within these limits.
constexpr double deviations = 3, leastShare = 0.15, mostShare = 0.4;
/// Of the wall's mean thickness in a plane: nothing so near its outer border is chamber.
constexpr double compactShare = 0.4;
constexpr int linesAround = 64;

/// The gray value above which a voxel isn't compact wall; none where blood isn't brighter.
std::optional<float> brightestOfWall(const SegmentGrid& grid, VolumeView<const float> phi,
                                     VolumeView<const float> outer) {
    std::vector<double> blood, wall;
    for (std::size_t i = 0; i < phi.voxels(); ++i) {
        const auto gray = static_cast<double>(grid.gray.voxels.data()[i]);
        if (phi.data[i] < -4)
            blood.push_back(gray);
        else if (phi.data[i] > 1.5f && outer.data[i] < -1)
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
    return static_cast<float>(muscle +
                              std::clamp(beyond, leastShare * contrast, mostShare * contrast));
}

/// One plane of cubes along the slices.
class Plane {
public:
    Plane(Size3 size, int axis, int index)
        : size_(size), axis_(axis), u_((axis + 1) % 3), v_((axis + 2) % 3), index_(index) {}
    int wide() const { return size_[u_]; }
    int high() const { return size_[v_]; }
    /// Of a voxel in a volume.
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
        double most = std::numeric_limits<double>::lowest();
        for (const Line& line : lines_)
            most = std::max(most, line.u * a + line.v * b - line.farthest - 0.5);
        return most;
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

/// Around what is bright in a plane, connected within it with what is bright in the chamber, and
/// no compact wall. None where nothing is.
std::optional<Hull> hullOfBright(const Plane& plane, const SegmentGrid& grid, float brightest,
                                 VolumeView<const float> phi, VolumeView<const float> border) {
    double inside = 0, within = 0;
    plane.overPixels([&](int a, int b) {
        inside += phi.data[plane.offset(a, b)] < 0 ? 1 : 0;
        within += border.data[plane.offset(a, b)] < 0 ? 1 : 0;
    });
    const auto deepest =
        static_cast<float>(-compactShare * grid.spacing() * ringOf(inside, within));
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
    if (waiting.empty())
        return std::nullopt;
    Hull hull;
    while (!waiting.empty()) {
        const auto [a, b] = waiting.back();
        waiting.pop_back();
        hull.add(a, b);
        overFaces({plane.wide(), plane.high(), 1}, a, b, 0, [&](int x, int y, int) { take(x, y); });
    }
    return hull;
}

} // namespace

Volume hullInSlices(const SegmentGrid& grid, const Volume& chamber, const Volume& outer,
                    const ExecContext& ctx) {
    const VolumeView<const float> phi = chamber.view();
    Volume out(grid.geometry(), *ctx.pool, "chamber in slices");
    std::ranges::copy(phi.span(), out.voxels.data());
    const std::optional<float> brightest = brightestOfWall(grid, phi, outer.view());
    if (!brightest)
        return out;
    const auto planes = static_cast<std::size_t>(phi.size[grid.thickAxis]);
    overItems(planes, 1, ctx, [&](std::size_t index) {
        const Plane plane(phi.size, grid.thickAxis, static_cast<int>(index));
        const std::optional<Hull> hull = hullOfBright(plane, grid, *brightest, phi, outer.view());
        if (hull)
            plane.overPixels([&](int a, int b) {
                out.voxels.data()[plane.offset(a, b)] =
                    static_cast<float>(grid.spacing() * hull->level(a, b));
            });
    });
    return out;
}

} // namespace systole
