// The program from outside: what it prints, what it writes, and how it ends.
#include "io/source.h"
#include "io/writer.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

void expectOneLine(const Outcome& outcome, int exitCode, const std::string& mentioned) {
    EXPECT_EQ(outcome.signal, 0) << outcome.errors;
    EXPECT_EQ(outcome.exitCode, exitCode) << outcome.errors;
    EXPECT_THAT(outcome.errors, AllOf(StartsWith("systole: "), HasSubstr(mentioned)));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_EQ(outcome.errors.back(), '\n');
}

/// One small phantom for all tests of this file.
class Commands : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        const Outcome made =
            run({"phantom", "-o", *folder_ / "phantom", "--size", "32", "--frames", "4"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        ASSERT_EQ(made.errors, "");
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string phantom(const std::string& name) { return *folder_ / ("phantom/" + name); }
    static std::string fresh(const std::string& name) { return *folder_ / name; }

    static std::unique_ptr<TemporaryFolder> folder_;
    BufferPool pool;
};
std::unique_ptr<TemporaryFolder> Commands::folder_;

double meanDistance(const MillimeterField& a, const MillimeterField& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.geometry.voxels(); ++i)
        sum += std::hypot(a.vectors.data()[3 * i] - b.vectors.data()[3 * i],
                          a.vectors.data()[3 * i + 1] - b.vectors.data()[3 * i + 1],
                          a.vectors.data()[3 * i + 2] - b.vectors.data()[3 * i + 2]);
    return sum / static_cast<double>(a.geometry.voxels());
}

TEST_F(Commands, EveryCommandHasHelp) {
    for (const char* command : {"info", "motion", "register", "bias", "denoise", "segment",
                                "phantom", "bench", "doctor"}) {
        const Outcome help = run({command, "--help"});
        EXPECT_EQ(help.exitCode, 0);
        EXPECT_THAT(help.output, HasSubstr("Usage")) << command;
        EXPECT_THAT(run({"--help"}).output, HasSubstr(command));
    }
}

TEST_F(Commands, BiasRegistersAFrameWithItselfNoiseAside) {
    const std::string sequence = phantom("sequence.nii.gz"), json = fresh("bias.json");
    const auto bias = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"bias", sequence, "--frame", "1", "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    const Outcome done = bias({"--repetitions", "2", "--demons", "--json", json});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_THAT(done.output, HasSubstr("2 of 2 repetitions of noise alone"));
    const Json record = Json::parse(readText(json));
    EXPECT_EQ(record["frame"], 1);
    EXPECT_EQ(record["backend"], "cpu");
    EXPECT_EQ(record["parameters"]["noise_percent"], 4);
    EXPECT_EQ(record["parameters"]["also_demons"], true);
    ASSERT_EQ(record["methods"].size(), 4u);
    for (const Json& method : record["methods"]) {
        EXPECT_EQ(method["repetitions"], 2);
        EXPECT_GT(method["spread_log"].get<double>(), 0);
    }
    expectOneLine(bias({"--json", json}), 1, "bias.json: exists already");
    expectOneLine(bias({"--noise", "50"}), 2, "--noise: ");
}

TEST_F(Commands, UsageErrorsAreOneLineAndEndWithTwo) {
    expectOneLine(run({"fly"}), 2, "'fly'");
    expectOneLine(run({"info"}), 2, "FILE");
    const std::string sequence = phantom("sequence.nii.gz");
    const std::string output = fresh("never");
    expectOneLine(run({"motion", sequence}), 2, "output");
    expectOneLine(run({"motion", sequence, "-o", output, "--alpha", "-1"}), 2, "alpha");
    expectOneLine(run({"motion", sequence, "-o", output, "--alpha", "much"}), 2, "much");
    expectOneLine(run({"motion", sequence, "-o", output, "--preset", "best"}), 2, "best");
    // What there is stands in the answer.
    expectOneLine(run({"motion", sequence, "-o", output, "--variant", "smooth=wet"}), 2, "l2-only");
    expectOneLine(run({"motion", sequence, "-o", output, "--variant", "smoth=direct"}), 2,
                  "gradient (direct, shared");
    expectOneLine(run({"motion", sequence, "-o", output, "--frames", "2:9"}), 2, "2:9");
    expectOneLine(run({"motion", sequence, "-o", output, "--frames", "3"}), 2, "FIRST:LAST");
    expectOneLine(run({"motion", sequence, "-o", output, "--reference", "window", "--window", "4"}),
                  2, "odd number");
    expectOneLine(run({"motion", sequence, "-o", output, "--window", "5"}), 2,
                  "--reference window");
    expectOneLine(run({"phantom", "-o", output, "--size", "32x32"}), 2, "32x32");
    expectOneLine(run({"phantom", "-o", output, "--size", "100000"}), 2, "100000");
    expectOneLine(run({"phantom", "-o", output, "--c-to-ball", "--look", "ct"}), 2, "--look");
    EXPECT_FALSE(fs::exists(output));
}

