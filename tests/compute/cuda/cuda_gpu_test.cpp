// The device list on a machine that has a device.
#include "compute/cuda/device.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(CudaGpu, DevicesAreDescribed) {
    const CudaStatus status = cudaStatus();
    if (!status.usable())
        GTEST_SKIP() << status.reason;
    EXPECT_GE(status.driverVersion, status.runtimeVersion / 1000 * 1000);
    for (const CudaDevice& device : status.devices) {
        EXPECT_FALSE(device.name.empty());
        EXPECT_GE(device.computeCapability, 10);
        EXPECT_GT(device.multiprocessors, 0);
        EXPECT_GT(device.memoryBytes, std::size_t{64} << 20);
    }
}

} // namespace
} // namespace systole
