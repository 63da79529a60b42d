// The compute thread with estimators of the tests' own: slow, failing, counting.
#include "app/estimation/pipeline.h"
#include "compute/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// What the fake estimators do and saw.
struct Script {
    std::atomic<int> held{0}; ///< the estimation that doesn't end by itself, counted from 1
    std::atomic<bool> fails{false};
    std::atomic<int> begun{0}, made{0};
    std::atomic<float> value{1}; ///< the displacement that it finds
    std::atomic<float> start{0}; ///< that it was given to start from
    std::atomic<bool> timesKernels{false};
};

class FakeEstimator : public MotionEstimator {
public:
    explicit FakeEstimator(Script& script) : script_(script) {}

    MotionReport run(const MotionInput&, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        script_.start = displacement.u[0];
        script_.timesKernels = ctx.profileKernels;
        const int number = ++script_.begun;
        while (number == script_.held) {
            ctx.throwIfCancelled();
            std::this_thread::sleep_for(1ms);
        }
        if (script_.fails)
            throw ComputeError("the estimation found nothing to hold on to");
        std::fill_n(displacement.u, displacement.size.voxels(), script_.value.load());
        MotionReport report;
        report.iterations = 3;
        report.levels.emplace_back();
        return report;
    }
    std::size_t memoryEstimate(Size3) const override { return 0; }
    int reach() const override { return 48; }

private:
    Script& script_;
};

class PipelineTest : public ::testing::Test {
protected:
    PipelineTest() {
        PipelineOptions options;
        options.threads = 1;
        options.notify = [this] { ++notified; };
        pipeline = std::make_unique<Pipeline>(options);
        pipeline->open({0, 255});
        pipeline->setSettings(settings());
        const Geometry geometry({8, 8, 8}, {1, 1, 1});
        for (int frame = 0; frame < 10; ++frame) {
            auto volume = std::make_shared<Volume>(geometry, pool, "test frame");
            std::fill_n(volume->voxels.data(), geometry.voxels(), static_cast<float>(frame));
            frames.push_back(volume);
        }
    }

    EstimationSettings settings() {
        EstimationSettings settings;
        settings.make = [this](Backend) {
            ++script.made;
            return std::make_unique<FakeEstimator>(script);
        };
        return settings;
    }

    FramePair pair(int fixed) const {
        const int moving = (fixed + 1) % static_cast<int>(frames.size());
        return {frames[static_cast<std::size_t>(fixed)], frames[static_cast<std::size_t>(moving)],
                fixed, moving};
    }