TEST_F(Commands, BadInputIsOneLineThatNamesTheFileAndEndsWithOne) {
    writeText(fresh("empty.nii"), "");
    writeText(fresh("words.nii.gz"), "this is no image\n");
    writeText(fresh("line\nbreak.nii"), "neither is this");
    fs::create_directories(fresh("no-dicom-here"));
    for (const std::string file :
         {"missing.nii.gz", "empty.nii", "words.nii.gz", "line\nbreak.nii", "no-dicom-here"}) {
        const std::string mentioned = file.substr(0, file.find('\n'));
        expectOneLine(run({"info", fresh(file)}), 1, mentioned);
        expectOneLine(run({"motion", fresh(file), "-o", fresh("never")}), 1, mentioned);
    }
    EXPECT_FALSE(fs::exists(fresh("never")));
}

TEST_F(Commands, AFolderThatCannotBeMadeIsAnError) {
    writeText(fresh("file"), "");
    expectOneLine(run({"motion", phantom("sequence.nii.gz"), "-o", fresh("file/folder")}), 1,
                  "file/folder");
    expectOneLine(run({"phantom", "-o", fresh("file/folder")}), 1, "file/folder");
}

TEST_F(Commands, PhantomRecordsWhatItAdds) {
    const std::string output = fresh("artifacts");
    const std::vector<std::string> arguments{
        "phantom", "-o",           output, "--size",    "16",         "--frames",
        "3",       "--gain-drift", "1.5",  "--bias",    "0.3",        "--sector",
        "70",      "--dropout",    "0.9",  "--sliding", "--overwrite"};
    ASSERT_EQ(run(arguments).exitCode, 0);
    const Json record = Json::parse(readText(output + "/phantom.json"));
    EXPECT_EQ(record["gain_drift"], 1.5);
    EXPECT_EQ(record["bias"], 0.3);
    EXPECT_EQ(record["sector_degrees"], 70);
    EXPECT_EQ(record["dropout"], 0.9);
    EXPECT_EQ(record["sliding"], true);
    for (const Json& truth : record["truth"])
        EXPECT_TRUE(fs::exists(output + "/" + truth["visible"].get<std::string>()));
    // The masks belong to the run: the next one replaces them.
    const Outcome again =
        run({"phantom", "-o", output, "--size", "16", "--frames", "2", "--overwrite"});
    ASSERT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_FALSE(fs::exists(output + "/visible_0001.nii.gz"));
    EXPECT_FALSE(fs::exists(output + "/visible_0002.nii.gz"));
    expectOneLine(run({"phantom", "-o", output, "--dropout", "0.5", "--look", "ct"}), 1, "echo");
}

TEST_F(Commands, OneFrameHasNoMotion) {
    expectOneLine(run({"motion", phantom("labels.nii.gz"), "-o", fresh("never")}), 2,
                  "two or more");
}

TEST_F(Commands, ASecondRunLeavesNoFieldOfTheFirst) {
    const std::string output = fresh("twice");
    const std::string sequence = phantom("sequence.nii.gz");
    ASSERT_EQ(run({"motion", sequence, "-o", output, "--lagrangian"}).exitCode, 0);
    std::ofstream(output + "/notes.txt") << "mine";
    const std::string trace = fresh("trace.json");
    ASSERT_EQ(run({"motion", sequence, "-o", output, "--overwrite", "--frames", "0:1", "--format",
                   "nii.gz", "--trace", trace})
                  .exitCode,
              0);
    std::set<std::string> stages;
    const Json document = Json::parse(readText(trace));
    for (const Json& event : document["traceEvents"])
        stages.insert(event["cat"].get<std::string>());
    EXPECT_TRUE(stages.contains("solve") && stages.contains("warp")) << readText(trace);
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(output))
        names.insert(entry.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{"displacement_0001.nii.gz", "notes.txt", "run.json"}));
}

