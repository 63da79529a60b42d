// A sequence on the device: its frames, the driver that stays there, slabs.
#include "compute/core/error.h"
#include "compute/cuda/device_frames.h"
#include "compute/methods/clg/clg.h"
#include "compute/motion/pair_estimator.h"
#include "compute/motion/slabs.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace systole {
namespace {

using FramePointer = std::shared_ptr<const Volume>;

std::vector<float> downloaded(CudaContext& cuda, const Buffer<float>& from,
                              const std::shared_ptr<const CudaEvent>& ready) {
    std::vector<float> values(from.size());
    cuda.waitFor(CudaStream::Copy, ready);
    cuda.download(from.data(), values.data(), values.size() * sizeof(float), CudaStream::Copy);
    cuda.synchronize(CudaStream::Copy);
    return values;
}

std::vector<float> voxelsOf(CudaContext& cuda, const Volume& volume) {
    return downloaded(cuda, volume.voxels, volume.ready);
}

class DeviceFramesOnDevice : public test::OnDevice {
protected:
    void SetUp() override {
        test::OnDevice::SetUp();
        if (!IsSkipped())
            shared = std::move(cuda);
    }
    /// Each of its own noise.
    FramePointer hostFrame(int index, BufferPool& pool) {
        auto volume = std::make_shared<Volume>(grid, pool, "host frame");
        volume->timeSeconds = 0.1 * index;
        const auto values = expected(index);
        std::copy(values.begin(), values.end(), volume->voxels.data());
        return volume;
    }
    static std::vector<float> expected(int index) {
        return test::noiseVolume(size, static_cast<std::uint64_t>(index) + 1).voxels;
    }
    FramePointer ask(DeviceFrames& frames, int index) {
        return frames.frame(index, hostFrame(index, resources.pool()));
    }

