// Isosurfaces: closed for every set of signs, the same as by the plain loop, and of the right size.
#include "compute/core/error.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/isosurface_frame.h"
#include "compute/surface/isosurface_math.h"
#include "compute/surface/isosurface_tables.h"
#include "compute/surface/mesh_measures.h"
#include "tests/compute/surface/surface_support.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <set>

namespace systole {
namespace {

TriangleMesh surfaceOf(test::TestVolume phi, const Geometry& geometry,
                       SurfaceEdge edge = SurfaceEdge::Closed, int threads = 2) {
    ExecResources resources(threads);
    return isosurface(phi.view(), geometry, edge, resources.context());
}

template <typename Body>
void overGrid(Size3 n, const Body& body) {
    for (int z = 0; z < n.z; ++z)
        for (int y = 0; y < n.y; ++y)
            for (int x = 0; x < n.x; ++x)
                body(x, y, z);
}

/// Reference surface by one plain loop over the cubes.
TriangleMesh surfaceByThePlainLoop(VolumeView<const float> phi, const Geometry& geometry,
                                   SurfaceEdge edge) {
    const iso::Values values{phi, edge == SurfaceEdge::Closed ? 1 : 0};
    const iso::SurfaceFrame frame(geometry);
    const Size3 n = values.size();
    const VolumeView<const float> grid(nullptr, n);
    TriangleMesh mesh;
    // Numbers of points by voxel and axis.
    std::map<std::pair<std::size_t, int>, std::uint32_t> numbers;
    overGrid(n, [&](int x, int y, int z) {
        for (int axis = 0; axis < 3; ++axis)
            if ((iso::codeOf(values, x, y, z) >> axis & 1) != 0) {
                const iso::SurfacePoint point = iso::pointOn(values, x, y, z, axis);
                numbers[{grid.offset(x, y, z), axis}] =
                    static_cast<std::uint32_t>(mesh.points.size());
                mesh.points.push_back(frame.pointOf(point));
                mesh.normals.push_back(frame.normalOf(point));
            }
    });
    overGrid({n.x - 1, n.y - 1, n.z - 1}, [&](int x, int y, int z) {
        const auto offsetOf = [&](int corner) {
            return grid.offset(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2));
        };
        std::size_t inside = 0;
        for (int corner = 0; corner < 8; ++corner)
            if (values.at(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)) < 0)
                inside |= std::size_t{1} << corner;
        const iso::CubeCase& cube = iso::cubeCases[inside];
        for (std::size_t t = 0; t < static_cast<std::size_t>(cube.triangles); ++t) {
            std::array<std::uint32_t, 3> triangle{};
            for (std::size_t corner = 0; corner < 3; ++corner) {
                const int e = cube.edges[3 * t + corner];
                triangle[corner] = numbers.at({offsetOf(iso::lowCorner(e)), e / 4});
            }
            if (frame.mirrored())
                std::swap(triangle[1], triangle[2]);
            mesh.triangles.push_back(triangle);
        }
    });
    return mesh;
}

void expectEqual(const TriangleMesh& a, const TriangleMesh& b) {
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.normals, b.normals);
    EXPECT_EQ(a.triangles, b.triangles);
}

const Matrix3 oblique{{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}};

TEST(CubeCases, CutEveryCrossedEdgeAndNoOther) {
    for (std::size_t inside = 0; inside < 256; ++inside) {
        const iso::CubeCase& cube = iso::cubeCases[inside];
        std::array<int, iso::cubeEdges> used{};
        for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(cube.triangles); ++i)
            ++used[static_cast<std::size_t>(cube.edges[i])];
        for (int e = 0; e < iso::cubeEdges; ++e) {
            const int low = iso::lowCorner(e), high = low | 1 << e / 4;
            const bool crossed = (inside >> low & 1) != (inside >> high & 1);
            EXPECT_EQ(used[static_cast<std::size_t>(e)] > 0, crossed) << inside << " " << e;
        }
    }
}

TEST(Isosurface, OfABallHasItsSize) {
    const Vec3 spacing{0.7, 1.1, 1.6};
    const test::Ball ball{{29.6, 18.7, 13.1}, 15, spacing};
    const test::TestVolume phi({60, 38, 27}, ball);
    const Geometry geometry(phi.size, spacing, {-30, 12, 99}, oblique);
    const TriangleMesh mesh = surfaceOf(phi, geometry);
    const MeshMeasures m = measure(mesh);
    EXPECT_TRUE(m.closed());
    EXPECT_EQ(m.components, 1u);
    EXPECT_EQ(m.eulerCharacteristic, 2);
    EXPECT_EQ(m.handles(), 0);
    EXPECT_EQ(m.points, mesh.points.size());
    constexpr double pi = std::numbers::pi;
    EXPECT_NEAR(m.volumeCubicMillimeters, 4 * pi / 3 * 15 * 15 * 15, 0.01 * 4 * pi / 3 * 3375);
    EXPECT_NEAR(m.areaSquareMillimeters, 4 * pi * 15 * 15, 0.01 * 4 * pi * 225);
    const Vec3 center = geometry.indexToPhysical(ball.center);
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        const auto& p = mesh.points[i];
        const auto& n = mesh.normals[i];
        const Vec3 out = Vec3{p[0], p[1], p[2]} - center;
        ASSERT_NEAR(length(out), 15, 0.05);
        ASSERT_NEAR(length(Vec3{n[0], n[1], n[2]}), 1, 1e-5);
        ASSERT_GT(dot(out, Vec3{n[0], n[1], n[2]}), 0.98 * 15);
    }
}

