// The device list where there is no device, which is where it must not fail.
#include "compute/cuda/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace systole {
namespace {

TEST(CudaDevice, AReasonIsGivenExactlyWhenNoDeviceIsUsable) {
    const CudaStatus status = cudaStatus();
    const bool anyUsable = std::any_of(status.devices.begin(), status.devices.end(),
                                       [](const CudaDevice& device) { return device.usable; });
    EXPECT_EQ(status.usable(), anyUsable);
    EXPECT_EQ(status.reason.empty(), anyUsable);
}

TEST(CudaDevice, WithoutADriverThereIsNoDeviceAndNoCrash) {
    if (std::filesystem::exists("/dev/nvidiactl"))
        GTEST_SKIP() << "this machine has an NVIDIA driver";
    const CudaStatus status = cudaStatus();
    EXPECT_TRUE(status.devices.empty());
    EXPECT_FALSE(status.usable());
    EXPECT_THAT(status.reason,
                testing::AnyOf(testing::HasSubstr("without CUDA"), testing::HasSubstr("driver")));
}

TEST(CudaDevice, TheBuildSaysWhatItHolds) {
    const CudaStatus status = cudaStatus();
    EXPECT_EQ(status.built, status.runtimeVersion > 0);
}

} // namespace
} // namespace systole
