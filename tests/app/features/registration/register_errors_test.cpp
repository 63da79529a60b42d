// systole register on input that can't be registered: a sentence or a sound result, never garbage.
#include "tests/app/features/registration/register_support.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <thread>

namespace systole {
namespace {

namespace fs = std::filesystem;
using namespace systole::testing;

class RegisterErrors : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        writeOrgan(path("fixed.nii.gz"), grid());
        writeOrgan(path("moving.nii.gz"), grid(), {identity3, {2, 0, 1}});
    }
    static void TearDownTestSuite() { folder_.reset(); }
    static std::string path(const std::string& name) { return *folder_ / name; }
    static Geometry grid() { return gridAround({0, 0, 0}, {28, 26, 24}, {2, 2, 2}); }

    static Outcome reg(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "register");
        arguments.insert(arguments.end(), {"-o", path("out"), "--overwrite"});
        return run(arguments);
    }
    /// One line on stderr, no result.
    static void expectRefused(const std::vector<std::string>& arguments, int exitCode,
                              const std::string& mentioned) {
        fs::remove_all(path("out"));
        testing::expectRefused(reg(arguments), mentioned, exitCode);
        EXPECT_FALSE(fs::exists(path("out"))) << "an empty folder is left";
    }
    static void writeGray(const std::string& name, const Geometry& where, float gray) {
        const std::vector<float> voxels(where.voxels(), gray);
        writeVolume(path(name), where, {voxels.data(), where.size()});
    }

    static std::unique_ptr<TemporaryFolder> folder_;
    BufferPool pool;
};
std::unique_ptr<TemporaryFolder> RegisterErrors::folder_;

TEST_F(RegisterErrors, WrongCommandLines) {
    const std::string fixed = path("fixed.nii.gz"), moving = path("moving.nii.gz");
    expectRefused({fixed}, 2, "MOVING");
    expectRefused({fixed, moving, "--method", "wishes"}, 2, "wishes");
    expectRefused({fixed, moving, "--format", "ants"}, 2, "ants");
    expectRefused({fixed + "@3", moving}, 2, "no frame 3");
    expectRefused({fixed + "@0", moving, "--fixed-frame", "0"}, 2, "already");
    expectRefused({fixed, moving, "--affine", "--no-affine"}, 2, "affine");
    expectRefused({fixed, moving, "--fixed-labels", fixed}, 2, "--moving-labels");
    expectRefused({fixed, moving, "--initial", "a.txt", "--transform", "b.txt"}, 2, "--initial");
    expectRefused({fixed, moving, "--fixed-points", "a.csv"}, 2, "--moving-points");
    expectRefused({fixed, moving, "--affine-set", "levels"}, 2, "NAME=VALUE");
    expectRefused({fixed, moving, "--affine-set", "levles=2"}, 2, "levels");
    expectRefused({fixed, moving, "--method", "demons", "--preset", "paper"}, 2, "no preset paper");
    expectRefused({fixed, moving, "--warp", moving, "--warp", moving}, 2, "moving_warped.nii.gz");
    expectRefused({fixed, moving, "--method", "demons", "--alpha", "5"}, 2, "alpha");
}

TEST_F(RegisterErrors, ImagesThatDontOverlap) {
    writeOrgan(path("far.nii.gz"), gridAround({500, 0, 0}, {20, 20, 20}, {2, 2, 2}),
               {identity3, {500, 0, 0}});
    expectRefused({path("fixed.nii.gz"), path("far.nii.gz"), "--method", "demons"}, 1,
                  "don't overlap");
    writeText(path("there.txt"), "1 0 0 500\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    const Outcome brought = reg({path("fixed.nii.gz"), path("far.nii.gz"), "--method", "demons",
                                 "--initial", path("there.txt"), "--backend", "cpu"});
    EXPECT_EQ(brought.exitCode, 0) << brought.errors;
    const auto record = registration(path("out"));
    EXPECT_TRUE(record["similarity"]["before"]["ncc"].is_null());
    EXPECT_GT(record["similarity"]["after"]["ncc"], 0.99);
    // An affine registration brings their centers together by itself.
    const Outcome found =
        reg({path("fixed.nii.gz"), path("far.nii.gz"), "--method", "affine", "--backend", "cpu"});
    EXPECT_EQ(found.exitCode, 0) << found.errors;
    EXPECT_LT(
        errorOf(readField(path("out/displacement.mha"), pool), AffineMap{identity3, {500, 0, 0}}),
        1.0);
}

TEST_F(RegisterErrors, ConstantImages) {
    writeGray("flat.nii.gz", grid(), 7);
    expectRefused({path("flat.nii.gz"), path("moving.nii.gz"), "--method", "demons"}, 1,
                  "the fixed image is constant");
    expectRefused({path("fixed.nii.gz"), path("flat.nii.gz"), "--method", "clg"}, 1,
                  "the moving image is constant");
    expectRefused({path("fixed.nii.gz"), path("flat.nii.gz"), "--method", "affine"}, 1, "constant");
}

