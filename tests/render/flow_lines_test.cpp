// Lines of fields whose lines are known.
#include "compute/core/exec.h"
#include "render/flow_lines.h"
#include "render/glyph_sampling.h"
#include "tests/support/linear_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

class FlowLines : public testing::Test {
protected:
    static sampling::ArrowSource sourceOf(const VectorField& field) {
        return arrowSource(field, {});
    }
    /// Field of a turn about the third axis: w = angle × (p − center).
    VectorField vortex(double angle) {
        return linearField(grid_, {{{0, -angle, 0}, {angle, 0, 0}, {0, 0, 0}}}, resources_.pool());
    }
    /// The displacement of such a turn by a finite angle.
    VectorField turn(double angle) {
        const double c = std::cos(angle), s = std::sin(angle);
        return linearField(grid_, {{{c - 1, -s, 0}, {s, c - 1, 0}, {0, 0, 0}}}, resources_.pool());
    }
    const Geometry grid_{
        {41, 41, 9}, {1, 1, 2}, {-20, -20, -8}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}};
    const Vec3 center_ = grid_.center();
    ExecResources resources_{1};
};

TEST_F(FlowLines, AStreamlineOfAVortexStaysOnItsCircle) {
    const VectorField field = vortex(0.2);
    const double radius = 10, around = 2 * std::numbers::pi * radius;
    const FlowLine line =
        streamline(sourceOf(field), center_ + Vec3{radius, 0, 0}, {.length = around, .step = 0.5});
    ASSERT_GT(line.size(), 100u);
    double length = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const Vec3 from = line[i].position - center_;
        EXPECT_NEAR(std::hypot(from.x, from.y), radius, 1e-4);
        EXPECT_NEAR(from.z, 0, 1e-6);
        EXPECT_NEAR(line[i].magnitude, 0.2 * radius, 1e-4);
        if (i > 0) {
            // The line follows the motion: counterclockwise.
            const Vec3 before = line[i - 1].position - center_;
            EXPECT_GT(before.x * from.y - before.y * from.x, 0);
            length += systole::length(line[i].position - line[i - 1].position);
        }
    }
    EXPECT_NEAR(length, around, 1);
}

TEST_F(FlowLines, AStreamlineEndsWithTheFieldTheMotionAndTheTissue) {
    const VectorField field = vortex(0.2);
    sampling::ArrowSource source = sourceOf(field);
    const Vec3 start = center_ + Vec3{10, 0, 0};
    EXPECT_TRUE(streamline(source, center_ + Vec3{100, 0, 0}, {.length = 10}).empty());
    source.smallestMagnitude = 3; // 2 there
    EXPECT_TRUE(streamline(source, start, {.length = 10}).empty());
    source.smallestMagnitude = 0;
    const std::size_t whole = streamline(source, start, {.length = 40, .step = 0.5}).size();
    Volume image(grid_, resources_.pool(), "image");
    for (int z = 0; z < 9; ++z)
        for (int y = 0; y < 41; ++y)
            for (int x = 0; x < 41; ++x) {
                const Vec3 p = grid_.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                image.view()(x, y, z) = p.y > center_.y + 3 ? 0.0f : 100.0f;
            }
    GlyphRules rules;
    rules.image = &image;
    rules.darkest = 50;
    const FlowLine lit = streamline(arrowSource(field, rules), start, {.length = 40, .step = 0.5});
    ASSERT_FALSE(lit.empty());
    EXPECT_LT(lit.size(), whole);
    for (const FlowPoint& point : lit)
        EXPECT_LT(point.position.y, center_.y + 4);
}

TEST_F(FlowLines, InASliceALineStaysInItsPlane) {
    const VectorField field =
        linearField(grid_, {{{0, -0.2, 0}, {0.2, 0, 0}, {0.5, 0, 0}}}, resources_.pool());
    for (const FlowPoint& point : streamline(sourceOf(field), center_ + Vec3{8, 0, 1},
                                             {.length = 30, .step = 0.5, .axis = 2}))
        EXPECT_NEAR(point.position.z, center_.z + 1, 1e-9);
}

TEST_F(FlowLines, APathlineOfTurnsIsAtTheirAngles) {
    const int steps = 12;
    const double angle = 2 * std::numbers::pi / steps;
    const VectorField step = turn(angle);
    const std::vector<sampling::ArrowSource> cycle(steps, sourceOf(step));
    const FlowLine line = pathline(cycle, center_ + Vec3{9, 0, 2});
    ASSERT_EQ(line.size(), cycle.size() + 1);
    for (int i = 0; i <= steps; ++i) {
        const FlowPoint& point = line[static_cast<std::size_t>(i)];
        EXPECT_NEAR(point.position.x - center_.x, 9 * std::cos(i * angle), 1e-4);
        EXPECT_NEAR(point.position.y - center_.y, 9 * std::sin(i * angle), 1e-4);
        EXPECT_NEAR(point.magnitude, i == 0 ? 0 : 2 * 9 * std::sin(angle / 2), 1e-4);
    }
    // Fields that all begin in the first frame give the same line.
    std::vector<VectorField> fields;
    for (int i = 1; i <= steps; ++i)
        fields.push_back(turn(i * angle));
    std::vector<sampling::ArrowSource> sinceFirst;
    for (const VectorField& field : fields)
        sinceFirst.push_back(sourceOf(field));
    const FlowLine same = pathlineSinceFirst(sinceFirst, center_ + Vec3{9, 0, 2});
    ASSERT_EQ(same.size(), line.size());
    for (std::size_t i = 0; i < line.size(); ++i)
        EXPECT_NEAR(length(same[i].position - line[i].position), 0, 1e-4);
    EXPECT_EQ(pathline(cycle, center_ + Vec3{90, 0, 0}).size(), 1u);
    // Closed, it ends where it began, and no step loses more than its part of the gap.
    const FlowLine open(line.begin(), line.end() - 1), closed = closedPathline(open);
    const double gap = length(open.back().position - line.front().position);
    EXPECT_GT(gap, 1);
    EXPECT_NEAR(length(closed.back().position - line.front().position), 0, 1e-12);
    EXPECT_EQ(closed.front().position, line.front().position);
    EXPECT_NEAR(length(closed[1].position - line[1].position), gap / (steps - 1), 1e-12);
}

