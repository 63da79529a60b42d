// Calls of the system that fail: what each kind comes to. All calls of all commands are made to
// fail by tests/tools/torture.py.
#include "tests/support/failing_calls.h"
#include "tests/support/small_phantom.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::runWithFault;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class FailingCalls : public testing::SmallPhantom {
protected:
    void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
        GTEST_SKIP() << "the sanitizer has these calls itself";
#endif
    }
    /// Surfaces of two formats and a record.
    std::vector<std::string> denoise() const {
        return {"denoise",   labels(),     "--label",      "1",      "-o",
                in("s.stl"), "--distance", in("d.nii.gz"), "--json", in("s.json"),
                "--threads", "1",          "--backend",    "cpu",    "--overwrite"};
    }
    /// One, as these words say, where nothing fails.
    std::int64_t countOf(const std::string& kind, const std::vector<std::string>& arguments) const {
        std::int64_t calls = 0;
        const Outcome outcome = runWithFault(fmt::format("class={};at=0", kind), arguments, &calls);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return calls;
    }
    void clear() const {
        for (const std::string& name : names())
            std::filesystem::remove_all(in(name));
    }
};

TEST_F(FailingCalls, NoResultIsNamedBeforeItIsOnTheDisk) {
    constexpr std::int64_t outputs = 3;
    const std::int64_t calls = countOf("sync", denoise());
    EXPECT_GE(calls, 2 * outputs); // one for the bytes and one for the name of each output
    for (std::int64_t at = 1; at <= calls; ++at) {
        SCOPED_TRACE(at);
        clear();
        const Outcome outcome =
            runWithFault(fmt::format("class=sync;at={};error={}", at, EIO), denoise());
        if (outcome.exitCode == 0)
            continue; // the beginning of a large file's way, which promises nothing
        expectRefused(outcome, "to the disk: Input/output error");
        EXPECT_THAT(names(), Each(Not(StartsWith(".partial"))));
        if (at == 1) {
            EXPECT_THAT(names(), IsEmpty());
        }
    }
}

TEST_F(FailingCalls, AFolderOfResultsIsOnTheDiskBeforeItsRecord) {
    const std::vector<std::string> phantom{"phantom", "-o",       in("new/p"), "--size",
                                           "16",      "--frames", "2",         "--overwrite"};
    const std::int64_t calls = countOf("sync", phantom);
    EXPECT_GE(calls, 3);
    for (const std::int64_t at : {std::int64_t{1}, calls / 2, calls - 2, calls - 1}) {
        SCOPED_TRACE(at);
        clear();
        expectRefused(runWithFault(fmt::format("class=sync;at={};error={}", at, ENOSPC), phantom),
                      "to the disk: No space left on device");
        EXPECT_FALSE(std::filesystem::exists(in("new/p/phantom.json")));
        const Outcome again = run(phantom);
        EXPECT_EQ(again.exitCode, 0) << again.errors;
    }
}

TEST_F(FailingCalls, AnInterruptedCloseHasClosed) {
    ASSERT_EQ(run(denoise()).exitCode, 0);
    const std::string surface = readText(in("s.stl")), distance = readText(in("d.nii.gz"));
    const std::int64_t calls = countOf("close", denoise());
    EXPECT_GE(calls, 3);
    for (std::int64_t at = 1; at <= calls; ++at) {
        SCOPED_TRACE(at);
        clear();
        const Outcome outcome =
            runWithFault(fmt::format("class=close;at={};error={}", at, EINTR), denoise());
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_TRUE(readText(in("s.stl")) == surface);
        EXPECT_TRUE(readText(in("d.nii.gz")) == distance);
    }
}

TEST_F(FailingCalls, MemoryThatIsGoneForGoodIsOneSentence) {
    const std::int64_t calls = countOf("alloc", denoise());
    clear();
    constexpr std::int64_t moments = 40;
    for (std::int64_t moment = 1; moment < moments; ++moment) {
        SCOPED_TRACE(moment);
        expectRefused(
            runWithFault(fmt::format("class=alloc;at={};later=1", calls * moment / moments),
                         denoise()),
            "out of memory");
        EXPECT_THAT(names(), Each(Not(StartsWith(".partial"))));
    }
}

TEST_F(FailingCalls, OneAllocationThatFailsEndsInOrder) {
    const std::int64_t calls = countOf("alloc", denoise());
    constexpr std::int64_t moments = 60;
    for (std::int64_t moment = 1; moment < moments; ++moment) {
        SCOPED_TRACE(moment);
        const Outcome outcome =
            runWithFault(fmt::format("class=alloc;at={}", calls * moment / moments), denoise());
        if (outcome.exitCode != 0)
            expectRefused(outcome, "memory");
    }
}

TEST_F(FailingCalls, WhatCannotBeReadIsNamedWithItsCause) {
    const std::string table = in("points.csv");
    testing::writeText(table, "name,x,y,z\nA,3,13,13\n");
    const std::vector<std::string> convert{"landmarks", "convert",        table,
                                           "-o",        in("p.mrk.json"), "--overwrite"};
    const std::int64_t calls = countOf("read", convert);
    for (std::int64_t at = 1; at <= calls; ++at) {
        SCOPED_TRACE(at);
        const Outcome outcome =
            runWithFault(fmt::format("class=read;at={};error={}", at, EIO), convert);
        if (outcome.exitCode != 0) {
            EXPECT_THAT(outcome.errors,
                        AllOf(HasSubstr("Input/output error"), Not(HasSubstr("basic_"))));
        }
    }
}

TEST_F(FailingCalls, AThreadThatCannotBeStartedIsSaid) {
    std::vector<std::string> arguments = denoise();
    arguments[11] = "2"; // threads
    ASSERT_EQ(arguments[10], "--threads");
    const std::int64_t calls = countOf("thread", arguments);
    ASSERT_GE(calls, 1);
    for (std::int64_t at = 1; at <= calls; ++at) {
        SCOPED_TRACE(at);
        const Outcome outcome = runWithFault(fmt::format("class=thread;at={}", at), arguments);
        if (outcome.exitCode != 0)
            expectRefused(outcome, "thread can be started");
    }
}

} // namespace
} // namespace systole
