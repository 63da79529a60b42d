// A heart of three points and a motion since its first frame that a test passes to the Cardiac
// tool, as a live view would.
#pragma once

#include "app/feature/tools.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "tests/app/feature/no_frames.h"
#include "tests/support/becomes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace systole::testing {

/// Passes on what a test puts in; a view that has been told to stop passes on nothing.
struct GivenResults : NoFrames {
    std::vector<std::shared_ptr<const FrameResult>> sinceFirst, steps; ///< results by frame
    bool on = true;
    std::shared_ptr<const FrameResult> motionSinceFirst(int frame) override {
        return on ? sinceFirst[static_cast<std::size_t>(frame)] : nullptr;
    }
    std::vector<std::shared_ptr<const FrameResult>> motions() const override { return steps; }
};

struct CardiacMotion {
    static constexpr int frames = 4;
    BufferPool pool;
    Geometry grid{{40, 40, 40}, {3, 3, 3}};
    Session session;
    Tools tools{session};
    GivenResults context;

    CardiacMotion() {
        auto opened = std::make_shared<OpenedSequence>();
        opened->sequence.geometry = grid;
        opened->sequence.frames = frames;
        tools.opened(*opened);
        session.playback.setSequence(opened->sequence);
        session.opened = opened;
        session.shownFrame = 0;
        tool().from = HeartLabels::Points;
        tool().points = {{{60, 60, 30}, 0}, {{60, 60, 85}, 0}, {{80, 60, 60}, 0}};
        context.sinceFirst.resize(frames);
    }
    CardiacTool& tool() { return tools.get<CardiacTool>(); }

    /// Shortens by 3 % times `amount` in every direction.
    std::shared_ptr<FrameResult> motion(int from, int to, double amount) {
        auto field = std::make_shared<VectorField>(grid, pool, "motion");
        const FieldView<float> view = field->view();
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x) {
                    const std::size_t i = view.componentView(0).offset(x, y, z);
                    view.u[i] = static_cast<float>(-0.03 * amount * (x - 15));
                    view.v[i] = static_cast<float>(-0.03 * amount * (y - 20));
                    view.w[i] = static_cast<float>(-0.03 * amount * (z - 30));
                }
        auto result = std::make_shared<FrameResult>();
        result->fixedFrame = from;
        result->movingFrame = to;
        result->sinceFirst = true;
        result->window = 1;
        result->field = field;
        return result;
    }
    /// A result whose motion is from frame to frame.
    std::shared_ptr<FrameResult> step(int from, int to, double amount) {
        auto result = motion(from, to, amount);
        result->sinceFirst = false;
        result->window = 0;
        return result;
    }
    bool measuredAll() {
        return becomes([&] {
            return !tool().failure.empty() ||
                   (!tool().unfinished() && tool().outcome() &&
                    tool().outcome()->motion.frame.size() == std::size_t{frames});
        });
    }
    template <typename Condition>
    bool becomes(const Condition& condition) {
        return test::becomes(condition, [&] {
            tools.follow(context);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    }
};

} // namespace systole::testing
