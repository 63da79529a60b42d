// The axes of the heart, and where a ventricle lies, against closed forms.
#include "compute/cardiac/aha.h"
#include "compute/core/error.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole::cardiac {
namespace {

using ::testing::HasSubstr;
using testing::mapOf;

constexpr double degree = std::numbers::pi / 180;

double angleBetween(Vec3 a, Vec3 b) { return std::acos(std::min(1.0, dot(a, b))) / degree; }

/// Expected harmonic depth and axes of a shell at a point.
struct Truth {
    double depth;
    Vec3 radial, longitudinal;
};

struct Errors {
    double depth = 0, radial = 0, longitudinal = 0; ///< root mean square; mean degrees
};

Errors errorsOf(const Ventricle& v, const std::function<Truth(Vec3)>& truthAt) {
    Errors errors;
    const auto n = static_cast<double>(v.wall.count());
    for (std::size_t i = 0; i < v.wall.count(); ++i) {
        const Truth truth = truthAt(v.wall.position(i));
        errors.depth += (v.depth[i] - truth.depth) * (v.depth[i] - truth.depth) / n;
        errors.radial += angleBetween(v.axes[i].radial, truth.radial) / n;
        errors.longitudinal += angleBetween(v.axes[i].longitudinal, truth.longitudinal) / n;
        EXPECT_NEAR(dot(v.axes[i].radial, v.axes[i].longitudinal), 0, 1e-9);
        EXPECT_NEAR(length(v.axes[i].circumferential), 1, 1e-9);
        EXPECT_LT(
            length(cross(v.axes[i].longitudinal, v.axes[i].radial) - v.axes[i].circumferential),
            1e-12);
    }
    errors.depth = std::sqrt(errors.depth);
    return errors;
}

class HeartShells : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    /// Turned and mirrored, slices thicker; its middle at (4, −2, 6).
    Geometry grid = [] {
        const double c = std::cos(0.4), s = std::sin(0.4);
        const Matrix3 turned{{{c, s, 0}, {-s, c, 0}, {0, 0, -1}}};
        const Geometry at0({64, 64, 52}, {1.5, 1.5, 1.8}, {}, turned);
        return Geometry({64, 64, 52}, {1.5, 1.5, 1.8}, Vec3{4, -2, 6} - at0.center(), turned);
    }();
};

TEST_F(HeartShells, AHalfBallHasTheHarmonicDepthOfABall) {
    const Vec3 center{4, -2, 30};
    constexpr double inner = 20, outer = 32;
    const Ventricle v =
        ventricleOf(mapOf(grid,
                          [&](Vec3 p) {
                              const double r = length(p - center);
                              return p.z > center.z || r > outer ? Tissue::Other
                                     : r < inner                 ? Tissue::Cavity
                                                                 : Tissue::Wall;
                          }),
                    {center - Vec3{0, 0, inner}, center, center + Vec3{0, 9, 0}}, ctx);
    const Errors errors = errorsOf(v, [&](Vec3 p) {
        const Vec3 d = p - center;
        const Vec3 radial = (1 / length(d)) * d;
        const Vec3 up = Vec3{0, 0, 1} - radial.z * radial;
        return Truth{(1 / inner - 1 / length(d)) / (1 / inner - 1 / outer), radial,
                     (1 / std::max(length(up), 1e-9)) * up};
    });
    EXPECT_LT(errors.depth, 0.01);
    EXPECT_LT(errors.radial, 0.9);
    EXPECT_LT(errors.longitudinal, 1.0);
}

