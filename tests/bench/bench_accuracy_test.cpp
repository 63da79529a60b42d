// The benchmarks of accuracy: which figures there are and how they hang together.
#include "tests/bench/bench_support.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

namespace systole {
namespace {

using systole::testing::BenchCommand;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST_F(BenchCommand, WeightsComparesExactFieldsWithThoseOfEightBits) {
    const Json all = record({"weights", "--size", "32", "--cases", "echo"});
    const Json& echo = all["weights"]["echo"];
    EXPECT_GT(echo["field_alone"]["mean"].get<double>(), 1e-5);
    EXPECT_LT(echo["field_alone"]["mean"].get<double>(), 0.02);
    EXPECT_GE(echo["field_alone"]["largest"].get<double>(),
              echo["field_alone"]["mean"].get<double>());
    EXPECT_EQ(echo["exact"]["from_exact"]["largest"].get<double>(), 0);
    for (const char* run : {"other_order", "eight_bits"}) {
        EXPECT_GT(echo[run]["from_exact"]["mean"].get<double>(), 0) << run;
        EXPECT_GT(echo[run]["evaluations"].get<double>(), 0) << run;
        EXPECT_LT(echo[run]["error"].get<double>(), 1) << run;
    }
    EXPECT_EQ(all["weights"].size(), 1u);
}

TEST_F(BenchCommand, BiasTestsTheVolumeChangeThatEachMethodFindsInNoise) {
    const Json all = record({"bias", "--size", "32", "--cases", "ct", "--repeat", "3"})["bias"];
    ASSERT_EQ(all.size(), 1u);
    for (const char* method : {"clg", "demons", "ffd", "unbiased"}) {
        SCOPED_TRACE(method);
        const Json& found = all["ct"][method];
        EXPECT_EQ(found["repetitions"], 3);
        EXPECT_GT(found["spread_log"], 0);
        EXPECT_GT(found["displacement_voxel"], 0);
        for (const char* where : {"volume", "wall"}) {
            const Json& test = found[where];
            EXPECT_NEAR(test["t"].get<double>() * test["deviation"].get<double>(),
                        std::sqrt(3) * test["mean_log"].get<double>(), 1e-9);
            EXPECT_GT(test["p"], 0);
            EXPECT_LT(test["p"], 1);
        }
    }
    // One repetition has nothing to test.
    EXPECT_TRUE(record({"bias", "--size", "32", "--cases", "ct"})["bias"]["ct"]["clg"]["wall"]["t"]
                    .is_null());
}

TEST_F(BenchCommand, MotionHasAFigureForEachProgramAndCase) {
    const Json all =
        record({"motion", "--size", "32", "--seeds", "2", "--cases", "slices8,echo", "--no-peers"});
    const Json& programs = all["motion"]["programs"];
    for (const char* name : {"Systole clg", "Systole demons"}) {
        ASSERT_TRUE(programs.contains(name)) << all.dump(1);
        EXPECT_EQ(programs[name].size(), 2u);
        for (const auto& [which, figures] : programs[name].items()) {
            EXPECT_EQ(figures["seeds"], 2);
            EXPECT_GT(figures["mean_error"].get<double>(), 0) << which;
            EXPECT_LE(figures["mean_error"].get<double>(),
                      figures["worst_mean_error"].get<double>());
        }
        EXPECT_LT(programs[name]["echo"]["mean_error"].get<double>(),
                  programs[name]["echo"]["motion"].get<double>());
    }
    const Outcome unknown = run({"bench", "motion", "--cases", "ecko", "--no-peers"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("slices10"));
}

TEST_F(BenchCommand, LungsTellTheirSidesApart) {
    const Json all = record({"lungs", "--size", "64", "--cases", "quiet", "--method", "clg",
                             "--set", "alpha=0.2", "--no-peers"});
    const Json& quiet = all["lungs"]["cases"]["quiet"];
    const auto figure = [&](const char* program, const char* name) {
        return quiet.at(program).at(name).get<double>();
    };
    EXPECT_GT(figure("no motion", "lungs_mm"), 5);
    EXPECT_LT(figure("Systole clg", "lungs_mm"), 0.5 * figure("no motion", "lungs_mm"));
    EXPECT_LT(figure("Systole clg, lungs alone", "lungs_mm"), figure("Systole clg", "lungs_mm"));
    EXPECT_LT(figure("Systole clg, sides apart", "pleura_outside_mm"),
              figure("Systole clg, lungs alone", "pleura_outside_mm"));
    EXPECT_GT(figure("Systole clg", "cpu_seconds"), 0);
    EXPECT_EQ(all["lungs"]["set"], Json({"alpha=0.2"}));
}

TEST_F(BenchCommand, AccuracyMeasuresTheFamilyAndFailsWhenItGotWorse) {
    std::vector<std::string> small{"accuracy", "--size", "32",      "--seeds",       "2",
                                   "--method", "demons", "--cases", "small,acdc-es", "--set",
                                   "levels=2"};
    const bool viewer =
        run({"bench", "accuracy", "--help"}).output.find("--page") != std::string::npos;
    if (viewer)
        small.insert(small.end(), {"--page", folder_ / "page.html"});
    const Json accuracy = record(small)["accuracy"];
    EXPECT_EQ(accuracy["side"], 32);
    EXPECT_TRUE(accuracy["skipped"].contains("acdc-es"));
    ASSERT_EQ(accuracy["family"].size(), 1u);
    const Json& programs = accuracy["family"]["small"];
    ASSERT_EQ(programs.size(), 2u);
    const Json& unmoved = programs["no motion"];
    EXPECT_EQ(unmoved["seeds"], Json({1, 2}));
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_GT(unmoved["error"][i], 0);
        EXPECT_EQ(unmoved["amplitude"][i], 0);
        EXPECT_GT(programs["Systole demons"]["noise_mm"][i], 0);
        EXPECT_NE(programs["Systole demons"]["error"][i], unmoved["error"][i]);
    }
    EXPECT_THAT(outcome_.output, HasSubstr("worst tenth"));
    EXPECT_EQ(std::filesystem::exists(folder_ / "page.html"), viewer);

    Json before = Json::parse(readText(folder_ / "record.json"));
    std::vector<std::string> again{
        "bench",  "accuracy", "--size", "32",    "--seeds",  "2",         "--method",
        "demons", "--cases",  "small",  "--set", "levels=2", "--against", folder_ / "before.json"};
    systole::testing::writeText(folder_ / "before.json", before.dump());
    const Outcome same = run(again);
    EXPECT_EQ(same.exitCode, 0) << same.output << same.errors;
    EXPECT_THAT(same.output, HasSubstr("1.000×"));
    for (Json& error : before["accuracy"]["family"]["small"]["Systole demons"]["error"])
        error = 0.9 * error.get<double>();
    systole::testing::writeText(folder_ / "before.json", before.dump());
    const Outcome worse = run(again);
    EXPECT_EQ(worse.exitCode, 1);
    EXPECT_THAT(worse.errors, HasSubstr("3 figures are worse"));
    EXPECT_THAT(worse.output, HasSubstr("small, Systole demons: median"));
}

/// A small part of the record, which is made again as docs/adding/benchmark.md describes.
TEST_F(BenchCommand, DefaultsAreAsAccurateAsTheRecord) {
    const Outcome outcome =
        run({"bench", "accuracy", "--no-peers", "--seed", "5", "--seeds", "4", "--cases",
             "echo,hard,small,ct", "--against", SYSTOLE_ACCURACY_RECORD});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("ct, Systole unbiased"));
}

TEST_F(BenchCommand, RealMeasuresWhatIsThereAndNamesWhatIsMissing) {
    const Json none = record({"real", "--no-peers"});
    EXPECT_TRUE(none["real"].contains("skipped"));
    // A phantom in the place of an echo sequence.
    const std::string data = folder_ / "data";
    std::filesystem::create_directories(data + "/itksnap_4d");
    ASSERT_EQ(run({"phantom", "-o", folder_ / "heart", "--size", "32", "--frames", "6"}).exitCode,
              0);
    std::filesystem::rename(folder_ / "heart/sequence.nii.gz",
                            data + "/itksnap_4d/img4d_11f.nii.gz");
    const Json all =
        record({"real", "--no-peers", "--data", data, "--cases", "echo,echo-cycle,brains"});
    const Json& real = all["real"];
    EXPECT_EQ(real["skipped"]["brains"], "claire_brain/brain01.nii.gz");
    EXPECT_THAT(outcome_.output, HasSubstr("claire_brain/brain01.nii.gz isn't there"));
    const char* correlation = "correlation of the fixed and the moved image";
    EXPECT_GT(real["cases"]["echo"]["Systole clg"][correlation].get<double>(),
              real["cases"]["echo"]["no motion"][correlation].get<double>());
    const Json& cycle = real["cases"]["echo-cycle"]["Systole clg"];
    EXPECT_LT(cycle["drift after one cycle, mm"].get<double>(),
              cycle["largest mean motion since the first frame, mm"].get<double>());
    EXPECT_FALSE(real["cases"]["echo-cycle"].contains("no motion"));
}

TEST_F(BenchCommand, RegistrationsAreMeasuredBesideNoRegistration) {
    const Json all = record({"registration", "--size", "40", "--cases", "echo", "--no-peers"});
    const Json& echo = all["registration"]["cases"]["echo"];
    ASSERT_TRUE(echo.contains("Systole affine"));
    for (const auto& [program, figures] : echo.items()) {
        ASSERT_FALSE(figures.is_null()) << program;
        EXPECT_GT(figures["nmi"].get<double>(), 1) << program;
        EXPECT_GT(figures["endpoint_error"].get<double>(), 0) << program;
        EXPECT_TRUE(figures["dice"].is_null()) << program;
        EXPECT_EQ(figures["seconds"].is_null(), program == "no registration") << program;
    }
    EXPECT_THAT(outcome_.output, HasSubstr("echo       Systole affine"));
    // Real pairs whose data is missing are named as skipped.
    EXPECT_EQ(record({"registration", "--cases", "brains", "--no-peers"})["registration"]["skipped"]
                  .size(),
              1u);
}

} // namespace
} // namespace systole