TEST_F(RegisterErrors, Masks) {
    writeGray("empty.nii.gz", grid(), 0);
    writeGray("small.nii.gz", gridAround({0, 0, 0}, {14, 13, 12}, {4, 4, 4}), 1);
    writeGray("elsewhere.nii.gz", gridAround({9, 0, 0}, {28, 26, 24}, {2, 2, 2}), 1);
    const std::string fixed = path("fixed.nii.gz"), moving = path("moving.nii.gz");
    expectRefused({fixed, moving, "--fixed-mask", path("empty.nii.gz")}, 1, "the mask is empty");
    expectRefused({fixed, moving, "--moving-mask", path("small.nii.gz")}, 1, "found 14×13×12");
    expectRefused({fixed, moving, "--fixed-mask", path("elsewhere.nii.gz")}, 1,
                  "the mask lies on another grid");
    std::vector<float> voxels(grid().voxels());
    for (const char* name : {"first.nii.gz", "last.nii.gz"}) {
        voxels.front() = name[0] == 'f' ? 1 : 0;
        voxels.back() = 1 - voxels.front();
        writeVolume(path(name), grid(), {voxels.data(), grid().size()});
    }
    expectRefused({fixed, fixed, "--method", "demons", "--no-affine", "--fixed-mask",
                   path("first.nii.gz"), "--moving-mask", path("last.nii.gz")},
                  1, "no voxel in common");
}

TEST_F(RegisterErrors, LabelMaps) {
    const std::string fixed = path("fixed.nii.gz"), moving = path("moving.nii.gz");
    expectRefused({fixed, moving, "--fixed-labels", fixed, "--moving-labels", moving}, 1,
                  "whole numbers");
}

TEST_F(RegisterErrors, MasksAndLabelsThatAreNotFinite) {
    const std::string fixed = path("fixed.nii.gz"), moving = path("moving.nii.gz");
    std::vector<float> voxels(grid().voxels(), 1);
    voxels[100] = std::numeric_limits<float>::quiet_NaN();
    writeVolume(path("nan.nii.gz"), grid(), {voxels.data(), grid().size()});
    expectRefused({fixed, moving, "--fixed-mask", path("nan.nii.gz")}, 1, "not finite");
    expectRefused({fixed, moving, "--fixed-labels", path("nan.nii.gz"), "--moving-labels",
                   path("nan.nii.gz")},
                  1, "not finite");
    std::ranges::fill(voxels, std::numeric_limits<float>::quiet_NaN());
    writeVolume(path("nothing.nii.gz"), grid(), {voxels.data(), grid().size()});
    expectRefused({path("nothing.nii.gz"), moving}, 1, "no finite number");
}

TEST_F(RegisterErrors, ImagesOfTwoDimensionsOrOneSlice) {
    writeOrgan(path("slice.nii.gz"), gridAround({0, 0, 0}, {28, 26, 1}, {2, 2, 8}));
    writeOrgan(path("column.nii.gz"), gridAround({0, 0, 0}, {1, 26, 20}, {2, 2, 8}));
    expectRefused({path("slice.nii.gz"), path("moving.nii.gz")}, 1, "two-dimensional");
    expectRefused({path("fixed.nii.gz"), path("column.nii.gz")}, 1, "two-dimensional");
}

TEST_F(RegisterErrors, TransformsThatAreNone) {
    writeText(path("words.txt"), "no transform\n");
    const std::string fixed = path("fixed.nii.gz"), moving = path("moving.nii.gz");
    expectRefused({fixed, moving, "--transform", path("words.txt")}, 1, "words.txt");
    expectRefused({fixed, moving, "--transform", path("missing.tfm")}, 1, "missing.tfm");
    expectRefused({fixed, moving, "--transform", moving}, 1, "is not a displacement field");
    expectRefused({fixed, moving, "--initial", fixed, "--method", "demons"}, 1,
                  "is not a displacement field");
}

TEST_F(RegisterErrors, ThickSlicesGiveASoundResult) {
    // 0.7 × 0.7 × 10 mm, the pictures of a short-axis cine.
    const Geometry thick = gridAround({0, 0, 0}, {70, 66, 6}, {0.7, 0.7, 10});
    writeOrgan(path("thick.nii.gz"), thick);
    writeOrgan(path("thick_moved.nii.gz"), thick, {identity3, {2, -1.5, 0}});
    const Outcome done = reg(
        {path("thick.nii.gz"), path("thick_moved.nii.gz"), "--method", "clg", "--backend", "cpu"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const auto record = registration(path("out"));
    EXPECT_GT(record["similarity"]["after"]["ncc"], 0.99);
    EXPECT_EQ(record["jacobian"]["folded_percent"], 0);
    EXPECT_LT(
        errorOf(readField(path("out/displacement.mha"), pool), AffineMap{identity3, {2, -1.5, 0}}),
        1.0);
}

TEST_F(RegisterErrors, AnInterruptLeavesNoPartialFile) {
    const Geometry large = gridAround({0, 0, 0}, {150, 150, 150}, {0.4, 0.4, 0.4});
    for (const double phase : {0.0, 0.3}) {
        const std::vector<float> waves = sampled(
            large, [&](Vec3 p) { return 100 + 50 * std::sin(0.5 * p.x + 0.3 * p.y + phase); });
        writeVolume(path(phase == 0 ? "large.nii.gz" : "large_moved.nii.gz"), large,
                    {waves.data(), large.size()});
    }
    const std::string out = path("interrupted");
    Program program({"register", path("large.nii.gz"), path("large_moved.nii.gz"), "-o", out,
                     "--method", "clg", "--backend", "cpu"});
    // The folder is made before the images are read.
    while (!fs::exists(out) && program.running())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.signal(SIGINT);
    const Outcome outcome = program.wait();
    if (outcome.exitCode == 0)
        GTEST_SKIP() << "it ended before it was interrupted";
    EXPECT_EQ(outcome.exitCode, 130) << outcome.errors;
    EXPECT_TRUE(!fs::exists(out) || fs::is_empty(out));
}

} // namespace
} // namespace systole
