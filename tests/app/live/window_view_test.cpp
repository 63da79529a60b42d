// The live view with motion over a window of frames, drawn without a window of the desktop.
#include "app/live/picture_record.h"
#include "app/session/comparison.h"
#include "app/session/motion_note.h"
#include "io/formats/writer.h"
#include "render/display_scale.h"
#include "render/overlays/rows.h"
#include "tests/app/live/live_view_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int frames = 7;

class WindowViewTest : public LiveViewFixture {
protected:
    void SetUp() override {
        makeView(600);
        if (IsSkipped())
            return;
        path_ = testing::writeBall(folder_, "ball.nii.gz", 24, frames);
        session_.motion.setBackend(Backend::Cpu);
        session_.compared.setBackend(Backend::Cpu);
        live_->open({path_});
        ASSERT_TRUE(becomes([&] { return session_.opened && session_.opened->motionMeasured; }));
        session_.playback.pause();
    }
    bool allSmoothed() {
        return becomes(
            [&] { return session_.estimation.window.smoothedFrames.size() == frames - 1; });
    }
    bool shows(int frame) {
        session_.playback.seek(frame);
        return becomes([&] {
            return session_.shownFrame == frame && session_.result &&
                   session_.result->pictureFrame() == frame &&
                   session_.result->window == session_.motion.window;
        });
    }

    std::string path_;
};

TEST_F(WindowViewTest, ShowsTheFieldsThatTheCommandWrites) {
    for (const auto& [window, reference] : {std::pair{1, "first"}, {5, "window"}}) {
        session_.motion.setWindow(window);
        const std::string run = folder_ / reference;
        ASSERT_EQ(
            testing::run({"motion", path_, "-o", run, "--reference", reference, "--backend", "cpu"})
                .exitCode,
            0);
        BufferPool pool;
        for (const int frame : {1, 4, 6}) {
            ASSERT_TRUE(shows(frame));
            const MillimeterField shown = toMillimeters(*session_.result->field, pool);
            const MillimeterField written =
                readField(run + fmt::format("/displacement_{:04}.mha", frame), pool);
            ASSERT_EQ(shown.vectors.size(), written.vectors.size());
            EXPECT_TRUE(std::equal(shown.vectors.data(),
                                   shown.vectors.data() + shown.vectors.size(),
                                   written.vectors.data()))
                << frame;
            EXPECT_EQ(scene_->motionNotes().left, "");
        }
    }
}

TEST_F(WindowViewTest, TheFirstFrameHasNoMotionAndTheScaleIsThatOfLongerMotion) {
    auto larger = std::make_shared<OpenedSequence>(*session_.opened);
    larger->motionRangeSinceFirst = 3 * larger->motionRange; // here they are equal
    session_.opened = larger;
    const double pairs = scene_->scale().motion;
    session_.motion.setWindow(5);
    ASSERT_TRUE(allSmoothed());
    EXPECT_EQ(scene_->scale().motion,
              automaticScale(larger->motionRangeSinceFirst, larger->sequence.geometry).motion);
    EXPECT_GT(scene_->scale().motion, pairs);
    ASSERT_TRUE(shows(3));
    session_.playback.seek(0);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame == 0; }));
    EXPECT_EQ(session_.result, nullptr);
    EXPECT_EQ(scene_->motionNotes().left, "");
    EXPECT_FALSE(recordOf(session_, tools_, *scene_).left);
    session_.motion.setWindow(0);
    ASSERT_TRUE(becomes([&] { return session_.result && session_.result->pictureFrame() == 0; }));
    EXPECT_EQ(session_.result->movingFrame, 1);
    EXPECT_EQ(scene_->scale().motion, pairs);
}