    /// False when it does not come true, however busy the machine is.
    template <typename Condition>
    bool becomes(Condition condition) {
        const auto end = Clock::now() + 200s;
        while (!condition()) {
            if (Clock::now() > end)
                return false;
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
    bool estimatedReaches(std::uint64_t count) {
        return becomes([&] { return pipeline->status().estimated >= count; });
    }

    Script script;
    std::atomic<int> notified{0};
    BufferPool pool;
    std::vector<std::shared_ptr<const Volume>> frames;
    std::unique_ptr<Pipeline> pipeline; ///< first to go
};

TEST_F(PipelineTest, EstimatesTheWantedPair) {
    EXPECT_EQ(pipeline->resultFor(3), nullptr);
    pipeline->request(pair(3), true);
    ASSERT_TRUE(estimatedReaches(1));
    const auto result = pipeline->resultFor(3);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->fixedFrame, 3);
    EXPECT_EQ(result->movingFrame, 4);
    EXPECT_EQ(result->fixed, frames[3]);
    EXPECT_EQ(result->moving, frames[4]);
    EXPECT_EQ(result->field->view().u[7], 1);
    EXPECT_TRUE(becomes([&] { return notified > 0; }));
    EXPECT_EQ(pipeline->status().estimatingFrame, -1);
}

TEST_F(PipelineTest, SaysOncePerSequenceThatAMotionDoesNotBringFramesCloser) {
    // Frame 9 is followed by frame 0: gray values 9 apart, which no displacement changes.
    pipeline->request(pair(3), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_EQ(pipeline->status().residualWarning, "");
    pipeline->request(pair(9), true);
    ASSERT_TRUE(estimatedReaches(2));
    const std::string warning = pipeline->status().residualWarning;
    EXPECT_NE(warning.find("from frame 9 to 0"), std::string::npos) << warning;
    frames[5] = frames[9];
    pipeline->request(pair(5), true);
    ASSERT_TRUE(estimatedReaches(3));
    EXPECT_EQ(pipeline->status().residualWarning, warning);
    pipeline->open({0, 255});
    EXPECT_EQ(pipeline->status().residualWarning, "");
}

TEST_F(PipelineTest, KernelTimesAreTakenFromNowOnAndFieldsStay) {
    pipeline->request(pair(3), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_FALSE(script.timesKernels);
    const auto before = pipeline->resultFor(3);
    EstimationSettings timed = settings();
    timed.profileKernels = true;
    pipeline->setSettings(timed);
    EXPECT_EQ(pipeline->resultFor(3), before);
    pipeline->request(pair(4), true);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_TRUE(script.timesKernels);
    // On the processor there are no kernels to be timed: what is finished is not made again.
    pipeline->request(pair(3), true);
    pipeline->request(pair(5), true);
    ASSERT_TRUE(estimatedReaches(3));
    EXPECT_EQ(script.begun, 3);
    EXPECT_EQ(pipeline->resultFor(3), before);
}

TEST_F(PipelineTest, SaysWhatItHoldsInMemory) {
    EXPECT_EQ(pipeline->status().memory.host.usedBytes, 0u);
    pipeline->request(pair(3), true);
    ASSERT_TRUE(estimatedReaches(1));
    const EstimationMemory memory = pipeline->status().memory;
    EXPECT_FALSE(memory.device);
    const auto& holders = memory.host.holders;
    const auto field = std::find_if(holders.begin(), holders.end(), [](const auto& holder) {
        return holder.name == "motion of a frame";
    });
    ASSERT_NE(field, holders.end());
    EXPECT_GE(field->bytes, 3 * 8 * 8 * 8 * sizeof(float));
}

TEST_F(PipelineTest, FinishedFieldsAreShownAgainAndNotMadeAgain) {
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(1));
    const auto first = pipeline->resultFor(0);
    pipeline->request(pair(1), false);
    ASSERT_TRUE(estimatedReaches(2));
    pipeline->request(pair(0), false);
    pipeline->request(pair(2), false); // waits behind it if the first were made again
    ASSERT_TRUE(estimatedReaches(3));
    EXPECT_EQ(script.begun, 3);
    EXPECT_EQ(pipeline->resultFor(0), first);
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(pipeline->status().dropped, 0u);
}

TEST_F(PipelineTest, KeepEstimatingMakesThemAgain) {
    EstimationSettings live = settings();
    live.keepEstimating = true;
    pipeline->setSettings(live);
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(1));
    const auto first = pipeline->resultFor(0);
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_NE(pipeline->resultFor(0), first);
}

TEST_F(PipelineTest, APairThatFollowsStartsFromTheLastFieldUnlessSwitchedOff) {
    for (const bool warmStart : {true, false}) {
        EstimationSettings changed = settings();
        changed.warmStart = warmStart;
        changed.revision = warmStart ? 1 : 2;
        const std::uint64_t before = pipeline->status().estimated;
        pipeline->setSettings(changed);
        pipeline->request(pair(0), true);
        ASSERT_TRUE(estimatedReaches(before + 1));
        EXPECT_EQ(script.start, 0);
        pipeline->request(pair(1), true);
        ASSERT_TRUE(estimatedReaches(before + 2));
        EXPECT_EQ(script.start, warmStart ? 1 : 0);
    }
}

TEST_F(PipelineTest, FieldsStayWhenOthersAreShownMeanwhile) {
    for (const int frame : {0, 1, 2}) {
        pipeline->request(pair(frame), true);
        ASSERT_TRUE(estimatedReaches(static_cast<std::uint64_t>(frame) + 1));
    }
    const auto first = pipeline->resultFor(0), second = pipeline->resultFor(1);
    EstimationSettings fromZero = settings();
    fromZero.warmStart = false;
    EXPECT_FALSE(pipeline->setSettings(fromZero));
    // The first pair started from zero in any case; the others aren't shown.
    EXPECT_EQ(pipeline->status().cachedFrames, std::vector<int>{0});
    EXPECT_EQ(pipeline->resultFor(0), first);
    EXPECT_EQ(pipeline->resultFor(1), nullptr);
    script.start = -1;
    pipeline->request(pair(1), true);
    ASSERT_TRUE(estimatedReaches(4));
    EXPECT_EQ(script.start, 0);
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{0, 1}));
    EXPECT_NE(pipeline->resultFor(1), second);
    EXPECT_FALSE(pipeline->setSettings(settings()));
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(pipeline->resultFor(0), first);
    EXPECT_EQ(script.begun, 4);
}

