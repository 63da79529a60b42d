// Motion over a window of frames on the compute thread, with an estimator of the test's own.
#include "app/estimation/pipeline.h"
#include "app/estimation/window_queue.h"
#include "compute/core/error.h"
#include "compute/motion/trajectory_filter.h"
#include "tests/support/becomes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;

constexpr int frameCount = 9, window = 5;

/// Off a parabola by what differs from frame to frame.
float displacementAt(float frame) {
    return 0.1f * frame * frame + (static_cast<int>(frame) % 2 ? 0.3f : -0.2f);
}

struct WindowScript {
    std::atomic<int> fails{-1}; ///< moving frame whose estimation fails
    std::atomic<int> held{-1};  ///< moving frame whose estimation doesn't end by itself
    std::atomic<int> begun{0};
    std::vector<float> starts; ///< fields given to start from; read when nothing is estimated
};

/// The moving frame's voxels are its number.
class FakeEstimator : public MotionEstimator {
public:
    explicit FakeEstimator(WindowScript& script) : script_(script) {}
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        const float frame = input.moving.data[0];
        script_.starts.push_back(displacement.u[0]);
        ++script_.begun;
        while (static_cast<int>(frame) == script_.held) {
            ctx.throwIfCancelled();
            std::this_thread::sleep_for(1ms);
        }
        if (static_cast<int>(frame) == script_.fails)
            throw ComputeError("nothing to hold on to");
        std::fill_n(displacement.u, displacement.size.voxels(), displacementAt(frame));
        MotionReport report;
        report.levels.emplace_back();
        return report;
    }
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 8; }

private:
    WindowScript& script_;
};

class WindowPipelineTest : public ::testing::Test {
protected:
    WindowPipelineTest() {
        PipelineOptions options;
        options.threads = 1;
        pipeline = std::make_unique<Pipeline>(options);
        pipeline->open({0, 255});
        pipeline->setSettings(settings());
        const Geometry geometry({8, 8, 8}, {1, 1, 1});
        for (int frame = 0; frame < frameCount; ++frame) {
            auto volume = std::make_shared<Volume>(geometry, pool, "test frame");
            std::fill_n(volume->voxels.data(), geometry.voxels(), static_cast<float>(frame));
            frames.push_back(volume);
        }
    }

    EstimationSettings settings() {
        EstimationSettings settings;
        settings.make = [this](Backend) { return std::make_unique<FakeEstimator>(script); };
        settings.window = window;
        return settings;
    }
    FramePair pair(int fixed, int moving) const {
        return {frames[static_cast<std::size_t>(fixed)], frames[static_cast<std::size_t>(moving)],
                fixed, moving};
    }
    void request(int step) {
        pipeline->requestStep({pair(0, step), 1.0 * step, step == frameCount - 1});
    }
    enum class Steps { Requested, None };
    template <typename Condition>
    bool becomes(const Condition& condition, Steps steps = Steps::Requested) {
        const auto goOn = [&] {
            const auto step = steps == Steps::Requested
                                  ? queue.next(pipeline->status(), frameCount, window, {0, false})
                                  : std::nullopt;
            if (step) {
                queue.requested(*step);
                request(*step);
            }
            std::this_thread::sleep_for(1ms);
        };
        return test::becomes([&] { return condition(pipeline->status()); }, goOn);
    }
    bool allSmoothed() {
        return becomes([](const PipelineStatus& status) {
            return status.window.smoothedFrames.size() == frameCount - 1;
        });
    }
    float shown(int frame) const { return pipeline->resultFor(frame)->field->view().u[0]; }

    /// Result of the filter for the same estimates.
    std::vector<float> expected() {
        TrajectoryFilter filter(window);
        ExecResources resources(1);
        std::vector<float> values;
        const auto take = [&](const std::vector<FrameResult>& ready) {
            for (const FrameResult& result : ready)
                values.push_back(result.field->view().u[0]);
        };
        for (int frame = 1; frame < frameCount; ++frame) {
            auto field = std::make_shared<VectorField>(frames[0]->geometry, pool, "field");
            std::fill(field->components.span().begin(), field->components.span().end(), 0.0f);
            std::fill_n(field->view().u, frames[0]->geometry.voxels(),
                        displacementAt(static_cast<float>(frame)));
            FrameResult result;
            result.fixedFrame = 0;
            result.movingFrame = frame;
            result.fixed = frames[0];
            result.moving = frames[static_cast<std::size_t>(frame)];
            result.field = field;
            take(filter.add(std::move(result), frame, resources.context()));
        }
        take(filter.finish(resources.context()));
        return values;
    }

    WindowScript script;
    BufferPool pool;
    std::vector<std::shared_ptr<const Volume>> frames;
    WindowQueue queue;
    std::unique_ptr<Pipeline> pipeline; ///< first to go
};

