// Meshes that move with known fields, and their curvature.
#include "compute/surface/carried_mesh.h"
#include "compute/surface/mesh_measures.h"
#include "tests/support/sphere_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace systole {
namespace {

constexpr double radius = 12;

class CarriedMesh : public testing::Test {
protected:
    /// The field that moves each point p of the grid to to(p).
    VectorField moving(const std::function<Vec3(Vec3)>& to) {
        VectorField field(grid_, resources_.pool(), "field");
        const FieldView<float> view = field.view();
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x) {
                    const Vec3 p = grid_.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                    const Vec3 w = grid_.physicalVectorToVoxel(to(p) - p);
                    for (int axis = 0; axis < 3; ++axis)
                        view.componentView(axis)(x, y, z) = static_cast<float>(w[axis]);
                }
        return field;
    }
    static Vec3 at(const TriangleMesh& mesh, std::size_t i) {
        const auto& p = mesh.points[i];
        return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
    }
    static double farthest(const TriangleMesh& mesh, const TriangleMesh& original,
                           const std::function<Vec3(Vec3)>& to) {
        double most = 0;
        for (std::size_t i = 0; i < mesh.points.size(); ++i)
            most = std::max(most, length(at(mesh, i) - to(at(original, i))));
        return most;
    }

    // Anisotropic and oblique.
    const Geometry grid_{
        {40, 32, 24}, {1.5, 2, 2.5}, {10, -20, 5}, {{{0.8, -0.6, 0}, {0.6, 0.8, 0}, {0, 0, -1}}}};
    const TriangleMesh sphere_ = sphereMesh(grid_.center(), radius);
    ExecResources resources_{2};
    ExecContext ctx_ = resources_.context();
};

TEST_F(CarriedMesh, ATranslationMovesEveryPointByIt) {
    const auto to = [](Vec3 p) { return p + Vec3{3, -2, 1.5}; };
    const TriangleMesh moved = carried(sphere_, moving(to), ctx_);
    EXPECT_LT(farthest(moved, sphere_, to), 1e-4);
    EXPECT_EQ(moved.triangles, sphere_.triangles);
    EXPECT_NEAR(measure(moved).volumeCubicMillimeters, measure(sphere_).volumeCubicMillimeters,
                1e-2);
}

TEST_F(CarriedMesh, PairAfterPairPointsFollowARotation) {
    const double c = std::cos(0.15), s = std::sin(0.15);
    const Vec3 center = grid_.center();
    const auto turn = [&](Vec3 p) {
        const Vec3 d = p - center;
        return center + Vec3{c * d.x - s * d.y, s * d.x + c * d.y, d.z};
    };
    const VectorField step = moving(turn);
    TriangleMesh mesh = sphere_;
    for (int i = 0; i < 4; ++i)
        mesh = carried(mesh, step, ctx_);
    const auto all = [&](Vec3 p) { return turn(turn(turn(turn(p)))); };
    EXPECT_LT(farthest(mesh, sphere_, all), 1e-3);
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        const Vec3 n{static_cast<double>(mesh.normals[i][0]),
                     static_cast<double>(mesh.normals[i][1]),
                     static_cast<double>(mesh.normals[i][2])};
        EXPECT_NEAR(dot(n, at(mesh, i) - center), radius, 0.02 * radius);
    }
}

TEST_F(CarriedMesh, AContractionChangesVolumeByItsCube) {
    const Vec3 center = grid_.center();
    const auto shrink = [&](Vec3 p) { return center + 0.8 * (p - center); };
    const double before = measure(sphere_).volumeCubicMillimeters;
    EXPECT_NEAR(before, 4 * std::numbers::pi / 3 * std::pow(radius, 3), 0.02 * before);
    const double after = measure(carried(sphere_, moving(shrink), ctx_)).volumeCubicMillimeters;
    EXPECT_NEAR(after / before, 0.512, 1e-4);
}

TEST_F(CarriedMesh, PointsBeyondTheGridMoveAsItsBorderDoes) {
    const auto to = [](Vec3 p) { return p + Vec3{0, 0, 4}; };
    const TriangleMesh outside = sphereMesh(grid_.center() + Vec3{0, 0, 500}, radius, 6);
    EXPECT_LT(farthest(carried(outside, moving(to), ctx_), outside, to), 1e-3);
}

TEST_F(CarriedMesh, TheSameForAnyNumberOfThreads) {
    const VectorField field = moving([](Vec3 p) { return 1.1 * p; });
    ExecResources one(1);
    EXPECT_EQ(carried(sphere_, field, ctx_).points, carried(sphere_, field, one.context()).points);
}

TEST_F(CarriedMesh, TheCurvatureOfASphereIsOneOverItsRadius) {
    const std::vector<float> curvature = meanCurvature(sphere_, resources_.context());
    ASSERT_EQ(curvature.size(), sphere_.points.size());
    for (const float value : curvature)
        EXPECT_NEAR(value, 1 / radius, 0.05 / radius);
    TriangleMesh inward = sphere_;
    for (auto& normal : inward.normals)
        for (float& component : normal)
            component = -component;
    EXPECT_LT(meanCurvature(inward, resources_.context()).front(), 0) << "a cavity is concave";
}

TEST_F(CarriedMesh, EmptyMeshesStayEmpty) {
    EXPECT_TRUE(carried({}, moving([](Vec3 p) { return p; }), ctx_).points.empty());
    EXPECT_TRUE(meanCurvature({}, resources_.context()).empty());
}

} // namespace
} // namespace systole
