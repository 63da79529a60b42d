// Chambers whose wall holds a point: where a click in a wall leads.
#include "compute/core/median.h"
#include "compute/core/points.h"
#include "compute/ops/smooth.h"
#include "compute/surface/segment_parts.h"
#include "compute/surface/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace systole {
namespace {

constexpr double smallestRadius = 6, largestRadius = 40; // radius of a ball within a chamber, mm
/// Distance from the ball to the click, mm: half a wall plus the difference of a chamber and a
/// ball.
constexpr double closest = -2, farthest = 20;
constexpr double minContrast =
    0.08;                           ///< fraction of the gray range by which chamber and wall differ
constexpr double thickestWall = 30; ///< distance from the ball up to which the wall is sought, mm
constexpr double minEnclosed = 0.4; ///< fraction of directions in which the wall must follow
constexpr std::size_t maxChambers = 6;

/// A ball within a region that is brighter or darker than the wall.
struct InnerBall {
    Vec3 center;
    double radius = 0;
    double enclosed = 0; ///< share of directions in which the wall follows
};

double grayAround(const SegmentGrid& grid, Vec3 at, double radius) {
    std::vector<double> values;
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    for (std::size_t i = 0; i < unit.size(); i += 8)
        for (const double part : {0.33, 0.66, 1.0})
            addGray(grid, at + part * radius * unit[i], values);
    values.push_back(static_cast<double>(sampledAt(grid.gray, at)));
    return median(values);
}

/// The share of directions in which something like the wall follows the ball.
double enclosure(const SegmentGrid& grid, const InnerBall& ball, double wall) {
    const double inside = grayAround(grid, ball.center, 0.7 * ball.radius);
    const double alike = 0.5 * std::abs(inside - wall), step = 0.5 * grid.spacing();
    std::size_t met = 0;
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    for (const Vec3 d : unit) {
        double thick = 0;
        for (double r = ball.radius; r < ball.radius + thickestWall && thick < 3; r += step) {
            const Vec3 at = ball.center + r * d;
            if (!isInside(grid.geometry(), at))
                break;
            const bool like =
                std::abs(static_cast<double>(sampledAt(grid.gray, at)) - wall) < alike;
            thick = like ? thick + step : 0;
        }
        met += thick >= 3;
    }
    return static_cast<double>(met) / static_cast<double>(unit.size());
}

/// Whether no voxel around has a larger ball.
bool isPeak(VolumeView<const float> phi, int x, int y, int z) {
    const float own = phi(x, y, z);
    for (int c = std::max(z - 1, 0); c <= std::min(z + 1, phi.size.z - 1); ++c)
        for (int b = std::max(y - 1, 0); b <= std::min(y + 1, phi.size.y - 1); ++b)
            for (int a = std::max(x - 1, 0); a <= std::min(x + 1, phi.size.x - 1); ++a)
                if (phi(a, b, c) < own)
                    return false;
    return true;
}

/// Adds the balls of what is brighter than the wall (sign 1) or darker (−1).
void addBalls(const SegmentGrid& grid, Vec3 click, double wall, double sign,
              std::vector<InnerBall>& balls, const ExecContext& ctx) {
    const Size3 size = grid.geometry().size();
    std::vector<std::uint8_t> inside(size.voxels());
    bool any = false, all = true;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const bool in =
            grid.known[i] != 0 &&
            sign * (static_cast<double>(grid.gray.voxels.data()[i]) - wall) > minContrast;
        inside[i] = in ? 1 : 0;
        any |= in;
        all &= in;
    }
    if (!any || all)
        return;
    Volume phi(grid.geometry(), *ctx.pool, "balls beside a wall");
    signedDistance({inside.data(), size}, grid.geometry().spacing(), phi.view(), ctx);
    const VolumeView<const float> radii = std::as_const(phi).view();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const double radius = -static_cast<double>(radii(x, y, z));
                if (radius < smallestRadius || radius > largestRadius)
                    continue;
                const Vec3 center = centerOfVoxel(grid.geometry(), x, y, z);
                const double apart = length(center - click) - radius;
                if (apart < closest || apart > farthest || !isPeak(radii, x, y, z))
                    continue;
                InnerBall ball{center, radius, 0};
                ball.enclosed = enclosure(grid, ball, wall);
                if (ball.enclosed >= minEnclosed)
                    balls.push_back(ball);
            }
}

} // namespace

std::vector<Vec3> chambersBeside(const SegmentGrid& grid, Vec3 click, const ExecContext& ctx) {
    constexpr double sampled = 2.5; // mm around the click
    SegmentGrid smooth{Volume(grid.geometry(), *ctx.pool, "smoothed gray values"), grid.known};
    smoothGaussian(grid.gray.view(), smooth.gray.view(), {0.7, 0.7, 0.7}, ctx);
    const double wall = grayAround(smooth, click, sampled);
    std::vector<InnerBall> balls;
    for (const double sign : {1.0, -1.0}) {
        ctx.throwIfCancelled();
        addBalls(smooth, click, wall, sign, balls, ctx);
    }
    std::ranges::stable_sort(balls, [](const InnerBall& a, const InnerBall& b) {
        return a.enclosed * a.radius > b.enclosed * b.radius;
    });
    std::vector<InnerBall> chambers;
    for (const InnerBall& ball : balls)
        if (chambers.size() < maxChambers &&
            std::ranges::none_of(chambers, [&](const InnerBall& other) {
                return length(ball.center - other.center) < 0.8 * other.radius;
            }))
            chambers.push_back(ball);
    std::vector<Vec3> centers;
    for (const InnerBall& chamber : chambers)
        centers.push_back(chamber.center);
    return centers;
}

} // namespace systole
