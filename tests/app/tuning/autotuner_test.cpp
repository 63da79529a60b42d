// The autotuner with a clock of the test's own in place of a device, and a file in a folder of the
// test's own.
#include "app/tuning/autotuner.h"
#include "compute/core/error.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr int side = 64, sizeClass = 18; // 64³ = 2^18

const CudaDevice device{.index = 0,
                        .name = "A device",
                        .computeCapability = 90,
                        .multiprocessors = 100,
                        .memoryBytes = std::size_t{8} << 30,
                        .usable = true};

/// Enough of a machine for the models.
model::GpuMachine someMachine(const CudaDevice& of) {
    model::GpuMachine m;
    m.name = of.name;
    m.computeCapability = of.computeCapability;
    m.multiprocessors = of.multiprocessors;
    m.clockHertz = 1.5e9;
    m.memoryBandwidth = 2e12;
    m.l2Bandwidth = 4e12;
    m.globalLatency = 600;
    m.l2Latency = 250;
    m.l1Latency = m.sharedLatency = 30;
    m.departureDelay = 3;
    m.latency = {4, 4, 4, 40, 40, 30, 40, 5};
    m.uploadPinned = m.downloadPinned = 2e10;
    m.uploadPageable = m.downloadPageable = 8e9;
    return m;
}

class AutotunerTest : public ::testing::Test {
protected:
    Autotuner tuner() {
        return Autotuner(
            {.file = file.string(),
             .machineFor = someMachine,
             .timer = [this](const lab::LabKernel& kernel, int measuredSide, int threads) {
                 return time(kernel, measuredSide, threads);
             }});
    }

    /// Fastest at `optimum`, 5 % slower a step of 32 away.
    lab::LabPoint time(const lab::LabKernel& kernel, int measuredSide, int threads) {
        EXPECT_EQ(measuredSide, side);
        EXPECT_TRUE(kernel.takes(threads));
        measured[kernel.name()].push_back(threads);
        if (threads > largest)
            throw ComputeError("so many threads have not enough registers");
        if (outOfMemory)
            throw OutOfMemory("asked 1 GiB of 0");
        lab::LabPoint point;
        point.kernel = kernel.name();
        point.side = measuredSide;
        point.threads = threads;
        point.seconds = 1e-4 * (1 + 0.05 * std::abs(threads - optimum) / 32.0);
        ProfileSpan launch;
        launch.kernel = kernel.name();
        launch.grid[0] = side * side * side / threads;
        launch.grid[1] = launch.grid[2] = 1;
        launch.block[0] = threads;
        launch.block[1] = launch.block[2] = 1;
        launch.registers = 40;
        launch.bytes = 1e7;
        launch.cost.globalLoads = 10;
        launch.cost.globalStores = 1;
        launch.cost.fusedMultiplyAdd = 20;
        point.launches.push_back(launch);
        return point;
    }

    /// A result like that of an estimation on the device.
    FrameResult result(const std::vector<std::pair<std::string, double>>& kernels,
                       int ofSide = side) {
        FrameResult r;
        r.backend = Backend::Cuda;
        r.fixed = std::make_shared<Volume>(Geometry({ofSide, ofSide, ofSide}, {1, 1, 1}), pool,
                                           "test frame");
        for (const auto& [kernel, bytes] : kernels) {
            ProfileSpan span;
            span.kernel = kernel;
            span.bytes = bytes;
            r.profile.spans.push_back(span);
        }
        return r;
    }

    static int runToTheEnd(Autotuner& autotuner) {
        int steps = 0;
        while (autotuner.stepOn(device, nullptr))
            if (++steps > 1000)
                throw std::runtime_error("it doesn't end");
        return steps;
    }
    void write(const std::string& text) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    const testing::TemporaryFolder folder;
    const fs::path file = folder.path() / "cache" / "autotune.json";
    BufferPool pool;
    std::map<std::string, std::vector<int>> measured;
    int optimum = 160, largest = 1024;
    bool outOfMemory = false;
};

TEST_F(AutotunerTest, MeasuresTheStandardThenTheModelsChoiceThenNeighbors) {
    const lab::LabKernel& kernel = lab::labKernel("jacobi/register");
    const std::optional<int> choice =
        modelChoice(kernel, time(kernel, side, kernel.standardBlock), someMachine(device));
    ASSERT_TRUE(choice);
    measured.clear();
    Autotuner autotuner = tuner();
    autotuner.finished(result({{"jacobi/register", 1}}));
    runToTheEnd(autotuner);
    const std::vector<int>& order = measured.at("jacobi/register");
    ASSERT_GE(order.size(), 4u);
    EXPECT_EQ(order[0], kernel.standardBlock);
    if (*choice != kernel.standardBlock) {
        EXPECT_EQ(order[1], *choice);
    }
    EXPECT_EQ(autotuner.blockSizes(device, 64 * 64 * 64),
              BlockSizes(std::map<std::string, int>{{"jacobi/register", optimum}}));
    ASSERT_EQ(autotuner.text().size(), 1u);
    // 256 is three steps off: 1.15 times the time.
    EXPECT_EQ(autotuner.text()[0], "jacobi/register: 160 threads, 15 % faster than 256 (" +
                                       std::to_string(order.size()) + " tried)");
}

