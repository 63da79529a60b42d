// Shapes fitted to radii, and where the border of an echo lies.
#include "compute/surface/segment_grid.h"
#include "compute/surface/star_contour.h"
#include "compute/surface/star_shape.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

const std::vector<Vec3>& directions() { return StarDirections::standard().unit; }
const VentriclePoints ventricle{{0, 0, -50}, {0, 0, 30}, {35, 0, 0}};
constexpr double wide = 25;
const Vec3 center{0, 0, -2};

/// The ellipsoid about the ring, x^2 and y^2 over the square of `across`, along each direction.
double exitOf(Vec3 d, double across) {
    double low = 0, high = 200;
    for (int i = 0; i < 60; ++i) {
        const double r = 0.5 * (low + high);
        const Vec3 p = center + r * d - ventricle.mitral;
        const double level = (p.x * p.x + p.y * p.y) / (across * across) + p.z * p.z / (80.0 * 80);
        (level < 1 ? low : high) = r;
    }
    return low;
}

TEST(StarShape, BeginsAsHalfAnEllipsoidFromRingToApex) {
    const StarShape shape = StarShape::ofVentricle(ventricle, wide, center);
    for (std::size_t i = 0; i < directions().size(); ++i)
        EXPECT_NEAR(shape.radii()[i], exitOf(directions()[i], wide), 1e-6);
}

TEST(StarShape, WidensToWhatIsFoundAndLeavesTheApexInItsPlace) {
    StarShape shape = StarShape::ofVentricle(ventricle, wide, center);
    const std::vector<double> first = shape.radii();
    std::vector<double> found;
    std::vector<bool> counts;
    std::size_t apex = 0;
    for (std::size_t i = 0; i < directions().size(); ++i) {
        const Vec3 d = directions()[i];
        found.push_back(exitOf(d, 1.2 * wide));
        counts.push_back(center.z + found[i] * d.z < ventricle.mitral.z);
        if (d.z < directions()[apex].z)
            apex = i;
        // A fifth of the rays runs through a gap.
        if (d.x > 0.6)
            found[i] *= 1.8;
    }
    shape.fit(found, counts);
    double before = 0, after = 0, rays = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (counts[i] && directions()[i].x < 0.6) {
            before += std::abs(first[i] - found[i]);
            after += std::abs(shape.radii()[i] - found[i]);
            ++rays;
        }
    EXPECT_GT(before / rays, 2);
    EXPECT_LT(after / rays, 1.2);
    EXPECT_NEAR(shape.radii()[apex], first[apex], 0.5);
}

TEST(StarShape, ABallBecomesAnEllipsoidOffItsCenter) {
    StarShape shape = StarShape::aroundBall(20);
    std::vector<double> found;
    for (const Vec3 d : directions())
        found.push_back(20 * (1 + 0.2 * d.x + 0.3 * d.z * d.z));
    shape.fit(found, std::vector<bool>(found.size(), true));
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(shape.radii()[i], found[i], 0.7);
}

TEST(EchoBorder, LiesWhereThePowerIsMidwayOnALogarithmicScale) {
    SegmentGrid grid;
    grid.decibels = 60;
    for (const double contrast : {0.1, 0.3, 0.8}) {
        const double blood = std::pow(10, -6 * contrast); // power, the wall's is 1
        const double border = std::pow(10, -6 * contrast * (1 - grid.echoBorder(contrast)));
        EXPECT_NEAR(border, 0.5 * (1 + blood), 1e-9);
    }
}

} // namespace
} // namespace systole
