// Measures of meshes, the nearest triangle, and distances of grids to closed meshes.
#include "compute/core/error.h"
#include "compute/surface/carried_mesh.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/mesh_distance.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/nearest_triangle.h"
#include "tests/compute/surface/surface_support.h"
#include "tests/support/compute_support.h"
#include "tests/support/surface_distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

/// A box between two corners, triangles outward.
TriangleMesh boxMesh(std::array<float, 3> low, std::array<float, 3> high) {
    TriangleMesh mesh;
    for (std::size_t c = 0; c < 8; ++c)
        mesh.points.push_back({(c & 1) != 0 ? high[0] : low[0], (c & 2) != 0 ? high[1] : low[1],
                               (c & 4) != 0 ? high[2] : low[2]});
    const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const auto& q : quads) {
        mesh.triangles.push_back({q[0], q[1], q[2]});
        mesh.triangles.push_back({q[0], q[2], q[3]});
    }
    return mesh;
}

TriangleMesh ballMesh(double radius, double step = 1) {
    const int side = static_cast<int>(2 * radius / step) + 6;
    const test::Ball ball{
        {0.5 * (side - 1), 0.5 * (side - 1), 0.5 * (side - 1)}, radius, {step, step, step}};
    test::TestVolume phi({side, side, side}, ball);
    const double corner = -0.5 * (side - 1) * step;
    ExecResources resources(2);
    return isosurface(phi.view(), Geometry(phi.size, {step, step, step}, {corner, corner, corner}),
                      SurfaceEdge::Closed, resources.context());
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
    const auto first = static_cast<std::uint32_t>(mesh.points.size());
    mesh.points.insert(mesh.points.end(), other.points.begin(), other.points.end());
    for (const auto& t : other.triangles)
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

TEST(MeshMeasures, OfABox) {
    TriangleMesh box = boxMesh({-1, 0, 2}, {3, 5, 4});
    const MeshMeasures m = measure(box);
    EXPECT_TRUE(m.closed());
    EXPECT_DOUBLE_EQ(m.volumeCubicMillimeters, 4 * 5 * 2);
    EXPECT_DOUBLE_EQ(m.areaSquareMillimeters, 2 * (20 + 8 + 10));
    EXPECT_EQ(m.eulerCharacteristic, 2);
    for (auto& t : box.triangles)
        std::swap(t[0], t[1]);
    EXPECT_DOUBLE_EQ(measure(box).volumeCubicMillimeters, -40);
    box.triangles.pop_back();
    EXPECT_EQ(measure(box).rimEdges, 3u);
    EXPECT_FALSE(measure(box).closed());
    std::swap(box.triangles[0][0], box.triangles[0][1]);
    EXPECT_GT(measure(box).badEdges, 0u);
    EXPECT_FALSE(measure({}).closed());
}

TEST(MeshMeasures, CountPartsAndHandles) {
    TriangleMesh two = boxMesh({0, 0, 0}, {1, 1, 1});
    append(two, boxMesh({2, 0, 0}, {3, 1, 1}));
    two.points.push_back({9, 9, 9}); // no triangle uses it
    const MeshMeasures m = measure(two);
    EXPECT_EQ(m.components, 2u);
    EXPECT_EQ(m.eulerCharacteristic, 4);
    EXPECT_EQ(m.points, 16u);
    test::TestVolume torus({31, 31, 15}, [](double x, double y, double z) {
        return std::hypot(std::hypot(x - 15, y - 15) - 9, z - 7) - 4;
    });
    ExecResources resources(2);
    const MeshMeasures ring = measure(isosurface(torus.view(), Geometry(torus.size, {1, 1, 1}),
                                                 SurfaceEdge::Closed, resources.context()));
    EXPECT_EQ(ring.eulerCharacteristic, 0);
    EXPECT_EQ(ring.handles(), 1);
}

TEST(MeshMeasures, SizesAreTheSameForAnyNumberOfThreads) {
    ExecResources one(1), three(3);
    TriangleMesh mesh = ballMesh(22);
    ASSERT_GT(mesh.points.size(), 8192u) << "several chunks";
    const MeshMeasures whole = measure(mesh), size = measureSize(mesh, one.context());
    EXPECT_EQ(size.edges, whole.edges);
    EXPECT_TRUE(size.closed());
    EXPECT_NEAR(size.volumeCubicMillimeters, whole.volumeCubicMillimeters,
                1e-12 * whole.volumeCubicMillimeters);
    EXPECT_NEAR(size.areaSquareMillimeters, whole.areaSquareMillimeters,
                1e-12 * whole.areaSquareMillimeters);
    EXPECT_EQ(measureSize(mesh, three.context()).volumeCubicMillimeters,
              size.volumeCubicMillimeters);
    EXPECT_EQ(meanCurvature(mesh, three.context()), meanCurvature(mesh, one.context()));
    mesh.triangles.pop_back();
    std::swap(mesh.triangles[5000][0], mesh.triangles[5000][1]);
    EXPECT_EQ(measureSize(mesh, three.context()).rimEdges, 3u);
    EXPECT_EQ(measureSize(mesh, three.context()).badEdges, measure(mesh).badEdges);
    EXPECT_FALSE(measureSize(mesh, three.context()).closed());
    EXPECT_FALSE(measureSize({}, one.context()).closed());
}

TEST(MeshMeasures, DistanceOfBallsIsThatOfTheirRadii) {
    ExecResources resources(2);
    const TriangleMesh small = ballMesh(10), large = ballMesh(13);
    const SurfaceDistance d = distanceBetween(small, large, resources.context());
    EXPECT_NEAR(d.mean, 3, 0.05);
    EXPECT_NEAR(d.largest, 3, 0.1);
    EXPECT_LT(distanceBetween(small, small, resources.context()).largest, 1e-6);
    EXPECT_THROW(distanceBetween(small, {}, resources.context()), ComputeError);
}

TEST(NearestTriangle, IsThatOfAllTriangles) {
    const TriangleMesh mesh = ballMesh(6, 1.5);
    const NearestTriangle nearest(mesh);
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        const auto next = [&] { return static_cast<double>(random() % 2000) / 100 - 10; };
        const Vec3 p{next(), next(), next()};
        double least = INFINITY;
        for (const auto& t : mesh.triangles) {
            const Vec3 away = p - nearestOfTriangle(p, pointOf(mesh, t[0]), pointOf(mesh, t[1]),
                                                    pointOf(mesh, t[2]));
            least = std::min(least, dot(away, away));
        }
        const auto start = static_cast<std::uint32_t>(random() % mesh.triangles.size());
        ASSERT_DOUBLE_EQ(nearest.to(p, start).squaredDistance, least);
    }
}

