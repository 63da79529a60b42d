// Ending `systole motion` in the middle: nothing under a final name is ever half written, and
// run.json is there only when everything is.
#include "io/formats/writer.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::Program;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using ::testing::HasSubstr;

class Ending : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        const Outcome made =
            run({"phantom", "-o", *folder_ / "phantom", "--size", "48", "--frames", "2"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
    static void TearDownTestSuite() { folder_.reset(); }

    /// Arguments with so many frames that no run ends before its test has ended it, however late
    /// that is.
    static std::vector<std::string> motionInto(const std::string& output) {
        std::vector<std::string> arguments{"motion",       "-o",       output,
                                           "--lagrangian", "--format", "nii.gz"};
        arguments.insert(arguments.end(), 1000, *folder_ / "phantom/labels.nii.gz");
        return arguments;
    }

    /// The fields under final names, each read to its end.
    int readableFields(const std::string& output) {
        int count = 0;
        if (fs::exists(output))
            for (const auto& entry : fs::directory_iterator(output)) {
                const std::string name = entry.path().filename().string();
                if (name.starts_with('.') || name == "run.unfinished.json")
                    continue;
                EXPECT_NO_THROW(readField(entry.path().string(), pool_)) << name;
                ++count;
            }
        return count;
    }

    static std::unique_ptr<TemporaryFolder> folder_;
    BufferPool pool_;
};
std::unique_ptr<TemporaryFolder> Ending::folder_;

bool waitForFile(const std::string& path, Program& program) {
    while (!fs::exists(path)) {
        if (!program.running())
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

TEST_F(Ending, KilledAtAnyMomentItLeavesOnlyWholeFiles) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> milliseconds(0, 400);
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::string output = *folder_ / ("killed" + std::to_string(attempt));
        Program program(motionInto(output));
        // The kill comes after the first field from the second attempt on: while writing or
        // computing.
        if (attempt > 0) {
            ASSERT_TRUE(waitForFile(output + "/displacement_0001.nii.gz", program));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
        const bool killed = program.running();
        program.signal(SIGKILL);
        const Outcome outcome = program.wait();
        if (killed && outcome.signal == SIGKILL) {
            EXPECT_FALSE(fs::exists(output + "/run.json"));
            readableFields(output);
        }
    }
}

TEST_F(Ending, AnInterruptEndsItAtOnceAndLeavesNoPart) {
    for (const int number : {SIGINT, SIGTERM}) {
        const std::string output = *folder_ / ("interrupted" + std::to_string(number));
        Program program(motionInto(output));
        ASSERT_TRUE(waitForFile(output + "/displacement_0001.nii.gz", program));
        program.signal(number);
        const Outcome outcome = program.wait();
        EXPECT_EQ(outcome.exitCode, 130) << outcome.errors;
        EXPECT_EQ(outcome.errors, "systole: interrupted\n");
        EXPECT_FALSE(fs::exists(output + "/run.json"));
        EXPECT_GE(readableFields(output), 1);
        for (const auto& entry : fs::directory_iterator(output))
            EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
    }
}

TEST_F(Ending, ARunThatReplacesAnotherRemovesItsRecordFirst) {
    const std::string output = *folder_ / "again";
    std::vector<std::string> first = motionInto(output), second = motionInto(output);
    first[5] = "mha";
    first.insert(first.end(), {"--frames", "0:1"});
    second.emplace_back("--overwrite");
    const Outcome complete = run(first);
    ASSERT_EQ(complete.exitCode, 0) << complete.errors;
    ASSERT_TRUE(fs::exists(output + "/run.json"));
    {
        Program program(second);
        ASSERT_TRUE(waitForFile(output + "/displacement_0001.nii.gz", program));
        program.signal(SIGKILL);
        program.wait();
    }
    EXPECT_FALSE(fs::exists(output + "/run.json"));
    EXPECT_FALSE(fs::exists(output + "/displacement_0001.mha"));
    // Files that the killed run wrote can be replaced in turn: they are listed.
    second.insert(second.end(), {"--frames", "0:2"});
    const Outcome last = run(second);
    EXPECT_EQ(last.exitCode, 0) << last.errors;
    EXPECT_THAT(last.output, HasSubstr("of an earlier run"));
    for (const auto& entry : fs::directory_iterator(output))
        EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
}

} // namespace
} // namespace systole
