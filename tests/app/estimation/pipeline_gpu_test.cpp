// The compute thread on a device: what stays there, and what happens when memory is short or the
// device fails.
#include "app/estimation/pipeline.h"
#include "compute/core/error.h"
#include "compute/methods/clg/clg.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class LostDevice : public MotionEstimator {
public:
    MotionReport run(const MotionInput&, FieldView<float>, const ExecContext&) override {
        throw ComputeError("CUDA: solving: unspecified launch failure");
    }
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 48; }
};

/// Structure in every direction.
double texture(double x, double y, double z) {
    return 127 + 35 * std::sin(0.45 * x + 0.2 * y) + 30 * std::sin(0.5 * y - 0.25 * z) +
           30 * std::sin(0.4 * z + 0.3 * x) + 20 * std::cos(0.15 * x - 0.2 * y + 0.1 * z);
}

class PipelineOnDevice : public test::OnDevice {
protected:
    void SetUp() override {
        test::OnDevice::SetUp();
        if (IsSkipped())
            return;
        shared = std::move(cuda);
        for (int frame = 0; frame < 10; ++frame) {
            auto volume = std::make_shared<Volume>(grid, resources.pool(), "frame");
            for (int z = 0; z < size.z; ++z)
                for (int y = 0; y < size.y; ++y)
                    for (int x = 0; x < size.x; ++x)
                        volume->view()(x, y, z) =
                            static_cast<float>(texture(x - 0.8 * frame, y + 0.4 * frame, z));
            frames.push_back(volume);
        }
        onDevice = std::make_shared<DeviceFrames>(shared, grid.voxels() * sizeof(float),
                                                  std::size_t{1} << 30);
        estimate = makeClg(parameters, Backend::Cuda)->memoryEstimate(size, {1, 1, 1});
    }

    /// A pipeline that may use so many bytes of the device.
    void start(std::size_t deviceBytes, double cachedShare = 0.5) {
        PipelineOptions options;
        options.threads = 2;
        options.deviceShare =
            static_cast<double>(deviceBytes) / static_cast<double>(shared->freeBytes());
        options.cachedDeviceShare = cachedShare;
        pipeline = std::make_unique<Pipeline>(options);
        pipeline->open({0, 255});
        pipeline->setSettings(settings());
    }

    EstimationSettings settings() const {
        EstimationSettings settings;
        settings.backend = Backend::Cuda;
        settings.downloadFields = false;
        settings.make = [this](Backend backend) { return makeClg(parameters, backend); };
        return settings;
    }

