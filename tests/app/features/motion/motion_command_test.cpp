// systole motion from outside: its fields, its record, and what it refuses.
#include "io/formats/writer.h"
#include "io/source.h"
#include "tests/support/small_phantom.h"

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
using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class MotionCommand : public testing::SmallPhantom {
protected:
    static void SetUpTestSuite() { makePhantom({"--size", "32", "--frames", "4"}); }

    BufferPool pool;
};

double meanDistance(const MillimeterField& a, const MillimeterField& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.geometry.voxels(); ++i)
        sum += std::hypot(a.vectors.data()[3 * i] - b.vectors.data()[3 * i],
                          a.vectors.data()[3 * i + 1] - b.vectors.data()[3 * i + 1],
                          a.vectors.data()[3 * i + 2] - b.vectors.data()[3 * i + 2]);
    return sum / static_cast<double>(a.geometry.voxels());
}

TEST_F(MotionCommand, OneFrameHasNoMotion) {
    expectRefused(run({"motion", phantom("labels.nii.gz"), "-o", in("never")}), "two or more", 2);
}

TEST_F(MotionCommand, AnUnknownStageIsRefusedWithTheNamesOfAll) {
    expectRefused(run({"motion", phantom("sequence.nii.gz"), "-o", in("never"), "--stage", "foo"}),
                  "--stage: no stage 'foo'; the only one is jacobian", 2);
}