TEST_F(PipelineTest, APairCanBeRequestedFromZero) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    script.start = -1;
    pipeline->request(pair(1), false, FieldStart::Zero);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_EQ(script.start, 0);
}

TEST_F(PipelineTest, SaysWhatWaits) {
    script.held = 1;
    pipeline->request(pair(0), false);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    EXPECT_EQ(pipeline->status().waitingFrame, -1);
    pipeline->request(pair(3), false);
    EXPECT_EQ(pipeline->status().waitingFrame, 3);
}

TEST_F(PipelineTest, ShowsTheNewestFinishedFieldWhereTheOwnOneIsMissing) {
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(1));
    pipeline->request(pair(1), false);
    ASSERT_TRUE(estimatedReaches(2));
    ASSERT_NE(pipeline->resultFor(7), nullptr);
    EXPECT_EQ(pipeline->resultFor(7)->fixedFrame, 1);
    EXPECT_EQ(pipeline->resultFor(0)->fixedFrame, 0);
}

TEST_F(PipelineTest, WhilePlayingNewerPairsReplaceOlderOnesAndTheDropIsCounted) {
    script.held = 1;
    pipeline->request(pair(0), false);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    for (int frame = 1; frame < 6; ++frame)
        pipeline->request(pair(frame), false);
    script.held = 0;
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_EQ(script.begun, 2);
    EXPECT_EQ(pipeline->newest()->fixedFrame, 5);
    EXPECT_EQ(pipeline->status().dropped, 4u); // 1, 2, 3, 4
    EXPECT_EQ(pipeline->status().cancelled, 0u);
}

TEST_F(PipelineTest, SteppingCancelsWhatIsNoLongerWanted) {
    script.held = 1;
    pipeline->request(pair(0), true);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    pipeline->request(pair(4), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_EQ(pipeline->newest()->fixedFrame, 4);
    EXPECT_EQ(pipeline->status().cancelled, 1u);
    EXPECT_EQ(pipeline->status().dropped, 0u);
}

TEST_F(PipelineTest, NewParametersCancelForgetAndCountAsAnotherGeneration) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    const std::uint64_t before = pipeline->resultFor(0)->generation;
    script.held = 2;
    pipeline->request(pair(1), true);
    ASSERT_TRUE(becomes([&] { return script.begun == 2; }));
    script.value = 2;
    EstimationSettings changed = settings();
    ++changed.revision;
    EXPECT_TRUE(pipeline->setSettings(changed));
    EXPECT_EQ(pipeline->resultFor(0), nullptr);
    pipeline->request(pair(1), true);
    ASSERT_TRUE(estimatedReaches(2));
    const auto result = pipeline->resultFor(1);
    EXPECT_GT(result->generation, before);
    EXPECT_EQ(result->field->view().u[0], 2);
    EXPECT_EQ(script.made, 2);
    EXPECT_EQ(pipeline->status().cachedFrames, std::vector<int>{1});
}

TEST_F(PipelineTest, FieldsStayGoodUnlessWhatTheyDependOnChanges) {
    const EstimationSettings before = settings();
    const auto keeps = [&](auto change) {
        EstimationSettings after = settings();
        change(after);
        return after.keepsFieldsOf(before);
    };
    EXPECT_TRUE(keeps([](EstimationSettings&) {}));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.enabled = false; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.threads = 3; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.downloadFields = false; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.profileKernels = true; }));
    EXPECT_FALSE(keeps([](EstimationSettings& s) { ++s.revision; }));
    EXPECT_FALSE(keeps([](EstimationSettings& s) { s.backend = Backend::Cuda; }));
    EXPECT_FALSE(keeps([](EstimationSettings& s) { s.stages = {"jacobian"}; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.warmStart = false; }));
    EXPECT_FALSE(before.keepsFieldsOf(EstimationSettings{}));
}

TEST_F(PipelineTest, StagesAddTheirFigures) {
    EstimationSettings measured = settings();
    measured.stages = {"jacobian"};
    pipeline->setSettings(measured);
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    const std::vector<Figure> figures = pipeline->resultFor(0)->figures;
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].value, 0);
    EXPECT_EQ(figures[1].value, 1); // every displacement is the same
    pipeline->setSettings(settings());
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_TRUE(pipeline->resultFor(0)->figures.empty());
}

