// Behavior where a device fails, tested without one.
#include "compute/core/error.h"
#include "compute/motion/device_fallback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Path = EstimationPath;

/// A device of the test's own: which paths fail, and what was tried.
class DeviceFallbackTest : public ::testing::Test {
protected:
    enum class Failure { None, OutOfMemory, Other, Cancelled };

    FrameResult run(DeviceFallback& fallback) {
        tried.clear();
        return fallback.run({[this](Path path) {
                                 tried.push_back(path);
                                 fail(path);
                                 FrameResult result;
                                 result.fixedFrame = static_cast<int>(path);
                                 return result;
                             },
                             [this] {
                                 ++released;
                                 if (releasingHelps)
                                     failures.erase(Path::Device);
                             }});
    }

    void fail(Path path) {
        switch (failures[path]) {
        case Failure::None:
            return;
        case Failure::OutOfMemory:
            throw OutOfMemory(path == Path::Device ? "3 GiB asked, 1 GiB free"
                                                   : "the thinnest slab needs 2 GiB");
        case Failure::Other:
            throw ComputeError(path == Path::Cpu ? "the frames are no frames" : "the GPU is lost");
        case Failure::Cancelled:
            throw Cancelled();
        }
    }

    std::map<Path, Failure> failures;
    bool releasingHelps = false;
    std::vector<Path> tried;
    int released = 0;
};

TEST_F(DeviceFallbackTest, NothingIsSaidWhereNothingFails) {
    DeviceFallback fallback;
    EXPECT_EQ(run(fallback).fixedFrame, static_cast<int>(Path::Device));
    EXPECT_EQ(fallback.reason(), "");
    EXPECT_EQ(released, 0);
}

TEST_F(DeviceFallbackTest, OutOfMemoryItFirstKeepsLess) {
    failures[Path::Device] = Failure::OutOfMemory;
    releasingHelps = true;
    DeviceFallback fallback;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Path::Device, Path::Device}));
    EXPECT_EQ(released, 1);
    EXPECT_EQ(fallback.path(), Path::Device);
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("fewer frames"), HasSubstr("1 GiB free")));
}

TEST_F(DeviceFallbackTest, ThenItGoesInSlabsAndStaysThere) {
    failures[Path::Device] = Failure::OutOfMemory;
    DeviceFallback fallback;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Path::Device, Path::Device, Path::Slabs}));
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("in slabs"), HasSubstr("3 GiB asked")));
    const std::string said = fallback.reason();
    run(fallback);
    EXPECT_EQ(tried, std::vector{Path::Slabs});
    EXPECT_EQ(fallback.reason(), said);
}

TEST_F(DeviceFallbackTest, ThenOnTheCpuWithTheNumbers) {
    failures[Path::Device] = failures[Path::Slabs] = Failure::OutOfMemory;
    DeviceFallback fallback;
    EXPECT_EQ(run(fallback).fixedFrame, static_cast<int>(Path::Cpu));
    EXPECT_EQ(fallback.path(), Path::Cpu);
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("CPU"), HasSubstr("thinnest slab needs 2 GiB")));
    run(fallback);
    EXPECT_EQ(tried, std::vector{Path::Cpu});
}

TEST_F(DeviceFallbackTest, ALostDeviceIsLeftAtOnce) {
    DeviceFallback fallback;
    run(fallback);
    failures[Path::Device] = Failure::Other;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Path::Device, Path::Cpu}));
    EXPECT_EQ(released, 0);
    EXPECT_THAT(fallback.reason(), AllOf(HasSubstr("on the CPU"), HasSubstr("the GPU is lost")));
}

TEST_F(DeviceFallbackTest, ALostDeviceIsLeftInSlabsToo) {
    failures[Path::Device] = Failure::OutOfMemory;
    DeviceFallback fallback;
    run(fallback);
    failures[Path::Slabs] = Failure::Other;
    run(fallback);
    EXPECT_EQ(tried, (std::vector{Path::Slabs, Path::Cpu}));
    EXPECT_EQ(fallback.path(), Path::Cpu);
}

TEST_F(DeviceFallbackTest, WhatTheCpuCannotDoEitherIsNoFaultOfTheDevice) {
    failures[Path::Device] = failures[Path::Cpu] = Failure::Other;
    DeviceFallback fallback;
    try {
        run(fallback);
        FAIL();
    } catch (const ComputeError& error) {
        EXPECT_STREQ(error.what(), "the frames are no frames");
    }
    EXPECT_EQ(fallback.path(), Path::Device);
    EXPECT_EQ(fallback.reason(), "");
}

TEST_F(DeviceFallbackTest, CancelIsNoFailure) {
    failures[Path::Device] = Failure::Cancelled;
    DeviceFallback fallback;
    EXPECT_THROW(run(fallback), Cancelled);
    EXPECT_EQ(tried, std::vector{Path::Device});
    EXPECT_EQ(fallback.path(), Path::Device);
}

TEST_F(DeviceFallbackTest, AskedForTheDeviceAloneItsFailureIsAnError) {
    failures[Path::Device] = failures[Path::Slabs] = Failure::OutOfMemory;
    DeviceFallback fallback(false);
    try {
        run(fallback);
        FAIL();
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(), HasSubstr("thinnest slab"));
    }
    EXPECT_EQ(tried, (std::vector{Path::Device, Path::Device, Path::Slabs}));
}

} // namespace
} // namespace systole
