// The Cardiac tool with motion that lies on a device alone, against the same motion on the host.
#include "tests/app/features/cardiac/cardiac_motion.h"
#include "tests/support/device_support.h"
#include "tests/support/gpu_support.h"

namespace systole {
namespace {

class CardiacToolOnDevice : public test::OnDevice {
protected:
    /// All measures of the cycle, which doesn't close by itself and is closed.
    StrainOutcome measured(bool onDevice) {
        testing::CardiacMotion heart;
        const auto pass = [&](std::shared_ptr<FrameResult> result) {
            if (onDevice) {
                auto device = std::make_shared<DeviceResult>();
                device->field = deviceCopy(*result->field, *cuda);
                cuda->synchronize(CudaStream::Compute);
                result->device = device;
                result->field = nullptr;
            }
            return result;
        };
        heart.context.steps.resize(heart.frames);
        for (int frame = 0; frame < heart.frames; ++frame) {
            const int next = (frame + 1) % heart.frames;
            const auto at = static_cast<std::size_t>(frame);
            if (frame > 0)
                heart.context.sinceFirst[at] = pass(heart.motion(0, frame, frame));
            heart.context.steps[at] = pass(heart.step(frame, next, next - frame + 0.3));
        }
        heart.tool().parameters.set("close-cycle", true);
        EXPECT_TRUE(heart.measuredAll());
        EXPECT_EQ(heart.tool().failure, "");
        EXPECT_FALSE(heart.tool().needs().hostFields);
        // Once all is measured no motion since the first frame is estimated, nor passed on.
        const StrainOutcome* const before = heart.tool().outcome();
        EXPECT_FALSE(heart.tool().needs().sinceFirst);
        heart.context.on = false;
        for (int tick = 0; tick < 5; ++tick)
            heart.tools.follow(heart.context);
        EXPECT_FALSE(heart.tool().busy());
        EXPECT_FALSE(heart.tool().needs().sinceFirst);
        EXPECT_EQ(heart.tool().outcome(), before);
        return *before;
    }
};

TEST_F(CardiacToolOnDevice, MeasuresAndClosesMotionThatLiesThereAlone) {
    const StrainOutcome there = measured(true), here = measured(false);
    EXPECT_TRUE(there.motion.wall.empty()) << "it was measured on the device";
    EXPECT_TRUE(here.residual.closed);
    EXPECT_TRUE(there.residual.closed);
    EXPECT_GT(here.residual.measured, 0.1);
    EXPECT_NEAR(there.residual.measured, here.residual.measured, 1e-4);
    EXPECT_NEAR(there.residual.steps, here.residual.steps, 1e-4);
    for (std::size_t t = 0; t < here.measures.frames.size(); ++t)
        for (std::size_t s = 0; s < 16; ++s)
            for (int k = 0; k < 3; ++k)
                EXPECT_NEAR(there.measures.frames[t].segments[s].strain[k],
                            here.measures.frames[t].segments[s].strain[k], 2e-5)
                    << t << ' ' << s;
}

} // namespace
} // namespace systole
