// The benchmarks of speed: which figures there are and how they hang together.
#include "tests/bench/bench_support.h"

#include <gmock/gmock.h>

namespace systole {
namespace {

using systole::testing::BenchCommand;
using systole::testing::Outcome;
using systole::testing::run;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST_F(BenchCommand, HelpListsEveryBenchmark) {
    const std::string help = run({"bench", "--help"}).output;
    for (const char* name :
         {"memory", "parity", "clg-table", "floors", "pairs", "landmark-tasks", "surface", "ffd",
          "unbiased", "clg-stages", "real", "registration", "bias", "accuracy", "lungs"})
        EXPECT_THAT(help, HasSubstr(name));
    const Outcome unknown = run({"bench", "clg-chairs"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("clg-chairs"));
}

TEST_F(BenchCommand, TableTimesEachSideAndPrintsThePapersBeside) {
    const Json all = record({"clg-table", "--sides", "16,50", "--cpu-seconds", "60"});
    const Json& table = all.at("clg-table");
    for (const char* side : {"16", "50"}) {
        const Json& entry = table["sides"][side];
        // The plain loops may exceed the limit at side 50 on a slow machine; they are then left
        // out.
        EXPECT_GT(entry.value("reference_one_thread_seconds", side[0] == '5' ? 1.0 : 0.0), 0);
        EXPECT_GT(entry.value("cpu_all_threads_seconds", 0.0), 0);
        // Either the device's figures are there or the reason why not.
        EXPECT_NE(entry.contains("variants"), table.contains("no_cuda"));
    }
    // The row of side 50 ends with the paper's: C1060 and GTX 480.
    EXPECT_THAT(outcome_.output, ::testing::ContainsRegex("50 .*1272 +86 +96 +671 +49 +26 +49"));
}

TEST_F(BenchCommand, LandmarkTasksTimeTheirCpuFormsAndOnADeviceEveryVariant) {
    const Json all = record({"landmark-tasks", "--sides", "32"});
    for (const char* task : {"sest", "tps", "trilinear"}) {
        const Json& entry = all["landmark-tasks"][task]["32"];
        EXPECT_GT(entry["cpu_one_thread_seconds"].get<double>(), 0) << task;
        EXPECT_GT(entry["cpu_all_threads_seconds"].get<double>(), 0) << task;
        EXPECT_NE(entry.contains("variants"), all["landmark-tasks"].contains("no_cuda"));
        const Json variants = entry.value("variants", Json::object());
        for (const auto& [name, variant] : variants.items()) {
            EXPECT_LE(variant["best_seconds"].get<double>(), variant["seconds"].get<double>());
            EXPECT_GT(variant["floor_seconds"].get<double>(), 0) << name;
        }
    }
}

TEST_F(BenchCommand, BsplineHasTheErrorsOfTheThesisAndEveryForm) {
    const Json all = record({"bspline", "--sides", "24"});
    const Json& bspline = all["bspline"];
    EXPECT_THAT(run({"bench", "--help"}).output, HasSubstr("bspline"));
    const Json& errors = bspline["mean_absolute_error"];
    for (const char* form : {"plain", "rows", "vector-per-tile", "vector-per-voxel", "separable"}) {
        EXPECT_LT(errors["cpu"][form]["displacements"].get<double>(), 1e-6) << form;
        EXPECT_GT(bspline["cpu"]["24×24×24"][form]["5"]["time_over_floor"].get<double>(), 0);
    }
    ASSERT_NE(bspline.contains("cuda"), bspline.contains("no_cuda"));
    if (bspline.contains("cuda")) {
        EXPECT_LE(errors["cuda"]["bspline/thread-per-tile-lerp"]["displacements"].get<double>(),
                  2.8e-6);
        EXPECT_GT(bspline["cuda"]["24×24×24"]["bspline/columns"]["5"]["seconds"].get<double>(), 0);
    }
}

TEST_F(BenchCommand, FfdHasEveryStageOfAnIterationWithItsFloor) {
    const Json all = record({"ffd", "--sides", "24"});
    const Json& ffd = all["ffd"];
    ASSERT_EQ(ffd["backend"] == "cpu", ffd.contains("no_cuda"));
    const double bandwidth = ffd["bytes_per_second"].get<double>();
    const Json& side = ffd["sides"]["24"];
    for (const char* similarity : {"ssd", "nmi", "lncc"}) {
        const Json& stages = side[similarity]["stages"];
        double sum = 0;
        for (const char* stage : {"spline", "warp", "similarity", "derivative", "forces",
                                  "gradient", "bending", "search", "level"}) {
            ASSERT_TRUE(stages.contains(stage)) << similarity << " " << stage;
            EXPECT_GE(stages[stage]["seconds"].get<double>(), 0);
            sum += stages[stage]["seconds"].get<double>();
        }
        EXPECT_GT(sum, 0);
        // An iteration evaluates once at least, and has one gradient, besides the first.
        EXPECT_GE(stages["similarity"]["calls"].get<double>(), 1);
        EXPECT_GE(stages["gradient"]["calls"].get<double>(), 1);
        // A field in, a warped image and its weight out, and the moving image: 24 bytes a voxel.
        EXPECT_NEAR(stages["warp"]["floor_seconds"].get<double>() * bandwidth, 24.0 * 24 * 24 * 24,
                    1);
        EXPECT_GT(side[similarity]["iteration"]["floor_seconds"].get<double>(), 0);
    }
    EXPECT_TRUE(side["elasticity"]["stages"].contains("elasticity"));
    EXPECT_TRUE(side["volume change"]["stages"].contains("volume change"));
    EXPECT_THAT(outcome_.output, HasSubstr("one iteration"));
}

TEST_F(BenchCommand, ClgStagesHaveTheirPartsWithBytesAndFloor) {
    const Json all = record({"clg-stages", "--sides", "32"});
    const Json& table = all["clg-stages"];
    const Json& stages = table["sides"]["32"];
    const double bandwidth = table["bytes_per_second"].get<double>();
    for (const char* stage : {"gradient", "smooth", "solve", "warp", "pyramid"}) {
        ASSERT_TRUE(stages.contains(stage)) << stages.dump(1);
        for (const auto& [name, part] : stages[stage].items()) {
            EXPECT_GE(part["calls"].get<int>(), 1) << name;
            EXPECT_NEAR(part["floor_seconds"].get<double>() * bandwidth,
                        part["declared_bytes"].get<double>(), 1e-3)
                << name;
        }
    }
    EXPECT_EQ(stages.contains("residual"), table["backend"] == "cuda");
}

TEST_F(BenchCommand, UnbiasedHasItsStagesAndAWholeEstimation) {
    const Json all = record({"unbiased", "--sides", "24"});
    const Json& table = all["unbiased"];
    const Json& side = table["sides"]["24"];
    const double bandwidth = table["bytes_per_second"].get<double>();
    for (const char* stage : {"force", "smooth", "update"}) {
        ASSERT_TRUE(side["stages"].contains(stage)) << side.dump(1);
        for (const auto& [name, part] : side["stages"][stage].items())
            EXPECT_NEAR(part["floor_seconds"].get<double>() * bandwidth,
                        part["declared_bytes"].get<double>(), 1e-3)
                << name;
    }
    ASSERT_FALSE(side["whole"].empty());
    for (const auto& [name, whole] : side["whole"].items()) {
        EXPECT_GT(whole["seconds"].get<double>(), 0) << name;
        const int iterations = whole["iterations"].get<int>();
        EXPECT_TRUE(name.starts_with("default") ? iterations > 0 : iterations == 300) << name;
    }
}

TEST_F(BenchCommand, TableLeavesOutCpuFormsThatTakeTooLong) {
    const Json all = record({"clg-table", "--sides", "16,24,32", "--cpu-seconds", "0.000001"});
    const Json& sides = all["clg-table"]["sides"];
    // The first side tells how long a voxel takes; nothing after it is run, nothing extrapolated.
    EXPECT_TRUE(sides["16"].contains("reference_one_thread_seconds"));
    for (const char* side : {"24", "32"})
        if (sides.contains(side) && sides[side].is_object()) {
            EXPECT_FALSE(sides[side].contains("reference_one_thread_seconds"));
            EXPECT_FALSE(sides[side].contains("cpu_all_threads_seconds"));
        }
}

TEST_F(BenchCommand, FloorOfTheSweepsIsSixtyBytesAVoxel) {
    const Json all = record({"floors", "--sides", "24"});
    const Json& floors = all["floors"];
    const bool device = floors.contains("sides");
    const Json& stage = device ? floors["sides"]["24"]["solve"]["direct"] : floors["cpu"]["solve"];
    const double bandwidth = device ? floors["copy_bytes_per_second"].get<double>()
                                    : floors["cpu"]["triad_bytes_per_second"].get<double>();
    // Three warps of 50 sweeps.
    EXPECT_NEAR(stage["floor_seconds"].get<double>() * bandwidth, 60.0 * 24 * 24 * 24 * 150, 1);
    EXPECT_NEAR(stage["time_over_floor"].get<double>() * stage["floor_seconds"].get<double>(),
                stage["seconds"].get<double>(), 1e-9);
}

TEST_F(BenchCommand, PairsComeWithTheirEndpointError) {
    const Json all = record({"pairs", "--sides", "48", "--cpu-seconds", "60"});
    const Json& side = all["pairs"]["sides"]["48"];
    // The mean motion in the wall of this phantom is 2.6 voxels: what stands still has that error.
    EXPECT_LT(side["cpu"]["error_voxel"].get<double>(), 0.5);
    if (side.contains("cuda")) {
        EXPECT_NEAR(side["error_difference_voxel"].get<double>(), 0, 0.01);
    }
}

TEST_F(BenchCommand, ASizeIsTheSideOfThePairs) {
    EXPECT_EQ(record({"pairs", "--size", "32", "--cpu-seconds", "60"})["pairs"]["sides"].size(),
              1u);
    EXPECT_THAT(outcome_.output, HasSubstr("32×32×32"));
}

TEST_F(BenchCommand, AnEarlierProgramWithoutFiguresIsRefused) {
    const Outcome outcome = run({"bench", "pairs", "--against", "/bin/true", "--size", "32"});
    testing::expectRefused(outcome, "/bin/true bench pairs wrote no figures");
}

TEST_F(BenchCommand, LiveCountsWhatItShowed) {
    if (run({"bench", "--help"}).output.find("live:") == std::string::npos)
        GTEST_SKIP() << "this build has no viewer";
    if (run({"doctor"}).output.find("none without a window") != std::string::npos)
        GTEST_SKIP() << "there is no OpenGL without a window here";
    const Outcome made =
        run({"phantom", "-o", folder_ / "phantom", "--size", "32", "--frames", "4"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    const Json all =
        record({"live", "--play-seconds", "1", "--file", folder_ / "phantom/sequence.nii.gz"});
    const Json& live = all["live"]["sequence.nii.gz"];
    ASSERT_TRUE(live.contains("host upload")) << all.dump(1);
    // Interop was measured as well, or it is said why not.
    EXPECT_NE(live.contains("cuda-interop"), live.contains("no_interop"));
    for (const char* way : {"as fast as possible", "25 frames per second"}) {
        const Json& figures = live["host upload"][way];
        EXPECT_GT(figures["pictures_per_second"].get<double>(), 0) << way;
        EXPECT_GT(figures["estimations_per_second"].get<double>(), 0) << way;
        // Two volumes at least go to OpenGL in some picture; a mean of zero would be no upload.
        EXPECT_GT(figures["bytes_from_host_to_gl_a_picture"].get<double>(), 0) << way;
        EXPECT_GE(figures["picture_latency_seconds_p95"].get<double>(),
                  figures["picture_latency_seconds_p50"].get<double>());
        // A motion is shown in a picture that was finished after its frame was due.
        EXPECT_GT(figures["motion_latency_seconds_p50"].get<double>(), 0) << way;
    }
    // No more frames than the clock has can be due.
    EXPECT_LE(live["host upload"]["25 frames per second"]["frames_per_second"].get<double>(), 26.5);
}

} // namespace
} // namespace systole
