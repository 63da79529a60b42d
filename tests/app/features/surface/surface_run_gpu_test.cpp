// Surfaces of frames made on the device are those of the processor.
#include "app/features/surface/surface_run.h"
#include "compute/surface/isosurface_device.h"
#include "tests/support/becomes.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace systole {
namespace {

class SurfaceRunOnDevice : public test::OnDevice {
protected:
    SurfaceTask task(Backend backend) {
        const Geometry grid({40, 36, 34}, {1, 1.1, 1.3});
        const Vec3 center = grid.center();
        const test::TestVolume noise = test::noiseVolume(grid.size(), 4);
        auto gray = std::make_shared<Volume>(grid, resources.pool(), "frame");
        const VolumeView<float> view = gray->view();
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x)
                    view(x, y, z) = 380 -
                                    20 * static_cast<float>(
                                             length(grid.indexToPhysical({static_cast<double>(x),
                                                                          static_cast<double>(y),
                                                                          static_cast<double>(z)}) -
                                                    center)) +
                                    8 * noise.voxels[view.offset(x, y, z)];
        SurfaceTask made;
        made.choice.source = SurfaceOrigin::Threshold;
        made.choice.threshold = 100;
        made.choice.denoise = true;
        made.gray = gray;
        made.backend = backend;
        return made;
    }
    static std::shared_ptr<const LiveSurface> made(SurfaceTask task) {
        SurfaceRun run({.threads = 2});
        run.start(std::move(task));
        std::optional<SurfaceOutcome> outcome;
        test::becomes([&] { return (outcome = run.take()).has_value(); });
        return outcome ? outcome->made : nullptr;
    }
};

TEST_F(SurfaceRunOnDevice, MakesTheProcessorsSurfaceAndKeepsItOnTheDevice) {
    const auto onDevice = made(task(Backend::Cuda)), onHost = made(task(Backend::Cpu));
    ASSERT_TRUE(onDevice && onDevice->scene) << (onDevice ? onDevice->problem : "");
    ASSERT_TRUE(onHost && onHost->scene);
    EXPECT_EQ(onDevice->backend, Backend::Cuda);
    EXPECT_EQ(onHost->backend, Backend::Cpu);
    EXPECT_EQ(onHost->scene->meshOnDevice, nullptr);
    EXPECT_EQ(onDevice->bandElements, onHost->bandElements);
    EXPECT_NEAR(onDevice->milliliters, onHost->milliliters, 1e-3 * onHost->milliliters);
    EXPECT_NEAR(onDevice->squareCentimeters, onHost->squareCentimeters,
                1e-2 * onHost->squareCentimeters);

    const SceneSurface& scene = *onDevice->scene;
    ASSERT_TRUE(scene.meshOnDevice && scene.originalOnDevice);
    for (const auto& [host, device] : {std::pair(scene.mesh, scene.meshOnDevice),
                                       std::pair(scene.original, scene.originalOnDevice)}) {
        const TriangleMesh copy = toHost(*device, *cuda);
        EXPECT_EQ(copy.points, host->points);
        EXPECT_EQ(copy.normals, host->normals);
        EXPECT_EQ(copy.triangles, host->triangles);
    }
    ASSERT_EQ(scene.distance.size(), scene.mesh->points.size());
    EXPECT_LT(*std::ranges::max_element(scene.distance), 3);
    EXPECT_GT(*std::ranges::max_element(scene.distance), 0.01f);
}

TEST_F(SurfaceRunOnDevice, SaysOfASourceWithoutASurfaceWhatIsMissing) {
    SurfaceTask without = task(Backend::Cuda);
    without.choice.threshold = 1e6;
    const auto none = made(std::move(without));
    ASSERT_TRUE(none);
    EXPECT_EQ(none->scene, nullptr);
    EXPECT_NE(none->problem.find("threshold"), std::string::npos) << none->problem;
}

} // namespace
} // namespace systole
