// The devices of --devices, of lists that no machine needs to have.
#include "app/base/error.h"
#include "app/features/motion/chosen_devices.h"
#include "compute/core/error.h"

#include <gtest/gtest.h>

#include <vector>

namespace systole {
namespace {

/// CUDA's status where CUDA_VISIBLE_DEVICES or Slurm's --gres leaves so many devices.
CudaStatus visible(int devices) {
    CudaStatus status;
    status.built = true;
    for (int k = 0; k < devices; ++k)
        status.devices.push_back({k, "a device", 90, 132, std::size_t{80} << 30, true});
    return status;
}

TEST(ChosenDevices, AreThoseThatTheProcessMayUse) {
    EXPECT_EQ(chosenDevices("all", visible(3)), (std::vector{0, 1, 2}));
    EXPECT_EQ(chosenDevices("all", visible(1)), std::vector{0});
    EXPECT_EQ(chosenDevices("2,0", visible(3)), (std::vector{2, 0}));
    EXPECT_EQ(chosenDevices("0,0", visible(1)), (std::vector{0, 0})); // two contexts
    CudaStatus old = visible(2);
    old.devices[0].usable = false;
    EXPECT_EQ(chosenDevices("all", old), std::vector{1});
    EXPECT_THROW(chosenDevices("0", old), UsageError);
    for (const char* wrong : {"1", "-1", "0,x", "", "all,0", ","})
        EXPECT_THROW(chosenDevices(wrong, visible(1)), UsageError) << wrong;
    CudaStatus none;
    none.reason = "no NVIDIA driver is loaded";
    EXPECT_THROW(chosenDevices("all", none), ComputeError);
}

} // namespace
} // namespace systole
