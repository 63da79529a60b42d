// Messages of the compute thread: warnings, failures, fallbacks, memory.
#include "tests/app/estimation/pipeline_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace systole {
namespace {

using namespace std::chrono_literals;
using test::PipelineTest;

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

} // namespace
} // namespace systole
