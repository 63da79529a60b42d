// Work of the live view for overlays: the clock of those that flicker, the motion of all frames for
// those that show it.
#include "render/gl/offscreen.h"
#include "render/overlays/rows.h"
#include "tests/app/live/live_view_fixture.h"

namespace systole {
namespace {

TEST_F(LiveViewFixture, WhatFlickersChangesByTheClockWhileNothingPlays) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 2);
    ASSERT_TRUE(becomes([&] { return session_.result != nullptr; }));
    session_.playback.pause();
    setOption(session_.display, "compare", true);
    tick();
    EXPECT_FALSE(scene_->flickered());
    EXPECT_EQ(scene_->display(), session_.display);
    setOption(session_.display, "compare-by", std::string("flicker"));
    tick();
    EXPECT_LT(live_->secondsToNextTick(), 1) << "a tick is due at the change, at the latest";
    EXPECT_TRUE(becomes([&] { return scene_->flickered(); }));
    EXPECT_TRUE(becomes([&] { return !scene_->flickered(); }));
    EXPECT_TRUE(becomes([&] { return scene_->flickered(); }));
    setOption(session_.display, "compare", false);
    tick();
    EXPECT_FALSE(scene_->flickered());
}

TEST_F(LiveViewFixture, AMapThatIsMadeWhileNothingIsDrawnIsNotPolledFor) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 2);
    session_.playback.pause();
    ASSERT_TRUE(becomes([&] {
        return session_.result && session_.result->pictureFrame() == session_.playback.frame() &&
               session_.result->field;
    }));
    session_.display.layout = Layout::ThreeSlices;
    setOption(session_.display, "deformation", true);
    live_->tick(0);
    // The last draw, as of a window that is then hidden: it asks for the map.
    const OffscreenFramebuffer framebuffer(400, 240);
    scene_->draw(framebuffer.id(), 0);
    ASSERT_TRUE(scene_->unfinished());
    ASSERT_TRUE(test::becomes([&] { return live_->tick(0).picture; }, [] {}))
        << "the map is there, and a draw is due";
    EXPECT_TRUE(scene_->unfinished());
    EXPECT_GT(live_->secondsToNextTick(), 1) << "until that draw nothing happens by itself";
    tick();
    EXPECT_FALSE(scene_->needsRender()) << "it is shown once something is drawn again";
}

TEST_F(LiveViewFixture, PathlinesGrowWithTheMotionOfTheFramesThatFollow) {
    if (makeView(400); IsSkipped())
        return;
    open("ball.nii.gz", 24, 4);
    session_.playback.pause();
    ASSERT_TRUE(becomes([&] {
        return session_.result && session_.result->pictureFrame() == session_.playback.frame();
    }));
    session_.display.layout = Layout::ThreeSlices;
    setOption(session_.display, "arrows", false);
    setOption(session_.display, "pathlines", true);
    tick();
    const auto result = session_.result;
    const RgbaImage one = scene_->capture();
    tick();
    EXPECT_EQ(scene_->capture().pixels, one.pixels) << "nothing else changes the picture";
    session_.cycle.on = true;
    ASSERT_TRUE(becomes([&] { return !session_.cycle.on && !session_.cycle.outcome.empty(); }));
    tick();
    EXPECT_EQ(session_.result, result);
    EXPECT_NE(scene_->capture().pixels, one.pixels);
}

} // namespace
} // namespace systole
