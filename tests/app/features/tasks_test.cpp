// Requirements of every task in the list: the window finds what the command finds, bit by bit, and
// where a device is absent, lost or too small, a message of one sentence reports it and nothing is
// lost.
#include "compute/core/error.h"
#include "tests/app/task/task_cases.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

using test::TaskCase;
using test::TaskResult;

const BackendChoice onCpu{Backend::Cpu, "requested"};
const BackendChoice automatic{Backend::Cuda, "auto: a CUDA device is usable", true};
const BackendChoice insisted{Backend::Cuda, "requested"};

/// A way in which a device fails, and what is said.
struct Failure {
    const char* name;
    const char* sentence;
    DeviceAccess access;
};

std::shared_ptr<CudaContext> noContext(const CudaContext::Options&) { return nullptr; }

/// The work is done by the CPU as if it were the device, which fails at the very end.
template <typename Error>
DeviceAccess failingAfterWork(const char* sentence) {
    return {noContext, [sentence](const ExecContext& ctx, const DeviceWork& work) {
                ExecContext pretended = ctx;
                pretended.backend = Backend::Cpu;
                work(pretended);
                throw Error(sentence);
            }};
}

const std::vector<Failure>& failures() {
    static const std::vector<Failure> all{
        {"Absent",
         "no NVIDIA driver is loaded",
         {[](const CudaContext::Options&) -> std::shared_ptr<CudaContext> {
             throw ComputeError("no NVIDIA driver is loaded");
         }}},
        {"TinyMemory", "1 MiB of 1 MiB are in use",
         failingAfterWork<OutOfMemory>("1 MiB of 1 MiB are in use")},
        {"Lost", "the device has fallen off the bus",
         failingAfterWork<ComputeError>("the device has fallen off the bus")}};
    return all;
}

/// Anything it does with a device fails the test.
DeviceAccess untouched() {
    return {[](const CudaContext::Options&) -> std::shared_ptr<CudaContext> {
        ADD_FAILURE() << "a device was opened";
        return nullptr;
    }};
}

void expectSame(const TaskResult& a, const TaskResult& b) {
    ASSERT_FALSE(a.numbers.empty());
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    const auto [one, other] = std::ranges::mismatch(a.numbers, b.numbers);
    if (one != a.numbers.end())
        FAIL() << "number " << one - a.numbers.begin() << " is " << *one << " and " << *other;
}

class Tasks : public ::testing::TestWithParam<TaskCase> {};
/// Tasks that run under the device policy. Motion has a fallback of its own (PairEstimator), and
/// segments and walls run only on the CPU.
class TasksOnADevice : public ::testing::TestWithParam<TaskCase> {};

TEST_P(Tasks, TheWindowFindsWhatTheCommandFinds) {
    const TaskResult command = GetParam().command(onCpu, untouched());
    const TaskResult window = GetParam().window(Backend::Cpu, untouched());
    EXPECT_EQ(window.failure, "");
    EXPECT_EQ(command.fallback + window.fallback, "");
    expectSame(command, window);
}

TEST_P(TasksOnADevice, AFailingDeviceIsSaidAndTheCpuFindsTheSame) {
    const TaskResult expected = GetParam().command(onCpu, untouched());
    for (const Failure& failure : failures()) {
        SCOPED_TRACE(failure.name);
        const TaskResult command = GetParam().command(automatic, failure.access);
        EXPECT_EQ(command.fallback, std::string("on the CPU instead: ") + failure.sentence);
        expectSame(expected, command);
        const TaskResult window = GetParam().window(Backend::Cuda, failure.access);
        EXPECT_EQ(window.failure, "");
        expectSame(expected, window);
        if (GetParam().windowUsesDevice) {
            EXPECT_EQ(window.fallback, command.fallback);
        }
    }
}