TEST(NearestTriangle, FindsCornersEdgesAndInside) {
    const Vec3 a{0, 0, 0}, b{4, 0, 0}, c{0, 4, 0};
    EXPECT_EQ(nearestOfTriangle({-1, -1, 2}, a, b, c), a);
    EXPECT_EQ(nearestOfTriangle({6, -1, 2}, a, b, c), b);
    EXPECT_EQ(nearestOfTriangle({-1, 6, 2}, a, b, c), c);
    EXPECT_EQ(nearestOfTriangle({2, -3, 1}, a, b, c), (Vec3{2, 0, 0}));
    EXPECT_EQ(nearestOfTriangle({4, 4, 0}, a, b, c), (Vec3{2, 2, 0}));
    EXPECT_EQ(nearestOfTriangle({1, 1, 5}, a, b, c), (Vec3{1, 1, 0}));
}

std::vector<float> distanceTo(const TriangleMesh& mesh, const Geometry& grid, int threads = 2) {
    std::vector<float> phi(grid.voxels());
    ExecResources resources(threads);
    signedDistanceOfMesh(mesh, grid, {phi.data(), grid.size()}, resources.context());
    return phi;
}

double distanceToBox(Vec3 p, Vec3 low, Vec3 high) {
    double outside = 0, inside = -INFINITY;
    for (int a = 0; a < 3; ++a) {
        const double beyond = std::max(low[a] - p[a], p[a] - high[a]);
        outside += std::max(0.0, beyond) * std::max(0.0, beyond);
        inside = std::max(inside, beyond);
    }
    return inside > 0 ? std::sqrt(outside) : inside;
}

TEST(DistanceOfMesh, IsThatOfABox) {
    // Corners and edges on voxel centers, where lines of voxels just touch triangles.
    const Geometry grid({12, 11, 10}, {1, 1, 1}, {-3, -3, -3});
    const auto phi = distanceTo(boxMesh({0, 0, 0}, {5, 4, 3}), grid);
    const VolumeView<const float> view(phi.data(), grid.size());
    for (int z = 0; z < 10; ++z)
        for (int y = 0; y < 11; ++y)
            for (int x = 0; x < 12; ++x) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                ASSERT_NEAR(view(x, y, z), distanceToBox(p, {0, 0, 0}, {5, 4, 3}), 1e-5)
                    << x << " " << y << " " << z;
            }
}

