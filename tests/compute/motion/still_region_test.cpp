// Surroundings without data: found where they stand still, left alone where tissue moves in front
// of them, and without an effect on the motion beside them.
#include "compute/methods/clg/clg.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/ops/still_region.h"
#include "tests/support/compute_support.h"
#include "tests/support/speckle_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace systole {
namespace {

using test::SpecklePair;
using test::TestField;
using test::TestVolume;

constexpr Size3 size{48, 44, 40};

class StillRegion : public testing::Test {
protected:
    bool find(VolumeView<const float> fixed, VolumeView<const float> moving) {
        std::vector<std::uint8_t> kinds(fixed.voxels());
        counts.assign(fixed.voxels(), 7);
        return findStillRegion(fixed, moving, {kinds.data(), fixed.size},
                               {counts.data(), fixed.size}, resources.context());
    }
    VolumeView<std::uint8_t> countsView() { return {counts.data(), size}; }

    /// Mean error in the sector, two voxels and more from its edge.
    double errorInSector(SpecklePair& pair, MotionEstimator& estimator) {
        MotionInput input;
        input.fixed = pair.fixed.view();
        input.moving = pair.moving.view();
        input.scale = {0, 230};
        TestField field(pair.size);
        estimator.estimate(input, field.view(), resources.context());
        double sum = 0;
        int voxels = 0;
        for (int z = 8; z < pair.size.z - 2; ++z)
            for (int y = 2; y < pair.size.y - 2; ++y)
                for (int x = 2; x < pair.size.x - 2; ++x) {
                    bool inner = true;
                    for (const int d : {-2, 2})
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
    std::vector<std::uint8_t> counts;
};

TEST_F(StillRegion, WhatGradientsReachIsLeftOutOfAStillSector) {
    SpecklePair pair(size);
    test::cutToSector(pair.fixed.view());
    test::cutToSector(pair.moving.view());
    ASSERT_TRUE(find(pair.fixed.view(), pair.moving.view()));
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const bool inside = test::inSector(size, x, y, z);
                bool deep = inside, besideEdge = false;
                for (int dz = -3; dz <= 3; ++dz)
                    for (int dy = -3; dy <= 3; ++dy)
                        for (int dx = -3; dx <= 3; ++dx)
                            if (z + dz >= 0 && z + dz < size.z)
                                deep = deep && test::inSector(size, x + dx, y + dy, z + dz);
                for (const int d : {-1, 1})
                    besideEdge = besideEdge || !test::inSector(size, x + d, y, z) ||
                                 !test::inSector(size, x, y + d, z);
                if (deep) {
                    EXPECT_EQ(countsView()(x, y, z), 1) << x << " " << y << " " << z;
                }
                // Corners of the pyramid are empty voxels' neighbors only across an edge.
                if (!inside && besideEdge && std::abs(x - size.x / 2) + 4 < 3 + z / 2) {
                    EXPECT_EQ(countsView()(x, y, z), 0) << x << " " << y << " " << z;
                }
            }
}

TEST_F(StillRegion, TissueThatMovesBeforeAnEmptyBackgroundCounts) {
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

TEST_F(StillRegion, FramesWithoutEmptyVoxelsCountEverywhere) {
    SpecklePair pair(size);
    EXPECT_FALSE(find(pair.fixed.view(), pair.moving.view()));
    EXPECT_EQ(counts[0], 7) << "nothing is written";
}

TEST_F(StillRegion, AConstantFrameHasNoEdge) {
    TestVolume constant(size, [](double, double, double) { return 40.0; });
    EXPECT_FALSE(find(constant.view(), constant.view()));
}

TEST_F(StillRegion, ADecimatedVoxelCountsIfItsNeighborsDo) {
    const Size3 fine{6, 5, 4}, coarse{3, 3, 4};
    std::vector<std::uint8_t> in(fine.voxels(), 1), out(coarse.voxels(), 9);
    const VolumeView<std::uint8_t> finer(in.data(), fine), result(out.data(), coarse);
    finer(3, 2, 1) = 0;
    decimateStillRegion(finer, {2, 2, 1}, result, resources.context());
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 3; ++x) {
                const bool near = z == 1 && y == 1 && std::abs(2 * x - 3) <= 1;
                EXPECT_EQ(result(x, y, z), near ? 0 : 1) << x << y << z;
            }
}

TEST_F(StillRegion, ItsMaskIsTheGivenOneWithoutIt) {
    const Size3 row{4, 1, 1};
    std::vector<std::uint8_t> in{1, 0, 1, 0};
    TestVolume given(row, [](double x, double, double) { return 0.2 * (x + 1); }),
        mask(row, [](double, double, double) { return 9; });
    countedMask({in.data(), row}, {}, mask.view(), resources.context());
    EXPECT_EQ(mask.voxels, (std::vector<float>{1, 0, 1, 0}));
    countedMask({in.data(), row}, given.view(), mask.view(), resources.context());
    EXPECT_EQ(mask.voxels, (std::vector<float>{given.voxels[0], 0, given.voxels[2], 0}));
}

TEST_F(StillRegion, ASectorDoesNotHoldTheTissueInIt) {
    const ParamSet clg(clgParameterTable(), "default");
    const auto ffd = FfdParameters::from(ParamSet(*ffdMethod().parameters, "default"));
    for (const Backend backend : {Backend::Cpu, Backend::CpuReference})
        for (const bool spline : {false, true}) {
            const std::unique_ptr<MotionEstimator> estimator =
                spline ? makeFfd(ffd, backend) : makeClg(clg, backend);
            SpecklePair whole({44, 40, 36}), cut({44, 40, 36});
            const double free = errorInSector(whole, *estimator);
            test::cutToSector(cut.fixed.view());
            test::cutToSector(cut.moving.view());
            // Less is seen of the same motion, so that some loss remains.
            EXPECT_LT(errorInSector(cut, *estimator), 3 * free + 0.05)
                << name(backend) << (spline ? " ffd" : " clg");
        }
}

TEST_F(StillRegion, WhereNothingElseRemainsAllCounts) {
    TestVolume dot(size, [](double x, double y, double z) {
        return x == 20 && y == 20 && z == 20 ? 255.0 : 0.0;
    });
    ASSERT_TRUE(find(dot.view(), dot.view()));
    ASSERT_EQ(std::count(counts.begin(), counts.end(), 1), 0);
    MotionInput input;
    input.fixed = input.moving = dot.view();
    TestField field(size);
    const auto estimator =
        makeFfd(FfdParameters::from(ParamSet(*ffdMethod().parameters, "default")), Backend::Cpu);
    EXPECT_NO_THROW(estimator->estimate(input, field.view(), resources.context()));
    for (const float v : field.values)
        ASSERT_NEAR(v, 0, 0.01);
}

} // namespace
} // namespace systole