TEST_F(MotionCommand, ASecondRunLeavesNoFieldOfTheFirst) {
    const std::string output = in("twice");
    const std::string sequence = phantom("sequence.nii.gz");
    ASSERT_EQ(run({"motion", sequence, "-o", output, "--lagrangian"}).exitCode, 0);
    std::ofstream(output + "/notes.txt") << "mine";
    const std::string trace = in("trace.json");
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

TEST_F(MotionCommand, TheMapOfAnAbsentTermIsRefused) {
    expectRefused(run({"motion", phantom("sequence.nii.gz"), "-o", in("map"), "--incompressibility",
                       phantom("labels.nii.gz")}),
                  "--incompressibility needs --beta above 0\n", 2);
    expectRefused(run({"motion", phantom("sequence.nii.gz"), "-o", in("map"), "--tissue",
                       phantom("labels.nii.gz")}),
                  "--tissue needs --beta above 0, or --lagrangian --close-cycle", 2);
    expectRefused(run({"motion", phantom("sequence.nii.gz"), "-o", in("map"), "--method", "demons",
                       "--incompressibility", phantom("labels.nii.gz")}),
                  "demons", 2);
}

TEST_F(MotionCommand, VolumeIsPreservedInTheTissueOfALabelMap) {
    const auto estimate = [&](const std::string& folder, std::vector<std::string> more) {
        std::vector<std::string> words{"motion",    phantom("sequence.nii.gz"),
                                       "-o",        in(folder),
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
    const Json record = Json::parse(std::ifstream(in("tissue") + "/run.json"));
    EXPECT_EQ(record["tissue_label"], 1);
    EXPECT_EQ(record["incompressibility"], labels);
    // Elsewhere the same file doesn't.
    const std::string alone = in("alone.nii.gz");
    std::filesystem::copy_file(labels, alone, std::filesystem::copy_options::overwrite_existing);
    expectRefused(estimate("unsaid", {"--tissue", alone}), "--tissue-label");
    expectRefused(estimate("absent", {"--tissue", alone, "--tissue-label", "7"}), "no label 7");
    EXPECT_EQ(estimate("said", {"--tissue", alone, "--tissue-label", "2"}).exitCode, 0);
    // Named as in ACDC.
    const std::string acdc = in("patient001_frame01_gt.nii.gz");
    std::filesystem::copy_file(labels, acdc, std::filesystem::copy_options::overwrite_existing);
    ASSERT_EQ(estimate("acdc", {"--tissue", acdc}).exitCode, 0);
    EXPECT_EQ(Json::parse(std::ifstream(in("acdc") + "/run.json"))["tissue_label"], 2);
}

TEST_F(MotionCommand, MotionWritesAFieldPerFrameAndARecordOfAll) {
    const std::string output = in("previous");
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

TEST_F(MotionCommand, MotionSinceTheFirstFrameIsNotTheSumOfThePairs) {
    const auto estimate = [&](const char* name, std::vector<std::string> options) {
        options.insert(options.begin(),
                       {"motion", phantom("sequence.nii.gz"), "-o", in(name), "--no-autotune"});
        EXPECT_EQ(run(options).exitCode, 0);
        return in(name);
    };
    const std::string pairs = estimate("pairs", {"--lagrangian"}),
                      first = estimate("since_first", {"--reference", "first"});
    for (const char* number : {"0001", "0002", "0003"})
        EXPECT_EQ(meanDistance(readField(pairs + "/lagrangian_" + number + ".mha", pool),
                               readField(first + "/displacement_" + number + ".mha", pool)),
                  0);
    const Json record = Json::parse(readText(pairs + "/run.json"));
    for (const Json& field : record["fields"]) {
        if (field["file"] == "lagrangian_0001.mha") {
            EXPECT_FALSE(field.contains("seconds")) << "the first pair is estimated once";
            continue;
        }
        EXPECT_GT(field["seconds"].get<double>(), 0) << "both kinds are estimated";
        EXPECT_GT(field["iterations"].get<int>(), 0);
    }
}

TEST_F(MotionCommand, MotionFollowsTheTruth) {
    const std::string output = in("truth");
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

TEST_F(MotionCommand, MotionOverAWindowIsThatOfTheFirstFrame) {
    const std::string output = in("window");
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

/// The record and the messages have standard errors of the tissue's voxels, or of all.
TEST_F(MotionCommand, StandardErrorsAreSaidByAxis) {
    const MillimeterField wall = [&] {
        const Outcome outcome =
            run({"motion", sequence(), "-o", in("e"), "--frames", "0:1", "--backend", "cpu",
                 "--certainty", "--tissue", labels(), "--beta", "0.1"});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_THAT(outcome.output,
                    ContainsRegex("standard error.*median of the tissue.*through them"));
        return readField(in("e/standard_error_0001.mha"), pool);
    }();
    const Sequence drawn = openSequence({labels()});
    Volume label(drawn.geometry, pool, "labels");
    drawn.source->read(0, label.view());
    const Json said =
        Json::parse(readText(in("e/run.json")))["fields"][1]["median_standard_error_mm"];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double median = said[axis];
        int below = 0, voxels = 0;
        for (std::size_t i = 0; i < drawn.geometry.voxels(); ++i)
            if (label.view().data[i] == 1) {
                ++voxels;
                below += static_cast<double>(wall.vectors.data()[3 * i + axis]) < median - 1e-6;
            }
        EXPECT_NEAR(below, voxels / 2, 1) << axis;
    }
    const Outcome everywhere = run({"motion", sequence(), "-o", in("a"), "--frames", "0:1",
                                    "--backend", "cpu", "--certainty"});
    EXPECT_THAT(everywhere.output, HasSubstr("median of the voxels"));
    EXPECT_NE(Json::parse(readText(in("a/run.json")))["fields"][1]["median_standard_error_mm"],
              said);
}

TEST_F(MotionCommand, BothFormatsHoldTheSameField) {
    const std::string sequence = phantom("sequence.nii.gz");
    const std::vector<std::string> common{"--frames", "1:2", "--preset", "paper"};
    std::vector<std::string> mha{"motion", sequence, "-o", in("mha")};
    std::vector<std::string> nifti{"motion", sequence, "-o", in("nifti"), "--format", "nii.gz"};
    mha.insert(mha.end(), common.begin(), common.end());
    nifti.insert(nifti.end(), common.begin(), common.end());
    ASSERT_EQ(run(mha).exitCode, 0);
    ASSERT_EQ(run(nifti).exitCode, 0);
    const MillimeterField a = readField(in("mha/displacement_0002.mha"), pool);
    const MillimeterField b = readField(in("nifti/displacement_0002.nii.gz"), pool);
    EXPECT_TRUE(a.geometry.matches(b.geometry));
    EXPECT_LT(meanDistance(a, b), 1e-5);
    EXPECT_FALSE(fs::exists(in("mha/displacement_0001.mha")));
    EXPECT_EQ(Json::parse(readText(in("mha/run.json")))["fields"].size(), 1U);
}

TEST_F(MotionCommand, AskingForADeviceThatIsNotThereIsAnError) {
    if (fs::exists("/dev/nvidiactl"))
        GTEST_SKIP() << "this machine has an NVIDIA driver";
    expectRefused(
        run({"motion", phantom("sequence.nii.gz"), "-o", in("cuda"), "--backend", "cuda"}), "cuda");
    EXPECT_FALSE(fs::exists(in("cuda")));
}

TEST_F(MotionCommand, MotionReturnsFromTheLastFrameWhateverTheReference) {
    for (const char* reference : {"previous", "first", "window"}) {
        const std::string output = in(std::string("closed_") + reference);
        std::vector<std::string> arguments{"motion",       phantom("sequence.nii.gz"),
                                           "-o",           output,
                                           "--reference",  reference,
                                           "--preset",     "default",
                                           "--lagrangian", "--close-cycle",
                                           "--tissue",     phantom("labels.nii.gz"),
                                           "--no-autotune"};
        if (std::string(reference) == "window")
            arguments.insert(arguments.end(), {"--window", "5"});
        else
            arguments.insert(arguments.end(),
                             {"--beta", "0.1"}); // or none: it is measured all the same
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
