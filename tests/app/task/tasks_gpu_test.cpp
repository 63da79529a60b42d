// The tasks of the list on a device: it is used, and one that is too small is said, while the CPU
// finds the same as without it.
#include "compute/core/error.h"
#include "tests/app/task/task_cases.h"
#include "tests/support/gpu_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TaskCase;
using test::TaskResult;
using ::testing::DoubleNear;
using ::testing::Pointwise;
using ::testing::StartsWith;

const BackendChoice automatic{Backend::Cuda, "auto: a CUDA device is usable", true};

DeviceAccess tinyDevice() {
    return {[](CudaContext::Options options) {
        options.deviceBudget = std::size_t{16} << 10;
        return std::make_shared<CudaContext>(options);
    }};
}

class TasksOnDevice : public test::OnDevice, public ::testing::WithParamInterface<TaskCase> {};

TEST_P(TasksOnDevice, UseIt) {
    const TaskResult command = GetParam().command(automatic, {});
    EXPECT_EQ(command.fallback, "");
    EXPECT_FALSE(command.numbers.empty());
    if (!GetParam().windowUsesDevice)
        return;
    const TaskResult window = GetParam().window(Backend::Cuda, {});
    EXPECT_EQ(window.fallback + window.failure, "");
    if (GetParam().windowOnDevice > 0)
        EXPECT_THAT(window.numbers,
                    Pointwise(DoubleNear(GetParam().windowOnDevice), command.numbers));
    else
        EXPECT_EQ(window.numbers, command.numbers) << "the window finds the same bits";
}

TEST_P(TasksOnDevice, SayThatItIsTooSmallAndTakeTheCpu) {
    const TaskResult expected = GetParam().command({Backend::Cpu, "requested"}, {});
    const TaskResult command = GetParam().command(automatic, tinyDevice());
    EXPECT_THAT(command.fallback, StartsWith("on the CPU instead: "));
    EXPECT_EQ(command.numbers, expected.numbers);
    EXPECT_THROW(GetParam().command({Backend::Cuda, "requested"}, tinyDevice()), OutOfMemory);
    if (!GetParam().windowUsesDevice)
        return;
    const TaskResult window = GetParam().window(Backend::Cuda, tinyDevice());
    EXPECT_EQ(window.failure, "");
    EXPECT_THAT(window.fallback, StartsWith("on the CPU instead: "));
    EXPECT_EQ(window.numbers, expected.numbers);
}

INSTANTIATE_TEST_SUITE_P(, TasksOnDevice, ::testing::ValuesIn(test::casesOnDevice()),
                         [](const auto& info) { return test::testName(info.param); });

} // namespace
} // namespace systole