TEST_F(AutotunerTest, TunesWhatMovesMostFirstAndOnlyWhatItKnows) {
    Autotuner autotuner = tuner();
    EXPECT_FALSE(autotuner.step(nullptr)) << "no device";
    EXPECT_FALSE(autotuner.stepOn(device, nullptr)) << "nothing was estimated yet";
    FrameResult onCpu = result({{"jacobi/register", 1}});
    onCpu.backend = Backend::Cpu;
    autotuner.finished(onCpu);
    EXPECT_FALSE(autotuner.stepOn(device, nullptr));

    // One size, no kernel of the laboratory, and three that can be tuned.
    autotuner.finished(result({{"warp/direct", 5},
                               {"jacobi/fused", 50},
                               {"bring back", 50},
                               {"gradient/register", 8},
                               {"warp/direct", 5},
                               {"smooth/direct", 9}}));
    std::vector<std::string> order;
    while (autotuner.stepOn(device, nullptr))
        for (const auto& [kernel, sizes] : measured)
            if (std::find(order.begin(), order.end(), kernel) == order.end())
                order.push_back(kernel);
    EXPECT_EQ(order,
              (std::vector<std::string>{"warp/direct", "smooth/direct", "gradient/register"}));
    const std::size_t count = measured.at("warp/direct").size();
    EXPECT_FALSE(autotuner.stepOn(device, nullptr)) << "once is enough";
    EXPECT_EQ(measured.at("warp/direct").size(), count);
}

TEST_F(AutotunerTest, WhatWasFoundIsThereInTheNextRunAndForThatSizeAlone) {
    {
        Autotuner first = tuner();
        first.finished(result({{"warp/direct", 1}}));
        runToTheEnd(first);
    }
    measured.clear();
    Autotuner second = tuner();
    second.finished(result({{"warp/direct", 1}}));
    EXPECT_EQ(second.blockSizes(device, 64 * 64 * 64).threadsFor("warp/direct", 0), 160);
    EXPECT_EQ(second.blockSizes(device, 32 * 32 * 32), BlockSizes());
    CudaDevice other = device;
    other.index = 1;
    other.name = "Another device";
    EXPECT_EQ(second.blockSizes(other, 64 * 64 * 64), BlockSizes());
    EXPECT_FALSE(second.stepOn(device, nullptr));
    EXPECT_TRUE(measured.empty());
    EXPECT_EQ(second.text(), std::vector<std::string>{"warp/direct: 160 threads, found earlier"});
}

TEST_F(AutotunerTest, AddsToWhatOthersWroteMeanwhile) {
    Autotuner one = tuner(), two = tuner();
    one.finished(result({{"warp/direct", 1}}));
    two.finished(result({{"smooth/direct", 1}}));
    runToTheEnd(one);
    runToTheEnd(two);
    std::string why;
    const lab::AutotuneCache cache = readAutotuneFile(file.string(), why);
    EXPECT_EQ(why, "");
    EXPECT_EQ(usableBlockSizes(cache, tunedDevice(device), 64 * 64 * 64).all(),
              (std::map<std::string, int>{{"smooth/direct", 160}, {"warp/direct", 160}}));
}

TEST_F(AutotunerTest, AFileThatCannotBeReadIsSaidAndBegunAnew) {
    write("{\"version\": 1, \"blocks\": 7}");
    Autotuner autotuner = tuner();
    autotuner.finished(result({{"warp/direct", 1}}));
    EXPECT_TRUE(autotuner.stepOn(device, nullptr));
    ASSERT_FALSE(autotuner.text().empty());
    EXPECT_NE(autotuner.text()[0].find(file.string()), std::string::npos);
    EXPECT_NE(autotuner.text()[0].find("no list 'blocks'; it is replaced"), std::string::npos);
    runToTheEnd(autotuner);
    std::string why;
    EXPECT_FALSE(readAutotuneFile(file.string(), why).empty());
    EXPECT_EQ(why, "");
}

