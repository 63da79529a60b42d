// Landmarks in the live view: found, followed while the sequence plays, compared, undone.
#include "app/live/history.h"
#include "app/tools/landmarks/landmark_tool.h"
#include "app/tools/segmentation/segmentation_tool.h"
#include "compute/surface/segment.h"
#include "io/landmarks/landmark_file.h"
#include "io/source.h"
#include "tests/app/live/live_view_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

constexpr int frames = 4;

/// One small phantom for all tests of this file.
class LandmarkViewTest : public LiveViewFixture {
protected:
    static void SetUpTestSuite() {
        phantom_ = std::make_unique<testing::TemporaryFolder>();
        const testing::Outcome made = testing::run(
            {"phantom", "-o", *phantom_ / "p", "--size", "40", "--frames", std::to_string(frames)});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
    static void TearDownTestSuite() { phantom_.reset(); }
    static std::string sequence() { return *phantom_ / "p/sequence.nii.gz"; }
    static std::string labels() { return *phantom_ / "p/labels.nii.gz"; }

    void SetUp() override {
        makeView(400);
        if (IsSkipped())
            return;
        session_.motion.setBackend(Backend::Cpu);
        session_.motion.enabled = false;
        live_->open({sequence()});
        ASSERT_TRUE(becomes([&] { return session_.opened && session_.shownFrame >= 0; }));
        session_.playback.pause();
        showFrame(1);
        wantPoints(60, 6);
    }
    void wantPoints(int number, int spacing) {
        number_ = number;
        spacing_ = spacing;
        landmarks().parameters.set("number", number);
        landmarks().parameters.set("spacing", double(spacing));
    }
    void showFrame(int frame) {
        session_.playback.seek(frame);
        ASSERT_TRUE(becomes([&] { return session_.shownFrame == frame; }));
    }
    LandmarkTool& landmarks() { return tools_.get<LandmarkTool>(); }
    void point(SlicePointer::Event event, Vec3 position = {}, int axis = 2) {
        landmarks().pointer({event, position, axis});
        tick();
    }
    bool finished() {
        return becomes([&] { return !landmarks().unfinished(); });
    }
    void findAndFollow() {
        landmarks().find();
        ASSERT_TRUE(finished());
        ASSERT_EQ(landmarks().failure, "");
        ASSERT_GT(landmarks().tracks.tracks.size(), 10U);
    }
    /// What `systole landmarks detect` and `landmarks track` write for frame 1.
    LandmarkTracks ofCommands(const std::vector<std::string>& more = {}) {
        const std::string points = folder_ / "points.csv", tracks = folder_ / "tracks.csv";
        const testing::Outcome found = testing::run(
            {"landmarks", "detect", sequence(), "--frame", "1", "--number", std::to_string(number_),
             "--spacing", std::to_string(spacing_), "-o", points, "--overwrite"});
        EXPECT_EQ(found.exitCode, 0) << found.errors;
        std::vector<std::string> arguments{"landmarks", "track",      sequence(), "--points",
                                           points,      "--frame",    "1",        "-o",
                                           tracks,      "--overwrite"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const testing::Outcome tracked = testing::run(arguments);
        EXPECT_EQ(tracked.exitCode, 0) << tracked.errors;
        return readTracks(tracks);
    }
    void expectSame(const LandmarkTracks& a, const LandmarkTracks& b) {
        ASSERT_EQ(a.tracks.size(), b.tracks.size());
        EXPECT_EQ(a.reference, b.reference);
        for (std::size_t i = 0; i < a.tracks.size(); ++i)
            for (std::size_t t = 0; t < std::size_t{frames}; ++t) {
                const auto &one = a.tracks[i].frames[t], &other = b.tracks[i].frames[t];
                ASSERT_EQ(one.has_value(), other.has_value()) << i << ", frame " << t;
                if (!one)
                    continue;
                EXPECT_EQ(one->position.x, other->position.x);
                EXPECT_EQ(one->position.y, other->position.y);
                EXPECT_EQ(one->position.z, other->position.z);
                EXPECT_EQ(one->certainty, other->certainty);
            }
    }

    static std::unique_ptr<testing::TemporaryFolder> phantom_;
    int number_ = 0, spacing_ = 0;
};
std::unique_ptr<testing::TemporaryFolder> LandmarkViewTest::phantom_;

TEST_F(LandmarkViewTest, TracksAreThoseOfTheCommandsBitForBit) {
    findAndFollow();
    expectSame(landmarks().tracks, ofCommands());
    EXPECT_EQ(landmarks().finished, frames - 1);
    for (int frame = 0; frame < frames; ++frame) {
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

TEST_F(LandmarkViewTest, ChangedParametersTrackAnewAndUndoBringsThemBack) {
    findAndFollow();
    const LandmarkTracks before = landmarks().tracks;
    const UserState state = userState(session_, tools_, *scene_);
    landmarks().parameters.set("from", std::string("previous"));
    EXPECT_THAT(changeBetween(state, userState(session_, tools_, *scene_)).text,
                HasSubstr("landmarks: from"));
    EXPECT_EQ(live_->secondsToNextTick(), 0);
    tick();
    EXPECT_TRUE(landmarks().running);
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
    EXPECT_EQ(landmarks().finished, frames - 1);
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
    EXPECT_FALSE(landmarks().running) << "tracks of a file stay as they are";
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
    EXPECT_FALSE(landmarks().running);
    EXPECT_GT(landmarks().finished, 0);
    EXPECT_NE(landmarks().scene, nullptr);
    tick();
    EXPECT_FALSE(landmarks().running) << "stopped stays stopped";
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
    EXPECT_FALSE(landmarks().running) << "nothing is tracked anew";
    ASSERT_TRUE(finished());
    ASSERT_EQ(landmarks().wall.failure, "");
    EXPECT_EQ(landmarks().wall.finished, frames - 1);
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
    EXPECT_THAT(landmarks().wall.failure, HasSubstr("one frame on the grid"));
    landmarks().wall.file = labels();
    tick();
    ASSERT_TRUE(finished());
    EXPECT_EQ(landmarks().wall.failure, "");
    EXPECT_EQ(landmarks().wall.finished, frames - 1);
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