TEST_F(WindowViewTest, PlaybackGoesOnAndEveryFrameIsSmoothedInTheEnd) {
    session_.motion.setWindow(5);
    session_.playback.play();
    ASSERT_TRUE(allSmoothed());
    EXPECT_EQ(session_.estimation.dropped, 0u);
    // A pair may have been requested twice before on a busy machine; then no more is estimated,
    // however long the frames are played.
    constexpr int ticks = 60;
    std::uint64_t estimated = 0;
    int unchanged = 0;
    EXPECT_TRUE(becomes([&] {
        unchanged = session_.estimation.estimated == estimated ? unchanged + 1 : 0;
        estimated = session_.estimation.estimated;
        return unchanged == ticks;
    }));
    EXPECT_LE(estimated, 2u * frames);
    EXPECT_EQ(whyNoCycle(session_), "with a window it is always estimated");
}

TEST_F(WindowViewTest, TheCaptionSaysThatItIsSmoothed) {
    session_.motion.setWindow(5);
    setOption(session_.display, "arrows", true);
    ASSERT_TRUE(shows(4));
    PictureRecord record = recordOf(session_, tools_, *scene_);
    ASSERT_TRUE(record.left);
    EXPECT_EQ(record.left->window, 5);
    EXPECT_TRUE(record.left->smoothed);
    EXPECT_THAT(captionOf(record), Contains("motion 0 to 4, smoothed over 5 frames"));
    record.left->smoothed = false;
    EXPECT_THAT(captionOf(record), Contains("motion 0 to 4, not smoothed yet"));
}

TEST_F(WindowViewTest, TwoWindowsAreComparedSideBySide) {
    session_.motion.setWindow(5);
    session_.compared.setWindow(7);
    session_.display.layout = Layout::SideBySide;
    session_.playback.seek(3);
    ASSERT_TRUE(becomes([&] {
        return session_.right.comparison && session_.right.result->window == 7 &&
               session_.result->window == 5 && session_.result->pictureFrame() == 3;
    }));
    EXPECT_GT(session_.right.comparison->difference.maximum, 0);
    const SideBySide sides = sidesOf(session_);
    EXPECT_THAT(sides.leftLabel, HasSubstr("reference window of 5 frames"));
    EXPECT_THAT(sides.rightLabel, HasSubstr("reference window of 7 frames"));
}

TEST_F(WindowViewTest, AWindowBesidePairsIsShownWithoutADifference) {
    session_.motion.setWindow(5);
    session_.display.layout = Layout::SideBySide;
    session_.playback.seek(3);
    ASSERT_TRUE(becomes([&] {
        return session_.result && session_.result->window == 5 && session_.right.result &&
               session_.right.result->pictureFrame() == 3;
    }));
    EXPECT_EQ(session_.right.result->fixedFrame, 3);
    EXPECT_EQ(session_.right.comparison, nullptr);
    EXPECT_THAT(sidesOf(session_).differenceLabel, HasSubstr("other pairs of frames"));
}

TEST_F(WindowViewTest, MotionBetweenFramesOfOppositeContrastIsNotedAndFaded) {
    BufferPool pool;
    const std::vector<std::string> paths{folder_ / "a.nii", folder_ / "b.nii"};
    for (std::size_t frame = 0; frame < paths.size(); ++frame) {
        std::vector<float> voxels;
        for (int i = 0; i < 16 * 16 * 16; ++i) {
            const double value = 100 * std::sin(0.5 * (i % 16)) * std::sin(0.4 * (i / 16 % 16)) *
                                 std::sin(0.3 * (i / 256));
            voxels.push_back(static_cast<float>(frame == 0 ? value : -value));
        }
        const Geometry grid({16, 16, 16}, {1, 1, 1});
        writeVolume(paths[frame], grid, {voxels.data(), grid.size()});
    }
    live_->open(paths);
    ASSERT_TRUE(becomes([&] { return session_.opened->sequence.frames == 2; }));
    session_.playback.pause();
    ASSERT_TRUE(becomes([&] { return session_.result && session_.result->fixedFrame == 0; }));
    tick();
    EXPECT_THAT(scene_->motionNotes().left, HasSubstr("opposite contrast"));
    EXPECT_FALSE(motionIsOutdated(session_));
}

} // namespace
} // namespace systole
