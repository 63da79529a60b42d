// Landmarks in the live view that an elastic wall moves, or that are found in one.
#include "app/features/segmentation/segmentation_tool.h"
#include "app/live/history.h"
#include "compute/surface/segment.h"
#include "io/source.h"
#include "tests/app/features/landmarks/landmark_view_fixture.h"

#include <gmock/gmock.h>

#include <cmath>

namespace systole {
namespace {

using ::testing::HasSubstr;

TEST_F(LandmarkViewTest, AWallMovesTracksAsTheCommandDoesAndGivesThemBack) {
    wantPoints(300, 3); // many of them in the wall
    findAndFollow();
    const LandmarkTracks found = landmarks().tracks;
    const UserState before = userState(session_, tools_, *scene_);
    landmarks().wall.file = labels();
    landmarks().parameters.set("elastic-wall", std::string("file"));
    EXPECT_EQ(live_->secondsToNextTick(), 0);
    tick();
    EXPECT_TRUE(landmarks().unfinished());
    EXPECT_FALSE(landmarks().running()) << "nothing is tracked anew";
    ASSERT_TRUE(finished());
    ASSERT_EQ(landmarks().wall.failure, "");
    EXPECT_EQ(landmarks().wall.finished, landmarkFrames - 1);
    expectSame(landmarks().tracks, ofCommands({"--elastic-wall", labels()}));
    expectSame(landmarks().found, found);
    const auto& wall = landmarks().frames[2]->wall;
    ASSERT_TRUE(wall);
    EXPECT_GT(wall->report.springs, 3);
    EXPECT_EQ(wall->report.springs + wall->report.carried, landmarks().wall.points);
    EXPECT_GT(wall->meanChange, 0);

    landmarks().parameters.set("elastic-length", 5.0);
    tick();
    ASSERT_TRUE(finished());
    expectSame(landmarks().tracks,
               ofCommands({"--elastic-wall", labels(), "--elastic-length", "5"}));

    restore(session_, tools_, before);
    tick();
    EXPECT_FALSE(landmarks().unfinished());
    expectSame(landmarks().tracks, found);
    EXPECT_FALSE(landmarks().frames[2]->wall);
    EXPECT_EQ(landmarks().frames[2]->carried, 0);
}

TEST_F(LandmarkViewTest, AWallOfTheSegmentationIsWaitedForAndFollowed) {
    wantPoints(300, 3);
    landmarks().parameters.set("elastic-wall", std::string("segmentation"));
    findAndFollow();
    const LandmarkTracks found = landmarks().tracks;
    EXPECT_THAT(landmarks().wall.waiting,
                HasSubstr("Frame 1, in which the points begin, has no labels"));
    const Sequence map = openSequence({labels()}, {});
    BufferPool pool;
    Volume volume(map.geometry, pool, "labels");
    map.source->read(0, volume.view());
    LabelMap wall;
    for (const float value : volume.view().span())
        wall.push_back(value == 1 ? wallLabel : 0);
    LabelHistory& history = tools_.get<SegmentationTool>().labels;
    history.begin("segmentation");
    history.replace(1, wall);
    history.end();
    EXPECT_EQ(live_->secondsToNextTick(), 0);
    tick();
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().wall.failure, "");
    EXPECT_EQ(landmarks().wall.waiting, "");
    EXPECT_EQ(landmarks().wall.label, wallLabel);
    expectSame(landmarks().tracks, ofCommands({"--elastic-wall", labels()}));
    history.begin("none");
    history.remove(1);
    history.end();
    tick();
    EXPECT_NE(landmarks().wall.waiting, "");
    expectSame(landmarks().tracks, found);
}

TEST_F(LandmarkViewTest, WhatIsNoWallIsExplainedAndChangesNoTrack) {
    wantPoints(300, 3);
    findAndFollow();
    const LandmarkTracks found = landmarks().tracks;
    landmarks().parameters.set("elastic-wall", std::string("file"));
    tick();
    EXPECT_THAT(landmarks().wall.waiting, HasSubstr("Choose the label map"));
    EXPECT_FALSE(landmarks().unfinished());
    landmarks().wall.file = labels();
    tick();
    ASSERT_TRUE(finished());
    ASSERT_EQ(landmarks().wall.failure, "");
    landmarks().parameters.set("elastic-label", 9);
    tick();
    ASSERT_TRUE(finished());
    EXPECT_THAT(landmarks().wall.failure, HasSubstr("no label 9"));
    expectSame(landmarks().tracks, found);
    landmarks().parameters.set("elastic-label", 0);
    landmarks().wall.file = sequence();
    tick();
    ASSERT_TRUE(finished());
    EXPECT_THAT(landmarks().wall.failure, HasSubstr("the label map must be one frame"));
    landmarks().wall.file = labels();
    tick();
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().wall.failure, "");
    EXPECT_EQ(landmarks().wall.finished, landmarkFrames - 1);
    open("other.nii.gz", 20, 3);
    EXPECT_EQ(landmarks().wall.file, "");
    EXPECT_EQ(landmarks().wall.failure, "");
    EXPECT_FALSE(landmarks().unfinished());
}

TEST_F(LandmarkViewTest, PointsAreFoundInTheWallAlone) {
    landmarks().parameters.set("within", std::string("wall"));
    landmarks().find();
    tick();
    ASSERT_TRUE(finished());
    EXPECT_THAT(landmarks().failure, HasSubstr("choose a label map as the elastic wall"));
    landmarks().parameters.set("elastic-wall", std::string("file"));
    landmarks().wall.file = labels();
    wantPoints(300, 3);
    findAndFollow();
    const Sequence map = openSequence({labels()}, {});
    BufferPool pool;
    Volume volume(map.geometry, pool, "labels");
    map.source->read(0, volume.view());
    ASSERT_GT(landmarks().points->points.size(), 10U);
    for (const Landmark& point : landmarks().points->points) {
        const Vec3 at = map.geometry.physicalToIndex(point.position);
        EXPECT_EQ(volume.view()(static_cast<int>(std::lround(at.x)),
                                static_cast<int>(std::lround(at.y)),
                                static_cast<int>(std::lround(at.z))),
                  1)
            << point.name;
    }
    EXPECT_EQ(landmarks().wall.points, static_cast<int>(landmarks().points->points.size()));
}

} // namespace
} // namespace systole