    static constexpr Size3 size{61, 53, 47};
    const Geometry grid{size, {1, 1, 1}};
    const std::size_t frameBytes = grid.voxels() * sizeof(float);
    std::shared_ptr<CudaContext> shared;
};

TEST_F(DeviceFramesOnDevice, UploadsOnceAndLosesNothing) {
    for (const bool pinned : {false, true}) {
        DeviceFrames frames(shared, frameBytes, 100 * frameBytes);
        BufferPool& pool = pinned ? shared->pinnedPool() : resources.pool();
        const std::size_t before = shared->transfers().toDeviceBytes;
        std::vector<FramePointer> first;
        for (int index = 0; index < 6; ++index)
            first.push_back(frames.frame(index, hostFrame(index, pool)));
        frames.prefetch(6, hostFrame(6, pool));
        for (int index = 0; index < 6; ++index) {
            const FramePointer& frame = first[static_cast<std::size_t>(index)];
            EXPECT_EQ(frames.frame(index, nullptr), frame);
            EXPECT_EQ(frame->voxels.space(), MemorySpace::Device);
            EXPECT_EQ(frame->timeSeconds, 0.1 * index);
            EXPECT_EQ(voxelsOf(*shared, *frame), expected(index)) << index << " " << pinned;
        }
        EXPECT_EQ(voxelsOf(*shared, *frames.frame(6, nullptr)), expected(6));
        EXPECT_EQ(frames.counters().uploads, 7u);
        EXPECT_EQ(frames.counters().uploadedBytes, 7 * frameBytes);
        EXPECT_EQ(frames.counters().residentFrames, 7);
        EXPECT_EQ(shared->transfers().toDeviceBytes - before, 7 * frameBytes);
    }
}

TEST_F(DeviceFramesOnDevice, TheRingForgetsWhatNobodyHoldsAndNothingElse) {
    DeviceFrames frames(shared, frameBytes, 3 * frameBytes);
    const FramePointer held = ask(frames, 0);
    for (int index = 1; index < 12; ++index) {
        const FramePointer frame = ask(frames, index);
        EXPECT_EQ(voxelsOf(*shared, *frame), expected(index));
        EXPECT_LE(frames.counters().residentFrames, 3);
    }
    EXPECT_EQ(voxelsOf(*shared, *held), expected(0));
    EXPECT_EQ(frames.frame(0, nullptr), held);
    EXPECT_EQ(frames.counters().uploads, 12u);
    EXPECT_EQ(voxelsOf(*shared, *ask(frames, 3)), expected(3));
    EXPECT_EQ(frames.counters().uploads, 13u); // it was gone

    std::vector<FramePointer> all;
    for (int index = 0; index < 8; ++index)
        all.push_back(ask(frames, index));
    for (int index = 0; index < 8; ++index)
        EXPECT_EQ(voxelsOf(*shared, *all[static_cast<std::size_t>(index)]), expected(index));
}

TEST_F(DeviceFramesOnDevice, ShrunkItKeepsAPairAndUploadsNothingAhead) {
    DeviceFrames frames(shared, frameBytes, 10 * frameBytes);
    for (int index = 0; index < 6; ++index)
        voxelsOf(*shared, *ask(frames, index));
    frames.shrink();
    EXPECT_EQ(frames.counters().residentFrames, 0);
    frames.prefetch(1, hostFrame(1, resources.pool()));
    EXPECT_EQ(frames.counters().uploads, 6u);
    for (int index = 0; index < 6; ++index)
        EXPECT_EQ(voxelsOf(*shared, *ask(frames, index)), expected(index));
    EXPECT_LE(frames.counters().residentFrames, 2);
}

TEST_F(DeviceFramesOnDevice, WithoutRoomForWhatIsHeldItSaysSo) {
    CudaContext::Options tight;
    tight.deviceBudget = frameBytes * 5 / 2;
    DeviceFrames frames(std::make_shared<CudaContext>(tight), frameBytes, 100 * frameBytes);
    const FramePointer first = ask(frames, 0);
    FramePointer second = ask(frames, 1);
    EXPECT_THROW(ask(frames, 2), OutOfMemory);
    EXPECT_NO_THROW(frames.prefetch(2, hostFrame(2, resources.pool())));
    second->ready->wait();
    second.reset();
    EXPECT_EQ(voxelsOf(*shared, *ask(frames, 2)), expected(2));
    EXPECT_EQ(voxelsOf(*shared, *first), expected(0));
}

/// A texture that moves to and fro.
FramePointer waves(int frame, Size3 size, BufferPool& pool) {
    auto volume = std::make_shared<Volume>(Geometry(size, {1, 1, 1}), pool, "frame");
    const double shift = 1.5 * std::sin(0.7 * frame);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const double u = x - shift, v = y + 0.5 * shift, w = z - 0.7 * shift;
                volume->view()(x, y, z) = static_cast<float>(
                    127 + 35 * std::sin(0.45 * u + 0.2 * v) + 30 * std::sin(0.5 * v - 0.25 * w) +
                    30 * std::sin(0.4 * w + 0.3 * u) + 20 * std::cos(0.15 * u - 0.2 * v + 0.1 * w));
            }
    return volume;
}

void expectClose(const std::vector<float>& a, const Buffer<float>& b, double mean, double most,
                 const std::string& what) {
    ASSERT_EQ(a.size(), b.size());
    double sum = 0, largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference =
            std::abs(static_cast<double>(a[i]) - static_cast<double>(b.data()[i]));
        sum += difference;
        largest = std::max(largest, difference);
    }
    EXPECT_LT(sum / static_cast<double>(a.size()), mean) << what;
    EXPECT_LT(largest, most) << what;
}

class SequenceDriverOnDevice : public DeviceFramesOnDevice {
protected:
    ExecContext cpu() { return resources.context(); }
    ExecContext device() {
        ExecContext ctx = resources.context();
        ctx.backend = Backend::Cuda;
        ctx.cuda = shared.get();
        return ctx;
    }
    static SequenceDriver driver(Backend backend, ReferenceMode mode) {
        return {makeClg(ParamSet(clgParameterTable(), "default"), backend), {mode, {0, 255}}};
    }
    std::vector<FramePointer> sequence(int count) {
        std::vector<FramePointer> frames;
        for (int index = 0; index < count; ++index)
            frames.push_back(waves(index, size, resources.pool()));
        return frames;
    }
};

