// Curves of surfaces, and the choice of a surface on the command line.
#include "app/error.h"
#include "app/surface/live_surface.h"
#include "app/surface/surface_choice.h"
#include "tests/support/sphere_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace systole {
namespace {

std::shared_ptr<const LiveSurface> sphere(int frame, double milliliters) {
    auto made = std::make_shared<LiveSurface>();
    made->frame = frame;
    made->scene = std::make_shared<SceneSurface>();
    made->milliliters = milliliters;
    made->squareCentimeters = std::cbrt(36 * std::numbers::pi * milliliters * milliliters);
    return made;
}

TEST(LiveSurfaces, TheEjectionFractionIsThatOfTheLargestAndTheSmallestVolume) {
    const LiveSurfaces cycle{sphere(0, 110), sphere(1, 120), sphere(2, 54), sphere(3, 90)};
    Ejection ejection;
    ASSERT_TRUE(ejectionOf(cycle, ejection));
    EXPECT_EQ(ejection.largestFrame, 1);
    EXPECT_EQ(ejection.smallestFrame, 2);
    EXPECT_NEAR(ejection.fraction, 0.55, 1e-12);
}

TEST(LiveSurfaces, WithoutAFullCycleOfClosedSurfacesThereIsNone) {
    Ejection ejection;
    EXPECT_FALSE(ejectionOf({}, ejection));
    EXPECT_FALSE(ejectionOf({sphere(0, 100)}, ejection));
    EXPECT_FALSE(ejectionOf({sphere(0, 100), nullptr}, ejection));
    auto open = std::make_shared<LiveSurface>(*sphere(1, 60));
    open->closed = false;
    EXPECT_FALSE(ejectionOf({sphere(0, 100), open}, ejection));
    auto failed = std::make_shared<LiveSurface>();
    failed->frame = 1;
    failed->problem = "no voxel has the label";
    EXPECT_FALSE(ejectionOf({sphere(0, 100), failed}, ejection));
}

TEST(LiveSurfaces, TheTableHasTheFramesThatThereAre) {
    auto open = std::make_shared<LiveSurface>(*sphere(2, 60));
    open->closed = false;
    open->squareCentimeters = 50;
    EXPECT_EQ(volumesCsv({sphere(0, 36 * std::numbers::pi), nullptr, open}, {0, 0.04, 0.08}),
              "frame,time_s,volume_ml,area_cm2\n0,0,113.097,113.097\n2,0.08,,50\n");
    EXPECT_EQ(volumesCsv({sphere(0, 36 * std::numbers::pi)}, {}),
              "frame,time_s,volume_ml,area_cm2\n0,,113.097,113.097\n");
}

TEST(SurfaceChoice, IsReadFromTheCommandLine) {
    const SurfaceChoice labels = surfaceFromOption("folder/labels.nii.gz");
    EXPECT_EQ(labels.source, SurfaceOrigin::Labels);
    EXPECT_EQ(labels.file, "folder/labels.nii.gz");
    EXPECT_EQ(labels.label, 1);
    EXPECT_EQ(surfaceFromOption("labels.nrrd:3").label, 3);
    EXPECT_EQ(surfaceFromOption("labels.nrrd:3").file, "labels.nrrd");
    EXPECT_EQ(surfaceFromOption("a:b/labels.nrrd").file, "a:b/labels.nrrd");
    const SurfaceChoice mesh = surfaceFromOption("heart.STL");
    EXPECT_EQ(mesh.source, SurfaceOrigin::Mesh);
    EXPECT_TRUE(mesh.isCarried());
    EXPECT_THROW(surfaceFromOption("labels.nrrd:0"), UsageError);
    EXPECT_THROW(surfaceFromOption("labels.nrrd:99999999999"), UsageError);
}

} // namespace
} // namespace systole