    std::shared_ptr<const FrameResult> resultOf(int fixed) {
        const std::uint64_t before = pipeline->status().estimated;
        const auto at = [&](int index) { return frames[static_cast<std::size_t>(index)]; };
        pipeline->request({at(fixed), at(fixed + 1), fixed, fixed + 1, onDevice}, true);
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (pipeline->status().estimated == before && pipeline->status().message.empty() &&
               std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(1ms);
        EXPECT_EQ(pipeline->status().message, "");
        return pipeline->resultFor(fixed);
    }

    /// Too large for a solver that keeps a level in registers, which needs less than estimated.
    static constexpr Size3 size{64, 56, 160};
    const Geometry grid{size, {1, 1, 1}};
    const ParamSet parameters{clgParameterTable(), "default"};
    std::shared_ptr<CudaContext> shared;
    std::vector<std::shared_ptr<const Volume>> frames;
    std::shared_ptr<DeviceFrames> onDevice;
    std::size_t estimate = 0;
    std::unique_ptr<Pipeline> pipeline; ///< first to go
};

/// All steps of a window over the first `count` frames.
void smoothAll(Pipeline& pipeline, const std::vector<std::shared_ptr<const Volume>>& frames,
               int count, const std::shared_ptr<DeviceFrames>& onDevice) {
    const auto waitsFor = [&](auto condition) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (!condition(pipeline.status()) && pipeline.status().message.empty() &&
               std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(1ms);
    };
    for (int step = 1; step < count; ++step) {
        const std::uint64_t before = pipeline.status().estimated;
        pipeline.requestStep(
            {{frames[0], frames[static_cast<std::size_t>(step)], 0, step, onDevice},
             static_cast<double>(step),
             step == count - 1});
        waitsFor([&](const PipelineStatus& status) { return status.estimated > before; });
    }
    waitsFor([&](const PipelineStatus& status) {
        return status.window.smoothedFrames.size() == static_cast<std::size_t>(count - 1);
    });
    EXPECT_EQ(pipeline.status().message, "");
    EXPECT_EQ(pipeline.status().window.rounds, 1);
}

TEST_F(PipelineOnDevice, SmoothsAWindowWhereTheFieldsAreAndAsTheProcessorDoes) {
    constexpr int count = 7;
    start(12 * estimate);
    EstimationSettings onlyThere = settings();
    onlyThere.window = 5;
    pipeline->setSettings(onlyThere);
    smoothAll(*pipeline, frames, count, onDevice);
    const auto there = pipeline->resultFor(4);
    ASSERT_NE(there, nullptr);
    EXPECT_EQ(there->window, 5);
    EXPECT_EQ(there->field, nullptr);
    ASSERT_TRUE(there->device && there->device->field && there->device->warped);

    EstimationSettings copied = onlyThere; // begins anew: the fields are wanted on the host too
    copied.downloadFields = true;
    pipeline->setSettings(copied);
    smoothAll(*pipeline, frames, count, onDevice);
    const auto device = pipeline->resultFor(4);
    ASSERT_TRUE(device && device->field);

    PipelineOptions options;
    options.threads = 2;
    Pipeline processor{options};
    processor.open({0, 255});
    EstimationSettings host = copied;
    host.backend = Backend::Cpu;
    processor.setSettings(host);
    smoothAll(processor, frames, count, nullptr);
    const auto expected = processor.resultFor(4);
    ASSERT_TRUE(expected && expected->field);
    double worst = 0;
    for (std::size_t i = 0; i < expected->field->components.size(); ++i)
        worst =
            std::max(worst, std::abs(static_cast<double>(device->field->components.data()[i]) -
                                     static_cast<double>(expected->field->components.data()[i])));
    EXPECT_LT(worst, 1e-2); // voxel, after six estimations that start from one another
    EXPECT_GT(std::abs(expected->field->view().u[grid.voxels() / 2]), 1);
}

TEST_F(PipelineOnDevice, KeepsFramesAndFieldsOnTheDevice) {
    start(4 * estimate);
    for (int round = 0; round < 2; ++round)
        for (int fixed = 0; fixed < 3; ++fixed) {
            const auto result = round == 0 ? resultOf(fixed) : pipeline->resultFor(fixed);
            ASSERT_NE(result, nullptr);
            EXPECT_EQ(result->fixedFrame, fixed);
            EXPECT_EQ(result->backend, Backend::Cuda);
            EXPECT_NE(result->device, nullptr);
            EXPECT_EQ(result->field, nullptr);
            EXPECT_LT(result->bytesToHost, 2048u);
            EXPECT_EQ(result->bytesToDevice, 0u);
        }
    EXPECT_EQ(onDevice->counters().uploads, 4u);
    EXPECT_EQ(pipeline->status().fallback, "");
    EXPECT_EQ(pipeline->status().cacheBytes.host, 0u);
    EXPECT_EQ(pipeline->status().cacheBytes.device, 3u * 16 * size.voxels());
}

TEST_F(PipelineOnDevice, EstimatesAgainForTheTimesOfKernelsAndSaysWhatItHolds) {
    start(4 * estimate);
    const auto before = resultOf(0);
    ASSERT_NE(before, nullptr);
    const auto kernelSeconds = [](const FrameResult& result) {
        double sum = 0;
        for (const ProfileSpan& span : result.profile.spans)
            if (span.stage.empty())
                sum += span.seconds;
        return sum;
    };
    EXPECT_EQ(kernelSeconds(*before), 0);
    EstimationSettings timed = settings();
    timed.profileKernels = true;
    pipeline->setSettings(timed);
    EXPECT_EQ(pipeline->resultFor(0), before); // stays until the new one is there
    const auto after = resultOf(0);
    ASSERT_NE(after, nullptr);
    EXPECT_NE(after, before);
    EXPECT_GT(kernelSeconds(*after), 0);
    for (const ProfileSpan& span : after->profile.spans)
        if (span.registers > 0) {
            EXPECT_GT(span.launchSeconds, 0) << span.kernel;
            EXPECT_LE(span.launchSeconds, span.seconds * (1 + 1e-9)) << span.kernel;
            EXPECT_GT(span.activeBlocks, 0) << span.kernel;
        }
    // Once is enough: a finished field with times is shown again.
    const auto at = [&](int index) { return frames[static_cast<std::size_t>(index)]; };
    pipeline->request({at(0), at(1), 0, 1, onDevice}, true);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(pipeline->status().estimated, 2u);

    const EstimationMemory memory = pipeline->status().memory;
    ASSERT_TRUE(memory.device);
    EXPECT_EQ(memory.device->name, shared->device().name);
    EXPECT_GT(memory.onDevice.usedBytes, estimate / 2);
    EXPECT_GT(memory.freeBytes, 0u);
    EXPECT_LT(memory.freeBytes, memory.device->memoryBytes);
}

TEST_F(PipelineOnDevice, BringsTheFieldToTheHostForAStageThatNeedsItThere) {
    start(4 * estimate);
    EstimationSettings measured = settings();
    measured.stages = {"jacobian"};
    pipeline->setSettings(measured);
    const auto result = resultOf(0);
    ASSERT_NE(result, nullptr);
    EXPECT_NE(result->device, nullptr);
    EXPECT_NE(result->field, nullptr);
    EXPECT_EQ(result->figures.size(), 2u);
}

TEST_F(PipelineOnDevice, KeepsLessBeforeItDoesLess) {
    // Room for the estimation and two results or three: the finished ones fill it up.
    start(estimate + 40 * size.voxels(), 1);
    std::string said;
    for (int fixed = 0; fixed < 9; ++fixed) {
        const auto result = resultOf(fixed);
        ASSERT_NE(result, nullptr);
        EXPECT_EQ(result->backend, Backend::Cuda);
        EXPECT_NE(result->device, nullptr);
        said += pipeline->status().fallback;
    }
    EXPECT_THAT(said, HasSubstr("fewer frames and fields are kept on the device"));
    EXPECT_THAT(said, HasSubstr("out of device memory"));
}

TEST_F(PipelineOnDevice, GoesOnInSlabsThenOnTheCpuAndSaysWhy) {
    start(estimate * 9 / 10);
    const auto slabs = resultOf(0);
    ASSERT_NE(slabs, nullptr);
    EXPECT_EQ(slabs->backend, Backend::Cuda);
    ASSERT_NE(slabs->field, nullptr);
    EXPECT_THAT(pipeline->status().fallback, HasSubstr("in slabs"));
    start(estimate / 4);
    const auto cpu = resultOf(0);
    ASSERT_NE(cpu, nullptr);
    EXPECT_EQ(cpu->backend, Backend::Cpu);
    EXPECT_THAT(pipeline->status().fallback, HasSubstr("on the CPU instead"));
    EXPECT_THAT(pipeline->status().fallback, HasSubstr("a slab of 96 planes"));
    EXPECT_EQ(pipeline->status().backend, Backend::Cpu);
    double sum = 0;
    for (std::size_t i = 0; i < 3 * size.voxels(); ++i)
        sum += std::abs(static_cast<double>(slabs->field->components.data()[i]) -
                        static_cast<double>(cpu->field->components.data()[i]));
    EXPECT_LT(sum / static_cast<double>(3 * size.voxels()), 0.02);
}

TEST_F(PipelineOnDevice, GoesOnOnTheCpuWhenTheDeviceFails) {
    start(4 * estimate);
    ASSERT_NE(resultOf(0), nullptr);
    EstimationSettings failing;
    failing.revision = 1;
    failing.backend = Backend::Cuda;
    failing.make = [this](Backend backend) -> std::unique_ptr<MotionEstimator> {
        if (backend == Backend::Cuda)
            return std::make_unique<LostDevice>();
        return makeClg(parameters, backend);
    };
    pipeline->setSettings(failing);
    const auto result = resultOf(1);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->backend, Backend::Cpu);
    EXPECT_THAT(pipeline->status().fallback, HasSubstr("unspecified launch failure"));
}

} // namespace
} // namespace systole
