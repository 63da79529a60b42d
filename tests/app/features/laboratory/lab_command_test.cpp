// `systole lab` from outside.
#include "app/base/lessons.h"
#include "app/features/laboratory/recorder.h"
#include "tests/support/lab_support.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace systole {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::readText;
using testing::run;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using testing::writeText;

/// The catalogue, and a made-up GPU on which everything was recorded.
class LabCommandTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        fs::create_directories(assets() / "gpu_profiles");
        fs::copy_file(fs::path(SYSTOLE_ASSETS_FOLDER) / "gpu_catalog.json",
                      assets() / "gpu_catalog.json");
        test::MadeUpSource source;
        for (const int threads : BlockRange{}.all())
            source.seconds[threads] = 1e-3 * (1 + std::abs(threads - 192) / 1000.0);
        RecordingPlan plan;
        plan.fullSides = {128, 200};
        plan.coarseSides = {64};
        lab::GpuRecord record;
        record.machine = test::madeUpMachine();
        record.when = "2026-11-21";
        record.driver = "1.2, CUDA 13.0";
        record.compiledFor = 90;
        record.points = recordKernels(source, plan, [] { return 0.0; }).points;
        writeText(profile(), lab::toJson(record));
        setenv("SYSTOLE_ASSETS", assets().c_str(), 1);
        setenv("XDG_DATA_HOME", (*folder_ / "home").c_str(), 1);
    }
    static void TearDownTestSuite() {
        unsetenv("SYSTOLE_ASSETS");
        unsetenv("XDG_DATA_HOME");
        folder_.reset();
    }
    static fs::path assets() { return folder_->path() / "assets"; }
    static std::string profile() { return (assets() / "gpu_profiles" / "made-up.json").string(); }
    static std::string fresh(const char* name) { return *folder_ / name; }

    /// Runs `systole lab` on the made-up GPU, whatever this machine has.
    static Outcome lab(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"lab", "--profile", profile()});
        return run(arguments);
    }
    static void expectRefused(std::vector<std::string> arguments, int code,
                              const std::string& mentioned) {
        arguments.insert(arguments.begin(), "lab");
        testing::expectRefused(run(arguments), mentioned, code);
    }

    static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> LabCommandTest::folder_;

TEST_F(LabCommandTest, SweepsOverBlocksAndSaysWhatIsBest) {
    const Outcome outcome = lab({"--kernel", "jacobi/direct"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output,
                StartsWith("Recorded on Made Up 100 on 2026-11-21 (driver 1.2, CUDA "
                           "13.0; kernels compiled for compute capability 9.0); "
                           "nothing was measured now.\n"));
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("jacobi/direct, 200³ voxels"), HasSubstr("registers"),
                      HasSubstr("best block size: measured 192 (1 ms); Wu "),
                      HasSubstr("mean relative error: Wu ")));
}

TEST_F(LabCommandTest, ATaskIsAllOfItsVariants) {
    const Outcome outcome = lab({"--kernel", "warp", "--side", "128"});
    for (const char* variant : {"warp/direct", "warp/texture", "warp/texture-filter"})
        EXPECT_THAT(outcome.output, HasSubstr(std::string("\n") + variant + ", 128³ voxels"));
}

TEST_F(LabCommandTest, SweepsOverSidesAndOccupancy) {
    Outcome outcome = lab({"--kernel", "jacobi/direct", "--axis", "side"});
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("jacobi/direct, 256 threads per block"), Not(HasSubstr("best"))));
    outcome = lab({"--kernel", "jacobi/direct", "--axis", "side", "--sides", "100,128"});
    EXPECT_THAT(outcome.output,
                HasSubstr("note: jacobi/direct, side 100: not measured: grid, bytes and "
                          "operations are interpolated between recorded sides"));
    outcome = lab({"--kernel", "jacobi/direct", "--axis", "padding", "--block", "256"});
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("padding"), HasSubstr("(shared memory)")));
}

