// Surroundings without data: found where they stand still, left alone where tissue moves in front
// of them, and without an effect on the motion beside them.
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/still_region.h"
#include "tests/support/compute_support.h"
#include "tests/support/speckle_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace systole {
namespace {

using test::SpecklePair;
using test::TestField;
using test::TestVolume;

constexpr Size3 size{48, 44, 40};

class ClgStillRegion : public testing::Test {
protected:
    bool find(VolumeView<const float> fixed, VolumeView<const float> moving) {
        kinds.assign(fixed.voxels(), 7);
        return findStillRegion(fixed, moving, kindsView(), resources.context());
    }
    VolumeView<std::uint8_t> kindsView() { return {kinds.data(), size}; }
    std::vector<std::uint8_t> marked(std::array<int, 3> factor, Size3 coarse) {
        std::vector<std::uint8_t> counts(coarse.voxels());
        markStillRegion(kindsView(), factor, {counts.data(), coarse}, resources.context());
        return counts;
    }

    /// Mean error in the sector, `margin` voxels and more from its edge.
    double errorInSector(SpecklePair& pair, Backend backend, int margin = 2) {
        MotionInput input;
        input.fixed = pair.fixed.view();
        input.moving = pair.moving.view();
        input.scale = {0, 230};
        TestField field(pair.size);
        makeClg(ParamSet(clgParameterTable(), "default"), backend)
            ->estimate(input, field.view(), resources.context());
        double sum = 0;
        int voxels = 0;
        for (int z = 8; z < pair.size.z - 2; ++z)
            for (int y = 2; y < pair.size.y - 2; ++y)
                for (int x = 2; x < pair.size.x - 2; ++x) {
                    bool inner = true;
                    for (const int d : {-margin, margin})
                        inner = inner && test::inSector(pair.size, x + d, y, z) &&
                                test::inSector(pair.size, x, y + d, z);
                    if (!inner)
                        continue;
                    double squared = 0;
                    for (int k = 0; k < 3; ++k)
                        squared += std::pow(field.view().componentView(k)(x, y, z) -
                                                pair.truth.view().componentView(k)(x, y, z),
                                            2);
                    sum += std::sqrt(squared);
                    ++voxels;
                }
        return sum / voxels;
    }

    ExecResources resources{2};
    std::vector<std::uint8_t> kinds;
};

TEST_F(ClgStillRegion, OnlyWhatLiesOutsideOfAStillSectorIsLeftOut) {
    SpecklePair pair(size);
    test::cutToSector(pair.fixed.view());
    test::cutToSector(pair.moving.view());
    ASSERT_TRUE(find(pair.fixed.view(), pair.moving.view()));
    const std::vector<std::uint8_t> fine = marked({1, 1, 1}, size),
                                    coarse = marked({2, 2, 2}, {24, 22, 20});
    std::size_t leftOut = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const bool counts = fine[pair.fixed.view().offset(x, y, z)];
                leftOut += !counts;
                if (test::inSector(size, x, y, z)) {
                    EXPECT_TRUE(counts) << x << " " << y << " " << z;
                }
                if (x % 2 == 0 && y % 2 == 0 && z % 2 == 0) {
                    EXPECT_EQ(coarse[VolumeView<float>(nullptr, {24, 22, 20})
                                         .offset(x / 2, y / 2, z / 2)],
                              counts);
                }
            }
    EXPECT_GT(leftOut, size.voxels() / 4);
}

TEST_F(ClgStillRegion, FramesAreExtendedBeyondTheSectorOnly) {
    SpecklePair whole(size), cut(size);
    test::cutToSector(cut.fixed.view());
    test::cutToSector(cut.moving.view());
    ASSERT_TRUE(find(cut.fixed.view(), cut.moving.view()));
    std::vector<float> scratch(3 * size.voxels());
    extendIntoStillRegion(kindsView(), cut.fixed.view(), cut.moving.view(), scratch.data(),
                          resources.context());
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                if (test::inSector(size, x, y, z)) {
                    EXPECT_EQ(cut.fixed.view()(x, y, z), whole.fixed.view()(x, y, z));
                    EXPECT_EQ(cut.moving.view()(x, y, z), whole.moving.view()(x, y, z));
                } else if (kindsView()(x, y, z) == clg::emptyInBoth) {
                    EXPECT_GT(cut.fixed.view()(x, y, z), 0) << x << " " << y << " " << z;
                    EXPECT_GT(cut.moving.view()(x, y, z), 0) << x << " " << y << " " << z;
                }
            }
}

TEST_F(ClgStillRegion, TissueThatMovesBeforeAnEmptyBackgroundCounts) {
    const auto ball = [](double center) {
        return [=](double x, double y, double z) {
            const double r = std::hypot(x - center, y - 22, z - 20);
            return r < 14 ? 100 + 40 * std::sin(0.9 * (x - center)) * std::cos(0.7 * y) : 0.0;
        };
    };
    TestVolume fixed(size, ball(22)), moving(size, ball(24.5)), same(size, ball(22));
    EXPECT_FALSE(find(fixed.view(), moving.view()));
    EXPECT_TRUE(find(fixed.view(), same.view())) << "the same ball at rest";
}

TEST_F(ClgStillRegion, FramesWithoutEmptyVoxelsHaveNone) {
    SpecklePair pair(size);
    EXPECT_FALSE(find(pair.fixed.view(), pair.moving.view()));
}

TEST_F(ClgStillRegion, AConstantFrameHasNoEdge) {
    TestVolume constant(size, [](double, double, double) { return 40.0; });
    EXPECT_FALSE(find(constant.view(), constant.view()));
}

TEST_F(ClgStillRegion, ASectorDoesNotHoldTheTissueInIt) {
    for (const Backend backend : {Backend::Cpu, Backend::CpuReference}) {
        SpecklePair whole({44, 40, 36}), cut({44, 40, 36});
        const double free = errorInSector(whole, backend);
        test::cutToSector(cut.fixed.view());
        test::cutToSector(cut.moving.view());
        // Less is seen of the same motion, so that some loss remains.
        EXPECT_LT(errorInSector(cut, backend), 2 * free + 0.05) << name(backend);
        EXPECT_LT(errorInSector(cut, backend, 0), 3 * errorInSector(whole, backend, 0) + 0.05)
            << name(backend) << ", up to the edge";
    }
}

} // namespace
} // namespace systole
