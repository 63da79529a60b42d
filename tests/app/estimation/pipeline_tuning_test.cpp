// Work of the compute thread while nothing is requested, with a tuner of the test's own.
#include "app/estimation/pipeline.h"
#include "compute/core/error.h"
#include "tests/support/becomes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::becomes;

constexpr auto idleTime = 150ms;
constexpr auto stepTime = 20ms;

/// Writes down what it was asked for and when.
class FakeTuner : public BlockTuner {
public:
    const BlockSizes& blockSizes(const CudaDevice&, std::size_t) override {
        ++sizesAsked;
        return sizes_;
    }
    void finished(const FrameResult&) override {
        holds = false;
        lastFinished = Clock::now();
        stepsBeforeFinish = steps.load();
        restsBeforeFinish = rests.load();
        ++finishes;
    }
    bool step(CudaContext* cuda) override {
        EXPECT_EQ(cuda, nullptr);
        EXPECT_FALSE(estimating) << "a step amid an estimation";
        if (!holds)
            sinceFinished = Clock::now() - lastFinished;
        holds = true;
        std::this_thread::sleep_for(stepTime);
        ++steps;
        if (fails)
            throw ComputeError("the device is gone");
        return steps < most;
    }
    void rest() override {
        holds = false;
        ++rests;
    }
    std::vector<std::string> text() const override { return {"steps: " + std::to_string(steps)}; }

    std::atomic<int> steps{0}, rests{0}, finishes{0}, sizesAsked{0}, most{1'000'000};
    std::atomic<bool> estimating{false}, fails{false}, holds{false};
    std::atomic<Clock::duration> sinceFinished{};
    std::atomic<int> stepsBeforeFinish{0}, restsBeforeFinish{0};

private:
    BlockSizes sizes_;
    Clock::time_point lastFinished;
};

class QuickEstimator : public MotionEstimator {
public:
    explicit QuickEstimator(FakeTuner& tuner) : tuner_(tuner) {}
    MotionReport run(const MotionInput&, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        tuner_.estimating = true;
        EXPECT_FALSE(tuner_.holds) << "the tuner still holds memory of the device";
        EXPECT_EQ(ctx.blockSizes, nullptr) << "block sizes are a matter of devices";
        std::fill_n(displacement.u, displacement.size.voxels(), 1.0f);
        std::this_thread::sleep_for(5ms);
        tuner_.estimating = false;
        MotionReport report;
        report.levels.emplace_back();
        return report;
    }
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 48; }

private:
    FakeTuner& tuner_;
};

class PipelineTuning : public ::testing::Test {
protected:
    PipelineTuning() {
        PipelineOptions options;
        options.tuner = tuner;
        options.idleSeconds = std::chrono::duration<double>(idleTime).count();
        options.notify = [this] { ++notified; };
        pipeline = std::make_unique<Pipeline>(options);
        pipeline->open({0, 255});
        const Geometry geometry({4, 4, 4}, {1, 1, 1});
        for (int frame = 0; frame < 10; ++frame) {
            frames.push_back(std::make_shared<Volume>(geometry, pool, "test frame"));
            std::fill_n(frames.back()->voxels.data(), geometry.voxels(), 1.0f);
        }
    }
    void follow(BlockTuning tuning, bool enabled = true) {
        EstimationSettings settings;
        settings.enabled = enabled;
        settings.tuning = tuning;
        settings.make = [this](Backend) { return std::make_unique<QuickEstimator>(*tuner); };
        pipeline->setSettings(settings);
    }
    void request(int fixed) {
        const auto at = static_cast<std::size_t>(fixed);
        pipeline->request({frames[at], frames[at + 1], fixed, fixed + 1}, true);
    }

    std::shared_ptr<FakeTuner> tuner = std::make_shared<FakeTuner>();
    std::atomic<int> notified{0};
    BufferPool pool;
    std::vector<std::shared_ptr<Volume>> frames;
    std::unique_ptr<Pipeline> pipeline; ///< first to go
};