TEST_F(Commands, TheMapOfAnAbsentTermIsRefused) {
    expectOneLine(run({"motion", phantom("sequence.nii.gz"), "-o", fresh("map"),
                       "--incompressibility", phantom("labels.nii.gz")}),
                  2, "--beta");
    expectOneLine(run({"motion", phantom("sequence.nii.gz"), "-o", fresh("map"), "--method",
                       "demons", "--incompressibility", phantom("labels.nii.gz")}),
                  2, "demons");
}

TEST_F(Commands, VolumeIsPreservedInTheTissueOfALabelMap) {
    const auto estimate = [&](const std::string& folder, std::vector<std::string> more) {
        std::vector<std::string> words{"motion",    phantom("sequence.nii.gz"),
                                       "-o",        fresh(folder),
                                       "--frames",  "0:1",
                                       "--beta",    "1",
                                       "--backend", "cpu",
                                       "--warps",   "1"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    const std::string labels = phantom("labels.nii.gz");
    // The phantom's record beside it says which label is the wall.
    ASSERT_EQ(estimate("tissue", {"--tissue", labels}).exitCode, 0);
    const Json record = Json::parse(std::ifstream(fresh("tissue") + "/run.json"));
    EXPECT_EQ(record["tissue_label"], 1);
    EXPECT_EQ(record["incompressibility"], labels);
    // Elsewhere the same file doesn't.
    const std::string alone = fresh("alone.nii.gz");
    std::filesystem::copy_file(labels, alone, std::filesystem::copy_options::overwrite_existing);
    expectOneLine(estimate("unsaid", {"--tissue", alone}), 1, "--tissue-label");
    expectOneLine(estimate("absent", {"--tissue", alone, "--tissue-label", "7"}), 1, "no label 7");
    EXPECT_EQ(estimate("said", {"--tissue", alone, "--tissue-label", "2"}).exitCode, 0);
    // Named as in ACDC.
    const std::string acdc = fresh("patient001_frame01_gt.nii.gz");
    std::filesystem::copy_file(labels, acdc, std::filesystem::copy_options::overwrite_existing);
    ASSERT_EQ(estimate("acdc", {"--tissue", acdc}).exitCode, 0);
    EXPECT_EQ(Json::parse(std::ifstream(fresh("acdc") + "/run.json"))["tissue_label"], 2);
}

TEST_F(Commands, InfoSaysWhatTheFileHolds) {
    const Outcome text = run({"info", phantom("sequence.nii.gz")});
    EXPECT_EQ(text.exitCode, 0);
    EXPECT_THAT(text.output, AllOf(HasSubstr("32 x 32 x 32 voxels, 4 frames"),
                                   HasSubstr("4 x 4 x 4 mm"), HasSubstr("200 ms a frame")));
    const Outcome json = run({"info", phantom("sequence.nii.gz"), "--json", "--statistics"});
    const Json info = Json::parse(json.output);
    EXPECT_EQ(info["size"], Json({32, 32, 32}));
    EXPECT_EQ(info["frames"], 4);
    EXPECT_NEAR(info["times_ms"][3].get<double>(), 600, 0.1);
    EXPECT_TRUE(info["cycle_ms"].is_null()); // NIfTI states no time after the last frame
    EXPECT_GE(info["values"]["minimum"].get<double>(), 0);
    EXPECT_LE(info["values"]["maximum"].get<double>(), 255);
    EXPECT_LT(info["values"]["percentile_1"].get<double>(),
              info["values"]["percentile_99"].get<double>());
}

TEST_F(Commands, UnknownTimeIsSaidAndCanBeGiven) {
    const std::string frame = phantom("labels.nii.gz");
    const Json unknown = Json::parse(run({"info", frame, frame, "--json"}).output);
    EXPECT_EQ(unknown["frames"], 2);
    EXPECT_TRUE(unknown["times_ms"].is_null());
    EXPECT_THAT(run({"info", frame, frame}).output, HasSubstr("time unknown"));
    const Json given =
        Json::parse(run({"info", frame, frame, "--json", "--frame-time", "35"}).output);
    EXPECT_NEAR(given["times_ms"][1].get<double>(), 35, 1e-6);
}

TEST_F(Commands, MotionWritesAFieldPerFrameAndARecordOfAll) {
    const std::string output = fresh("previous");
    const Outcome outcome = run(
        {"motion", phantom("sequence.nii.gz"), "-o", output, "--lagrangian", "--close-cycle",
         "--preset", "default", "--threads", "2", "--no-autotune", "--variant", "smooth=shared",
         "--variant", "warp=texture", "--stage", "jacobian", "--stage", "jacobian:threshold=-10"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_THAT(outcome.output, HasSubstr("backend cpu (auto: "));

    const Json record = Json::parse(readText(output + "/run.json"));
    EXPECT_EQ(record["frame_of_reference"], "LPS");
    EXPECT_EQ(record["units"], "mm");
    EXPECT_EQ(record["backend"], "cpu");
    EXPECT_TRUE(record["block_sizes"].is_null()) << "those of CUDA kernels";
    EXPECT_EQ(record["machine"]["threads"], 2);
    EXPECT_TRUE(record["parameters"].contains("alpha"));
    for (const char* library : {"ITK", "GDCM", "zlib"})
        EXPECT_TRUE(record["libraries"].contains(library)) << library;
    EXPECT_EQ(record["parameters"]["variant-smooth"], "shared");
    EXPECT_EQ(record["parameters"]["variant-warp"], "texture");
    EXPECT_EQ(record["parameters"]["variant-gradient"], "direct");
    EXPECT_EQ(record["residual_warning"], nullptr);
    EXPECT_EQ(record["stages"], Json({"jacobian", "jacobian:threshold=-10"}));
    std::vector<std::string> pairs;
    for (const Json& field : record["fields"]) {
        EXPECT_EQ(field["direction"], "fixed to moving");
        const MillimeterField read =
            readField(output + "/" + field["file"].get<std::string>(), pool);
        EXPECT_EQ(read.geometry.size(), (Size3{32, 32, 32}));
        pairs.push_back(field["file"].get<std::string>() + " " + field["fixed"].dump() + ">" +
                        field["moving"].dump());
        if (field["kind"] == "displacement") {
            EXPECT_GT(field["iterations"].get<int>(), 0);
            EXPECT_TRUE(field["levels"].back().contains("last_change_voxel"));
            EXPECT_TRUE(field["final_energy"].is_number());
            EXPECT_GT(field["stage_seconds"].size(), 2U);
            EXPECT_TRUE(field["stage_seconds"].contains("jacobian"));
            EXPECT_EQ(field["folded_percent"], 0);
            EXPECT_GT(field["lowest_determinant"], 0.3);
            EXPECT_LT(field["lowest_determinant"], 1);
            EXPECT_LT(field["mean_squared_difference"]["after"],
                      0.9 * field["mean_squared_difference"]["before"].get<double>());
            ASSERT_EQ(field["figures"].size(), 4U);
            EXPECT_EQ(field["figures"][1]["name"], "smallest determinant");
            EXPECT_LT(field["figures"][1]["value"].get<double>(), 1);
            EXPECT_EQ(field["figures"][2]["value"], 0) << "nothing folds so far";
        }
    }
    EXPECT_THAT(pairs,
                ::testing::ElementsAre("displacement_0001.mha 0>1", "lagrangian_0001.mha 0>1",
                                       "displacement_0002.mha 1>2", "lagrangian_0002.mha 0>2",
                                       "displacement_0003.mha 2>3", "lagrangian_0003.mha 0>3",
                                       "displacement_0000.mha 3>0", "lagrangian_0000.mha 0>0"));
    EXPECT_GE(record["cycle_residual_mm"]["maximum"].get<double>(),
              record["cycle_residual_mm"]["mean"].get<double>());
}

TEST_F(Commands, MotionFollowsTheTruth) {
    const std::string output = fresh("truth");
    const Outcome outcome =
        run({"motion", phantom("sequence.nii.gz"), "-o", output, "--reference", "first"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const MillimeterField truth = readField(phantom("truth_0002.mha"), pool);
    const MillimeterField estimated = readField(output + "/displacement_0002.mha", pool);
    MillimeterField zero{truth.geometry, pool.acquire<float>(truth.vectors.size(), "zero")};
    std::fill_n(zero.vectors.data(), zero.vectors.size(), 0.0F);
    EXPECT_TRUE(estimated.geometry.matches(truth.geometry));
    EXPECT_LT(meanDistance(estimated, truth), 0.6 * meanDistance(zero, truth));
}

TEST_F(Commands, MotionOverAWindowIsThatOfTheFirstFrame) {
    const std::string output = fresh("window");
    const Outcome outcome = run({"motion", phantom("sequence.nii.gz"), "-o", output, "--reference",
                                 "window", "--lagrangian", "--stage", "jacobian"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const Json record = Json::parse(readText(output + "/run.json"));
    EXPECT_EQ(record["reference"], "window");
    EXPECT_EQ(record["window"], 5);
    std::vector<std::string> fields;
    for (const Json& field : record["fields"]) {
        fields.push_back(field["file"].get<std::string>() + " " + field["fixed"].dump() + ">" +
                         field["moving"].dump());
        if (field["kind"] == "displacement") {
            EXPECT_TRUE(field["stage_seconds"].contains("trajectory"));
            EXPECT_TRUE(field["stage_seconds"].contains("jacobian"));
            EXPECT_EQ(field["figures"].size(), 2U);
        }
    }
    EXPECT_THAT(fields,
                ::testing::ElementsAre("displacement_0001.mha 0>1", "lagrangian_0001.mha 0>1",
                                       "displacement_0002.mha 0>2", "lagrangian_0002.mha 0>2",
                                       "displacement_0003.mha 0>3", "lagrangian_0003.mha 0>3"));
    const MillimeterField truth = readField(phantom("truth_0002.mha"), pool);
    MillimeterField zero{truth.geometry, pool.acquire<float>(truth.vectors.size(), "zero")};
    std::fill_n(zero.vectors.data(), zero.vectors.size(), 0.0F);
    EXPECT_LT(meanDistance(readField(output + "/displacement_0002.mha", pool), truth),
              0.6 * meanDistance(zero, truth));
}

TEST_F(Commands, BothFormatsHoldTheSameField) {
    const std::string sequence = phantom("sequence.nii.gz");
    const std::vector<std::string> common{"--frames", "1:2", "--preset", "paper"};
    std::vector<std::string> mha{"motion", sequence, "-o", fresh("mha")};
    std::vector<std::string> nifti{"motion", sequence, "-o", fresh("nifti"), "--format", "nii.gz"};
    mha.insert(mha.end(), common.begin(), common.end());
    nifti.insert(nifti.end(), common.begin(), common.end());
    ASSERT_EQ(run(mha).exitCode, 0);
    ASSERT_EQ(run(nifti).exitCode, 0);
    const MillimeterField a = readField(fresh("mha/displacement_0002.mha"), pool);
    const MillimeterField b = readField(fresh("nifti/displacement_0002.nii.gz"), pool);
    EXPECT_TRUE(a.geometry.matches(b.geometry));
    EXPECT_LT(meanDistance(a, b), 1e-5);
    EXPECT_FALSE(fs::exists(fresh("mha/displacement_0001.mha")));
    EXPECT_EQ(Json::parse(readText(fresh("mha/run.json")))["fields"].size(), 1U);
}

TEST_F(Commands, ThePhantomWritesWhatItsRecordLists) {
    const Json record = Json::parse(readText(phantom("phantom.json")));
    EXPECT_EQ(record["truth"].size(), 3U);
    for (const Json& field : record["truth"])
        EXPECT_NO_THROW(readField(phantom(field["file"].get<std::string>()), pool));
    EXPECT_EQ(openSequence({phantom("sequence.nii.gz")}).frames, 4);
    EXPECT_EQ(openSequence({phantom("labels.nii.gz")}).voxelType, "uint8");
}

TEST_F(Commands, DoctorSaysWhatThereIs) {
    const Outcome outcome = run({"doctor"});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.errors, "");
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("processor"), HasSubstr("memory"),
                                      HasSubstr("CUDA"), HasSubstr("built with")));
}

TEST_F(Commands, DoctorNamesTheLibrariesThatThisBuildUses) {
    const std::string output = run({"doctor"}).output;
    const std::string libraries = output.substr(output.rfind("built with"));
    const auto expectNamed = [&](const std::string& library, bool used) {
        const std::string versioned = library + " [0-9]+\\.[0-9]";
        if (used)
            EXPECT_THAT(libraries, ContainsRegex(versioned));
        else
            EXPECT_THAT(libraries, Not(ContainsRegex(versioned)));
    };
    for (const char* library :
         {"ITK", "GDCM", "zlib", "oneTBB", "Highway", "Eigen", "fmt", "nlohmann-json", "CLI11"})
        expectNamed(library, true);
    const bool viewer = output.find("(SYSTOLE_VIEWER is OFF)") == std::string::npos;
    for (const char* library : {"Qt", "VTK", "Dear ImGui"})
        expectNamed(library, viewer);
    expectNamed("CUDA", output.find("not built: no CUDA compiler") == std::string::npos);
}

TEST_F(Commands, AskingForADeviceThatIsNotThereIsAnError) {
    if (fs::exists("/dev/nvidiactl"))
        GTEST_SKIP() << "this machine has an NVIDIA driver";
    expectOneLine(
        run({"motion", phantom("sequence.nii.gz"), "-o", fresh("cuda"), "--backend", "cuda"}), 1,
        "cuda");
    EXPECT_FALSE(fs::exists(fresh("cuda")));
}

TEST_F(Commands, ABallAndTheLetterCAreAPairWithoutATruth) {
    const std::string output = fresh("letter");
    const Outcome made = run({"phantom", "--c-to-ball", "-o", output, "--size", "24"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    const Json record = Json::parse(readText(output + "/phantom.json"));
    EXPECT_EQ(record["shape"], "c-to-ball");
    EXPECT_EQ(record["frames"], 2);
    EXPECT_FALSE(record.contains("truth"));
    const Outcome info = run({"info", output + "/sequence.nii.gz"});
    EXPECT_EQ(info.exitCode, 0) << info.errors;
    expectOneLine(run({"phantom", "--c-to-ball", "-o", output}), 1, "--overwrite");
}

TEST_F(Commands, MotionReturnsFromTheLastFrameWhateverTheReference) {
    for (const char* reference : {"first", "window"}) {
        const std::string output = fresh(std::string("closed_") + reference);
        std::vector<std::string> arguments{"motion",       phantom("sequence.nii.gz"),
                                           "-o",           output,
                                           "--reference",  reference,
                                           "--preset",     "default",
                                           "--lagrangian", "--close-cycle",
                                           "--tissue",     phantom("labels.nii.gz"),
                                           "--beta",       "0.1",
                                           "--no-autotune"};
        if (std::string(reference) == "window")
            arguments.insert(arguments.end(), {"--window", "5"});
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_THAT(outcome.output, HasSubstr("points of the tissue are"));
        const Json record = Json::parse(readText(output + "/run.json"));
        const Json& back = record["fields"][record["fields"].size() - 2];
        EXPECT_EQ(back["file"], "displacement_0000.mha");
        EXPECT_EQ(back["fixed"], 3);
        EXPECT_EQ(back["moving"], 0);
        EXPECT_EQ(record["fields"].back()["file"], "lagrangian_0000.mha");
        // The way there and the way back nearly cancel.
        const MillimeterField there = readField(output + "/lagrangian_0003.mha", pool),
                              rest = readField(output + "/lagrangian_0000.mha", pool);
        MillimeterField none = readField(output + "/lagrangian_0000.mha", pool);
        std::fill_n(none.vectors.data(), none.vectors.size(), 0.0f);
        EXPECT_LT(meanDistance(rest, none), 0.5 * meanDistance(there, none));
        EXPECT_GT(record["cycle_residual_of_tissue_mm"]["maximum"], 0);
        EXPECT_LE(record["cycle_residual_of_tissue_mm"]["maximum"],
                  record["cycle_residual_mm"]["maximum"]);
    }
}

} // namespace
} // namespace systole