TEST(DistanceOfMesh, IsThatOfABallOnAnObliqueGrid) {
    const Matrix3 oblique{{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}};
    const Geometry grid({40, 30, 12}, {0.8, 1, 3}, {-18, 1, -22}, oblique);
    const TriangleMesh ball = ballMesh(9);
    const auto phi = distanceTo(ball, grid);
    const VolumeView<const float> view(phi.data(), grid.size());
    for (int z = 0; z < 12; ++z)
        for (int y = 0; y < 30; ++y)
            for (int x = 0; x < 40; ++x) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                ASSERT_NEAR(view(x, y, z), length(p) - 9, 0.06);
            }
    EXPECT_EQ(phi, distanceTo(ball, grid, 1));
}

TEST(DistanceOfMesh, IsNearlyExactFarAway) {
    const Geometry grid({50, 52, 48}, {1, 1, 1}, {-25, -26, -24});
    const auto phi = distanceTo(ballMesh(8), grid);
    const VolumeView<const float> view(phi.data(), grid.size());
    for (int z = 0; z < 48; ++z)
        for (int y = 0; y < 52; ++y)
            for (int x = 0; x < 50; ++x)
                ASSERT_NEAR(
                    view(x, y, z),
                    length(grid.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)})) -
                        8,
                    0.1);
}

TEST(DistanceOfMesh, TakesOverlapsAsOneAndTurnedMeshesAsTheyAre) {
    TriangleMesh two = boxMesh({-0.2f, -0.2f, -0.2f}, {4.2f, 4.2f, 4.2f});
    append(two, boxMesh({2.3f, 2.3f, 2.3f}, {7.1f, 7.1f, 7.1f}));
    const Geometry grid({10, 10, 10}, {1, 1, 1}, {-1, -1, -1});
    const auto isIn = [](const std::vector<float>& phi) {
        return std::ranges::count_if(phi, [](float value) { return value < 0; });
    };
    // Voxels 0 to 4 and 3 to 7 of each axis: 125 each, of which 8 are in both.
    const auto phi = distanceTo(two, grid);
    EXPECT_EQ(isIn(phi), 125 + 125 - 8);
    const VolumeView<const float> view(phi.data(), grid.size());
    EXPECT_LT(view(4, 4, 4), 0);
    EXPECT_LT(view(5, 5, 5), 0);
    EXPECT_LT(view(7, 7, 7), 0);
    EXPECT_GT(view(7, 2, 2), 0);
    for (auto& t : two.triangles)
        std::swap(t[0], t[1]);
    EXPECT_EQ(isIn(distanceTo(two, grid)), isIn(phi));
}

TEST(DistanceOfMesh, RefusesOpenMeshesAndGridsElsewhere) {
    TriangleMesh open = boxMesh({0, 0, 0}, {5, 4, 3});
    open.triangles.pop_back();
    const Geometry grid({12, 11, 10}, {1, 1, 1}, {-3, -3, -3});
    EXPECT_THAT([&] { distanceTo(open, grid); },
                ::testing::ThrowsMessage<ComputeError>(::testing::HasSubstr("open: 3 of its 18")));
    const TriangleMesh box = boxMesh({0.2f, 0.2f, 0.2f}, {0.8f, 0.8f, 0.8f});
    EXPECT_THAT([&] { distanceTo(box, grid); },
                ::testing::ThrowsMessage<ComputeError>(::testing::HasSubstr("no voxel's center")));
    EXPECT_THROW(distanceTo({}, grid), ComputeError);
}

TEST(GridAround, HoldsTheMeshWithItsMargin) {
    const TriangleMesh box = boxMesh({-1, 0, 2}, {3, 5, 4});
    const Geometry grid = gridAround(box, 0.5, 2, 1000000);
    const Vec3 last = grid.indexToPhysical({static_cast<double>(grid.size().x - 1),
                                            static_cast<double>(grid.size().y - 1),
                                            static_cast<double>(grid.size().z - 1)});
    EXPECT_LE(grid.origin().x, -3);
    EXPECT_GE(last.y, 7);
    EXPECT_GE(last.z, 6);
    EXPECT_LT(grid.voxels(), 18u * 20u * 14u);
    EXPECT_THAT([&] { gridAround(box, 0.01, 2, 1000000); },
                ::testing::ThrowsMessage<ComputeError>(::testing::HasSubstr("larger spacing")));
    // One point astray in an otherwise small mesh.
    TriangleMesh astray = box;
    astray.points[0][0] = 1e5f;
    EXPECT_THAT([&] { gridAround(astray, 1, 6, std::size_t{1} << 28); },
                ::testing::ThrowsMessage<ComputeError>(::testing::HasSubstr(
                    "voxels of 1 mm along an axis, where 4096 are the most: does one of its points "
                    "lie far from the others?")));
}

} // namespace
} // namespace systole
