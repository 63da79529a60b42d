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
    double errorInSector(SpecklePair& pair, MotionEstimator& estimator, int margin = 2) {
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

TEST_F(StillRegion, OnlyWhatLiesOutsideOfAStillSectorIsLeftOut) {
    SpecklePair pair(size);
    test::cutToSector(pair.fixed.view());
    test::cutToSector(pair.moving.view());
    ASSERT_TRUE(find(pair.fixed.view(), pair.moving.view()));
    const Size3 half{24, 22, 20};
    const std::vector<std::uint8_t> fine = marked({1, 1, 1}, size),
                                    coarse = marked({2, 2, 2}, half);
    std::vector<std::uint8_t> expected(half.voxels());
    std::size_t leftOut = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const bool counts = fine[pair.fixed.view().offset(x, y, z)];
                leftOut += !counts;
                if (test::inSector(size, x, y, z)) {
                    EXPECT_TRUE(counts) << x << " " << y << " " << z;
                }
                // A coarse voxel lies between eight and counts if one of them does.
                expected[VolumeView<float>(nullptr, half).offset(x / 2, y / 2, z / 2)] |=
                    counts ? 1 : 0;
            }
    EXPECT_EQ(coarse, expected);
    EXPECT_GT(leftOut, size.voxels() / 4);
}

TEST_F(StillRegion, FramesAreExtendedBeyondTheSectorOnly) {
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
                } else if (kindsView()(x, y, z) == still::emptyInBoth) {
                    EXPECT_GT(cut.fixed.view()(x, y, z), 0) << x << " " << y << " " << z;
                    EXPECT_GT(cut.moving.view()(x, y, z), 0) << x << " " << y << " " << z;
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

TEST_F(StillRegion, FramesWithoutEmptyVoxelsHaveNone) {
    SpecklePair pair(size);
    EXPECT_FALSE(find(pair.fixed.view(), pair.moving.view()));
}

TEST_F(StillRegion, AConstantFrameHasNoEdge) {
    TestVolume constant(size, [](double, double, double) { return 40.0; });
    EXPECT_FALSE(find(constant.view(), constant.view()));
}

TEST_F(StillRegion, WhatGradientsReachFromItIsMarkedForMethodsThatDoNotExtend) {
    SpecklePair pair(size);
    test::cutToSector(pair.fixed.view());
    test::cutToSector(pair.moving.view());
    ASSERT_TRUE(find(pair.fixed.view(), pair.moving.view()));
    std::vector<std::uint8_t> counts(size.voxels());
    const VolumeView<std::uint8_t> view(counts.data(), size);
    markBesideStillRegion(kindsView(), view, resources.context());
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                bool deep = true, empty = false;
                for (int dz = -2; dz <= 2; ++dz)
                    for (int dy = -2; dy <= 2; ++dy)
                        for (int dx = -2; dx <= 2; ++dx) {
                            const int i = x + dx, j = y + dy, k = z + dz;
                            if (i < 0 || j < 0 || k < 0 || i >= size.x || j >= size.y ||
                                k >= size.z)
                                continue;
                            const bool none = kindsView()(i, j, k) == still::emptyInBoth;
                            deep = deep && !none;
                            empty =
                                empty || (none && std::abs(dx) + std::abs(dy) + std::abs(dz) <= 2);
                        }
                if (deep) {
                    EXPECT_EQ(view(x, y, z), 1) << x << " " << y << " " << z;
                }
                if (empty) {
                    EXPECT_EQ(view(x, y, z), 0) << x << " " << y << " " << z;
                }
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
            const std::string which = std::string(name(backend)) + (spline ? " ffd" : " clg");
            SpecklePair whole({44, 40, 36}), cut({44, 40, 36});
            const double free = errorInSector(whole, *estimator);
            const double freeToTheEdge = errorInSector(whole, *estimator, 0);
            test::cutToSector(cut.fixed.view());
            test::cutToSector(cut.moving.view());
            // Less is seen of the same motion, so that some loss remains.
            EXPECT_LT(errorInSector(cut, *estimator), (spline ? 3 : 2) * free + 0.05) << which;
            if (!spline) {
                EXPECT_LT(errorInSector(cut, *estimator, 0), 3 * freeToTheEdge + 0.05)
                    << which << ", up to the edge";
            }
        }
}

TEST_F(StillRegion, WhereNothingElseRemainsAllCounts) {
    TestVolume dot(size, [](double x, double y, double z) {
        return x == 20 && y == 20 && z == 20 ? 255.0 : 0.0;
    });
    ASSERT_TRUE(find(dot.view(), dot.view()));
    std::vector<std::uint8_t> counts(size.voxels());
    markBesideStillRegion(kindsView(), {counts.data(), size}, resources.context());
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