TEST_F(LabCommandTest, WritesTablesForOtherPrograms) {
    const Outcome outcome =
        lab({"--kernel", "jacobi", "--csv", fresh("a.csv"), "--json", fresh("a.json")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const std::string csv = readText(fresh("a.csv"));
    // A heading, four variants with every block size, and one with a single one.
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * 32 + 1);
    const auto json = nlohmann::json::parse(readText(fresh("a.json")));
    EXPECT_EQ(json["curves"].size(), 5u);
    EXPECT_EQ(json["curves"][0]["best_measured"], 192);
}

TEST_F(LabCommandTest, GpusOfTheCatalogueAreSaidNotToBeMeasured) {
    const Outcome outcome = run({"lab", "--gpu", "p100", "--kernel", "jacobi/direct"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("Catalogue figures of Tesla P100"),
                                      HasSubstr("all times are predictions"),
                                      Not(HasSubstr("mean relative error"))));
}

TEST_F(LabCommandTest, AGpuByNameIsItsRecordUnlessTheCatalogueIsAskedFor) {
    EXPECT_THAT(run({"lab", "--gpu", "made up 100", "--kernel", "jacobi/direct"}).output,
                StartsWith("Recorded on Made Up 100"));
    expectRefused({"--gpu", "made up 100", "--catalogue"}, 2, "H200");
    EXPECT_THAT(run({"lab", "--gpu", "4090", "--catalogue", "--kernel", "jacobi/direct"}).output,
                StartsWith("Catalogue figures of GeForce RTX 4090"));
}

TEST_F(LabCommandTest, LessonsShowFewRowsOfLongSweepsAndAllWhenAsked) {
    const auto rowsOf = [](const std::string& text) {
        // Block or side, then the made-up record's registers and shared bytes.
        std::istringstream lines(text);
        long rows = 0;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            int on = 0, registers = 0, shared = 0;
            rows += words >> on >> registers >> shared && registers == 40 && shared == 1024;
        }
        return rows;
    };
    for (const char* number : {"1", "6"}) {
        const Outcome few = lab({"--lesson", number});
        const Lesson& asked = lesson(std::stoi(number));
        const auto kernels = static_cast<long>(kernelExperiment(asked).kernels.size());
        EXPECT_GE(rowsOf(few.output), 6 * kernels);
        EXPECT_LE(rowsOf(few.output), 16 * kernels);
        EXPECT_THAT(few.output, HasSubstr("some rows omitted: --all shows them"));
        const Outcome all = lab({"--lesson", number, "--all"});
        EXPECT_GT(rowsOf(all.output), rowsOf(few.output));
        EXPECT_THAT(all.output, Not(HasSubstr("omitted")));
        // The end is read last: question, answer, source, page.
        EXPECT_THAT(few.output, HasSubstr("\nQuestion: " + asked.question + "\nAnswer: "));
        EXPECT_THAT(few.output, HasSubstr("\nSource: Recorded on Made Up 100"));
        EXPECT_THAT(few.output, HasSubstr("\nPage: "));
    }
}

TEST_F(LabCommandTest, CallsWithCopiesStandBesideTheKernelAlone) {
    const Outcome outcome = lab({"--lesson", "7"});
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("ours kern.    kernel"), HasSubstr("kernel: without the copies"),
                      HasSubstr("no term for copies"), Not(HasSubstr("Hong & Kim 0"))));
}

TEST_F(LabCommandTest, ColumnsAreExplained) {
    EXPECT_THAT(lab({"--kernel", "jacobi/direct"}).output,
                AllOf(HasSubstr("last: fill of the last wave"),
                      HasSubstr("memory bandwidth of 1000 GB/s, measured on this GPU")));
    EXPECT_THAT(run({"lab", "--gpu", "P100", "--kernel", "jacobi/direct"}).output,
                HasSubstr("from its data sheet"));
}

TEST_F(LabCommandTest, WithoutMeasurementsThereIsNothingToEvaluate) {
    expectRefused({"--evaluate", "--gpu", "P100"}, 1, "nothing to compare the models with");
    expectRefused({"--evaluate", "--side", "137", "--profile", profile()}, 1, "137³ voxels");
}

TEST_F(LabCommandTest, EveryLessonStatesItsQuestionItsTableAndItsAnswer) {
    for (const Lesson& lesson : lessons()) {
        if (!lesson.experiment) {
            expectRefused({"--lesson", std::to_string(lesson.number)}, 2,
                          lesson.command.empty() ? "systole view --lesson" : lesson.command);
            continue;
        }
        const Outcome outcome = lab({"--lesson", std::to_string(lesson.number)});
        ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_THAT(outcome.output,
                    AllOf(StartsWith("Lesson " + std::to_string(lesson.number) + ": " +
                                     lesson.title + "\n" + lesson.question + "\n"),
                          HasSubstr("Recorded on Made Up 100"), HasSubstr(lesson.file),
                          Not(HasSubstr("nothing was measured on"))));
    }
}

TEST_F(LabCommandTest, EvaluatesModelsKernelByKernel) {
    const Outcome outcome = lab({"--evaluate", "--side", "128"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("Block sizes at 128³ voxels."), HasSubstr("\njacobi/direct "),
                      HasSubstr("\ntps/shared "), HasSubstr("\nmeans "), HasSubstr("\nall ")));
    // The made-up best is 192; at the kernel's own 256 it takes 1.064 of that.
    EXPECT_THAT(outcome.output, ContainsRegex("\njacobi/direct +[0-9]+ +192 +1\\.064 "));
    // One block size is no choice.
    EXPECT_THAT(outcome.output, Not(HasSubstr("\njacobi/fused ")));
}

