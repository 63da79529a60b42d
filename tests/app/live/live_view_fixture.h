// A live view that is drawn without a window of the desktop.
#pragma once

#include "app/live/live_view.h"
#include "render/base/error.h"
#include "render/gl/headless_egl.h"
#include "tests/support/ball_sequence.h"
#include "tests/support/becomes.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace systole {

class LiveViewFixture : public ::testing::Test {
protected:
    /// Skips the test where nothing can be drawn: ask IsSkipped() after it.
    void makeView(int width, KeepFields keep = KeepFields::Yes) {
        try {
            egl_ = std::make_unique<HeadlessEgl>();
        } catch (const RenderError& error) {
            GTEST_SKIP() << error.what();
        }
        scene_ = std::make_unique<Scene>();
        scene_->initialize(egl_->hooks());
        scene_->resize(width, 240, 1);
        live_ = std::make_unique<LiveView>(
            session_, tools_, *scene_, [] {}, keep);
    }
    void TearDown() override {
        if (scene_)
            scene_->release();
        live_.reset();
        scene_.reset();
    }
    void open(const std::string& name, int side, int frames) {
        const auto before = session_.opened;
        const std::string file = testing::writeBall(folder_, name, side, frames);
        live_->open({file});
        // The ranges of the one before may still come, and replace `opened` too.
        ASSERT_TRUE(becomes([&] {
            return session_.opened != before && session_.opened->paths.front() == file &&
                   session_.opened->motionMeasured;
        }));
    }
    void tick(double wallSeconds = 0.02) {
        live_->tick(wallSeconds);
        if (scene_->needsRender())
            scene_->capture();
        live_->painted(RateMeter::Clock::now());
    }
    /// False when it does not come true, however busy the machine is. `wallSeconds`: what each tick
    /// is told.
    template <typename Condition>
    bool becomes(const Condition& condition, double wallSeconds = 0.02) {
        return test::becomes(condition, [&, wallSeconds] {
            tick(wallSeconds);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    }

    testing::TemporaryFolder folder_;
    Session session_;
    Tools tools_{session_};
    std::unique_ptr<HeadlessEgl> egl_;
    std::unique_ptr<Scene> scene_;
    std::unique_ptr<LiveView> live_;
};

} // namespace systole
