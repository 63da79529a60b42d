// The Cardiac tool where motion lies on a device that can't be used: measured on the host, and
// tried there again when another motion is estimated.
#include "tests/app/features/cardiac/cardiac_motion.h"

namespace systole {
namespace {

class CardiacToolTest : public ::testing::Test, protected testing::CardiacMotion {
protected:
    /// A field of a device that no heart can be measured by, wherever the test runs.
    std::shared_ptr<const FrameResult> broken(std::shared_ptr<FrameResult> result) {
        auto device = std::make_shared<DeviceResult>();
        device->field = std::make_shared<VectorField>(Geometry({4, 4, 4}, {3, 3, 3}), pool, "none");
        result->device = device;
        result->field = nullptr;
        return result;
    }
    void passAll(bool onDevice) {
        for (int frame = 1; frame < frames; ++frame) {
            const auto result = motion(0, frame, frame);
            context.sinceFirst[static_cast<std::size_t>(frame)] =
                onDevice ? broken(result) : result;
        }
    }
};

TEST_F(CardiacToolTest, ADeviceThatFailsIsTriedAgainWithAnotherMotion) {
    for (std::uint64_t generation = 1; generation < 3; ++generation) {
        session.estimation.generation = generation;
        passAll(true);
        tools.follow(context);
        EXPECT_FALSE(tool().needs().hostFields) << "the device hasn't failed with this motion";
        ASSERT_TRUE(becomes([&] { return tool().needs().hostFields; }));
        passAll(false);
        ASSERT_TRUE(measuredAll());
        EXPECT_EQ(tool().failure, "");
        EXPECT_NEAR(tool().outcome()->measures.frames[3].strain.longitudinal, -0.09, 1e-4);
    }
}

TEST_F(CardiacToolTest, MotionOfWhichADeviceHasOnlySomeIsMeasuredOnTheHost) {
    passAll(false);
    context.sinceFirst[2] = broken(motion(0, 2, 2));
    tools.follow(context);
    EXPECT_TRUE(tool().needs().hostFields);
    context.sinceFirst[2] = motion(0, 2, 2);
    ASSERT_TRUE(measuredAll());
    EXPECT_EQ(tool().failure, "");
}

} // namespace
} // namespace systole