TEST_F(LabCommandTest, Lists) {
    EXPECT_THAT(run({"lab", "--list"}).output,
                AllOf(HasSubstr("jacobi/direct"), HasSubstr("32 … 1024"), HasSubstr("992 ")));
    EXPECT_THAT(run({"lab", "--gpus"}).output,
                AllOf(HasSubstr("Made Up 100 (recorded): --gpu 'Made Up 100' or --profile "),
                      HasSubstr("Tesla C2050"), HasSubstr("H200")));
    EXPECT_THAT(run({"lab", "--lessons"}).output, HasSubstr(lessons().front().title));
}

TEST_F(LabCommandTest, AWrongKernelIsSaidBeforeARecordingBegins) {
    const fs::path file = *folder_ / "record-of-none.json";
    const Outcome outcome = run({"lab", "--record", file.string(), "--kernel", "jakobi"});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("there is no kernel 'jakobi'"));
    EXPECT_FALSE(fs::exists(file));
}

TEST_F(LabCommandTest, WrongNamesEndWithTwoAndSayWhatThereIs) {
    expectRefused({"--kernel", "jakobi"}, 2, "jacobi");
    expectRefused({"--kernel", "jacobi/quick"}, 2, "jacobi");
    expectRefused({"--gpu", "RTX 9090"}, 2, "H200");
    expectRefused({"--axis", "time"}, 2, "padding");
    expectRefused({"--side", "4"}, 2, "--side");
    for (const char* none : {"77", "0", "-1", "one", "99999999999999999999999999"}) {
        const Outcome outcome = run({"lab", "--lesson", none});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_THAT(outcome.errors,
                    AllOf(HasSubstr("--lesson: there is no lesson '"),
                          HasSubstr("available: 1 to " + std::to_string(lessons().size()) + " ")));
        EXPECT_LT(outcome.errors.size(), 200u);
    }
    expectRefused({"--block", "64"}, 2, "--axis side");
    expectRefused({"--block", "33", "--axis", "side"}, 2, "multiples of 32 from 32 to 1024");
    expectRefused({"--catalogue"}, 2, "--gpu");
    expectRefused({"--all"}, 2, "--lesson");
    for (const char* option : {"--gpu", "--profile", "--csv", "--json", "--record"})
        expectRefused({option, ""}, 2, std::string(option) + ": expected a name");
    expectRefused({"--lesson", "1", "--kernel", "jacobi"}, 2, "--kernel");
    expectRefused({"--lesson", "1", "--axis", "side"}, 2, "--axis");
    expectRefused({"--measure", "--gpu", "H200"}, 2, "--gpu");
    expectRefused({"--autotune", "--profile", profile()}, 2, "--profile");
    expectRefused({"--list", "--csv", fresh("list.csv")}, 2, "--csv");
    expectRefused({"--record-seconds", "5"}, 2, "--record");
    expectRefused({"--lesson", "1", "--evaluate"}, 2, "can't be combined");
    expectRefused({"--sides", "64,96"}, 2, "--axis side");
    expectRefused({"--kernel", "jacobi/fused", "--axis", "side", "--block", "128"}, 2, "992");
    expectRefused({"--evaluate", "--axis", "side"}, 2, "block sizes");
    expectRefused({"-o", "x.json"}, 2, "--measure");
    expectRefused({"--gpu", "H200", "--profile", profile()}, 2, "--gpu");
}

TEST_F(LabCommandTest, FilesThatAreNoneEndWithOne) {
    writeText(fresh("none.json"), "{}");
    expectRefused({"--profile", fresh("none.json")}, 1, "none.json");
    expectRefused({"--profile", fresh("missing.json")}, 1, "missing.json");
    expectRefused({"--profile", "/dev/zero"}, 1, "/dev/zero");
    const Outcome outcome =
        lab({"--kernel", "jacobi/direct", "--csv", fresh("no folder") + "/a.csv"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("a.csv"));
}

TEST_F(LabCommandTest, WithoutADeviceItAnswersFromTheRecordAndMeasuresNothing) {
    if (cudaStatus().usable())
        GTEST_SKIP() << "there is a device";
    EXPECT_THAT(run({"lab"}).output, HasSubstr("Recorded on Made Up 100"));
    for (const char* option : {"--measure", "--autotune"})
        expectRefused({option}, 1, "this needs a CUDA device: " + cudaStatus().reason);
    expectRefused({"--record", fresh("record.json")}, 1, "this needs a CUDA device");
    EXPECT_FALSE(fs::exists(fresh("record.json")));
}

} // namespace
} // namespace systole
