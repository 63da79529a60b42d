// Affine registration of scenes of which the truth is known.
#include "compute/core/error.h"
#include "compute/methods/ffd/affine.h"
#include "compute/ops/resample.h"
#include "compute/ops/two_grids.h"
#include "io/phantom/phantom.h"
#include "tests/support/affine_scene.h"

#include <gmock/gmock.h>

#include <limits>

namespace systole {
namespace {

using test::BlobScene;
using test::centeredGrid;
using test::largestDistance;
using test::turned;
using testing::HasSubstr;

/// Half of the diagonal corner's coordinates: points within 52 mm of the origin.
constexpr double radius = 30;

struct Pair {
    Geometry fixedGrid, movingGrid;
    std::vector<float> fixed, moving, fixedMask, movingMask;

    MotionInput input() const {
        MotionInput in;
        in.fixed = {fixed.data(), fixedGrid.size()};
        in.moving = {moving.data(), movingGrid.size()};
        in.grids = FrameGrids{fixedGrid, movingGrid};
        if (!fixedMask.empty())
            in.fixedMask = {fixedMask.data(), fixedGrid.size()};
        if (!movingMask.empty())
            in.movingMask = {movingMask.data(), movingGrid.size()};
        return in;
    }
};

Pair pairOf(const AffineMap& truth, const Geometry& fixed, const Geometry& moving,
            std::uint64_t seed = 1) {
    const BlobScene scene(seed);
    return {fixed, moving, scene.image(fixed, truth), scene.image(moving), {}, {}};
}
Geometry cube() { return centeredGrid({64, 64, 64}, {2, 2, 2}); }

AffineResult registered(const Pair& pair, const AffineParameters& parameters = {},
                        const AffineMap& initial = {}, Backend backend = Backend::Cpu,
                        int threads = 2) {
    ExecResources resources(threads);
    ExecContext ctx = resources.context();
    ctx.backend = backend;
    return registerAffine(pair.input(), initial, parameters, ctx);
}

double error(const Pair& pair, const AffineMap& truth, const AffineParameters& parameters = {}) {
    return largestDistance(registered(pair, parameters).map, truth, radius);
}

AffineParameters rigid() {
    AffineParameters p;
    p.rigid = true;
    return p;
}
AffineParameters symmetric() {
    AffineParameters p;
    p.symmetric = true;
    return p;
}

TEST(Affine, KnownMapsAreFoundToATenthOfAVoxel) {
    const AffineMap maps[] = {
        {identity3, {}},
        {identity3, {20, 0, 0}},
        {identity3, {-7.3, 11.1, 9.7}},
        {turned(15, {0, 0, 1}), {}},
        {turned(-15, {1, 2, -1}), {5, -4, 3}},
        {turned(0, {1, 0, 0}, {1.1, 0.9, 1.05}), {}},
        {turned(12, {2, 1, 1}, {0.92, 1.08, 0.95}), {8, 6, -9}},
    };
    for (const AffineMap& map : maps) {
        const Pair pair = pairOf(map, cube(), cube());
        EXPECT_LT(error(pair, map), 0.2) << map.offset.x;
        EXPECT_LT(error(pair, map, symmetric()), 0.2) << map.offset.x;
    }
}

TEST(Affine, ARigidMapStaysRigid) {
    const AffineMap truth{turned(14, {1, -2, 0.5}), {12, -9, 5}};
    const AffineResult result = registered(pairOf(truth, cube(), cube()), rigid());
    EXPECT_LT(largestDistance(result.map, truth, radius), 0.2);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            double product = 0;
            for (std::size_t k = 0; k < 3; ++k)
                product += result.map.matrix[k][i] * result.map.matrix[k][j];
            EXPECT_NEAR(product, i == j ? 1 : 0, 1e-9);
        }
    EXPECT_NEAR(determinant(result.map.matrix), 1, 1e-9);
}

TEST(Affine, GridsMayDifferInSizeSpacingAndOrientation) {
    const AffineMap truth{turned(10, {1, 1, 2}, {1.05, 0.97, 1}), {6, -8, 4}};
    const Geometry others[] = {
        centeredGrid({90, 70, 50}, {1.3, 1.7, 2.4}, turned(37, {1, 0.3, -0.4})),
        centeredGrid({64, 40, 64}, {2, 3, 2}, turned(180, {0, 0, 1})),
        centeredGrid({110, 110, 12}, {1.1, 1.1, 9}),
    };
    for (const Geometry& other : others) {
        // A tenth of the coarsest spacing.
        const double tenth = 0.1 * std::max(3.0, other.spacing().z);
        EXPECT_LT(error(pairOf(truth, cube(), other), truth), tenth) << other.size().z;
        EXPECT_LT(error(pairOf(truth, other, cube()), truth, symmetric()), tenth) << other.size().z;
    }
}

TEST(Affine, ThePhantomIsFoundAgain) {
    const Phantom phantom(phantomPair({64, 64, 64}));
    const Geometry& grid = phantom.geometry();
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    // The moving image is the phantom, the fixed one the phantom seen through a map.
    Pair pair{grid, grid, std::vector<float>(grid.voxels()), std::vector<float>(grid.voxels()),
              {},   {}};
    phantom.image(0, {pair.moving.data(), grid.size()}, ctx);
    const Vec3 center = grid.center();
    AffineMap truth{turned(11, {0.5, 1, 1}, {1.06, 0.95, 1}), {}};
    truth.offset = center - truth.matrix * center + Vec3{6, -5, 4};
    VectorField field(grid, *ctx.pool, "field");
    std::fill(field.components.span().begin(), field.components.span().end(), 0.0f);
    appendAffine(truth, grid, field.view(), ctx);
    const VectorField& displacement = field;
    warpVolume({pair.moving.data(), grid.size()}, displacement.view(),
               {pair.fixed.data(), grid.size()}, {}, ctx);
    const AffineResult result = registered(pair);
    double largest = 0;
    for (const Vec3& p : {Vec3{-20, -20, -20}, Vec3{20, -20, 20}, Vec3{-20, 20, 20}})
        largest = std::max(largest, length(result.map(center + p) - truth(center + p)));
    EXPECT_LT(largest, 0.1 * grid.spacing().x);
}

TEST(Affine, NoiseAndAThirdThatIsAnotherSceneAreSetAside) {
    const AffineMap truth{turned(9, {1, 2, 3}, {1.04, 0.97, 1.02}), {7, -6, 5}};
    Pair pair = pairOf(truth, cube(), cube());
    const std::vector<float> other = BlobScene(99).image(cube());
    const Size3 n = cube().size();
    for (int z = 0; z < n.z; ++z)
        for (int y = 0; y < n.y; ++y)
            for (int x = 0; x < n.x; ++x) {
                const std::size_t i = VolumeView<float>(nullptr, n).offset(x, y, z);
                if (z < n.z / 3)
                    pair.moving[i] = other[i];
                pair.fixed[i] += 4 * normalPair(randomBits(1, 2, i)).first;
                pair.moving[i] += 4 * normalPair(randomBits(1, 3, i)).first;
            }
    // A third of a voxel.
    EXPECT_LT(error(pair, truth), 0.67);
    EXPECT_LT(error(pair, truth, symmetric()), 0.67);
}

TEST(Affine, MasksLeaveOutWhatMovesOtherwise) {
    // Two scenes in one picture, each with its own motion: the mask says which counts.
    const AffineMap left{turned(8, {0, 1, 0}), {5, 3, -4}}, right{identity3, {-8, -6, 5}};
    const BlobScene scene(4);
    const Geometry grid = cube();
    for (const bool maskOfFixed : {true, false}) {
        Pair pair{grid, grid, scene.image(grid, left), scene.image(grid), {}, {}};
        const std::vector<float> otherwise = scene.image(grid, right);
        std::vector<float> mask(grid.voxels());
        for (std::size_t i = 0; i < mask.size(); ++i) {
            const auto x = static_cast<int>(i % 64);
            mask[i] = x < 26 ? 1 : 0;
            if (x >= 26)
                pair.fixed[i] = otherwise[i];
        }
        (maskOfFixed ? pair.fixedMask : pair.movingMask) = mask;
        const AffineResult result = registered(pair, rigid());
        for (const Vec3& p : {Vec3{-50, -30, -30}, Vec3{-20, 30, 30}, Vec3{-35, 0, 0}})
            EXPECT_LT(length(result.map(p) - left(p)), 0.3);
        // The larger part decides if there is no mask.
        pair.fixedMask.clear();
        pair.movingMask.clear();
        EXPECT_GT(length(registered(pair, rigid()).map({-35, 0, 0}) - left({-35, 0, 0})), 2);
    }
}

TEST(Affine, ASmallMaskIsSeenOnFinerLevels) {
    const AffineMap truth{turned(6, {0, 1, 1}), {3, -4, 2}};
    Pair pair = pairOf(truth, cube(), cube());
    pair.fixedMask.assign(cube().voxels(), 0);
    for (int z = 24; z < 40; ++z)
        for (int y = 24; y < 40; ++y)
            for (int x = 24; x < 40; ++x)
                pair.fixedMask[VolumeView<float>(nullptr, cube().size()).offset(x, y, z)] = 1;
    EXPECT_LT(largestDistance(registered(pair, rigid()).map, truth, 10), 0.4);
}

TEST(Affine, InvertedContrastNeedsTheSquare) {
    const AffineMap truth{turned(10, {1, 0, 1}), {4, 5, -6}};
    Pair pair = pairOf(truth, cube(), cube());
    for (float& value : pair.moving)
        value = 500 - 0.7f * value;
    AffineParameters any;
    any.anyContrast = true;
    EXPECT_LT(error(pair, truth, any), 0.2);
}

TEST(Affine, ImagesApartInSpaceStartFromTheirCenters) {
    const AffineMap truth{identity3, {300, -250, 400}};
    const Geometry far({64, 64, 64}, {2, 2, 2}, Vec3{300, -250, 400} - Vec3{63, 63, 63});
    const BlobScene scene(1);
    Pair pair{cube(), far, scene.image(cube()), {}, {}, {}};
    pair.moving = pair.fixed;
    const AffineResult result = registered(pair);
    EXPECT_NE(result.start, AffineStart::Initial);
    EXPECT_NE(std::string(name(result.start)), "");
    EXPECT_LT(largestDistance(result.map, truth, radius), 0.2);
    EXPECT_GT(result.overlap, 0.95);
}

TEST(Affine, AGoodInitialMapIsKeptAndReachesFarther) {
    const AffineMap truth{turned(120, {0, 1, 1}), {10, -5, 3}};
    const AffineMap near{turned(112, {0, 1, 1}), {6, -1, 0}};
    const Pair pair = pairOf(truth, cube(), cube());
    const AffineResult result = registered(pair, {}, near);
    EXPECT_EQ(result.start, AffineStart::Initial);
    EXPECT_LT(largestDistance(result.map, truth, radius), 0.2);
}

TEST(Affine, OneSliceMovesInItsPlaneAlone) {
    const AffineMap truth{turned(10, {0, 0, 1}, {1.05, 0.96, 1}), {6, -5, 0}};
    const Geometry slice = centeredGrid({64, 64, 1}, {2, 2, 8});
    const Pair pair = pairOf(truth, slice, slice);
    for (const AffineParameters& parameters : {AffineParameters{}, symmetric()}) {
        const AffineMap map = registered(pair, parameters).map;
        for (const Vec3& p : {Vec3{-30, -30, 0}, Vec3{30, -30, 0}, Vec3{30, 30, 0}})
            EXPECT_LT(length(map(p) - truth(p)), 0.2);
        EXPECT_NEAR(map.matrix[2][2], 1, 1e-9);
        EXPECT_NEAR(map.matrix[2][0], 0, 1e-9);
        EXPECT_NEAR(map.matrix[0][2], 0, 1e-9);
        EXPECT_NEAR(map.offset.z, 0, 1e-9);
    }
}

TEST(Affine, ThickSlicesAreRegistered) {
    const AffineMap truth{turned(6, {0.2, 0.1, 1}), {5, -4, 6}};
    const Geometry thick = centeredGrid({140, 140, 9}, {0.7, 0.7, 10});
    const AffineMap map = registered(pairOf(truth, thick, thick), rigid()).map;
    for (const Vec3& p : {Vec3{-30, -30, -30}, Vec3{30, 30, 30}, Vec3{30, -30, 10}})
        EXPECT_LT(length(map(p) - truth(p)), 1);
}

TEST(Affine, ErrorsAreOneSentence) {
    const auto messageOf = [](const Pair& pair, const AffineMap& initial = {}) -> std::string {
        try {
            registered(pair, {}, initial);
        } catch (const ComputeError& error) {
            return error.what();
        }
        return "no error";
    };
    const Pair good = pairOf({}, cube(), cube());
    Pair constant = good;
    std::fill(constant.fixed.begin(), constant.fixed.end(), 1000.1f);
    EXPECT_THAT(messageOf(constant), HasSubstr("the fixed image can't be registered: it is const"));
    constant = good;
    std::fill(constant.moving.begin(), constant.moving.end(), 0.0f);
    EXPECT_THAT(messageOf(constant), HasSubstr("the moving image can't be"));
    Pair masked = good;
    masked.fixedMask.assign(cube().voxels(), 0);
    EXPECT_THAT(messageOf(masked), HasSubstr("the mask of the fixed image leaves nothing"));
    masked = good;
    masked.movingMask.assign(cube().voxels(), 0);
    EXPECT_THAT(messageOf(masked), HasSubstr("the mask of the moving image leaves nothing"));
    Pair broken = good;
    broken.moving[1234] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(messageOf(broken), HasSubstr("the moving frame holds values that are not finite"));
    Pair other = good;
    other.fixedGrid = centeredGrid({32, 64, 64}, {2, 2, 2});
    other.fixed.resize(1);
    MotionInput input = other.input();
    input.fixed.size = {64, 64, 64};
    ExecResources resources(1);
    EXPECT_THROW(registerAffine(input, {}, {}, resources.context()), ComputeError);
    EXPECT_THAT(messageOf(good, {{{{1, 0, 0}, {2, 0, 0}, {0, 0, 1}}}, {}}),
                HasSubstr("has no inverse"));
    const Geometry tiny = centeredGrid({3, 3, 3}, {2, 2, 2});
    EXPECT_THAT(messageOf(pairOf({}, tiny, tiny)), HasSubstr("too little in common"));
}

TEST(Affine, IsTheSameForAnyNumberOfThreadsAndForPlainLoops) {
    const AffineMap truth{turned(9, {1, 2, 3}, {1.04, 0.97, 1.02}), {7, -6, 5}};
    Pair pair = pairOf(truth, centeredGrid({48, 48, 47}, {2, 2, 2}),
                       centeredGrid({50, 44, 48}, {2.1, 2, 2}, turned(5, {1, 0, 0})));
    pair.movingMask.assign(pair.movingGrid.voxels(), 1);
    for (std::size_t i = 0; i < 20000; ++i)
        pair.movingMask[i] = 0;
    for (const AffineParameters& parameters : {AffineParameters{}, symmetric()}) {
        const AffineResult one = registered(pair, parameters, {}, Backend::Cpu, 1);
        const AffineResult three = registered(pair, parameters, {}, Backend::Cpu, 3);
        EXPECT_EQ(one.map.matrix, three.map.matrix);
        EXPECT_EQ(one.map.offset, three.map.offset);
        const AffineResult plain = registered(pair, parameters, {}, Backend::CpuReference, 2);
        EXPECT_LT(largestDistance(one.map, plain.map, radius), 1e-4);
        ASSERT_EQ(one.levels.size(), plain.levels.size());
        for (std::size_t i = 0; i < one.levels.size(); ++i)
            EXPECT_EQ(one.levels[i].blocks, plain.levels[i].blocks);
    }
}

TEST(Affine, ReportsEveryIterationAndItsMap) {
    const AffineMap truth{turned(5, {1, 2, 3}), {7, -6, 5}};
    const Pair pair = pairOf(truth, cube(), cube());
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    std::vector<std::pair<int, double>> seen; // level and energy
    AffineMap last;
    const AffineResult result =
        registerAffine(pair.input(), {}, {}, ctx, [&](const AffineState& state) {
            seen.emplace_back(state.level, state.energy);
            last = state.map;
        });
    ASSERT_FALSE(result.levels.empty());
    EXPECT_EQ(result.levels.back().size, cube().size());
    EXPECT_TRUE(result.levels.back().converged);
    EXPECT_GT(result.levels.back().iterations.back().similarity, 0.9);
    ASSERT_GT(seen.size(), 3u);
    EXPECT_EQ(seen.back(), std::pair(0, 1 - result.levels.back().iterations.back().similarity));
    EXPECT_EQ(largestDistance(last, result.map, 100), 0);
}

TEST(Affine, CanBeCancelled) {
    const Pair pair = pairOf({}, cube(), cube());
    ExecResources resources(1);
    ExecContext ctx = resources.context();
    ctx.cancel.cancel();
    EXPECT_THROW(registerAffine(pair.input(), {}, {}, ctx), Cancelled);
}

} // namespace
} // namespace systole
