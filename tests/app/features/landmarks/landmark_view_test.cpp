// Landmarks in the live view: found, followed while the sequence plays, compared, undone.
#include "app/features/segmentation/segmentation_tool.h"
#include "app/live/history.h"
#include "app/live/picture_record.h"
#include "compute/surface/segment.h"
#include "io/source.h"
#include "render/overlays/rows.h"
#include "tests/app/features/landmarks/landmark_view_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace systole {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST_F(LandmarkViewTest, TracksAreThoseOfTheCommandsBitForBit) {
    findAndFollow();
    expectSame(landmarks().tracks, ofCommands());
    EXPECT_EQ(landmarks().finished, landmarkFrames - 1);
    for (int frame = 0; frame < landmarkFrames; ++frame) {
        const auto& figures = landmarks().frames[static_cast<std::size_t>(frame)];
        EXPECT_EQ(figures.has_value(), frame != 1) << "the points are of frame 1";
        if (!figures)
            continue;
        int all = 0;
        for (const int count : figures->counts)
            all += count;
        EXPECT_EQ(all, static_cast<int>(landmarks().tracks.tracks.size()));
        EXPECT_EQ(figures->tracked, figures->counts[0]);
    }
}

TEST_F(LandmarkViewTest, ACaptionGivesTheRangeOfTheirColors) {
    EXPECT_TRUE(recordOf(session_, tools_, *scene_).ownColors.empty());
    findAndFollow();
    tick();
    EXPECT_THAT(captionOf(recordOf(session_, tools_, *scene_)),
                Contains(MatchesRegex("landmarks 0–[0-9.]+ mm")));
    setOption(session_.display, "landmark-maximum", 7.5);
    tick();
    EXPECT_THAT(captionOf(recordOf(session_, tools_, *scene_)), Contains("landmarks 0–7.5 mm"));
    setOption(session_.display, "landmark-color", std::string("certainty"));
    tick();
    EXPECT_THAT(captionOf(recordOf(session_, tools_, *scene_)), Contains("certainty 0–1"));
    setOption(session_.display, "landmarks", false);
    tick();
    EXPECT_TRUE(recordOf(session_, tools_, *scene_).ownColors.empty());
}

TEST_F(LandmarkViewTest, ChangedParametersTrackAnewAndUndoBringsThemBack) {
    findAndFollow();
    const LandmarkTracks before = landmarks().tracks;
    const UserState state = userState(session_, tools_, *scene_);
    landmarks().parameters.set("from", std::string("previous"));
    EXPECT_THAT(changeBetween(state, userState(session_, tools_, *scene_)).text,
                HasSubstr("landmarks: from"));
    EXPECT_EQ(live_->secondsToNextTick(), 0);
    tick();
    EXPECT_TRUE(landmarks().running());
    ASSERT_TRUE(finished());
    expectSame(landmarks().tracks, ofCommands({"--from", "previous"}));
    restore(session_, tools_, state);
    tick();
    ASSERT_TRUE(finished());
    expectSame(landmarks().tracks, before);
    landmarks().parameters.set("number", 12);
    tick();
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().tracks.tracks.size(), 12U) << "found anew";
    EXPECT_EQ(landmarks().points->frame, 1);
}

TEST_F(LandmarkViewTest, TheyAreFollowedWhileTheSequencePlays) {
    session_.playback.play();
    landmarks().find();
    ASSERT_TRUE(becomes([&] { return landmarks().scene && !landmarks().unfinished(); }));
    EXPECT_TRUE(session_.playback.playing());
    EXPECT_EQ(landmarks().finished, landmarkFrames - 1);
}

TEST_F(LandmarkViewTest, ErrorsAgainstAReferenceAreItsDistances) {
    findAndFollow();
    LandmarkTracks shifted = landmarks().tracks;
    for (LandmarkTracks::Track& track : shifted.tracks)
        for (auto& at : track.frames)
            if (at)
                at->position = at->position + Vec3{0, 3, 4};
    const std::string file = folder_ / "expert.csv";
    writeTracks(file, shifted);
    landmarks().compareWith(file);
    tick();
    ASSERT_EQ(landmarks().failure, "");
    const auto& error = landmarks().frames[0]->error;
    ASSERT_TRUE(error);
    EXPECT_NEAR(error->mean, 5, 1e-9);
    EXPECT_NEAR(error->deviation, 0, 1e-9);
    EXPECT_EQ(error->count, static_cast<std::size_t>(landmarks().frames[0]->tracked));
    ASSERT_TRUE(landmarks().scene->tracks[0][1]->error);
}

TEST_F(LandmarkViewTest, FilesOfPointsAreFollowedAndFilesOfTracksAreShown) {
    const LandmarkTracks tracks = ofCommands();
    landmarks().openFile(folder_ / "tracks.csv");
    ASSERT_TRUE(finished());
    ASSERT_EQ(landmarks().failure, "");
    EXPECT_TRUE(landmarks().points->points.empty());
    expectSame(landmarks().tracks, tracks);
    EXPECT_FALSE(landmarks().frames[2]->fatesKnown);
    landmarks().parameters.set("levels", 2);
    tick();
    EXPECT_FALSE(landmarks().running()) << "tracks of a file stay as they are";
    landmarks().parameters.set("levels", 1);
    landmarks().openFile(folder_ / "points.csv");
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().tracks.tracks.size(), tracks.tracks.size());
    EXPECT_TRUE(landmarks().frames.back()->fatesKnown);
}

