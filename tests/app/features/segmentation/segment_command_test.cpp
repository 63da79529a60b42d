// systole segment from outside: what it writes, and what it says of bad input.
#include "io/formats/writer.h"
#include "io/source.h"
#include "tests/support/small_phantom.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class SegmentCommand : public testing::SmallPhantom {
protected:
    static void SetUpTestSuite() { makePhantom({"--size", "40", "--look", "ct", "--frames", "3"}); }

    static void expectError(std::vector<std::string> arguments, int code,
                            const std::string& mentioned) {
        arguments.insert(arguments.begin(), "segment");
        expectRefused(run(arguments), mentioned, code);
    }

    /// Dice of the blood in frame 0 with the label 1.
    static double dice(const std::string& labels, int frame = 0) {
        BufferPool pool;
        const Sequence found = openSequence({labels}),
                       truth = openSequence({SmallPhantom::labels()});
        EXPECT_TRUE(found.geometry.matches(truth.geometry, 1e-3));
        Volume a(found.geometry, pool, "found"), b(truth.geometry, pool, "truth");
        found.source->read(frame, a.view());
        truth.source->read(0, b.view());
        double both = 0, sum = 0;
        for (std::size_t i = 0; i < a.voxels.size(); ++i) {
            const bool in = a.voxels.data()[i] == 1, blood = b.voxels.data()[i] == 2;
            both += in && blood ? 1 : 0;
            sum += (in ? 1 : 0) + (blood ? 1 : 0);
        }
        return 2 * both / sum;
    }
};
/// Segmentation treats them as the window, motion and register do.
TEST_F(SegmentCommand, VoxelsWithoutANumberAreOutside) {
    BufferPool pool;
    const Sequence opened = openSequence({sequence()});
    Volume frame(opened.geometry, pool, "frame");
    opened.source->read(0, frame.view());
    const auto voxels = frame.voxels.span();
    const float smallest = *std::ranges::min_element(voxels);
    const auto segmented = [&](const std::string& name, float outside) {
        for (std::size_t i = 0; i < 3 * 40 * 40; ++i)
            voxels[i] = outside;
        writeVolume(in(name + ".nii.gz"), frame.geometry, frame.view());
        const Outcome outcome = run({"segment", in(name + ".nii.gz"), "--seed", "0,0,9", "-o",
                                     in(name + "_labels.nii.gz")});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return dice(in(name + "_labels.nii.gz"));
    };
    const double filled = segmented("filled", smallest);
    EXPECT_EQ(segmented("unknown", std::numeric_limits<float>::quiet_NaN()), filled);
    EXPECT_GT(filled, 0.8);
}

TEST_F(SegmentCommand, WritesLabelsAndARecord) {
    const std::string output = in("one.nii.gz");
    const Outcome outcome = run({"segment", sequence(), "-o", output, "--seed", "0,0,9", "--wall"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_GE(dice(output), 0.9);
    const Json record = Json::parse(readText(in("one.json")));
    EXPECT_EQ(record["labels"]["file"], "one.nii.gz");
    EXPECT_EQ(record["labels"]["values"]["chamber"], 1);
    EXPECT_EQ(record["points_mm"]["seed"], Json({0, 0, 9}));
    EXPECT_EQ(record["points_frame"], 0);
    ASSERT_EQ(record["frames"].size(), 1u);
    EXPECT_NEAR(record["frames"][0]["chamber_ml"], 66, 10);
    EXPECT_GT(record["frames"][0]["wall_ml"], 50);
    EXPECT_EQ(record["frames"][0]["wall_touches_edge"], false);
    // Nothing is replaced unasked.
    expectError({sequence(), "-o", output, "--seed", "0,0,9"}, 1, "--overwrite");
    // The seed as a voxel, of 3.2 mm from -62.4 mm on.
    const Outcome again = run({"segment", sequence(), "-o", output, "--voxel", "--seed",
                               "19.5,19.5,22.3125", "--overwrite"});
    ASSERT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_NEAR(Json::parse(readText(in("one.json")))["points_mm"]["seed"][2], 9, 1e-3);
}

TEST_F(SegmentCommand, SegmentsEveryFrameFromThreePoints) {
    const std::string output = in("all.nii.gz");
    const Outcome outcome =
        run({"segment", sequence(), "-o", output, "--points", "0,0,-31;0,0,41;29,0,29", "--all"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const Sequence labels = openSequence({output});
    EXPECT_EQ(labels.frames, 3);
    EXPECT_EQ(labels.voxelType, "uint8");
    EXPECT_TRUE(labels.timeKnown());
    EXPECT_GE(dice(output), 0.9);
    const Json record = Json::parse(readText(in("all.json"))), frames = record["frames"];
    ASSERT_EQ(frames.size(), 3u);
    const auto volume = [&](std::size_t frame) {
        return frames[frame]["chamber_ml"].get<double>();
    };
    EXPECT_LT(volume(1), 0.8 * volume(0));
    const Json ejection = record["ejection_fraction"];
    EXPECT_EQ(ejection["end_diastole_frame"], 0);
    const double least = std::min(volume(1), volume(2));
    EXPECT_NEAR(ejection["percent"].get<double>(), 100 * (1 - least / volume(0)), 1e-6);
    EXPECT_THAT(outcome.output,
                HasSubstr(fmt::format("ejection fraction {:.1f} %: {:.1f} ml in "
                                      "frame 0 (end diastole)",
                                      ejection["percent"].get<double>(), volume(0))));
}

TEST_F(SegmentCommand, BadInputIsOneClearLine) {
    const std::string output = in("never.nii.gz");
    expectError({sequence(), "-o", output}, 2, "--seed");
    expectError({sequence(), "-o", output, "--seed", "0,0,9", "--points", "0,0,0;1,1,1;2,2,2"}, 2,
                "--points");
    expectError({sequence(), "-o", output, "--seed", "nan,0,0"}, 2, "nan,0,0");
    expectError({sequence(), "-o", output, "--seed", "1,2"}, 2, "x,y,z");
    expectError({sequence(), "-o", output, "--points", "1,2,3;4,5,6"}, 2, "APEX;MITRAL;RV");
    expectError({sequence(), "-o", output, "--seed", "0,0,9", "--frame", "3"}, 2, "frames 0 to 2");
    expectError({sequence(), "-o", output, "--seed", "0,0,9", "--frame", "1", "--all"}, 2, "--all");
    expectError({sequence(), "-o", in("never.png"), "--seed", "0,0,9"}, 2, "never.png");
    expectError({sequence(), "-o", in("never.mha"), "--seed", "0,0,9", "--all"}, 2, ".nii");
    expectError({sequence(), "-o", output, "--seed", "500,0,9"}, 1, "outside the image");
    expectError({in("missing.nii.gz"), "-o", output, "--seed", "0,0,9"}, 1, "missing.nii.gz");
    EXPECT_FALSE(fs::exists(output));
    EXPECT_FALSE(fs::exists(in("never.json")));
}

} // namespace
} // namespace systole
