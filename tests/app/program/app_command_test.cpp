// The program from outside: what it prints, what it writes, and how it ends.
#include "io/formats/writer.h"
#include "io/phantom/family.h"
#include "io/source.h"
#include "tests/support/small_phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <tuple>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class Commands : public testing::SmallPhantom {
protected:
    static void SetUpTestSuite() { makePhantom({"--size", "32", "--frames", "4"}); }

    BufferPool pool;
};

TEST_F(Commands, EveryCommandHasHelp) {
    for (const char* command : {"info", "motion", "register", "bias", "denoise", "segment",
                                "strain", "cohort", "phantom", "bench", "doctor"}) {
        const Outcome help = run({command, "--help"});
        EXPECT_EQ(help.exitCode, 0);
        EXPECT_THAT(help.output, HasSubstr("Usage")) << command;
        EXPECT_THAT(run({"--help"}).output, HasSubstr(command));
    }
}

TEST_F(Commands, BiasRegistersAFrameWithItselfNoiseAside) {
    const std::string sequence = phantom("sequence.nii.gz"), json = in("bias.json");
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
    expectRefused(bias({"--json", json}), "bias.json: exists already");
    expectRefused(bias({"--noise", "50"}), "--noise: ", 2);
}

TEST_F(Commands, UsageErrorsAreOneLineAndEndWithTwo) {
    expectRefused(run({"fly"}), "'fly'", 2);
    expectRefused(run({"info"}), "FILE", 2);
    const std::string sequence = phantom("sequence.nii.gz");
    const std::string output = in("never");
    expectRefused(run({"motion", sequence}), "output", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--alpha", "-1"}), "alpha", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--alpha", "much"}), "much", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--preset", "best"}),
                  "the method clg has no preset best; it has default, lungs, paper", 2);
    // The answer lists the existing names.
    expectRefused(run({"motion", sequence, "-o", output, "--variant", "smooth=wet"}), "l2-only", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--variant", "smoth=direct"}),
                  "gradient (direct, shared", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--frames", "2:9"}), "no frame 9", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--frames", "3"}), "FIRST:LAST", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--reference", "window", "--window", "4"}),
                  "odd number", 2);
    expectRefused(run({"motion", sequence, "-o", output, "--window", "5"}), "--reference window",
                  2);
    expectRefused(run({"phantom", "-o", output, "--size", "32x32"}), "32x32", 2);
    expectRefused(run({"phantom", "-o", output, "--size", "100000"}), "100000", 2);
    expectRefused(run({"phantom", "-o", output, "--size", "32x32x10"}),
                  "16 to 1024 voxels were expected along each axis (slices along z), but "
                  "'32x32x10' has 10 along z",
                  2);
    expectRefused(run({"phantom", "-o", output, "--c-to-ball", "--look", "ct"}), "--look", 2);
    EXPECT_FALSE(fs::exists(output));
}

TEST_F(Commands, AnErrorComesAfterAllThatWasPrinted) {
    const std::string both = in("both.txt");
    const std::string command =
        testing::executable() + " bench pairs --against /bin/false --size 32 > " + both + " 2>&1";
    EXPECT_NE(std::system(command.c_str()), 0);
    const std::string text = readText(both);
    const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
    EXPECT_GT(last, 1u); // the machine is printed first
    EXPECT_THAT(text.substr(last), StartsWith("systole: "));
}

TEST_F(Commands, AWrongOptionNamesTheHelpOfItsCommand) {
    EXPECT_THAT(run({"motion", "--nonsense"}).errors, HasSubstr("see 'systole motion --help'"));
    EXPECT_THAT(run({"landmarks", "tre", "--nonsense"}).errors,
                HasSubstr("see 'systole landmarks tre --help'"));
}

TEST_F(Commands, BoundsOfANumberAreWrittenAsOneWritesThem) {
    EXPECT_THAT(run({"motion", "a.mha", "--frame-time", "-1"}).errors,
                StartsWith("systole: --frame-time: -1 isn't a positive number (see"));
    EXPECT_THAT(run({"phantom", "-o", in("a"), "--cycle", "0"}).errors,
                HasSubstr("--cycle: '0' isn't a number from 1 to 100000 (see"));
    EXPECT_THAT(run({"motion", "a.mha", "-o", in("a"), "--threads", "0.5"}).errors,
                HasSubstr("--threads: '0.5' isn't a whole number from 0 to 1024 (see"));
}

TEST_F(Commands, AWordThatIsNoneOfTheChoicesNamesTheSimilarOne) {
    const std::string errors = run({"motion", "a.mha", "-o", in("a"), "--method", "clgg"}).errors;
    EXPECT_THAT(errors, HasSubstr("--method: 'clgg' isn't one of clg, "));
    EXPECT_THAT(errors, HasSubstr("did you mean 'clg'?"));
}

TEST_F(Commands, AMissingFileIsNamedAlikeByEveryCommand) {
    const std::string sentence = in("none.nii") + ": there is no such file or folder";
    EXPECT_THAT(run({"info", in("none.nii")}).errors, HasSubstr(sentence));
    EXPECT_THAT(run({"bench", "--data", in("none.nii")}).errors, HasSubstr(sentence));
    EXPECT_THAT(
        run({"landmarks", "tre", in("none.nii"), "--fixed", in("a"), "--moving", in("b")}).errors,
        HasSubstr(sentence));
}

