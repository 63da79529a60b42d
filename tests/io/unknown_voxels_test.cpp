// Files that hold NaN where nothing was recorded, as outside of a probe's sector: from the file to
// the motion, which is that of a mask.
#include "compute/motion/methods.h"
#include "compute/motion/pair_estimator.h"
#include "io/formats/writer.h"
#include "io/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace systole {
namespace {

using ::testing::HasSubstr;

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

class UnknownVoxelsOfFiles : public ::testing::Test {
protected:
    UnknownVoxelsOfFiles() { std::filesystem::create_directories(folder); }
    ~UnknownVoxelsOfFiles() override { std::filesystem::remove_all(folder); }

    static bool inSector(int x, int z) { return std::abs(x - 12) < 8 + z / 4; }

    /// A frame whose texture has moved by `shift` voxels along x, `outside` of the sector as given.
    std::string write(const std::string& name, float shift, float outside) {
        std::vector<float> voxels;
        for (int z = 0; z < 20; ++z)
            for (int y = 0; y < 22; ++y)
                for (int x = 0; x < 24; ++x) {
                    const float at = static_cast<float>(x) - shift;
                    voxels.push_back(
                        inSector(x, z)
                            ? 100 + 40 * std::sin(at / 2.5f) * std::cos(static_cast<float>(y) / 3) +
                                  20 * std::sin(static_cast<float>(z) / 2 + at / 4)
                            : outside);
                }
        std::string path = (folder / (name + ".nii.gz")).string();
        writeVolume(path, grid, {voxels.data(), grid.size()});
        return path;
    }
    std::shared_ptr<Volume> read(const std::string& path, bool accept = true) {
        return std::make_shared<Volume>(
            decodeFrame(openSequence({path}, {.acceptUnknown = accept}), 0, resources.pool(), "f"));
    }
    std::shared_ptr<const VectorField> motion(const std::shared_ptr<const Volume>& fixed,
                                              const std::shared_ptr<const Volume>& moving) {
        const MotionMethod& clg = motionMethod("clg");
        PairEstimator pairs({});
        pairs.begin({.make = estimatorMaker(clg, ParamSet(*clg.parameters, "default")),
                     .scale = {40, 160}});
        return pairs.estimate({fixed, moving, 0, 1}, resources.context()).field;
    }

    const Geometry grid{{24, 22, 20}, {2, 2, 2}};
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) /
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    ExecResources resources{1};
};

TEST_F(UnknownVoxelsOfFiles, AreRefusedUnlessAccepted) {
    const std::string path = write("a", 0, nothing);
    try {
        read(path, false);
        FAIL() << "they are read";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("not finite"));
    }
    const auto frame = read(path);
    ASSERT_TRUE(frame->known);
    const float smallest = *std::ranges::min_element(frame->view().span());
    for (int z = 0; z < 20; ++z)
        for (int x = 0; x < 24; ++x) {
            ASSERT_EQ(frame->known->view()(x, 5, z), inSector(x, z) ? 1.0f : 0.0f);
            EXPECT_TRUE(inSector(x, z) || frame->view()(x, 5, z) == smallest);
        }
    EXPECT_FALSE(read(write("b", 0, 0))->known) << "all voxels are known";
}

TEST_F(UnknownVoxelsOfFiles, CountForMotionAsOutsideOfAMask) {
    const auto fixed = read(write("f", 0, nothing)), moving = read(write("m", 1.4f, nothing));
    const auto found = motion(fixed, moving);
    // References with the same gray values but without known(): without masks, and with the masks
    // given.
    auto without = read(write("w", 0, nothing));
    auto other = read(write("o", 1.4f, nothing));
    without->known.reset();
    other->known.reset();
    const auto unmasked = motion(without, other);
    const MotionMethod& clg = motionMethod("clg");
    const auto estimator = clg.make(ParamSet(*clg.parameters, "default"), Backend::Cpu);
    MotionInput input;
    input.fixed = fixed->view();
    input.moving = moving->view();
    input.spacing = grid.spacing();
    input.grids = FrameGrids{grid, grid};
    input.scale = {40, 160};
    input.fixedMask = fixed->known->view();
    input.movingMask = moving->known->view();
    VectorField masked(grid, resources.pool(), "masked");
    std::fill_n(masked.view().u, 3 * grid.voxels(), 0.0f);
    estimator->estimate(input, masked.view(), resources.context());
    double inside = 0, voxels = 0, differs = 0;
    for (std::size_t i = 0; i < 3 * grid.voxels(); ++i) {
        ASSERT_TRUE(std::isfinite(found->components.data()[i]));
        ASSERT_EQ(found->components.data()[i], masked.components.data()[i]);
        differs += found->components.data()[i] != unmasked->components.data()[i] ? 1 : 0;
    }
    for (int z = 4; z < 16; ++z)
        for (int y = 4; y < 18; ++y)
            for (int x = 6; x < 18; ++x, ++voxels)
                inside += static_cast<double>(found->view().componentView(0)(x, y, z));
    EXPECT_GT(differs, 0) << "the mask has an effect";
    EXPECT_NEAR(inside / voxels, 1.4, 0.3);
}

} // namespace
} // namespace systole
