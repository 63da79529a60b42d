// A registration in the live view, in place of the sequence.
#include "app/live/live_view.h"
#include "app/live/picture_record.h"
#include "compute/motion/methods.h"
#include "render/error.h"
#include "render/gl/headless_egl.h"
#include "tests/support/ball_sequence.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace systole {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

class RegistrationViewTest : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            egl_ = std::make_unique<HeadlessEgl>();
        } catch (const RenderError& error) {
            GTEST_SKIP() << error.what();
        }
        scene_ = std::make_unique<Scene>();
        scene_->initialize(egl_->hooks());
        scene_->resize(400, 240, 1);
        live_ = std::make_unique<LiveView>(session_, *scene_, [] {});
        session_.motion.setBackend(Backend::Cpu);
        open("ball.nii.gz", 24, 6);
        registration_.choice.choose(motionMethod("demons"));
        registration_.choice.setBackend(Backend::Cpu);
        registration_.fixedFrame = 1; // largest and smallest ball
        registration_.movingFrame = 4;
    }
    void TearDown() override {
        if (scene_)
            scene_->release();
        live_.reset();
        scene_.reset();
    }
    void open(const std::string& name, int side, int frames) {
        const auto before = session_.opened;
        live_->open({testing::writeBall(folder_, name, side, frames)});
        ASSERT_TRUE(becomes([&] { return session_.opened != before; }));
        session_.playback.pause();
    }
    void tick() {
        live_->tick(0.02);
        if (scene_->needsRender())
            scene_->capture();
        live_->painted(RateMeter::Clock::now());
    }
    template <typename Condition>
    bool becomes(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 200s;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            tick();
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
    bool finishes() {
        registration_.wantedStart = true;
        return becomes([&] {
            return registration_.status.run > 0 && !registration_.status.running &&
                   shows(registration_.status.best);
        });
    }
    bool shows(int number) const {
        return registration_.picture && registration_.picture->number == number;
    }

    TemporaryFolder folder_;
    Session session_;
    RegistrationSession& registration_ = session_.registration;
    std::unique_ptr<HeadlessEgl> egl_;
    std::unique_ptr<Scene> scene_;
    std::unique_ptr<LiveView> live_;
};

TEST_F(RegistrationViewTest, TheResultIsShownAndAnyIterationBefore) {
    ASSERT_TRUE(finishes());
    EXPECT_EQ(registration_.status.failure, "");
    EXPECT_GT(registration_.status.points.size(), 5u);
    EXPECT_EQ(session_.playback.frame(), 1);
    const double correlation = registration_.picture->correlation;
    EXPECT_GT(correlation, 0.98);
    const RgbaImage last = scene_->capture();
    registration_.wantedNumber = 1;
    ASSERT_TRUE(becomes([&] { return shows(1); }));
    EXPECT_LT(registration_.picture->correlation, correlation);
    tick();
    EXPECT_NE(scene_->capture().pixels, last.pixels);
    registration_.wantedNumber = 0;
    ASSERT_TRUE(becomes([&] { return shows(registration_.status.best); }));
    tick();
    EXPECT_EQ(scene_->capture().pixels, last.pixels);
}

TEST_F(RegistrationViewTest, AnotherFrameBringsTheSequenceBack) {
    ASSERT_TRUE(finishes());
    session_.playback.seek(3);
    ASSERT_TRUE(becomes([&] {
        return !registration_.shown && session_.shownFrame == 3 && session_.result &&
               session_.result->fixedFrame == 3;
    }));
    registration_.shown = true; // and again
    ASSERT_TRUE(becomes([&] { return session_.playback.frame() == 1 && !session_.result; }));
    EXPECT_TRUE(registration_.shown);
    session_.playback.play();
    ASSERT_TRUE(becomes([&] { return !registration_.shown && session_.result != nullptr; }));
}

TEST_F(RegistrationViewTest, AFileWithAGridOfItsOwnCanBeTheMovingImage) {
    registration_.movingFile = testing::writeBall(folder_, "large.nii.gz", 30, 2);
    ASSERT_TRUE(finishes());
    EXPECT_EQ(registration_.status.failure, "");
    EXPECT_THAT(registration_.status.name, HasSubstr("large.nii.gz"));
    registration_.movingFile = folder_ / "missing.nii";
    registration_.wantedStart = true;
    ASSERT_TRUE(becomes([&] { return !registration_.status.failure.empty(); }));
    EXPECT_THAT(registration_.status.failure, HasSubstr("missing.nii"));
}

TEST_F(RegistrationViewTest, OneImageIsNotRegisteredWithItselfOrAfterAnotherFileWasOpened) {
    registration_.movingFrame = 1;
    EXPECT_EQ(whyNoRegistration(session_), "fixed and moving image are the same");
    registration_.wantedStart = true;
    tick();
    EXPECT_FALSE(registration_.wantedStart);
    EXPECT_EQ(registration_.status.run, 0u);
    registration_.movingFrame = 4;
    ASSERT_TRUE(finishes());
    open("other.nii.gz", 20, 3);
    EXPECT_FALSE(registration_.shown);
    EXPECT_EQ(registration_.status.run, 0u);
}

TEST_F(RegistrationViewTest, APictureSaysWhatItShows) {
    ASSERT_TRUE(finishes());
    registration_.view = RegistrationView::Checkerboard;
    tick();
    const PictureRecord record = recordOf(session_, *scene_);
    EXPECT_EQ(record.frame, 1);
    EXPECT_FALSE(record.left);
    EXPECT_THAT(record.registration, HasSubstr("frame 1 and frame 4, demons"));
    EXPECT_THAT(record.registration, HasSubstr("checkerboard"));
    EXPECT_THAT(captionOf(record), Contains(record.registration));
}

} // namespace
} // namespace systole