TEST_F(AutotunerTest, OneThatCannotBeWrittenIsSaidAndTuningGoesOn) {
    fs::create_directories(file); // a folder where the file should be
    Autotuner autotuner = tuner();
    autotuner.finished(result({{"warp/direct", 1}}));
    runToTheEnd(autotuner);
    EXPECT_EQ(autotuner.blockSizes(device, 64 * 64 * 64).threadsFor("warp/direct", 0), 160);
    ASSERT_EQ(autotuner.text().size(), 2u);
    EXPECT_NE(autotuner.text()[0].find("autotune.json"), std::string::npos);
}

TEST_F(AutotunerTest, BlocksThatTodaysKernelsDoNotTakeAreLeftOut) {
    lab::AutotuneCache cache;
    const lab::TunedDevice key = tunedDevice(device);
    cache.put(key, "warp/direct", sizeClass, {100, 1e-4, 3});
    cache.put(key, "a kernel of long ago", sizeClass, {128, 1e-4, 3});
    cache.put(key, "jacobi/direct", sizeClass,
              {lab::labKernel("jacobi/direct").standardBlock, 1e-4, 3});
    cache.put(key, "smooth/direct", sizeClass, {512, 1e-4, 3});
    EXPECT_EQ(usableBlockSizes(cache, key, 64 * 64 * 64),
              BlockSizes(std::map<std::string, int>{{"smooth/direct", 512}}));
}

TEST_F(AutotunerTest, FailuresEndOneKernelsSearch) {
    largest = 0;
    Autotuner autotuner = tuner();
    autotuner.finished(result({{"warp/direct", 1}}));
    runToTheEnd(autotuner);
    EXPECT_EQ(autotuner.text(),
              std::vector<std::string>{
                  "warp/direct: not tuned, so many threads have not enough registers"});
    EXPECT_FALSE(fs::exists(file));
    EXPECT_FALSE(autotuner.stepOn(device, nullptr)) << "it isn't tried again";

    largest = 1024;
    outOfMemory = true;
    Autotuner another = tuner();
    another.finished(result({{"warp/direct", 2}, {"smooth/direct", 1}}));
    EXPECT_LE(runToTheEnd(another), 2);
    EXPECT_EQ(another.text(),
              (std::vector<std::string>{"warp/direct: not tuned, asked 1 GiB of 0",
                                        "smooth/direct: not tuned, asked 1 GiB of 0"}));
}

TEST_F(AutotunerTest, ASequenceOfAnotherSizeBeginsAnew) {
    Autotuner autotuner = tuner();
    autotuner.finished(result({{"warp/direct", 1}}, 32));
    autotuner.finished(result({{"warp/direct", 1}}, side));
    runToTheEnd(autotuner); // time() expects this side
    EXPECT_EQ(autotuner.blockSizes(device, 32 * 32 * 32), BlockSizes());
    EXPECT_EQ(autotuner.blockSizes(device, 64 * 64 * 64).threadsFor("warp/direct", 0), 160);
}

TEST_F(AutotunerTest, WithoutAMachineTheSearchGoesOnWithoutTheModel) {
    Autotuner autotuner(
        {.file = file.string(),
         .machineFor = [](const CudaDevice&) -> model::GpuMachine {
             throw ComputeError("there is no catalogue");
         },
         .timer = [this](const lab::LabKernel& kernel, int measuredSide,
                         int threads) { return time(kernel, measuredSide, threads); }});
    autotuner.finished(result({{"warp/direct", 1}}));
    runToTheEnd(autotuner);
    EXPECT_EQ(autotuner.blockSizes(device, 64 * 64 * 64).threadsFor("warp/direct", 0), 160);
}

/// Sets a variable of the environment for its own life.
class Environment {
public:
    Environment(const char* variable, const char* value) : variable_(variable) {
        if (const char* before = std::getenv(variable))
            before_ = before;
        setenv(variable, value, 1);
    }
    ~Environment() {
        if (before_)
            setenv(variable_, before_->c_str(), 1);
        else
            unsetenv(variable_);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    const char* variable_;
    std::optional<std::string> before_;
};

TEST(AutotuneFileTest, LiesWhereTheUserKeepsCaches) {
    const Environment home("HOME", "/home/somebody");
    {
        const Environment cache("XDG_CACHE_HOME", "/var/tmp/caches");
        EXPECT_EQ(autotuneFile(), "/var/tmp/caches/systole/autotune.json");
    }
    const Environment cache("XDG_CACHE_HOME", "not/absolute");
    EXPECT_EQ(autotuneFile(), "/home/somebody/.cache/systole/autotune.json");
    const Environment nowhere("HOME", "");
    EXPECT_EQ(autotuneFile(), "");
}

} // namespace
} // namespace systole
