// What happens where CUDA can't be had or fails: tried without a device.
#include "app/error.h"
#include "app/estimation/backend.h"
#include "app/estimation/device_fallback.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Form = EstimationForm;

/// A device of the test's own: which forms fail, and what was tried.
class DeviceFallbackTest : public ::testing::Test {
protected:
    enum class Failure { None, OutOfMemory, Other, Cancelled };

    FrameResult run(DeviceFallback& fallback) {
        tried.clear();
        return fallback.run({[this](Form form) {
                                 tried.push_back(form);
                                 fail(form);
                                 FrameResult result;
                                 result.iterations = static_cast<int>(form);
                                 return result;
                             },
                             [this] {
                                 ++released;
                                 if (releasingHelps)
                                     failures.erase(Form::Device);
                             }});
    }

    void fail(Form form) {
        switch (failures[form]) {
        case Failure::None:
            return;
        case Failure::OutOfMemory:
            throw OutOfMemory(form == Form::Device ? "3 GiB asked, 1 GiB free"
                                                   : "the thinnest slab needs 2 GiB");
        case Failure::Other:
            throw ComputeError(form == Form::Cpu ? "the frames are no frames" : "the GPU is lost");
        case Failure::Cancelled:
            throw Cancelled();
        }
    }

    std::map<Form, Failure> failures;
    bool releasingHelps = false;
    std::vector<Form> tried;
    int released = 0;
};

TEST_F(DeviceFallbackTest, NothingIsSaidWhereNothingFails) {
    DeviceFallback fallback;
    EXPECT_EQ(run(fallback).iterations, static_cast<int>(Form::Device));
    EXPECT_EQ(fallback.reason(), "");
    EXPECT_EQ(released, 0);
}

TEST_F(DeviceFallbackTest, OutOfMemoryItFirstKeepsLess) {
    failures[Form::Device] = Failure::OutOfMemory;
    releasingHelps = true;
    DeviceFallback fallback;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Form::Device, Form::Device}));
    EXPECT_EQ(released, 1);
    EXPECT_EQ(fallback.form(), Form::Device);
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("fewer frames"), HasSubstr("1 GiB free")));
}

TEST_F(DeviceFallbackTest, ThenItGoesInSlabsAndStaysThere) {
    failures[Form::Device] = Failure::OutOfMemory;
    DeviceFallback fallback;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Form::Device, Form::Device, Form::Slabs}));
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("in slabs"), HasSubstr("3 GiB asked")));
    const std::string said = fallback.reason();
    run(fallback);
    EXPECT_EQ(tried, std::vector{Form::Slabs});
    EXPECT_EQ(fallback.reason(), said);
}

TEST_F(DeviceFallbackTest, ThenOnTheCpuWithTheNumbers) {
    failures[Form::Device] = failures[Form::Slabs] = Failure::OutOfMemory;
    DeviceFallback fallback;
    EXPECT_EQ(run(fallback).iterations, static_cast<int>(Form::Cpu));
    EXPECT_EQ(fallback.form(), Form::Cpu);
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("CPU"), HasSubstr("thinnest slab needs 2 GiB")));
    run(fallback);
    EXPECT_EQ(tried, std::vector{Form::Cpu});
    failures.clear();
    fallback.reset();
    run(fallback);
    EXPECT_EQ(tried, std::vector{Form::Device});
    EXPECT_EQ(fallback.reason(), "");
}

TEST_F(DeviceFallbackTest, ALostDeviceIsLeftAtOnce) {
    DeviceFallback fallback;
    run(fallback);
    failures[Form::Device] = Failure::Other;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Form::Device, Form::Cpu}));
    EXPECT_EQ(released, 0);
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("on the CPU"), HasSubstr("the GPU is lost")));
}

TEST_F(DeviceFallbackTest, ALostDeviceIsLeftInSlabsToo) {
    failures[Form::Device] = Failure::OutOfMemory;
    DeviceFallback fallback;
    run(fallback);
    failures[Form::Slabs] = Failure::Other;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Form::Slabs, Form::Cpu}));
    EXPECT_EQ(fallback.form(), Form::Cpu);
}

TEST_F(DeviceFallbackTest, WhatTheCpuCannotDoEitherIsNoFaultOfTheDevice) {
    failures[Form::Device] = failures[Form::Cpu] = Failure::Other;
    DeviceFallback fallback;
    try {
        run(fallback);
        FAIL();
    } catch (const ComputeError& error) {
        EXPECT_STREQ(error.what(), "the frames are no frames");
    }
    EXPECT_EQ(fallback.form(), Form::Device);
    EXPECT_EQ(fallback.reason(), "");
}

TEST_F(DeviceFallbackTest, CancelIsNoFailure) {
    failures[Form::Device] = Failure::Cancelled;
    DeviceFallback fallback;
    EXPECT_THROW(run(fallback), Cancelled);
    EXPECT_EQ(tried, std::vector{Form::Device});
    EXPECT_EQ(fallback.form(), Form::Device);
}

TEST_F(DeviceFallbackTest, AskedForTheDeviceAloneItsFailureIsAnError) {
    failures[Form::Device] = failures[Form::Slabs] = Failure::OutOfMemory;
    DeviceFallback fallback(false);
    try {
        run(fallback);
        FAIL();
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(), HasSubstr("thinnest slab"));
    }
    EXPECT_EQ(tried, (std::vector{Form::Device, Form::Device, Form::Slabs}));
}

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
    EXPECT_THAT(choice.reason, HasSubstr("trial has no CUDA form"));
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
    BackendChoice asked{Backend::Cuda, "asked for"};
    EXPECT_THROW(openDevice(asked), ComputeError);
    BackendChoice cpu{Backend::Cpu, "asked for"};
    EXPECT_EQ(openDevice(cpu), nullptr);
    EXPECT_EQ(cpu.reason, "asked for");
}

} // namespace
} // namespace systole