TEST_F(LandmarkViewTest, FilesThatDoNotFitAreExplained) {
    const std::string outside = folder_ / "outside.csv";
    std::ofstream(outside) << "x,y,z,name\n0,0,9000,far\n";
    landmarks().openFile(outside);
    tick();
    EXPECT_THAT(landmarks().failure, HasSubstr("Point far"));
    EXPECT_THAT(landmarks().failure, HasSubstr("outside the image"));
    EXPECT_EQ(landmarks().scene, nullptr);
    const std::string shorter = folder_ / "short.csv";
    writeTracks(shorter, {0, {{"a", {TrackedPosition{{0, 0, 0}, 1}, std::nullopt}}}});
    landmarks().openFile(shorter);
    tick();
    EXPECT_THAT(landmarks().failure, HasSubstr("Tracks of 2 frames"));
    landmarks().openFile(folder_ / "none.csv");
    tick();
    EXPECT_THAT(landmarks().failure, HasSubstr("none.csv"));
    landmarks().compareWith(outside);
    tick();
    EXPECT_THAT(landmarks().failure, HasSubstr("tracks are expected"));
}

TEST_F(LandmarkViewTest, StopKeepsWhatIsThereAndRemoveAndAnotherFileClearIt) {
    landmarks().find();
    ASSERT_TRUE(becomes([&] { return landmarks().finished > 0 || !landmarks().unfinished(); }));
    landmarks().stop();
    tick();
    EXPECT_FALSE(landmarks().running());
    EXPECT_GT(landmarks().finished, 0);
    EXPECT_NE(landmarks().scene, nullptr);
    tick();
    EXPECT_FALSE(landmarks().running()) << "stopped stays stopped";
    landmarks().clear();
    tick();
    EXPECT_EQ(landmarks().scene, nullptr);
    EXPECT_TRUE(landmarks().tracks.tracks.empty());
    findAndFollow();
    open("other.nii.gz", 20, 3);
    EXPECT_EQ(landmarks().scene, nullptr);
    EXPECT_TRUE(landmarks().points->points.empty());
}

TEST_F(LandmarkViewTest, PointsAreAddedMovedDeletedByHandAndUndone) {
    const Geometry& grid = session_.opened->sequence.geometry;
    const Vec3 place = grid.center();
    landmarks().edit();
    const UserState none = userState(session_, tools_, *scene_);
    point(SlicePointer::Event::Press, place);
    point(SlicePointer::Event::Release);
    ASSERT_TRUE(finished());
    ASSERT_EQ(landmarks().failure, "");
    ASSERT_EQ(landmarks().points->points.size(), 1U);
    EXPECT_EQ(landmarks().points->frame, 1);
    EXPECT_EQ(landmarks().selected, 0);
    EXPECT_TRUE(landmarks().frames[2]) << "it is followed at once";
    const UserState added = userState(session_, tools_, *scene_);
    EXPECT_EQ(changeBetween(none, added).text, "new landmark");

    point(SlicePointer::Event::Press, place + Vec3{0.5, 0, 0});
    point(SlicePointer::Event::Drag, place + Vec3{10.5, 5, 0});
    EXPECT_EQ(tools_.contribution().marks.at(0).position, (place + Vec3{10, 5, 0}))
        << "as it is held";
    point(SlicePointer::Event::Release);
    ASSERT_TRUE(finished());
    ASSERT_EQ(landmarks().points->points.size(), 1U) << "the press took the point that was there";
    EXPECT_LT(length(landmarks().points->points[0].position - (place + Vec3{10, 5, 0})), 1e-9);
    EXPECT_LT(length(landmarks().tracks.tracks[0].frames[1]->position -
                     landmarks().points->points[0].position),
              1e-9);

    restore(session_, tools_, added);
    tick();
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().points->points[0].position, place);
    EXPECT_EQ(landmarks().tracks.tracks[0].frames[1]->position, place);

    landmarks().selected = 0;
    landmarks().removeSelected();
    tick();
    EXPECT_TRUE(landmarks().tracks.tracks.empty());
    EXPECT_EQ(landmarks().scene, nullptr);
    restore(session_, tools_, added);
    tick();
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().tracks.tracks.size(), 1U);
}

TEST_F(LandmarkViewTest, InOtherFramesPointsAreSelectedButNotPlaced) {
    findAndFollow();
    const auto points = landmarks().points;
    showFrame(2);
    const auto& track = landmarks().tracks.tracks;
    const auto there = std::find_if(track.begin(), track.end(),
                                    [](const auto& one) { return one.frames[2].has_value(); });
    ASSERT_NE(there, track.end());
    landmarks().edit();
    point(SlicePointer::Event::Press, there->frames[2]->position);
    point(SlicePointer::Event::Drag, there->frames[2]->position + Vec3{20, 0, 0});
    point(SlicePointer::Event::Release);
    EXPECT_EQ(landmarks().selected, static_cast<int>(there - track.begin()));
    EXPECT_EQ(tools_.contribution().marks.at(0).text, there->name);
    point(SlicePointer::Event::Press, {0, 0, 9000});
    point(SlicePointer::Event::Release);
    EXPECT_EQ(landmarks().selected, -1);
    EXPECT_THAT(landmarks().note, HasSubstr("frame 1"));
    EXPECT_EQ(landmarks().points, points) << "nothing was edited";
}

} // namespace
} // namespace systole