TEST_F(PipelineTest, SwitchedOffItShowsNothingAndDoesNothingAndRemembers) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    EstimationSettings off = settings();
    off.enabled = false;
    pipeline->setSettings(off);
    EXPECT_EQ(pipeline->resultFor(0), nullptr);
    pipeline->request(pair(1), true);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(script.begun, 1);
    pipeline->setSettings(settings());
    EXPECT_NE(pipeline->resultFor(0), nullptr);
    ASSERT_TRUE(estimatedReaches(2)); // what was wanted meanwhile
}

TEST_F(PipelineTest, AFailureIsAMessageAndTheNextSuccessClearsIt) {
    script.fails = true;
    pipeline->request(pair(0), true);
    ASSERT_TRUE(becomes([&] { return !pipeline->status().message.empty(); }));
    EXPECT_EQ(pipeline->status().message, "the estimation found nothing to hold on to");
    EXPECT_EQ(pipeline->status().estimated, 0u);
    EXPECT_TRUE(becomes([&] { return notified > 0; }));
    script.fails = false;
    pipeline->request(pair(1), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_EQ(pipeline->status().message, "");
}

TEST_F(PipelineTest, AnEstimatorThatCannotBeMadeIsAMessage) {
    EstimationSettings bad;
    bad.make = [](Backend) -> std::unique_ptr<MotionEstimator> {
        throw ComputeError("this method has no form for this backend");
    };
    pipeline->setSettings(bad);
    pipeline->request(pair(0), true);
    EXPECT_TRUE(becomes(
        [&] { return pipeline->status().message == "this method has no form for this backend"; }));
}

TEST_F(PipelineTest, MemoryBeyondTheBudgetIsAMessage) {
    PipelineOptions options;
    options.poolBytes = 1024; // less than a field of 8 × 8 × 8
    pipeline = std::make_unique<Pipeline>(options);
    pipeline->open({0, 255});
    pipeline->setSettings(settings());
    pipeline->request(pair(0), true);
    EXPECT_TRUE(becomes([&] { return !pipeline->status().message.empty(); }));
}

TEST_F(PipelineTest, WithoutADeviceItGoesOnOnTheCpuAndSaysSo) {
    if (cudaStatus().usable())
        GTEST_SKIP() << "there is a device here";
    EstimationSettings cuda = settings();
    cuda.backend = Backend::Cuda;
    pipeline->setSettings(cuda);
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_EQ(pipeline->resultFor(0)->backend, Backend::Cpu);
    EXPECT_NE(pipeline->resultFor(0)->field, nullptr);
    const PipelineStatus status = pipeline->status();
    EXPECT_EQ(status.message, "");
    EXPECT_EQ(status.backend, Backend::Cpu);
    EXPECT_EQ(status.fallback, "on the CPU instead: " + cudaStatus().reason);
    pipeline->setSettings(settings());
    EXPECT_EQ(pipeline->status().fallback, "");
}

TEST_F(PipelineTest, AFailureOnBothIsTheCpusAndTheDeviceIsTriedAgain) {
    if (cudaStatus().usable())
        GTEST_SKIP() << "there is a device here";
    EstimationSettings cuda = settings();
    cuda.backend = Backend::Cuda;
    pipeline->setSettings(cuda);
    script.fails = true;
    pipeline->request(pair(0), true);
    ASSERT_TRUE(becomes([&] { return !pipeline->status().message.empty(); }));
    EXPECT_EQ(pipeline->status().message, "the estimation found nothing to hold on to");
    EXPECT_EQ(pipeline->status().fallback, "");
}

TEST_F(PipelineTest, ASequenceOpenedAnewStartsFromNothing) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    pipeline->open({0, 100});
    EXPECT_EQ(pipeline->resultFor(0), nullptr);
    EXPECT_EQ(pipeline->newest(), nullptr);
    EXPECT_EQ(pipeline->status().estimated, 0u);
    EXPECT_TRUE(pipeline->status().cachedFrames.empty());
}

TEST_F(PipelineTest, ClosingCancelsTheEstimation) {
    script.held = 1; // it would never end by itself
    pipeline->request(pair(0), true);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    pipeline.reset();
}

} // namespace
} // namespace systole