TEST_P(TasksOnADevice, WhoInsistsOnADeviceIsRefusedWithItsSentence) {
    for (const Failure& failure : failures()) {
        SCOPED_TRACE(failure.name);
        try {
            GetParam().command(insisted, failure.access);
            FAIL() << "it is not refused";
        } catch (const ComputeError& error) {
            EXPECT_STREQ(error.what(), failure.sentence);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, Tasks, ::testing::ValuesIn(test::taskCases()),
                         [](const auto& info) { return test::testName(info.param); });
INSTANTIATE_TEST_SUITE_P(, TasksOnADevice, ::testing::ValuesIn(test::casesOnDevice()),
                         [](const auto& info) { return test::testName(info.param); });

TEST(TaskList, WithoutADeviceAutoTakesTheCpuAndCudaIsRefused) {
    CudaStatus none;
    none.reason = "no NVIDIA driver is loaded";
    for (const Task& task : tasks()) {
        SCOPED_TRACE(task.name);
        const BackendChoice automatic = chooseBackend("auto", task.name, task.backends, none);
        EXPECT_EQ(automatic.backend, Backend::Cpu);
        EXPECT_EQ(automatic.reason, "auto: " + none.reason);
        EXPECT_EQ(chooseBackend("cpu", task.name, task.backends, none).reason, "requested");
        try {
            chooseBackend("cuda", task.name, task.backends, none);
            FAIL() << "it is not refused";
        } catch (const ComputeError& error) {
            EXPECT_EQ(error.what(), "the backend cuda is unavailable: " + none.reason);
        }
    }
}

TEST(TaskList, EveryTaskHasACase) {
    for (const Task& task : tasks()) {
        SCOPED_TRACE(task.name);
        const auto found = std::ranges::find(test::taskCases(), task.name, &TaskCase::name);
        ASSERT_NE(found, test::taskCases().end());
        const bool hasCuda = std::ranges::find(task.backends, Backend::Cuda) != task.backends.end();
        if (task.backends.size() == 1) {
            EXPECT_FALSE(found->onDevice);
        } else if (task.name != "motion") {
            EXPECT_TRUE(found->onDevice || !hasCuda);
        }
    }
    EXPECT_EQ(tasks().size(), test::taskCases().size());
}

TEST(TaskList, EveryParameterHasASentenceAndIsNamedOnce) {
    for (const Task& task : tasks()) {
        if (!task.parameters)
            continue;
        std::vector<std::string> ids;
        for (const ParamRow& row : task.parameters->rows()) {
            SCOPED_TRACE(task.name + " " + row.id);
            EXPECT_TRUE(row.help.ends_with("."));
            EXPECT_EQ(std::ranges::count(ids, row.id), 0);
            ids.push_back(row.id);
        }
    }
}

TEST(DevicePolicyTest, AnErrorOfTheWorkIsNotTheDevices) {
    DevicePolicy device(automatic, {}, failingAfterWork<ComputeError>("never reached"));
    int tries = 0;
    const auto failing = [&](const ExecContext&) -> int {
        ++tries;
        throw ComputeError("the image is constant");
    };
    ExecResources resources(1);
    EXPECT_THROW(device.run(resources.context(), failing), ComputeError);
    EXPECT_EQ(tries, 2);
    EXPECT_EQ(device.choice().backend, Backend::Cuda) << "it is tried again";
    EXPECT_EQ(device.fallback(), "");
}

TEST(DevicePolicyTest, AFailedDeviceIsNotTriedAgainUnlessItOnlyLackedMemory) {
    ExecResources resources(1);
    const auto nothing = [](const ExecContext&) {};
    DevicePolicy lost(automatic, {}, failingAfterWork<ComputeError>("lost"));
    lost.run(resources.context(), nothing);
    lost.tryAgain();
    EXPECT_EQ(lost.choice().backend, Backend::Cpu);
    EXPECT_EQ(lost.choice().reason, "auto: lost");
    EXPECT_EQ(lost.open(), nullptr);
    DevicePolicy small(automatic, {}, failingAfterWork<OutOfMemory>("full"));
    small.run(resources.context(), nothing);
    EXPECT_EQ(small.choice().backend, Backend::Cpu);
    small.tryAgain();
    EXPECT_EQ(small.choice().backend, Backend::Cuda);
    EXPECT_EQ(small.fallback(), "");
}

TEST(DevicePolicyTest, PassesOnCancelled) {
    ExecResources resources(1);
    DevicePolicy device(automatic, {}, {noContext});
    int tries = 0;
    const auto cancelled = [&](const ExecContext&) {
        ++tries;
        throw Cancelled();
    };
    EXPECT_THROW(device.run(resources.context(), cancelled), Cancelled);
    EXPECT_EQ(tries, 1);
}

} // namespace
} // namespace systole
