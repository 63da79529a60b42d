// Derivatives in a tissue's voxels by what is made once, against the fit of each voxel.
#include "compute/cardiac/frame_change.h"
#include "compute/cardiac/frame_gradients.h"
#include "compute/core/points.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace systole::cardiac {
namespace {

using testing::fieldOf;
using testing::mapOf;

/// A ball on an oblique grid: voxels with all neighbors, and a border.
struct Ball {
    Ball() {
        const double c = std::cos(0.4), s = std::sin(0.4);
        grid = {{14, 15, 13}, {1.2, 1, 1.5}, {3, -7, 20}, {{{c, s, 0}, {s, -c, 0}, {0, 0, 1}}}};
        const Vec3 middle = grid.center();
        voxels = largestPiece(
            mapOf(grid,
                  [&](Vec3 p) { return length(p - middle) < 6 ? Tissue::Wall : Tissue::Other; }),
            Tissue::Wall);
        displacements = displacementsIn(voxels, fieldOf(grid, *ctx.pool, [](Vec3 p) {
                                            return Vec3{30 + std::sin(0.3 * p.x) + 0.1 * p.y,
                                                        0.2 * p.z * std::cos(0.2 * p.y),
                                                        -20 + 0.02 * p.x * p.z};
                                        }));
    }
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    Geometry grid;
    TissueVoxels voxels;
    Displacements displacements;
};

TEST(TissueFits, AreTheFitOfEachVoxel) {
    Ball ball;
    const LocalFit fit(ball.voxels, 3);
    const TissueFits fits(ball.voxels, 3, ball.ctx);
    std::size_t whole = 0;
    for (std::size_t i = 0; i < ball.voxels.count(); ++i) {
        whole += fits.ranges()[i].first == 0 ? 1 : 0;
        const Matrix3 f = fits.deformation(i, ball.displacements);
        for (std::size_t k = 0; k < 3; ++k) {
            std::vector<double> component;
            for (const std::array<float, 3>& u : ball.displacements)
                component.push_back(static_cast<double>(u[k]));
            const Vec3 slope = applied(fit.at(ball.voxels.indexPoint(i)), component).gradient;
            for (int j = 0; j < 3; ++j) {
                const double unit = static_cast<int>(k) == j ? 1 : 0;
                EXPECT_NEAR(f[k][static_cast<std::size_t>(j)] - unit, slope[j], 2e-6);
            }
        }
    }
    EXPECT_GT(whole, 10u);
    EXPECT_LT(whole, ball.voxels.count() / 2);
}

TEST(TissueFits, HaveTheSameBitsForAnyNumberOfThreads) {
    Ball ball;
    ExecResources many(5);
    const TissueFits one(ball.voxels, 3, ball.ctx), other(ball.voxels, 3, many.context());
    for (std::size_t i = 0; i < ball.voxels.count(); ++i)
        ASSERT_EQ(one.deformation(i, ball.displacements), other.deformation(i, ball.displacements));
}

TEST(FrameGradients, HaveTheBitsOfEveryFrameAlone) {
    Ball ball;
    const TissueFits fits(ball.voxels, 3, ball.ctx);
    std::vector<Displacements> frames;
    for (int t = 0; t < 11; ++t) {
        frames.push_back(ball.displacements);
        for (std::array<float, 3>& u : frames.back())
            for (float& component : u)
                component *= std::sin(0.7f * static_cast<float>(t));
    }
    const FrameGradients gradients(ball.voxels, fits, frames);
    for (std::size_t i = 0; i < ball.voxels.count(); ++i) {
        float sums[9][FrameGradients::most];
        gradients.sums(i, sums);
        for (std::size_t t = 0; t < FrameGradients::most; ++t) {
            Matrix3 deformation = identity3;
            for (std::size_t k = 0; k < 9; ++k)
                deformation[k / 3][k % 3] += static_cast<double>(sums[k][t]);
            ASSERT_EQ(deformation, t < frames.size() ? fits.deformation(i, frames[t]) : identity3)
                << "voxel " << i << ", frame " << t;
        }
    }
}

TEST(TissueFits, AreMadeOnceForVoxelsWithTheSameNeighbors) {
    const Geometry grid({20, 20, 8}, {1, 1, 8});
    ExecResources resources;
    const TissueVoxels block =
        largestPiece(mapOf(grid, [](Vec3) { return Tissue::Wall; }), Tissue::Wall);
    const TissueFits fits(block, 3, resources.context());
    // A voxel is at one of two places near either border of an axis, or inside: 5 cases per axis.
    std::set<std::uint32_t> different;
    for (const TissueFits::Range& range : fits.ranges())
        different.insert(range.first);
    EXPECT_EQ(different.size(), 125u);
}

TEST(NeighborhoodKinds, SayWhichNeighborsEachVoxelHas) {
    Ball ball;
    const NeighborhoodKinds all(ball.voxels);
    std::vector<std::size_t> order = all.voxelsByKind();
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](std::size_t i) { return all.ofVoxel[i]; }));
    for (std::size_t i = 0; i < ball.voxels.count(); ++i) {
        const auto [x, y, z] = ball.voxels.index[i];
        for (int number = 0; number < stencilSize; ++number)
            ASSERT_EQ(all.kinds[all.ofVoxel[i]].has(number),
                      ball.voxels.place(x + number % 5 - 2, y + number / 5 % 5 - 2,
                                        z + number / 25 - 2) >= 0);
    }
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_EQ(order[i], i);
}

TEST(GroupedVoxels, HaveEveryVoxelOnceInItsGroup) {
    std::vector<int> group;
    for (int i = 0; i < 2000; ++i)
        group.push_back(i * i % 5);
    const GroupedVoxels made = GroupedVoxels::of(group, 5);
    std::vector<int> seen(group.size(), 0);
    for (const GroupedVoxels::Chunk& chunk : made.chunks) {
        EXPECT_LE(chunk.end - chunk.begin, GroupedVoxels::chunkSize);
        for (std::int32_t k = chunk.begin; k < chunk.end; ++k) {
            const auto i = static_cast<std::size_t>(made.voxel[static_cast<std::size_t>(k)]);
            EXPECT_EQ(group[i], chunk.group);
            ++seen[i];
        }
    }
    EXPECT_EQ(std::ranges::count(seen, 1), 2000);
}

} // namespace
} // namespace systole::cardiac