TEST_F(Commands, DoctorAndMethodsPrintJson) {
    const auto doctor = nlohmann::json::parse(run({"doctor", "--json"}).output);
    EXPECT_GE(doctor.at("machine").at("threads").get<int>(), 1);
    EXPECT_GT(doctor.at("machine").at("memory_bytes").get<double>(), 1e6);
    EXPECT_TRUE(doctor.at("cuda").at("devices").is_array());
    const auto methods = nlohmann::json::parse(run({"methods", "--json"}).output);
    const auto one = nlohmann::json::parse(run({"methods", "clg", "--json"}).output);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_THAT(methods, ::testing::Contains(one.front()));
    const auto& rows = one.front().at("parameters");
    const auto alpha =
        std::ranges::find_if(rows, [](const auto& row) { return row.at("id") == "alpha"; });
    ASSERT_NE(alpha, rows.end());
    EXPECT_LT(alpha->at("range").at(0), alpha->at("default"));
    EXPECT_GT(alpha->at("range").at(1), alpha->at("default"));
}

TEST_F(Commands, BadInputIsOneLineThatNamesTheFileAndEndsWithOne) {
    writeText(in("empty.nii"), "");
    writeText(in("words.nii.gz"), "this is no image\n");
    writeText(in("line\nbreak.nii"), "neither is this");
    fs::create_directories(in("no-dicom-here"));
    for (const std::string file :
         {"missing.nii.gz", "empty.nii", "words.nii.gz", "line\nbreak.nii", "no-dicom-here"}) {
        const std::string mentioned = file.substr(0, file.find('\n'));
        expectRefused(run({"info", in(file)}), mentioned);
        expectRefused(run({"motion", in(file), "-o", in("never")}), mentioned);
    }
    EXPECT_FALSE(fs::exists(in("never")));
}

TEST_F(Commands, AFolderThatCannotBeMadeIsAnError) {
    writeText(in("file"), "");
    expectRefused(run({"motion", phantom("sequence.nii.gz"), "-o", in("file/folder")}),
                  "file/folder");
    expectRefused(run({"phantom", "-o", in("file/folder")}), "file/folder");
}

TEST_F(Commands, PhantomRecordsWhatItAdds) {
    const std::string output = in("artifacts");
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
    expectRefused(run({"phantom", "-o", output, "--dropout", "0.5", "--look", "ct"}), "echo");
}

TEST_F(Commands, PhantomMakesAMemberOfTheFamilyWhichOtherOptionsChange) {
    const std::string output = in("member");
    const Outcome made = run({"phantom", "-o", output, "--family", "hard", "--seed", "4", "--size",
                              "16", "--wall", "9"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    const PhantomOptions member = familyMember("hard", 16, 4);
    const Json record = Json::parse(readText(output + "/phantom.json"));
    EXPECT_EQ(record["wall_mm"], 9);
    EXPECT_EQ(record["radius_mm"], member.heart.endocardialRadius);
    EXPECT_EQ(record["twist_degrees"], member.heart.twistDegrees);
    EXPECT_EQ(record["correlation"], 0.8);
    EXPECT_EQ(record["noise"], 0.3);
    EXPECT_EQ(record["frames"], member.frames);
    EXPECT_EQ(record["size"], Json({16, 16, 10}));
    EXPECT_EQ(openSequence({output + "/sequence.nii.gz"}).frames, member.frames);
    // Voxels of another height cover the same field of view.
    for (const auto& [option, value, slices] :
         {std::tuple{"--voxel-height", "4", 4}, {"--planes-per-slice", "5", 2}}) {
        ASSERT_EQ(run({"phantom", "-o", output, "--family", "ct", "--seed", "4", "--size", "16",
                       "--overwrite", option, value})
                      .exitCode,
                  0);
        const Json other = Json::parse(readText(output + "/phantom.json"));
        EXPECT_EQ(other["size"], Json({16, 16, slices})) << option;
        EXPECT_EQ(other["spacing_mm"][0], record["spacing_mm"][0]) << option;
    }
    expectRefused(run({"phantom", "-o", in("n"), "--family", "hard", "--look", "ct"}), "--look", 2);
    expectRefused(run({"phantom", "-o", in("n"), "--family", "ct", "--size", "16x16x20"}),
                  "--family", 2);
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

TEST_F(Commands, ABallAndTheLetterCAreAPairWithoutATruth) {
    const std::string output = in("letter");
    const Outcome made = run({"phantom", "--c-to-ball", "-o", output, "--size", "24"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    const Json record = Json::parse(readText(output + "/phantom.json"));
    EXPECT_EQ(record["shape"], "c-to-ball");
    EXPECT_EQ(record["frames"], 2);
    EXPECT_FALSE(record.contains("truth"));
    const Outcome info = run({"info", output + "/sequence.nii.gz"});
    EXPECT_EQ(info.exitCode, 0) << info.errors;
    expectRefused(run({"phantom", "--c-to-ball", "-o", output}), "--overwrite");
}

} // namespace
} // namespace systole