TEST_F(PipelineTuning, StepsOnlyAfterAnEstimationAndWhenNothingIsWantedForAWhile) {
    follow(BlockTuning::Search);
    std::this_thread::sleep_for(2 * idleTime);
    EXPECT_EQ(tuner->steps, 0) << "nothing is known of the kernels before an estimation";
    request(0);
    ASSERT_TRUE(becomes([&] { return tuner->steps >= 3; }));
    EXPECT_EQ(tuner->finishes, 1);
    EXPECT_GE(tuner->sinceFinished.load(), idleTime - 1ms);
    EXPECT_EQ(tuner->sizesAsked, 0) << "no device is in use";
}

TEST_F(PipelineTuning, WhatIsWantedWaitsForOneStepAtMost) {
    follow(BlockTuning::Search);
    for (int frame = 0; frame < 5; ++frame) {
        const int steps = tuner->steps, rests = tuner->rests;
        request(frame);
        const int stepsAtRequest = tuner->steps;
        ASSERT_TRUE(becomes([&] { return tuner->finishes == frame + 1; }));
        EXPECT_LE(tuner->stepsBeforeFinish, stepsAtRequest + 1);
        EXPECT_EQ(tuner->restsBeforeFinish, rests + (frame > 0 ? 1 : 0))
            << "it gives back what it holds";
        ASSERT_TRUE(becomes([&] { return tuner->steps >= steps + 2; }));
    }
}

TEST_F(PipelineTuning, EndsWhenTheTunerHasNothingMore) {
    tuner->most = 4;
    follow(BlockTuning::Search);
    request(0);
    ASSERT_TRUE(becomes([&] { return tuner->steps == 4; }));
    std::this_thread::sleep_for(2 * idleTime);
    EXPECT_EQ(tuner->steps, 4);
    EXPECT_TRUE(
        becomes([&] { return pipeline->status().tuning == std::vector<std::string>{"steps: 4"}; }));
    EXPECT_TRUE(becomes([&] { return notified >= 5; })); // a result and four texts
    tuner->most = 6;
    request(1); // another estimation may bring something new
    ASSERT_TRUE(becomes([&] { return tuner->steps == 6; }));
}

TEST_F(PipelineTuning, NeitherStandardNorKnownBlocksAreSearchedFor) {
    for (const BlockTuning tuning : {BlockTuning::Standard, BlockTuning::Known}) {
        follow(tuning);
        const std::uint64_t estimated = pipeline->status().estimated;
        request(tuning == BlockTuning::Known ? 0 : 1);
        ASSERT_TRUE(becomes([&] { return pipeline->status().estimated == estimated + 1; }));
        std::this_thread::sleep_for(2 * idleTime);
        EXPECT_EQ(tuner->steps, 0);
    }
    follow(BlockTuning::Search); // it is switched on while idle
    EXPECT_TRUE(becomes([&] { return tuner->steps > 0; }));
    follow(BlockTuning::Standard);
    ASSERT_TRUE(becomes([&] { return !tuner->holds; }))
        << "it was switched off and still holds memory of the device";
    const int steps = tuner->steps;
    std::this_thread::sleep_for(idleTime);
    EXPECT_EQ(tuner->steps, steps);
}

TEST_F(PipelineTuning, AFailureOfTheDeviceEndsTheSearchAndNotTheThread) {
    tuner->fails = true;
    follow(BlockTuning::Search);
    request(0);
    ASSERT_TRUE(becomes([&] { return tuner->steps == 1; }));
    std::this_thread::sleep_for(2 * idleTime);
    EXPECT_EQ(tuner->steps, 1);
    request(1);
    EXPECT_TRUE(becomes([&] { return pipeline->status().estimated == 2; }));
}

TEST_F(PipelineTuning, EndsAmidTheStepsAndGivesBackWhatTheTunerHolds) {
    follow(BlockTuning::Search);
    request(0);
    ASSERT_TRUE(becomes([&] { return tuner->steps >= 1; }));
    pipeline.reset(); // the tuner alone would go on for hours
    EXPECT_FALSE(tuner->holds);
    EXPECT_GE(tuner->rests, 1);
}

} // namespace
} // namespace systole