TEST_F(WindowPipelineTest, ShowsWhatTheFilterMakesOfTheSameEstimates) {
    ASSERT_TRUE(allSmoothed());
    const std::vector<float> values = expected();
    bool differs = false;
    for (int frame = 1; frame < frameCount; ++frame) {
        const auto result = pipeline->resultFor(frame);
        EXPECT_EQ(result->fixedFrame, 0);
        EXPECT_EQ(result->movingFrame, frame);
        EXPECT_EQ(result->pictureFrame(), frame);
        EXPECT_EQ(result->window, window);
        EXPECT_EQ(result->generation, pipeline->status().generation);
        EXPECT_EQ(shown(frame), values[static_cast<std::size_t>(frame - 1)]);
        differs = differs || shown(frame) != displacementAt(static_cast<float>(frame));
    }
    EXPECT_TRUE(differs);
    // Each frame but the first takes two estimations: the motion from the frame before, which
    // starts from the one before it, and the one that continues both.
    ASSERT_EQ(script.starts.size(), 2 * values.size() - 1);
    EXPECT_EQ(script.starts[0], 0);
    for (std::size_t i = 1; i < values.size(); ++i) {
        const float last = displacementAt(static_cast<float>(i));
        EXPECT_EQ(script.starts[2 * i - 1], last);
        EXPECT_FLOAT_EQ(script.starts[2 * i], last + displacementAt(static_cast<float>(i + 1)));
    }
}

TEST_F(WindowPipelineTest, TheEstimateIsShownUntilTheWindowIsComplete) {
    script.held = window - 1; // the last of the first window
    ASSERT_TRUE(
        becomes([](const PipelineStatus& status) { return status.estimatingFrame == window - 1; }));
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{1, 2, 3}));
    EXPECT_TRUE(pipeline->status().window.smoothedFrames.empty());
    EXPECT_EQ(shown(1), displacementAt(1));
    EXPECT_EQ(pipeline->resultFor(1)->window, 0);
    script.held = -1;
    ASSERT_TRUE(allSmoothed());
    EXPECT_EQ(pipeline->resultFor(1)->window, window);
}

TEST_F(WindowPipelineTest, BeginsAnewForNewSettingsAndForASequence) {
    ASSERT_TRUE(allSmoothed());
    EstimationSettings wider = settings();
    wider.window = 7;
    EXPECT_TRUE(pipeline->setSettings(wider));
    EXPECT_EQ(pipeline->resultFor(3), nullptr);
    script.starts.clear();
    ASSERT_TRUE(allSmoothed());
    EXPECT_EQ(script.starts.front(), 0);
    EXPECT_EQ(pipeline->resultFor(3)->window, 7);
    pipeline->open({0, 255});
    script.starts.clear();
    ASSERT_TRUE(allSmoothed());
    EXPECT_EQ(script.starts.front(), 0);
}

TEST_F(WindowPipelineTest, PairsAreEstimatedAgainAfterAWindow) {
    ASSERT_TRUE(allSmoothed());
    EstimationSettings pairs = settings();
    pairs.window = 0;
    pipeline->setSettings(pairs);
    pipeline->request(pair(3, 4), true);
    ASSERT_TRUE(becomes([](const PipelineStatus& status) { return status.estimated == frameCount; },
                        Steps::None));
    EXPECT_EQ(pipeline->status().cachedFrames, std::vector<int>{3});
    EXPECT_EQ(pipeline->resultFor(3)->movingFrame, 4);
    EXPECT_EQ(pipeline->resultFor(3)->pictureFrame(), 3);
}

TEST_F(WindowPipelineTest, SwitchingEstimationOffAndOnGoesOnWhereItStopped) {
    script.held = 4;
    ASSERT_TRUE(becomes([&](const PipelineStatus& status) { return status.estimatingFrame == 4; }));
    EstimationSettings off = settings();
    off.enabled = false;
    pipeline->setSettings(off);
    ASSERT_TRUE(becomes([](const PipelineStatus& status) { return status.cancelled == 1; }));
    script.held = -1;
    pipeline->setSettings(settings());
    ASSERT_TRUE(allSmoothed());
    const std::vector<float> values = expected();
    for (int frame = 1; frame < frameCount; ++frame)
        EXPECT_EQ(shown(frame), values[static_cast<std::size_t>(frame - 1)]);
    EXPECT_EQ(script.begun, 2 * (frameCount - 1)); // one of them twice
}

TEST_F(WindowPipelineTest, AFailureEndsItOnceAndIsReported) {
    script.fails = 3;
    ASSERT_TRUE(becomes([](const PipelineStatus& status) { return !status.message.empty(); }));
    EXPECT_FALSE(queue.next(pipeline->status(), frameCount, window, {3, false}));
    EXPECT_EQ(shown(2), displacementAt(2));
    EXPECT_EQ(script.begun, 4);
}

TEST_F(WindowPipelineTest, AStepOutOfTurnWaits) {
    request(5);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(pipeline->status().waitingFrame, 5);
    EXPECT_EQ(pipeline->status().estimated, 0u);
    ASSERT_TRUE(allSmoothed());
}

} // namespace
} // namespace systole