TEST_F(FlowLines, ALineOfTheGridIsWhereTheMotionTakesIt) {
    const Matrix3 m{{{0.1, 0.05, 0}, {-0.1, 0.2, 0}, {0, 0.03, -0.05}}};
    const VectorField field = linearField(grid_, m, resources_.pool());
    const Vec3 from = center_ + Vec3{-60, 3, 1}, to = center_ + Vec3{60, 3, 1};
    const std::vector<FlowLine> pieces = deformedLine(sourceOf(field), from, to, 120, 3);
    ASSERT_EQ(pieces.size(), 1u) << "what lies outside the grid isn't drawn";
    EXPECT_TRUE(std::ranges::none_of(pieces[0], &FlowPoint::faint));
    EXPECT_EQ(pieces[0].size(), 41u);
    for (std::size_t i = 0; i < pieces[0].size(); ++i) {
        const Vec3 start = center_ + Vec3{static_cast<double>(i) - 20, 3, 1};
        const Vec3 motion = m * (start - center_);
        EXPECT_NEAR(length(pieces[0][i].position - (start + 3.0 * motion)), 0, 1e-3);
        EXPECT_NEAR(pieces[0][i].magnitude, length(motion), 1e-4);
    }
}

TEST_F(FlowLines, ADeformedLineIsWholeAndFaintAtRestAndInTheDark) {
    const VectorField field =
        linearField(grid_, {{{0.1, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, resources_.pool());
    Volume image(grid_, resources_.pool(), "image");
    for (int z = 0; z < 9; ++z)
        for (int y = 0; y < 41; ++y)
            for (int x = 0; x < 41; ++x) {
                const Vec3 p = grid_.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                image.view()(x, y, z) = p.x > center_.x + 10 ? 0.0f : 100.0f;
            }
    GlyphRules rules;
    rules.image = &image;
    rules.darkest = 50;
    rules.smallestMagnitude = 0.45; // reached 4.5 mm from the center
    const std::vector<FlowLine> pieces = deformedLine(
        arrowSource(field, rules), center_ - Vec3{18, 0, 0}, center_ + Vec3{18, 0, 0}, 36, 1);
    ASSERT_EQ(pieces.size(), 1u);
    ASSERT_EQ(pieces[0].size(), 37u);
    for (std::size_t i = 0; i < pieces[0].size(); ++i) {
        const double x = static_cast<double>(i) - 18;
        EXPECT_EQ(pieces[0][i].faint, std::abs(x) < 4.5 || x > 10.5) << x;
    }
}

TEST_F(FlowLines, AnArrowheadPointsWhereTheLineLeads) {
    const FlowLine line{{{0, 0, 0}, 1}, {{3, 4, 0}, 2}};
    const Vec3 ahead{0.6, 0.8, 0};
    for (const int across : {2, -1}) {
        const std::vector<FlowLine> barbs = arrowhead(line, 1.5, across);
        ASSERT_EQ(barbs.size(), across < 0 ? 4u : 2u);
        Vec3 sum{};
        for (const FlowLine& barb : barbs) {
            ASSERT_EQ(barb.size(), 2u);
            EXPECT_NEAR(length(barb.back().position - line.back().position), 0, 1e-12);
            const Vec3 back = barb.front().position - line.back().position;
            EXPECT_NEAR(length(back), 1.5, 1e-12);
            EXPECT_LT(dot(back, ahead), -1);
            if (across == 2) {
                EXPECT_EQ(back.z, 0) << "in the slice";
            }
            sum = sum + (back - dot(back, ahead) * ahead);
        }
        EXPECT_NEAR(length(sum), 0, 1e-12) << "on both sides";
    }
    EXPECT_TRUE(arrowhead({{{0, 0, 0}, 1}}, 1, 2).empty());
    EXPECT_TRUE(arrowhead({{{1, 1, 1}, 1}, {{1, 1, 1}, 1}}, 1, -1).empty());
    EXPECT_TRUE(arrowhead({{{0, 0, 0}, 1}, {{0, 0, 1}, 1}}, 1, 2).empty()) << "across the slice";
}

} // namespace
} // namespace systole
