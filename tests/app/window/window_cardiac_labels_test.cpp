// Sources of cavity and wall in the Cardiac panel: label maps, points, the Segment panel.
#include "app/features/segmentation/segmentation_tool.h"
#include "compute/ops/sample_at.h"
#include "io/field_reader.h"
#include "io/phantom/phantom.h"
#include "tests/app/window/window_cardiac_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using CardiacLabelsTest = testing::CardiacPanelTest;

TEST_F(CardiacLabelsTest, ThreePointsAloneMakeAShape) {
    const HeartShape heart;
    const HeartPose pose(heart);
    cardiac().choose(HeartLabels::Points);
    window->refresh();
    EXPECT_THAT(cardiac().waiting(), HasSubstr("three points"));
    cardiac().points = {{pose.fromOwn({0, 0, -heart.endocardialHalfLength})},
                        {pose.fromOwn({0, 0, heart.baseHeight})},
                        {pose.fromOwn({heart.epicardialRadius(), 0, 0})}};
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    EXPECT_THAT(cardiac().outcome()->ventricle->placement.notes,
                ::testing::Contains(HasSubstr("half an ellipsoid through the three points")));
}

TEST_F(CardiacLabelsTest, WithoutLabelsItLeadsToTheSegmentPanel) {
    cardiac().segmentFirst();
    EXPECT_EQ(cardiac().from, HeartLabels::Segmentation);
    EXPECT_TRUE(findPanel(window->panels(), "Segment").open);
    window->refresh();
    settle();
    EXPECT_THAT(cardiac().waiting(), HasSubstr("Segment panel, with the wall"));
}

TEST_F(CardiacLabelsTest, ItKnowsOfASegmentationMadeBefore) {
    EXPECT_FALSE(cardiac().isSegmented());
    auto& segment = window->tools().get<SegmentationTool>();
    segment.mode = SegmentMode::Paint;
    using Event = SlicePointer::Event;
    for (const Event event : {Event::Press, Event::Release})
        segment.pointer({event, {0, 0, 0}, 2});
    window->refresh();
    EXPECT_TRUE(cardiac().isSegmented());
}

TEST_F(CardiacLabelsTest, AnotherFileForgetsIt) {
    ASSERT_NO_FATAL_FAILURE(measure());
    cardiac().select(3);
    openAndShow(path);
    EXPECT_EQ(cardiac().outcome(), nullptr);
    EXPECT_EQ(cardiac().from, HeartLabels::None);
    EXPECT_EQ(text(), "");
    SceneContribution scene;
    cardiac().show(scene);
    EXPECT_EQ(scene.surface, nullptr);
}

