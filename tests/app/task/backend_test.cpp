// Choice of the backend, and messages where CUDA is unavailable.
#include "app/base/error.h"
#include "app/task/backend.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

MotionMethod method(std::vector<Backend> backends) {
    MotionMethod method = motionMethods().front();
    method.name = "trial";
    method.backends = std::move(backends);
    return method;
}

CudaStatus usableStatus() {
    CudaStatus status;
    status.built = true;
    status.driverVersion = status.runtimeVersion = 13000;
    status.devices.push_back({0, "a device", 90, 132, std::size_t{80} << 30, true});
    return status;
}

TEST(ChooseBackend, SaysWhatIsMissing) {
    const MotionMethod both = method({Backend::Cpu, Backend::Cuda});
    for (const char* reason : {"the program was built without CUDA", "no NVIDIA driver is loaded",
                               "the NVIDIA driver reports no device"}) {
        CudaStatus status;
        status.reason = reason;
        const BackendChoice choice = chooseBackend("auto", both, status);
        EXPECT_EQ(choice.backend, Backend::Cpu);
        EXPECT_EQ(choice.reason, std::string("auto: ") + reason);
        try {
            chooseBackend("cuda", both, status);
            FAIL();
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr("cuda"), HasSubstr(reason)));
        }
    }
}

TEST(ChooseBackend, AutoTakesCudaWhereMethodAndMachineHaveIt) {
    const MotionMethod both = method({Backend::Cpu, Backend::Cuda});
    EXPECT_EQ(chooseBackend("auto", both, usableStatus()).backend, Backend::Cuda);
    EXPECT_TRUE(chooseBackend("auto", both, usableStatus()).mayChange);
    EXPECT_FALSE(chooseBackend("cuda", both, usableStatus()).mayChange);
    EXPECT_EQ(chooseBackend("cpu", both, usableStatus()).backend, Backend::Cpu);
    const MotionMethod plain = method({Backend::Cpu});
    const BackendChoice choice = chooseBackend("auto", plain, usableStatus());
    EXPECT_EQ(choice.backend, Backend::Cpu);
    EXPECT_THAT(choice.reason, HasSubstr("trial has no CUDA implementation"));
    EXPECT_THROW(chooseBackend("cuda", plain, usableStatus()), ComputeError);
    EXPECT_THROW(chooseBackend("cpu-reference", plain, usableStatus()), ComputeError);
    EXPECT_THROW(chooseBackend("gpu", both, usableStatus()), UsageError);
}

TEST(OpenDevice, ADeviceThatCannotBeHadIsSaidOrAnError) {
    if (cudaStatus().usable())
        GTEST_SKIP() << "there is a device here";
    BackendChoice automatic{Backend::Cuda, "auto: a CUDA device is usable", true};
    EXPECT_EQ(openDevice(automatic), nullptr);
    EXPECT_EQ(automatic.backend, Backend::Cpu);
    EXPECT_EQ(automatic.reason, "auto: " + cudaStatus().reason);
    BackendChoice asked{Backend::Cuda, "requested"};
    EXPECT_THROW(openDevice(asked), ComputeError);
    BackendChoice cpu{Backend::Cpu, "requested"};
    EXPECT_EQ(openDevice(cpu), nullptr);
    EXPECT_EQ(cpu.reason, "requested");
}

TEST(OpenDevice, TasksTakeNoMoreMemoryThanWasAllowed) {
    CudaContext::Options asked;
    DeviceAccess access;
    access.open = [&](const CudaContext::Options& options) {
        asked = options;
        return std::shared_ptr<CudaContext>();
    };
    BackendChoice choice{Backend::Cuda, "requested", false, 1};
    DevicePolicy(choice, {}, access).open();
    EXPECT_EQ(asked.deviceBudget, 0u); // 0: all free memory
    choice.deviceBytes = std::size_t{8} << 30;
    DevicePolicy(choice, {}, access).open();
    EXPECT_EQ(asked.deviceBudget, std::size_t{8} << 30);
    EXPECT_EQ(asked.device, 1);
}

TEST(ChooseBackend, ADeviceIsNamedByItsNumber) {
    const MotionMethod both = method({Backend::Cpu, Backend::Cuda});
    const BackendChoice first = chooseBackend("cuda:0", both, usableStatus());
    EXPECT_EQ(first.backend, Backend::Cuda);
    EXPECT_FALSE(first.mayChange);
    CudaStatus two = usableStatus();
    two.devices.push_back(two.devices.front());
    EXPECT_EQ(chooseBackend("cuda:1", both, two).device, 1);
    try {
        chooseBackend("cuda:1", both, usableStatus());
        FAIL();
    } catch (const ComputeError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("cuda:1"), HasSubstr("1 CUDA device,")));
    }
    for (const char* wrong : {"cuda:", "cuda:x", "cuda:1x", "cuda:-1"})
        EXPECT_THROW(chooseBackend(wrong, both, usableStatus()), UsageError) << wrong;
}

} // namespace
} // namespace systole
