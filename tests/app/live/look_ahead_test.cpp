// While playing, the next frame's motion is there when the frame is due.
#include "tests/app/live/live_view_fixture.h"

namespace systole {
namespace {

constexpr int frames = 5;

class LookAhead : public LiveViewFixture {
protected:
    void SetUp() override {
        makeView(400, KeepFields::No);
        if (IsSkipped())
            return;
        session_.motion.setBackend(Backend::Cpu);
        open("ball.nii.gz", 24, frames);
        // Pairs then wait for estimations alone.
        ASSERT_TRUE(becomes([&] { return session_.stream.read == std::uint64_t{frames}; }));
        session_.playback.play();
    }
    std::uint64_t estimated() const { return session_.estimation.estimated; }
    /// Waits until nothing more is estimated while the clock stands still on this frame: a tick
    /// asks for it, and the next one would know.
    bool rests(int frame) {
        int idle = 0;
        return becomes(
            [&] {
                const PipelineStatus& now = session_.estimation;
                const bool busy = now.estimatingFrame >= 0 || now.waitingFrame >= 0;
                idle = busy || shownMotion() != frame ? 0 : idle + 1;
                return idle == 3;
            },
            0);
    }
    int shownMotion() const { return session_.result ? session_.result->pictureFrame() : -1; }
};

TEST_F(LookAhead, AFramesFirstPictureHasItsMotion) {
    ASSERT_TRUE(rests(0));
    for (int passed = 0; passed < 2 * frames; ++passed) {
        const int next = (session_.playback.frame() + 1) % frames;
        const std::uint64_t before = estimated();
        live_->tick(session_.playback.secondsToChange() + 1e-9);
        EXPECT_EQ(session_.shownFrame, next);
        EXPECT_EQ(shownMotion(), next) << "it was estimated before the frame was due";
        ASSERT_TRUE(rests(next)) << "the motion after it waits for its frame";
        EXPECT_EQ(estimated(), before + 1) << "each frame's once";
    }
    EXPECT_EQ(session_.estimation.dropped, 0u);
}

TEST_F(LookAhead, MotionOfAFrameThatWasPassedOverIsTheNewest) {
    ASSERT_TRUE(rests(0));
    live_->tick(session_.playback.secondsToChange() + 0.04 + 1e-9);
    EXPECT_EQ(session_.shownFrame, 2);
    EXPECT_EQ(shownMotion(), 1) << "its frame has been, it waits for nothing";
    EXPECT_TRUE(test::becomes([&] { return shownMotion() == 2; }, [&] { live_->tick(0); }))
        << "what is late doesn't wait for its picture, which a hidden window doesn't draw";
    ASSERT_TRUE(rests(2));
}

TEST_F(LookAhead, FramesThatArriveAreEstimatedOnceTheyAreThere) {
    live_->setLookAhead(false);
    ASSERT_TRUE(rests(0));
    const std::uint64_t before = estimated();
    live_->tick(session_.playback.secondsToChange() + 1e-9);
    EXPECT_EQ(session_.shownFrame, 1);
    EXPECT_EQ(shownMotion(), 0) << "its own is still to be estimated";
    ASSERT_TRUE(rests(1));
    EXPECT_EQ(estimated(), before + 1);
}

TEST_F(LookAhead, AtRestNothingIsEstimatedAhead) {
    session_.playback.pause();
    session_.playback.seek(2);
    ASSERT_TRUE(rests(2));
    const std::uint64_t before = estimated();
    session_.playback.seek(3);
    ASSERT_TRUE(rests(3));
    EXPECT_EQ(estimated(), before + 1);
}

} // namespace
} // namespace systole