TEST(Isosurface, OfALeftHandedGridIsNotInsideOut) {
    const test::Ball ball{{9, 9, 9}, 6};
    const test::TestVolume phi({19, 19, 19}, ball);
    const Matrix3 mirrored{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const MeshMeasures m = measure(surfaceOf(phi, Geometry(phi.size, {1, 1, 1}, {}, mirrored)));
    EXPECT_GT(m.volumeCubicMillimeters, 850);
}

class IsosurfaceOfNoise : public ::testing::TestWithParam<int> {};

// Noise has every case of the tables beside every other.
TEST_P(IsosurfaceOfNoise, IsClosedAndAsByThePlainLoop) {
    test::TestVolume phi = test::noiseVolume({17, 14, 13}, static_cast<std::uint64_t>(GetParam()));
    const Geometry geometry(phi.size, {1, 2, 0.5}, {1, 2, 3}, oblique);
    const TriangleMesh closed = surfaceOf(phi, geometry);
    const MeshMeasures m = measure(closed);
    EXPECT_TRUE(m.closed()) << m.rimEdges << " " << m.badEdges;
    EXPECT_GT(m.triangles, 1000u);
    EXPECT_GT(m.volumeCubicMillimeters, 0);
    for (const SurfaceEdge edge : {SurfaceEdge::Closed, SurfaceEdge::Open}) {
        const TriangleMesh mesh = surfaceOf(phi, geometry, edge);
        expectEqual(mesh, surfaceByThePlainLoop(phi.view(), geometry, edge));
        expectEqual(mesh, surfaceOf(phi, geometry, edge, 4));
    }
    const MeshMeasures open = measure(surfaceOf(phi, geometry, SurfaceEdge::Open));
    EXPECT_GT(open.rimEdges, 0u);
    EXPECT_EQ(open.badEdges, 0u);
    EXPECT_TRUE(std::isnan(open.volumeCubicMillimeters));
}
INSTANTIATE_TEST_SUITE_P(Seeds, IsosurfaceOfNoise, ::testing::Range(1, 6));

TEST(Isosurface, PutsALidOnTheOuterFacesOfVoxels) {
    // The inside reaches to x = 3.5, and to the grid's edge everywhere else.
    const test::TestVolume phi({9, 4, 5}, [](double x, double, double) { return x - 3.5; });
    const MeshMeasures m = measure(surfaceOf(phi, Geometry(phi.size, {2, 1, 1})));
    EXPECT_TRUE(m.closed());
    EXPECT_EQ(m.eulerCharacteristic, 2);
    // Rims and corners of the box are cut off.
    EXPECT_LT(m.volumeCubicMillimeters, 4 * 2 * 4 * 5);
    EXPECT_GT(m.volumeCubicMillimeters, 0.9 * 4 * 2 * 4 * 5);
}

TEST(Isosurface, OfOneVoxelIsAnOctahedron) {
    const test::TestVolume phi({5, 5, 5}, [](double x, double y, double z) {
        return x == 2 && y == 2 && z == 2 ? -1 : 1;
    });
    const MeshMeasures m = measure(surfaceOf(phi, Geometry(phi.size, {2, 2, 2})));
    EXPECT_EQ(m.triangles, 8u);
    EXPECT_TRUE(m.closed());
    EXPECT_NEAR(m.volumeCubicMillimeters, 4.0 / 3, 1e-6);
}

TEST(Isosurface, HasDistinctPointsWhereVoxelsAreAtTheLevel) {
    const test::TestVolume phi({7, 7, 7}, [](double x, double y, double z) {
        return std::max({std::abs(x - 3), std::abs(y - 3), std::abs(z - 3)}) - 2;
    });
    const TriangleMesh mesh = surfaceOf(phi, Geometry(phi.size, {1, 1, 1}));
    EXPECT_TRUE(measure(mesh).closed());
    std::set<std::array<float, 3>> distinct(mesh.points.begin(), mesh.points.end());
    EXPECT_EQ(distinct.size(), mesh.points.size());
}

TEST(Isosurface, WithoutACrossingIsEmpty) {
    const test::TestVolume phi({4, 4, 4}, [](double, double, double) { return 1; });
    EXPECT_TRUE(surfaceOf(phi, Geometry(phi.size, {1, 1, 1})).triangles.empty());
    const test::TestVolume one({1, 1, 1}, [](double, double, double) { return 1; });
    EXPECT_TRUE(surfaceOf(one, Geometry(one.size, {1, 1, 1}), SurfaceEdge::Open).points.empty());
    EXPECT_THROW(surfaceOf(phi, Geometry({4, 4, 5}, {1, 1, 1})), ComputeError);
}

} // namespace
} // namespace systole