TEST_F(SequenceDriverOnDevice, FindsWhatTheCpuFindsAndBringsNothingBack) {
    const std::vector<FramePointer> host = sequence(6);
    for (const ReferenceMode mode : {ReferenceMode::Previous, ReferenceMode::First}) {
        SequenceDriver plain = driver(Backend::Cpu, mode), cuda = driver(Backend::Cuda, mode);
        DeviceFrames frames(shared, frameBytes, 100 * frameBytes);
        for (int moving = 1; moving < 6; ++moving) {
            const int fixed = mode == ReferenceMode::First ? 0 : moving - 1;
            const auto at = [&](int index) { return host[static_cast<std::size_t>(index)]; };
            const DevicePair onDevice{frames.frame(fixed, at(fixed)),
                                      frames.frame(moving, at(moving)), false};
            const FrameResult expected =
                plain.estimate(at(fixed), fixed, at(moving), moving, cpu());
            const FrameResult found =
                cuda.estimate(at(fixed), fixed, at(moving), moving, device(), onDevice);
            EXPECT_EQ(found.bytesToDevice, 0u);
            EXPECT_LT(found.bytesToHost, 2048u);
            EXPECT_EQ(found.field, nullptr);
            EXPECT_EQ(found.warped, nullptr);
            EXPECT_EQ(found.backend, Backend::Cuda);
            ASSERT_NE(found.device, nullptr);
            EXPECT_EQ(found.device->fixed, onDevice.fixed);
            const std::string pair = std::to_string(fixed) + " to " + std::to_string(moving);
            expectClose(
                downloaded(*shared, found.device->field->components, found.device->field->ready),
                expected.field->components, 1e-3, 0.05, pair);
            expectClose(voxelsOf(*shared, *found.device->warped), expected.warped->voxels, 0.05, 5,
                        pair);
        }
    }
}

TEST_F(SequenceDriverOnDevice, GoesOnFromTheFrameBeforeAsTheCpuDoes) {
    const std::vector<FramePointer> host = sequence(6);
    PairEstimator plain({}), cuda({.openDevice = [&](const FramePair&) { return shared; }});
    PairSettings settings{
        .make = [](Backend backend) { return makeClg(ParamSet(clgParameterTable()), backend); },
        .refine =
            [](Backend backend) {
                ParamSet fine(clgParameterTable());
                fine.set("levels", 2);
                return makeClg(fine, backend);
            },
        .reference = ReferenceMode::First,
        .scale = {0, 255}};
    plain.begin(settings);
    settings.backend = Backend::Cuda;
    settings.mayUseCpu = false;
    cuda.begin(settings);
    for (int moving = 1; moving < 6; ++moving) {
        const FramePair pair{host[0], host[static_cast<std::size_t>(moving)], 0, moving};
        const FrameResult expected = plain.estimate(pair, cpu());
        const FrameResult found = cuda.estimate(pair, cpu());
        EXPECT_EQ(found.backend, Backend::Cuda);
        expectClose(
            downloaded(*shared, found.device->field->components, found.device->field->ready),
            expected.field->components, 1e-3, 0.05, std::to_string(moving));
    }
}

