// The steps of motion over a window of frames, against a pipeline's status made up by hand.
#include "app/estimation/window_queue.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int frames = 8, window = 5;

/// A pipeline that estimates one step at a time, and smooths as TrajectoryFilter does.
struct FakeWindowPipeline {
    PipelineStatus status;

    void request(int step) {
        if (status.estimatingFrame < 0)
            begin(step);
        else
            status.waitingFrame = step;
    }
    void begin(int step) {
        status.estimatingFrame = step;
        status.window.nextStep = step;
    }
    void finishOne() {
        const int done = std::exchange(status.estimatingFrame, -1);
        const bool last = done == frames - 1;
        for (int frame = 1; frame < frames; ++frame)
            if (last || (done >= window - 1 && frame + window / 2 <= done))
                keep(frame);
        status.window.nextStep = last ? 1 : done + 1;
        status.window.rounds += last ? 1 : 0;
        if (const int next = std::exchange(status.waitingFrame, -1); next > 0)
            begin(next);
    }
    void keep(int frame) {
        std::erase(status.window.smoothedFrames, frame);
        status.window.smoothedFrames.push_back(frame);
    }
};

class WindowQueueTest : public ::testing::Test {
protected:
    std::vector<int> ask(WindowQueue::Shown shown = {}) {
        std::vector<int> steps;
        while (const auto step = queue.next(pipeline.status, frames, window, shown)) {
            queue.requested(*step);
            pipeline.request(*step);
            steps.push_back(*step);
        }
        return steps;
    }
    /// Finishes estimations until the queue requests nothing more; returns all requests.
    std::vector<int> runOut(WindowQueue::Shown shown = {}) {
        std::vector<int> all = ask(shown);
        while (pipeline.status.estimatingFrame >= 0) {
            pipeline.finishOne();
            for (const int step : ask(shown))
                all.push_back(step);
        }
        return all;
    }

    WindowQueue queue;
    FakeWindowPipeline pipeline;
};

TEST_F(WindowQueueTest, AsksForEveryFrameInOrderWithOneInReserve) {
    EXPECT_EQ(ask(), (std::vector<int>{1, 2}));
    EXPECT_EQ(runOut(), (std::vector<int>{3, 4, 5, 6, 7}));
    EXPECT_EQ(pipeline.status.window.smoothedFrames.size(), 7u);
    EXPECT_TRUE(runOut({4, false}).empty()) << "everything is there";
}

TEST_F(WindowQueueTest, BeginsAgainForAShownFrameThatLeftTheCacheAndStopsWhereItIsBack) {
    runOut();
    std::erase(pipeline.status.window.smoothedFrames, 3);
    EXPECT_TRUE(runOut({0, false}).empty()) << "the first frame has no motion";
    const std::vector<int> steps = runOut({3, false});
    EXPECT_EQ(steps, (std::vector<int>{1, 2, 3, 4, 5, 6})); // one was in reserve
    // A frame before needs the beginning, a later one what follows.
    std::erase(pipeline.status.window.smoothedFrames, 7);
    EXPECT_EQ(runOut({7, false}), std::vector<int>{7});
    std::erase(pipeline.status.window.smoothedFrames, 1);
    EXPECT_EQ(runOut({1, false}).front(), 1);
}

TEST_F(WindowQueueTest, AFrameThatWasPassedByNeedsTheBeginning) {
    runOut();
    pipeline.status.window.smoothedFrames = {1, 2};
    runOut({3, false});
    pipeline.status.window.nextStep = 7;
    std::erase(pipeline.status.window.smoothedFrames, 2);
    EXPECT_EQ(runOut({2, false}).front(), 1);
}

TEST_F(WindowQueueTest, EstimatesAgainOnRequest) {
    runOut();
    EXPECT_EQ(ask({2, true}), (std::vector<int>{1, 2}));
}

TEST_F(WindowQueueTest, NewSettingsACancellationAndAFailureAreNoticed) {
    EXPECT_EQ(ask(), (std::vector<int>{1, 2}));
    ++pipeline.status.cancelled; // while estimation was off
    pipeline.status.estimatingFrame = pipeline.status.waitingFrame = -1;
    EXPECT_EQ(ask(), (std::vector<int>{1, 2}));
    pipeline.status = {};
    pipeline.status.generation = 5;
    EXPECT_EQ(ask(), (std::vector<int>{1, 2}));
    pipeline.status.estimatingFrame = pipeline.status.waitingFrame = -1;
    pipeline.status.message = "no";
    EXPECT_TRUE(ask().empty());
}

} // namespace
} // namespace systole