/// Ellipsoids of revolution with the same foci, cut at their middle: the depth is a function of
/// the coordinate ξ = (distances from both foci) / 2f alone, ln((ξ + 1) / (ξ − 1)).
TEST_F(HeartShells, AnEllipsoidHasTheHarmonicDepthOfItsCoordinates) {
    const Vec3 center{4, -2, 42};
    constexpr double focus = 46, inner = 54, outer = 62;
    const auto distances = [&](Vec3 p) {
        return std::pair(p - center + Vec3{0, 0, focus}, p - center - Vec3{0, 0, focus});
    };
    const auto xi = [&](Vec3 p) {
        const auto [one, other] = distances(p);
        return (length(one) + length(other)) / (2 * focus);
    };
    const auto potential = [](double x) { return std::log((x + 1) / (x - 1)); };
    const Ventricle v = ventricleOf(mapOf(grid,
                                          [&](Vec3 p) {
                                              const double a = focus * xi(p);
                                              return p.z > center.z || a > outer ? Tissue::Other
                                                     : a < inner                 ? Tissue::Cavity
                                                                                 : Tissue::Wall;
                                          }),
                                    {}, ctx);
    const double first = potential(inner / focus), last = potential(outer / focus);
    const Errors errors = errorsOf(v, [&](Vec3 p) {
        const auto [one, other] = distances(p);
        const Vec3 slope = (1 / length(one)) * one + (1 / length(other)) * other;
        const Vec3 radial = (1 / length(slope)) * slope;
        const Vec3 d = p - center;
        const double r = std::max(std::hypot(d.x, d.y), 1e-9);
        return Truth{(potential(xi(p)) - first) / (last - first), radial,
                     cross({-d.y / r, d.x / r, 0}, -1.0 * radial)};
    });
    EXPECT_LT(errors.depth, 0.01);
    EXPECT_LT(errors.radial, 0.9);
    EXPECT_LT(errors.longitudinal, 1.5);
    EXPECT_LT(angleBetween(v.axis().towardsBase(), {0, 0, 1}), 0.5);
    EXPECT_LT(length(v.axis().apex() - (center - Vec3{0, 0, inner})), 1.8);
    EXPECT_LT(length(v.axis().at(v.axis().length()) - center), 1.8);
    EXPECT_FALSE(v.placement.insertionKnown);
    EXPECT_THAT(v.placement.notes, ::testing::Contains(HasSubstr("segments may be turned")));
}

/// A heart with its right ventricle, in the patient: apex towards the left, front and feet.
struct WholeHeart {
    Vec3 apex{30, -20, -25}, mitral{-10, 10, 10};
    LongAxis axis{apex, mitral, apex + Vec3{-1, -1, 0.3}};

    Tissue at(Vec3 p) const {
        const double share = axis.share(p), along = 1 - std::min(1.0, std::max(share, 0.0));
        const Vec3 foot = axis.at(axis.height(p));
        const double r = length(p - foot) / std::sqrt(std::max(1e-9, 1 - along * along));
        if (share > 1 || share < -0.12)
            return Tissue::Other;
        if (share > 0.02 && r < 16)
            return Tissue::Cavity;
        if (share < 0 ? length(p - foot) < 9 : r < 24)
            return Tissue::Wall;
        const double angle = axis.angle(p);
        return share > 0.2 && r < 40 && angle > 0 && angle < 120 ? Tissue::RightVentricle
                                                                 : Tissue::Other;
    }
};