TEST_F(CardiacLabelsTest, LabelsWithoutAWallAreRefusedInASentence) {
    cardiac().openFile(folder / "p/sequence.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
    EXPECT_EQ(cardiac().outcome(), nullptr);
    EXPECT_FALSE(cardiac().unfinished());
    EXPECT_THAT(window->tools().failure(), HasSubstr("sequence.nii.gz"));
}

TEST_F(CardiacLabelsTest, LabelsThatCannotBeReadAreToldOfWithoutMotion) {
    session().motion.enabled = false;
    cardiac().openFile(folder / "p/sequence.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
    EXPECT_THAT(cardiac().failure, HasSubstr("sequence.nii.gz"));
}

TEST_F(CardiacLabelsTest, LabelsAloneAreNoOutcome) {
    session().motion.enabled = false;
    cardiac().openFile(folder / "p/labels.nii.gz");
    window->refresh();
    ASSERT_TRUE(cardiac().busy());
    ASSERT_TRUE(becomes([&] { return !cardiac().busy(); }));
    EXPECT_EQ(cardiac().failure, "");
    EXPECT_EQ(cardiac().outcome(), nullptr);
    EXPECT_EQ(text(), "");
    EXPECT_THAT(cardiac().waiting(), HasSubstr("switched off"));
}

TEST_F(CardiacLabelsTest, AFailureEndsWithACorrectedFileOrOtherParameters) {
    const std::string file = folder / "mine.nii.gz";
    const auto put = [&](const char* source) {
        std::filesystem::copy_file(folder / source, file,
                                   std::filesystem::copy_options::overwrite_existing);
    };
    const auto fail = [&] {
        put("p/sequence.nii.gz");
        cardiac().openFile(file);
        window->refresh();
        ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
        put("p/labels.nii.gz");
    };
    ASSERT_NO_FATAL_FAILURE(fail());
    cardiac().openFile(file);
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    ASSERT_NO_FATAL_FAILURE(fail());
    cardiac().parameters.set("segments", std::string("16"));
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    EXPECT_EQ(cardiac().model(), cardiac::AhaModel::Sixteen);
}

TEST_F(CardiacLabelsTest, PointsOfAnyFrameAreCarriedToFrameZero) {
    const HeartShape heart;
    const HeartPose pose(heart);
    const std::vector<Vec3> places{pose.fromOwn({0, 0, -heart.endocardialHalfLength}),
                                   pose.fromOwn({0, 0, heart.baseHeight}),
                                   pose.fromOwn({heart.epicardialRadius(), 0, 0})};
    const std::vector<int> shown{1, 0, 2};
    ExecResources resources{1};
    session().playback.play();
    cardiac().place();
    EXPECT_FALSE(session().playback.playing());
    double farthest = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_NO_FATAL_FAILURE(seek(shown[i]));
        Vec3 there = places[i];
        if (shown[i] > 0) { // where the phantom has taken it
            const VectorField truth = toVoxels(
                readVectors(folder / fmt::format("p/truth_{:04}.mha", shown[i]), resources.pool())
                    .field,
                resources.pool());
            const Geometry& grid = truth.geometry;
            there = there +
                    grid.voxelVectorToPhysical(vectorAt(truth.view(), grid.physicalToIndex(there)));
        }
        farthest = std::max(farthest, length(there - places[i]));
        cardiac().pointer({.event = SlicePointer::Event::Press, .position = there});
        if (i == 0) { // no motion since the first frame is requested yet
            cardiac().choose(HeartLabels::Points);
            window->refresh();
            EXPECT_EQ(cardiac().pointWaitsFor(), 1);
            EXPECT_THAT(cardiac().waiting(), HasSubstr("point in frame 1 waits"));
        }
    }
    EXPECT_FALSE(cardiac().placing);
    EXPECT_GT(farthest, 5);
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    const std::vector<Vec3> found = cardiac().pointsAtReference();
    ASSERT_EQ(found.size(), places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        EXPECT_LT(length(found[i] - places[i]), shown[i] > 0 ? 1.5 : 1e-9) << i;
    // The marks go with the heart, and the shape is seen as a whole.
    ASSERT_NO_FATAL_FAILURE(seek(shown[2]));
    SceneContribution scene;
    cardiac().show(scene);
    ASSERT_EQ(scene.marks.size(), 3u);
    EXPECT_EQ(scene.marks[2].position, cardiac().points[2].position);
    EXPECT_GT(length(scene.marks[1].position - found[1]), 2);
    ASSERT_TRUE(scene.surface && scene.surface->mesh);
    EXPECT_GT(scene.surface->mesh->triangles.size(), 1000u);
    EXPECT_EQ(scene.surface->original, nullptr);
    EXPECT_EQ(cardiac().caption(), "");
}

TEST_F(CardiacLabelsTest, AMapOnAnotherGridIsRefusedAtOnce) {
    session().motion.enabled = false; // nothing waits for it
    ASSERT_EQ(
        testing::run({"phantom", "-o", folder / "q", "--size", "32", "--frames", "2"}).exitCode, 0);
    cardiac().openFile(folder / "q/labels.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
    EXPECT_THAT(cardiac().failure,
                AllOf(HasSubstr("q/labels.nii.gz: the labels lie on another grid"),
                      HasSubstr("found 32×32×32"), HasSubstr("expected 40×40×40")));
}

TEST_F(CardiacLabelsTest, WhatLabelsAreCanBeNamed) {
    ASSERT_NO_FATAL_FAILURE(measure());
    cardiac().parameters.setText("cavity-label", "7");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().failure.empty(); }));
    EXPECT_THAT(cardiac().failure, HasSubstr("label 7"));
    cardiac().parameters.setText("cavity-label", "2");
    cardiac().parameters.setText("wall-label", "1");
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
}

} // namespace
} // namespace systole