TEST_F(SequenceDriverOnDevice, BringsResultsToTheHostWhereAskedAndCountsThem) {
    const std::vector<FramePointer> host = sequence(3);
    SequenceDriver cuda = driver(Backend::Cuda, ReferenceMode::Previous);
    const FrameResult first = cuda.estimate(host[0], 0, host[1], 1, device());
    const FrameResult second = cuda.estimate(host[1], 1, host[2], 2, device());
    EXPECT_EQ(first.bytesToDevice, 2 * frameBytes);
    EXPECT_EQ(second.bytesToDevice, frameBytes); // the other one was there
    for (const FrameResult* result : {&first, &second}) {
        ASSERT_NE(result->field, nullptr);
        EXPECT_GE(result->bytesToHost, 4 * frameBytes);
        EXPECT_LT(result->bytesToHost, 4 * frameBytes + 2048);
        EXPECT_GT(result->profile.seconds("upload"), 0);
        EXPECT_EQ(result->profile.bytes("download"), static_cast<double>(4 * frameBytes));
        EXPECT_GT(result->profile.seconds("solve"), 0);
        const std::vector<float> there =
            downloaded(*shared, result->device->field->components, result->device->field->ready);
        EXPECT_TRUE(std::equal(there.begin(), there.end(), result->field->components.data()));
        EXPECT_TRUE(std::equal(result->warped->voxels.data(),
                               result->warped->voxels.data() + size.voxels(),
                               voxelsOf(*shared, *result->device->warped).data()));
    }
}

TEST_F(SequenceDriverOnDevice, WeighsVolumeAsTheCpuDoes) {
    const std::vector<FramePointer> host = sequence(2);
    auto weight = std::make_shared<Volume>(grid, resources.pool(), "weight");
    for (std::size_t i = 0; i < size.voxels(); ++i)
        weight->voxels.data()[i] =
            static_cast<float>(i % static_cast<std::size_t>(size.x)) / static_cast<float>(size.x);
    ParamSet parameters(clgParameterTable(), "default");
    parameters.setText("beta", "0.3");
    std::vector<FrameResult> results;
    for (const Backend backend : {Backend::Cpu, Backend::Cuda}) {
        SequenceDriver one(makeClg(parameters, backend),
                           {ReferenceMode::Previous, {0, 255}, weight});
        results.push_back(
            one.estimate(host[0], 0, host[1], 1, backend == Backend::Cpu ? cpu() : device()));
    }
    const std::span<const float> found = std::as_const(results[1].field->components).span();
    expectClose({found.begin(), found.end()}, results[0].field->components, 1e-3, 0.05, "beta");
}

TEST_F(SequenceDriverOnDevice, EstimatesInSlabsWhatDoesNotFit) {
    const Size3 tall{40, 36, 160};
    const FramePointer fixed = waves(0, tall, resources.pool()),
                       moving = waves(1, tall, resources.pool());
    SequenceDriver whole = driver(Backend::Cuda, ReferenceMode::Previous);
    const FrameResult expected = whole.estimate(fixed, 0, moving, 1, device());

    const ParamSet parameters(clgParameterTable(), "default");
    const auto clg = [&] { return makeClg(parameters, Backend::Cuda); };
    CudaContext::Options tight;
    tight.deviceBudget = clg()->memoryEstimate({tall.x, tall.y, 128}, {1, 1, 1});
    ASSERT_LT(tight.deviceBudget, clg()->memoryEstimate(tall, {1, 1, 1}));
    CudaContext small(tight);
    ExecContext ctx = device();
    ctx.cuda = &small;
    SequenceDriver slabs(std::make_unique<SlabEstimator>(clg(), slabBudget(small)),
                         {.scale = {0, 255}, .hostInput = true});
    const FrameResult found = slabs.estimate(fixed, 0, moving, 1, ctx);
    EXPECT_GT(slabs.lastReport().slabs, 1);
    EXPECT_EQ(found.device, nullptr);
    EXPECT_LE(small.devicePool().usage().peakBytes, tight.deviceBudget);
    const std::span<const float> field = std::as_const(found.field->components).span();
    expectClose({field.begin(), field.end()}, expected.field->components, 5e-3, 0.2, "slabs");

    SequenceDriver refused = driver(Backend::Cuda, ReferenceMode::Previous);
    EXPECT_THROW(refused.estimate(fixed, 0, moving, 1, ctx), OutOfMemory);
}

} // namespace
} // namespace systole
