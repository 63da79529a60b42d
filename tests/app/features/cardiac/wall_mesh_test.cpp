// The wall as triangles: closed, turned outwards, and made of its segments.
#include "app/features/cardiac/wall_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace systole {
namespace {

using cardiac::CarriedShell;
using cardiac::Shell;

/// Half a shell of two spheres around 0, its apex at -z.
CarriedShell halfShell(double inner, double outer) {
    Shell shell;
    for (int row = 0; row < Shell::rows; ++row)
        for (int column = 0; column < Shell::columns; ++column) {
            const double polar = std::numbers::pi / 2 * (row + 0.5) / (Shell::rows - 0.5);
            // Counter-clockwise seen from below.
            const double angle = -2 * std::numbers::pi * column / Shell::columns;
            const Vec3 unit{std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle),
                            -std::cos(polar)};
            cardiac::TransmuralLine line;
            line.point = {inner * unit, (inner + outer) / 2 * unit, outer * unit};
            shell.lines.push_back(line);
        }
    return CarriedShell(shell, {});
}

double volumeOf(const TriangleMesh& mesh) {
    double sum = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const auto &p = mesh.points[a], &q = mesh.points[b], &r = mesh.points[c];
        sum += double{p[0]} * (double{q[1]} * r[2] - double{q[2]} * r[1]) -
               double{p[1]} * (double{q[0]} * r[2] - double{q[2]} * r[0]) +
               double{p[2]} * (double{q[0]} * r[1] - double{q[1]} * r[0]);
    }
    return sum / 6;
}

void expectClosed(const TriangleMesh& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
    for (const auto& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            ++sides[{t[k], t[(k + 1) % 3]}];
            --sides[{t[(k + 1) % 3], t[k]}];
        }
    for (const auto& [side, count] : sides)
        ASSERT_EQ(count, 0) << side.first << " " << side.second;
}

TEST(WallMesh, IsClosedAndEnclosesTheWall) {
    const TriangleMesh whole = wallMesh(halfShell(20, 30), {}, 0);
    expectClosed(whole);
    const double exact = 2.0 / 3 * std::numbers::pi * (30.0 * 30 * 30 - 20.0 * 20 * 20);
    EXPECT_NEAR(volumeOf(whole), exact, 0.01 * exact);
}

TEST(WallMesh, JutsOutByAFractionOfTheThickness) {
    const double volume = volumeOf(wallMesh(halfShell(20, 30), {}, 0, 0.1));
    EXPECT_NEAR(volume, volumeOf(wallMesh(halfShell(19, 31), {}, 0)), 1e-2);
}

TEST(WallMesh, SegmentsAreItsParts) {
    std::vector<int> segments;
    for (int row = 0; row < Shell::rows; ++row)
        for (int column = 0; column < Shell::columns; ++column)
            segments.push_back(row < 6 ? 1 : column < 10 || column > 40 ? 2 : 3);
    const CarriedShell shell = halfShell(20, 30);
    double sum = 0;
    for (int segment = 1; segment <= 3; ++segment) {
        const TriangleMesh part = wallMesh(shell, segments, segment);
        expectClosed(part);
        EXPECT_GT(volumeOf(part), 0);
        sum += volumeOf(part);
    }
    EXPECT_NEAR(sum, volumeOf(wallMesh(shell, segments, 0)), 1);
    EXPECT_TRUE(wallMesh(shell, segments, 4).triangles.empty());
}

} // namespace
} // namespace systole
