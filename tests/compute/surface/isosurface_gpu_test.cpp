// Isosurfaces on the device: those of the processor, point by point and triangle by triangle.
#include "compute/core/error.h"
#include "compute/surface/isosurface_device.h"
#include "compute/surface/mesh_measures.h"
#include "tests/compute/surface/surface_support.h"
#include "tests/support/compute_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <cmath>

namespace systole {
namespace {

const Matrix3 oblique{{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}};
const Matrix3 mirrored{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

class IsosurfaceOnDevice : public test::OnDevice {
protected:
    TriangleMesh onDevice(const test::TestVolume& phi, const Geometry& geometry, SurfaceEdge edge) {
        test::DeviceArray<float> values(*cuda, phi.voxels);
        return toHost(deviceIsosurface({values.data(), phi.size}, geometry, edge, context()),
                      *cuda);
    }
    void expectAsOnProcessor(test::TestVolume phi, const Geometry& geometry) {
        for (const SurfaceEdge edge : {SurfaceEdge::Closed, SurfaceEdge::Open}) {
            const TriangleMesh expected =
                isosurface(phi.view(), geometry, edge, resources.context());
            const TriangleMesh found = onDevice(phi, geometry, edge);
            ASSERT_EQ(found.triangles, expected.triangles);
            ASSERT_EQ(found.points.size(), expected.points.size());
            const Vec3 spacing = geometry.spacing();
            const double millimeters = 1e-4 * std::min({spacing.x, spacing.y, spacing.z});
            for (std::size_t i = 0; i < found.points.size(); ++i)
                for (std::size_t a = 0; a < 3; ++a) {
                    ASSERT_NEAR(found.points[i][a], expected.points[i][a], millimeters) << i;
                    ASSERT_NEAR(found.normals[i][a], expected.normals[i][a], 1e-3) << i;
                }
            const TriangleMesh again = onDevice(phi, geometry, edge);
            EXPECT_EQ(again.points, found.points);
            EXPECT_EQ(again.normals, found.normals);
        }
    }
};

// Noise has every case of the tables beside every other; rows of one word, of several, and whose
// last cube lies in the next word.
TEST_F(IsosurfaceOnDevice, OfNoiseIsThatOfTheProcessor) {
    std::uint64_t seed = 0;
    for (const Size3 size :
         {Size3{17, 14, 13}, Size3{30, 5, 6}, Size3{31, 5, 6}, Size3{32, 5, 6}, Size3{33, 5, 6},
          Size3{34, 9, 4}, Size3{129, 7, 5}, Size3{64, 1, 9}, Size3{1, 12, 12}, Size3{70, 6, 1}}) {
        SCOPED_TRACE(testing::Message() << size.x << "×" << size.y << "×" << size.z);
        ++seed;
        expectAsOnProcessor(test::noiseVolume(size, seed),
                            Geometry(size, {1, 2, 0.5}, {1, 2, 3}, seed % 2 ? oblique : mirrored));
    }
}

TEST_F(IsosurfaceOnDevice, OfABallIsClosedAndHasItsVolume) {
    const test::Ball ball{{61.6, 40.7, 33.1}, 25};
    const test::TestVolume phi({120, 85, 70}, ball);
    const Geometry geometry(phi.size, {1, 1, 1}, {-30, 12, 99}, oblique);
    expectAsOnProcessor(phi, geometry);
    const MeshMeasures m = measure(onDevice(phi, geometry, SurfaceEdge::Closed));
    EXPECT_TRUE(m.closed());
    EXPECT_EQ(m.eulerCharacteristic, 2);
    EXPECT_NEAR(m.volumeCubicMillimeters, 4.0 / 3 * 3.14159265 * 25 * 25 * 25, 0.01 * 65450);
}

TEST_F(IsosurfaceOnDevice, OfATorusHasAHandle) {
    const test::TestVolume phi({64, 64, 30}, [](double x, double y, double z) {
        return std::hypot(std::hypot(x - 31.4, y - 31.7) - 18, z - 14.2) - 6;
    });
    const MeshMeasures m =
        measure(onDevice(phi, Geometry(phi.size, {1, 1, 1}), SurfaceEdge::Closed));
    EXPECT_TRUE(m.closed());
    EXPECT_EQ(m.handles(), 1);
}

TEST_F(IsosurfaceOnDevice, OfFullEmptyAndTouchingVolumes) {
    const auto constant = [](double value) {
        return test::TestVolume({40, 9, 7}, [=](double, double, double) { return value; });
    };
    expectAsOnProcessor(constant(-1), Geometry({40, 9, 7}, {1, 1, 2}));
    EXPECT_TRUE(
        onDevice(constant(1), Geometry({40, 9, 7}, {1, 1, 2}), SurfaceEdge::Closed).points.empty());
    EXPECT_TRUE(
        onDevice(constant(-1), Geometry({40, 9, 7}, {1, 1, 2}), SurfaceEdge::Open).points.empty());
    expectAsOnProcessor({{33, 4, 5}, [](double x, double, double) { return x - 3.5; }},
                        Geometry({33, 4, 5}, {2, 1, 1}));
    EXPECT_THROW(onDevice(constant(1), Geometry({4, 4, 5}, {1, 1, 1}), SurfaceEdge::Closed),
                 ComputeError);
}

/// Memory that was taken for a large volume serves a small one after it.
TEST_F(IsosurfaceOnDevice, ScratchMemoryIsUsedAgain) {
    DeviceIsosurface surface;
    for (const int side : {40, 20, 33}) {
        const test::Ball ball{{side / 2.0, side / 2.0, side / 2.0}, side / 3.0};
        test::TestVolume phi({side, side, side}, ball);
        const Geometry geometry(phi.size, {1, 1, 1});
        const TriangleMesh expected =
            isosurface(phi.view(), geometry, SurfaceEdge::Closed, resources.context());
        test::DeviceArray<float> values(*cuda, phi.voxels);
        const DeviceIsosurface::Size size =
            surface.find({values.data(), phi.size}, geometry, SurfaceEdge::Closed, context());
        EXPECT_EQ(size.points, expected.points.size());
        EXPECT_EQ(size.triangles, expected.triangles.size());
        test::DeviceArray<float> points(*cuda, 3 * size.points), normals(*cuda, 3 * size.points);
        test::DeviceArray<std::uint32_t> triangles(*cuda, 3 * size.triangles);
        surface.write(points.data(), normals.data(), triangles.data(), context());
        const auto found = triangles.download();
        for (std::size_t t = 0; t < size.triangles; ++t)
            for (std::size_t corner = 0; corner < 3; ++corner)
                ASSERT_EQ(found[3 * t + corner], expected.triangles[t][corner]) << t;
    }
}

} // namespace
} // namespace systole
