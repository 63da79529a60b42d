// Commands never replace what they weren't asked to replace; files without a command are opened.
#include "tests/support/small_phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Overwriting : public testing::SmallPhantom {
protected:
    static Outcome motion(const std::string& output, std::vector<std::string> options = {}) {
        std::vector<std::string> arguments{"motion",   sequence(), "-o",      output,
                                           "--levels", "1",        "--warps", "1"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run(arguments);
    }
};
TEST_F(Overwriting, MotionRefusesResultsAndReplacesThemOnRequest) {
    const std::string output = in("motion"), field = output + "/displacement_0001.mha";
    ASSERT_EQ(motion(output).exitCode, 0);
    const std::string before = readText(field);
    writeText(output + "/notes.txt", "mine");
    expectRefused(motion(output), "--overwrite");
    EXPECT_EQ(readText(field), before);
    const Outcome again = motion(output, {"--overwrite", "--frames", "0:1", "--format", "nii.gz"});
    EXPECT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_THAT(again.output, HasSubstr("replaced 3 files of an earlier run"));
    EXPECT_FALSE(fs::exists(field));
    EXPECT_EQ(readText(output + "/notes.txt"), "mine");
    EXPECT_THAT(motion(in("fresh"), {"--overwrite"}).output, Not(HasSubstr("replaced")));
}

TEST_F(Overwriting, MotionNeverReplacesAFileOfOtherOrigin) {
    const std::string output = in("foreign"), field = output + "/displacement_0002.mha";
    fs::create_directories(output);
    writeText(field, "mine");
    expectRefused(motion(output, {"--overwrite"}), "displacement_0002.mha");
    EXPECT_EQ(readText(field), "mine");
    EXPECT_FALSE(fs::exists(output + "/displacement_0001.mha")) << "it is refused before it begins";
    EXPECT_EQ(motion(output, {"--frames", "0:1"}).exitCode, 0) << "this name isn't needed";
    EXPECT_EQ(readText(field), "mine");
}

TEST_F(Overwriting, MotionAndPhantomShareAFolder) {
    const std::string output = in("shared");
    const std::vector<std::string> phantom{"phantom", "-o",       output, "--size",
                                           "16",      "--frames", "2"};
    ASSERT_EQ(run(phantom).exitCode, 0);
    ASSERT_EQ(motion(output).exitCode, 0);
    expectRefused(run(phantom), "--overwrite");
    std::vector<std::string> again = phantom;
    again.emplace_back("--overwrite");
    const Outcome outcome = run(again);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("replaced 4 files"));
    EXPECT_TRUE(fs::exists(output + "/displacement_0001.mha"));
}

TEST_F(Overwriting, SingleFilesAreRefusedUnlessRequested) {
    const std::string mine = in("mine.json");
    const auto expectKept = [&](std::vector<std::string> arguments) {
        writeText(mine, "mine");
        expectRefused(run(arguments), "mine.json");
        EXPECT_EQ(readText(mine), "mine");
        arguments.emplace_back("--overwrite");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_NE(readText(mine), "mine");
    };
    expectKept({"lab", "--gpu", "H200", "--kernel", "jacobi/direct", "--json", mine});
    expectKept({"lab", "--gpu", "H200", "--kernel", "jacobi/direct", "--csv", mine});
    expectKept({"bench", "memory", "--repeat", "1", "--json", mine});
    writeText(mine, "mine");
    expectRefused(motion(in("traced"), {"--trace", mine}), "mine.json");
    EXPECT_FALSE(fs::exists(in("traced"))) << "refused before anything is written";
    EXPECT_EQ(motion(in("traced"), {"--trace", mine, "--overwrite"}).exitCode, 0);
    EXPECT_THAT(readText(mine), HasSubstr("traceEvents"));
}

TEST_F(Overwriting, AnInputIsNeverReplaced) {
    const std::string before = readText(sequence());
    expectRefused(motion(in("input"), {"--trace", sequence(), "--overwrite"}), "input");
    fs::create_symlink(sequence(), in("link"));
    expectRefused(motion(in("input"), {"--trace", in("link"), "--overwrite"}), "input");
    EXPECT_EQ(readText(sequence()), before);
    expectRefused(motion(in("input"), {"--trace", phantom(), "--overwrite"}),
                  "isn't a regular file");
}

TEST_F(Overwriting, TheTraceIsNoneOfTheResults) {
    for (const char* name : {"run.json", "run.unfinished.json", "displacement_0001.mha"}) {
        const Outcome outcome = motion(in("trace"), {"--trace", in("trace/") + name});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_THAT(outcome.errors, HasSubstr("--trace"));
    }
    EXPECT_FALSE(fs::exists(in("trace")));
}

TEST_F(Overwriting, FilesNeedNoCommand) {
    // Whether the viewer opens them depends on the display; what reaches it doesn't.
    const std::string viewHelp = run({"view", "--help"}).output;
    EXPECT_EQ(run({sequence(), "--help"}).output, viewHelp);
    const Outcome misspelt = run({"mtion", sequence()});
    EXPECT_EQ(misspelt.exitCode, 2);
    EXPECT_THAT(misspelt.errors, AllOf(HasSubstr("'mtion'"), HasSubstr("did you mean 'motion'")));
    expectRefused(run({in("missing.nii.gz")}), "missing.nii.gz: there is no such file");
    EXPECT_EQ(run({"--version"}).exitCode, 0);
}

TEST_F(Overwriting, HelpShowsWhatTheChosenBackendAndMethodUse) {
    const std::string all = run({"motion", "--help-all"}).output;
    EXPECT_THAT(all, AllOf(HasSubstr("--variant-smooth"), HasSubstr("smoothness: "),
                           HasSubstr("volume preservation: "), HasSubstr("smoothing width: ")));
    const std::string cpu = run({"motion", "--backend", "cpu", "--help"}).output;
    EXPECT_THAT(cpu, AllOf(Not(HasSubstr("--variant")), Not(HasSubstr("--tensor-storage")),
                           HasSubstr("--alpha"), HasSubstr("--threads")));
    const std::string demons = run({"motion", "--method", "demons", "--help"}).output;
    EXPECT_THAT(demons, AllOf(Not(HasSubstr("--alpha")), HasSubstr("--max-step"),
                              HasSubstr("--variant-force")));
    const Outcome ignored =
        motion(in("ignored"), {"--backend", "cpu", "--variant-smooth", "shared"});
    EXPECT_EQ(ignored.exitCode, 0) << ignored.errors;
    EXPECT_THAT(ignored.output, HasSubstr("note: only CUDA uses --variant-smooth"));
}

} // namespace
} // namespace systole
