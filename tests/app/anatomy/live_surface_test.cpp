// Curves of surfaces, and the choice of a surface on the command line.
#include "app/anatomy/ejection.h"
#include "app/anatomy/live_surface.h"
#include "app/base/error.h"
#include "app/features/surface/surface_choice.h"
#include "tests/support/sphere_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <memory>
#include <numbers>
#include <optional>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

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
    const std::optional<Ejection> ejection = ejectionOf(cycle);
    ASSERT_TRUE(ejection);
    EXPECT_EQ(ejection->largestFrame, 1);
    EXPECT_EQ(ejection->smallestFrame, 2);
    EXPECT_NEAR(ejection->fraction, 0.55, 1e-12);
}

TEST(LiveSurfaces, WithoutAFullCycleOfClosedSurfacesThereIsNone) {
    EXPECT_FALSE(ejectionOf(LiveSurfaces{}));
    EXPECT_FALSE(ejectionOf({sphere(0, 100)}));
    EXPECT_FALSE(ejectionOf({sphere(0, 100), nullptr}));
    auto open = std::make_shared<LiveSurface>(*sphere(1, 60));
    open->closed = false;
    EXPECT_FALSE(ejectionOf({sphere(0, 100), open}));
    auto failed = std::make_shared<LiveSurface>();
    failed->frame = 1;
    failed->problem = "no voxel has the label";
    EXPECT_FALSE(ejectionOf({sphere(0, 100), failed}));
}

TEST(LiveSurfaces, TheTableHasTheFramesThatThereAre) {
    auto open = std::make_shared<LiveSurface>(*sphere(2, 60));
    open->closed = false;
    open->squareCentimeters = 50;
    EXPECT_EQ(
        volumesCsv({sphere(0, 36 * std::numbers::pi), nullptr, open}, {0, 0.04, 0.08}, "each"),
        "frame,time_s,volume_ml,area_cm2,contour\n0,0,113.097,113.097,each\n2,0.08,,50,each\n");
    EXPECT_EQ(volumesCsv({sphere(0, 36 * std::numbers::pi)}, {}, "each"),
              "frame,time_s,volume_ml,area_cm2,contour\n0,,113.097,113.097,each\n");
}

LiveSurfaces cycleOf(std::initializer_list<double> milliliters, bool carried = false) {
    LiveSurfaces cycle;
    for (const double volume : milliliters) {
        auto made = std::make_shared<LiveSurface>(*sphere(static_cast<int>(cycle.size()), volume));
        made->carried = carried;
        cycle.push_back(std::move(made));
    }
    return cycle;
}

TEST(Ejection, MarksOfOtherFramesAreSaidWithWhatIsBetweenThem) {
    const LiveSurfaces cycle = cycleOf({100, 80, 50, 60, 90});
    EXPECT_EQ(markedNote(cycle, std::nullopt, std::nullopt), "");
    EXPECT_EQ(markedNote(cycle, 0, 2), "");
    EXPECT_THAT(markedNote(cycle, 1, 3),
                HasSubstr("ED 1 (80.0 ml) to ES 3 (60.0 ml) the ejection fraction is 25.0 %"));
    EXPECT_THAT(markedNote(cycle, std::nullopt, 3), HasSubstr("ED 0 (100.0 ml) to ES 3"));
    EXPECT_EQ(markedNote(cycle, 9, 2), "") << "of another file";
    EXPECT_EQ(markedNote({}, 0, 1), "");
}

TEST(Ejection, ACycleThatDoesNotCloseIsSaidWithItsEndDiastole) {
    EXPECT_EQ(openCycleNote(cycleOf({100, 70, 45, 75, 99})), "");
    const std::string note = openCycleNote(cycleOf({100, 70, 45, 75, 106}));
    EXPECT_THAT(note, HasSubstr("106.0 ml in frame 4 against 100.0 ml in frame 0, +6.0 %"));
    EXPECT_THAT(note, HasSubstr("End diastole is frame 4"));
}

TEST(Ejection, TwoWaysThatDisagreeHaveALikelyCauseAndAFrameToLookAt) {
    // It fills fast: 44 to 60 ml in a frame.
    const LiveSurfaces each = cycleOf({100, 76, 58, 44, 60, 80, 98});
    EXPECT_EQ(disagreement(each, cycleOf({100, 77, 59, 46, 61, 80, 99}, true)), "");
    const std::string damped = disagreement(each, cycleOf({100, 84, 70, 60, 68, 82, 98}, true));
    EXPECT_THAT(damped, HasSubstr("differ by 16.0 points"));
    EXPECT_THAT(damped, HasSubstr("smoothed"));
    EXPECT_THAT(damped, HasSubstr("frame 3, where they are 16.0 ml apart"));
    EXPECT_THAT(disagreement(cycleOf({100, 85, 73, 64, 40, 82, 98}),
                             cycleOf({100, 85, 73, 64, 70, 82, 98}, true)),
                HasSubstr("the contour found in frame 4"));
    EXPECT_THAT(disagreement(cycleOf({100, 76, 58, 46, 60, 80, 98}),
                             cycleOf({100, 76, 58, 46, 70, 95, 125}, true)),
                HasSubstr("add up"));
}

TEST(Ejection, OneLabelMapForAllFramesEjectsNothing) {
    auto same = std::make_shared<LiveSurface>(*sphere(0, 80));
    same->still = true;
    EXPECT_FALSE(ejectionOf({same, same}));
    for (const double volume : millilitersByFrame({same, same}))
        EXPECT_TRUE(std::isnan(volume)) << "it has no curve";
    EXPECT_EQ(millilitersByFrame({sphere(0, 80), sphere(1, 60)}), (std::vector<double>{80, 60}));
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
