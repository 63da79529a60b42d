// CLG on the device in use: repeated, cancelled, starved, or given nonsense.
#include "tests/compute/methods/clg_gpu_support.h"

#include <gmock/gmock.h>

namespace systole {
namespace {

TEST_F(ClgOnDevice, ReplaysCarryTheBitsOfTheFirstCall) {
    Pair pair({37, 30, 29}), other({37, 30, 29}, 0.5, 2);
    for (const char* preset : {"default", "paper"}) {
        const auto estimator = makeClg(parameters(preset), Backend::Cuda);
        TestField first(pair.size);
        estimate(*estimator, inputOf(pair), first);
        for (const MemorySpace space : {MemorySpace::Host, MemorySpace::Device}) {
            TestField between(pair.size), again(pair.size);
            estimate(*estimator, inputOf(other), between, space);
            estimate(*estimator, inputOf(pair), again, space);
            EXPECT_EQ(first.values, again.values) << preset;
            EXPECT_NE(first.values, between.values);
        }
    }
}

TEST_F(ClgOnDevice, AnotherSizeOrSpacingIsAnotherPlan) {
    const auto estimator = makeClg(parameters("default", {{"warps", "1"}}), Backend::Cuda);
    for (const Size3 size : {Size3{24, 24, 24}, Size3{20, 33, 18}, Size3{24, 24, 24}})
        for (const Vec3 spacing : {Vec3{1, 1, 1}, Vec3{1, 1, 4}}) {
            Pair pair(size);
            TestField kept(size), fresh(size);
            estimate(*estimator, inputOf(pair, spacing), kept);
            estimate(*makeClg(parameters("default", {{"warps", "1"}}), Backend::Cuda),
                     inputOf(pair, spacing), fresh);
            EXPECT_EQ(kept.values, fresh.values);
        }
}

TEST_F(ClgOnDevice, TinyAndConstantFramesGiveNoMotion) {
    for (const Size3 size : {Size3{1, 1, 1}, Size3{2, 1, 3}, Size3{20, 20, 1}, Size3{17, 1, 1}}) {
        TestVolume constant(size, [](double, double, double) { return 80.0; });
        MotionInput input;
        input.fixed = input.moving = constant.view();
        TestField field(size);
        estimate(*makeClg(parameters("default"), Backend::Cuda), input, field);
        for (const float v : field.values)
            ASSERT_EQ(v, 0);
    }
}

TEST_F(ClgOnDevice, NothingOfVoxelSizeCrossesTheBusForFramesOnTheDevice) {
    Pair pair({40, 40, 40});
    const auto estimator = makeClg(parameters("default"), Backend::Cuda);
    TestField start(pair.size);
    OnDeviceMemory memory(inputOf(pair), start, *cuda);
    for (int i = 0; i < 3; ++i) {
        const TransferCounters before = cuda->transfers();
        estimator->estimate(memory.input, memory.field, context());
        EXPECT_LT(cuda->transfers().toDeviceBytes - before.toDeviceBytes, 4096u);
        EXPECT_LT(cuda->transfers().toHostBytes - before.toHostBytes, 4096u);
    }
}

TEST_F(ClgOnDevice, TheProfileNamesStagesAndKernelsInReplaysToo) {
    Pair pair({40, 40, 40});
    const auto estimator = makeClg(parameters("default"), Backend::Cuda);
    KernelProfile profile;
    ExecContext ctx = context();
    ctx.profile = &profile;
    for (int i = 0; i < 3; ++i) {
        profile.beginFrame(i);
        TestField field(pair.size);
        estimator->estimate(inputOf(pair), field.view(), ctx);
        const FrameProfile frame = profile.endFrame();
        for (const char* stage : {"upload", "pyramid", "warp", "gradient", "smooth", "solve"})
            EXPECT_GT(frame.seconds(stage), 0) << stage << " of call " << i;
        EXPECT_THAT(frame.spans,
                    testing::Contains(testing::Field(
                        &ProfileSpan::kernel,
                        clg::gradientFamily.kernel(clg::gradientFamily.standardVariant()))));
    }
}

TEST_F(ClgOnDevice, OutOfMemorySaysHowMuchAndLeavesTheContextUsable) {
    CudaContext::Options options;
    options.deviceBudget = std::size_t{8} << 20;
    CudaContext small(options);
    ExecContext ctx = context();
    ctx.cuda = &small;
    Pair large({64, 64, 64}), fits({20, 20, 20});
    const auto estimator = makeClg(parameters("default"), Backend::Cuda);
    TestField field(large.size), result(fits.size);
    try {
        estimator->estimate(inputOf(large), field.view(), ctx);
        FAIL() << "64³ fitted into 8 MiB";
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("requested for"));
        EXPECT_THAT(error.what(), testing::HasSubstr("free of a budget of 8.0 MiB"));
    }
    EXPECT_EQ(small.devicePool().usage().usedBytes, 0u);
    estimator->estimate(inputOf(fits), result.view(), ctx);
    EXPECT_LT(meanDistance(result, fits.truth), 0.3);
}

/// A solver that keeps a level in registers needs less than it might: hence no more than said, and
/// nearly that where the finest level is too large for it.
TEST_F(ClgOnDevice, TakesTheMemoryThatItEstimates) {
    for (const Size3 size : {Size3{48, 40, 36}, Size3{128, 120, 112}})
        for (const Changes& changes : {Changes{}, Changes{{"beta", "0.2"}},
                                       Changes{{"solver", "jacobi"}}, Changes{{"levels", "1"}}}) {
            CudaContext fresh;
            ExecContext ctx = context();
            ctx.cuda = &fresh;
            const auto estimator = makeClg(parameters("default", changes), Backend::Cuda);
            TestField field(size);
            TestVolume constant(size, [](double, double, double) { return 1.0; });
            MotionInput input;
            input.fixed = input.moving = input.incompressibility = constant.view();
            estimator->estimate(input, field.view(), ctx);
            const auto taken = static_cast<double>(fresh.devicePool().usage().peakBytes);
            const auto estimated =
                static_cast<double>(estimator->memoryEstimate(size, input.spacing));
            EXPECT_GE(estimated, taken - 1024); // blocks are rounded up to 64 bytes
            if (size.x == 128) {
                EXPECT_LT(estimated, 1.1 * taken);
            }
        }
}

TEST_F(ClgOnDevice, RefusesValuesThatAreNoNumbersAndLeavesTheField) {
    Pair pair({24, 24, 24});
    const auto estimator = makeClg(parameters("default"), Backend::Cuda);
    for (const MemorySpace space : {MemorySpace::Host, MemorySpace::Device})
        for (const float bad : {NAN, INFINITY}) {
            TestVolume spoilt = pair.moving;
            spoilt.view()(23, 23, 23) = bad;
            MotionInput input = inputOf(pair);
            input.moving = spoilt.view();
            TestField field(pair.size);
            std::fill(field.values.begin(), field.values.end(), 0.25f);
            OnDeviceMemory memory(input, field, *cuda);
            try {
                if (space == MemorySpace::Host)
                    estimator->estimate(input, field.view(), context());
                else
                    estimator->estimate(memory.input, memory.field, context());
                FAIL() << "accepted " << bad;
            } catch (const ComputeError& error) {
                EXPECT_THAT(error.what(), testing::HasSubstr("moving frame"));
            }
            if (space == MemorySpace::Device)
                memory.download(field);
            for (const float v : field.values)
                ASSERT_EQ(v, 0.25f);
        }
    TestField field(pair.size);
    estimate(*estimator, inputOf(pair), field);
    EXPECT_LT(meanDistance(field, pair.truth), 0.3);
}

TEST_F(ClgOnDevice, CancelLeavesTheStartingField) {
    Pair pair({40, 40, 40});
    const auto estimator = makeClg(parameters("default"), Backend::Cuda);
    for (const MemorySpace space : {MemorySpace::Host, MemorySpace::Device}) {
        ExecContext ctx = context();
        int reports = 0;
        // Set from within, at the second report, so that the work has begun for certain.
        ctx.progress = [&](const std::string&, double) {
            if (++reports == 2)
                ctx.cancel.cancel();
        };
        TestField field(pair.size);
        std::fill(field.values.begin(), field.values.end(), 0.25f);
        OnDeviceMemory memory(inputOf(pair), field, *cuda);
        if (space == MemorySpace::Host)
            EXPECT_THROW(estimator->estimate(inputOf(pair), field.view(), ctx), Cancelled);
        else
            EXPECT_THROW(estimator->estimate(memory.input, memory.field, ctx), Cancelled);
        if (space == MemorySpace::Device)
            memory.download(field);
        for (const float v : field.values)
            ASSERT_EQ(v, 0.25f);
    }
    TestField field(pair.size);
    estimate(*estimator, inputOf(pair), field);
    EXPECT_LT(meanDistance(field, pair.truth), 0.3);
}

} // namespace
} // namespace systole
