// The pairs of a whole cycle, against a pipeline's status made up by hand.
#include "app/estimation/cycle_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace systole {
namespace {

/// A pipeline that estimates one pair per step.
struct FakeCyclePipeline {
    PipelineStatus status;
    bool keeps = true; ///< finished fields

    void request(int frame) {
        if (status.estimatingFrame < 0)
            status.estimatingFrame = frame;
        else
            status.waitingFrame = frame;
    }
    void finishOne() {
        if (keeps && status.estimatingFrame >= 0)
            add(status.estimatingFrame);
        status.estimatingFrame = std::exchange(status.waitingFrame, -1);
    }
    void add(int frame) {
        status.cachedFrames.push_back(frame);
        std::sort(status.cachedFrames.begin(), status.cachedFrames.end());
    }
};

/// Lets the queue request what it wants now.
std::vector<int> ask(CycleQueue& queue, FakeCyclePipeline& pipeline, int preferred = -1) {
    std::vector<int> frames;
    while (const std::optional<int> frame = queue.next(pipeline.status, preferred)) {
        queue.requested(*frame);
        pipeline.request(*frame);
        frames.push_back(*frame);
    }
    return frames;
}

TEST(CycleQueue, AsksForEveryPairOnceWithOneInReserve) {
    CycleQueue queue;
    FakeCyclePipeline pipeline;
    queue.start(5, 3);
    EXPECT_EQ(ask(queue, pipeline), (std::vector<int>{3, 4}));
    std::vector<int> asked{3, 4};
    while (queue.running()) {
        pipeline.finishOne();
        for (const int frame : ask(queue, pipeline))
            asked.push_back(frame);
    }
    EXPECT_EQ(asked, (std::vector<int>{3, 4, 0, 1, 2}));
    EXPECT_EQ(queue.finished(), 5);
    EXPECT_EQ(queue.total(), 5);
    EXPECT_EQ(queue.discarded(), 0);
    EXPECT_FALSE(queue.failed());
}

TEST(CycleQueue, LeavesOutWhatIsFinishedAndTakesTheShownPairFirst) {
    CycleQueue queue;
    FakeCyclePipeline pipeline;
    pipeline.add(0);
    pipeline.add(2);
    queue.start(5, 0);
    EXPECT_EQ(ask(queue, pipeline, 4).front(), 4);
    EXPECT_EQ(queue.finished(), 2);
    pipeline.finishOne();
    pipeline.finishOne();
    ask(queue, pipeline);
    pipeline.finishOne();
    ask(queue, pipeline);
    EXPECT_FALSE(queue.running());
}

TEST(CycleQueue, NewSettingsBeginAgain) {
    CycleQueue queue;
    FakeCyclePipeline pipeline;
    queue.start(4, 0);
    ask(queue, pipeline);
    pipeline.finishOne();
    ask(queue, pipeline);
    EXPECT_EQ(queue.finished(), 1);
    pipeline.status = {};
    pipeline.status.generation = 1;
    EXPECT_EQ(ask(queue, pipeline), (std::vector<int>{0, 1}));
    EXPECT_EQ(queue.finished(), 0);
}

TEST(CycleQueue, AskedAgainAfterACancellation) {
    CycleQueue queue;
    FakeCyclePipeline pipeline;
    queue.start(3, 0);
    EXPECT_EQ(ask(queue, pipeline), (std::vector<int>{0, 1}));
    pipeline.status.estimatingFrame = std::exchange(pipeline.status.waitingFrame, -1);
    ++pipeline.status.cancelled; // the estimation of frame 0
    EXPECT_EQ(ask(queue, pipeline), (std::vector<int>{2}));
    pipeline.finishOne();
    EXPECT_EQ(ask(queue, pipeline), (std::vector<int>{0}));
}

TEST(CycleQueue, StopsAtAFailure) {
    CycleQueue queue;
    FakeCyclePipeline pipeline;
    queue.start(3, 0);
    ask(queue, pipeline);
    pipeline.keeps = false;
    pipeline.finishOne();
    pipeline.status.message = "out of memory";
    EXPECT_TRUE(ask(queue, pipeline).empty());
    EXPECT_FALSE(queue.running());
    EXPECT_TRUE(queue.failed());
}

TEST(CycleQueue, EndsAlsoWhenFieldsFindNoPlace) {
    CycleQueue queue;
    FakeCyclePipeline pipeline;
    pipeline.keeps = false;
    queue.start(3, 0);
    while (queue.running()) {
        ask(queue, pipeline);
        pipeline.finishOne();
    }
    EXPECT_EQ(queue.discarded(), 3);
}

} // namespace
} // namespace systole