TEST_F(HeartShells, SegmentsAreTheSameOnTurnedAndMirroredGrids) {
    const WholeHeart heart;
    const Matrix3 turns[] = {
        identity3,
        {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, // mirrored
        {{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}}, // sagittal
        {{{0, -1, 0}, {0, 0, 1}, {1, 0, 0}}},
        {{{0.8, 0.6, 0}, {-0.6, 0.8, 0}, {0, 0, 1}}}, // oblique
        {{{0.8, 0, 0.6}, {0, -1, 0}, {-0.6, 0, 0.8}}},
    };
    for (const Matrix3& turn : turns) {
        const Geometry at0({60, 60, 60}, {2, 2, 2}, {}, turn);
        const Geometry own({60, 60, 60}, {2, 2, 2},
                           0.5 * (heart.apex + heart.mitral) - at0.center(), turn);
        const TissueMap map = mapOf(own, [&](Vec3 p) { return heart.at(p); });
        const Ventricle found = ventricleOf(map, {heart.apex, heart.mitral, {}}, ctx);
        ASSERT_TRUE(found.placement.insertionKnown);
        EXPECT_LT(angleBetween(found.axis().outwards(0), heart.axis.outwards(0)), 8);
        const Vec3 insertion = heart.axis.at(20) + 20.0 * heart.axis.outwards(0);
        const Ventricle v = ventricleOf(map, {heart.apex, heart.mitral, insertion}, ctx);
        std::size_t same = 0;
        for (std::size_t i = 0; i < v.wall.count(); ++i) {
            const Vec3 p = v.wall.position(i);
            same +=
                ahaSegment(v.axis().share(p), v.axis().angle(p), AhaModel::Seventeen) ==
                        ahaSegment(heart.axis.share(p), heart.axis.angle(p), AhaModel::Seventeen)
                    ? 1
                    : 0;
        }
        EXPECT_GT(static_cast<double>(same), 0.98 * static_cast<double>(v.wall.count()));
    }
}

TEST(Aha, ShareAndAngleGiveTheSegmentsOfCerqueira) {
    const LongAxis axis({0, 0, 0}, {0, 0, 80}, {0, -30, 40}); // base up; front of the patient is 0
    // Seen from the apex, from below: counter-clockwise from the front is towards the right (−x).
    EXPECT_NEAR(axis.angle({-10, 0, 40}), 90, 1e-9);
    EXPECT_NEAR(axis.angle({10, 0, 40}), 270, 1e-9);
    EXPECT_NEAR(length(axis.outwards(90) - Vec3{-1, 0, 0}), 0, 1e-12);
    const auto name = [](double share, double angle, AhaModel model = AhaModel::Seventeen) {
        return ahaNames(model).at(static_cast<std::size_t>(ahaSegment(share, angle, model) - 1));
    };
    EXPECT_EQ(name(0.9, 359), "basal anterior");
    EXPECT_EQ(name(0.9, 1), "basal anteroseptal");
    EXPECT_EQ(name(0.66, 119), "basal inferoseptal");
    EXPECT_EQ(name(0.64, 121), "mid inferior");
    EXPECT_EQ(name(0.31, 181), "mid inferolateral");
    EXPECT_EQ(name(0.5, 299), "mid anterolateral");
    EXPECT_EQ(name(0.2, 330), "apical anterior");
    EXPECT_EQ(name(0.2, 60), "apical septal");
    EXPECT_EQ(name(0.2, 150), "apical inferior");
    EXPECT_EQ(name(0.2, 240), "apical lateral");
    EXPECT_EQ(name(0.2, 14.9), "apical anterior");
    EXPECT_EQ(name(0.2, 15.1), "apical septal");
    EXPECT_EQ(name(-0.05, 60), "apex");
    EXPECT_EQ(name(-0.05, 60, AhaModel::Sixteen), "apical septal");
    EXPECT_EQ(name(-0.05, 61, AhaModel::Eighteen), "apical inferoseptal");
    EXPECT_EQ(ahaNames(AhaModel::Eighteen).size(), 18u);
}

TEST_F(HeartShells, RefusesInOneSentence) {
    const auto refused = [&](const std::function<Tissue(Vec3)>& tissue, const GivenPoints& points,
                             const char* what) {
        try {
            ventricleOf(mapOf(grid, tissue), points, ctx);
            ADD_FAILURE() << "not refused: " << what;
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), HasSubstr(what));
        }
    };
    const Vec3 center{4, -2, 6};
    const auto closed = [&](Vec3 p) {
        const double r = length(p - center);
        return r < 15 ? Tissue::Cavity : r < 25 ? Tissue::Wall : Tissue::Other;
    };
    refused([](Vec3) { return Tissue::Other; }, {}, "0 voxels of wall");
    refused(closed, {}, "closed all around");
    refused(closed, {center, center, {}}, "no long axis");
    refused([&](Vec3 p) { return p.z > 6 ? Tissue::Other : closed(p); },
            {center - Vec3{0, 0, 15}, center, center}, "lies on the long axis");
}

} // namespace
} // namespace systole::cardiac
