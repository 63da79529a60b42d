// How a level of an affine registration ends, with matches that follow a script.
#include "compute/methods/ffd/affine_registration.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace systole::affine {
namespace {

/// Every block lies a voxel further along x than the map says; how alike it is there is a list.
class ScriptedSteps : public Steps {
public:
    ScriptedSteps(int blocks, std::vector<float> similarities)
        : count_(static_cast<std::size_t>(blocks)), similarities_(std::move(similarities)) {}

    HostImage image(Side, int) override { return {}; }
    std::vector<float> variances(Side, int) override { return std::vector<float>(count_, 1); }
    void setBlocks(Side, std::vector<int>) override {}
    std::span<const BlockMatch> matchItself(Side, int, Search) override {
        return matches_ = std::vector<BlockMatch>(count_, {0, 0, 0, 1, 1});
    }
    std::span<const BlockMatch> match(Side, int, const VoxelMap&, Search) override {
        return matches_ = std::vector<BlockMatch>(count_, {1, 0, 0, 1, similarities_.at(next_++)});
    }

private:
    const std::size_t count_;
    const std::vector<float> similarities_;
    std::size_t next_ = 0;
    std::vector<BlockMatch> matches_;
};

TEST(AffineLevelEnd, AMapThatIsTakenBackIsReportedWithItsOwnSimilarity) {
    const Geometry grid({16, 16, 16}, {1, 1, 1});
    const PairLevels levels = pairLevels(grid, grid, 1);
    const FrameGrids grids{grid, grid};
    ScriptedSteps steps(64, {0.7f, 0.9f, 0.5f});
    AffineParameters parameters;
    parameters.symmetric = false;
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    std::vector<std::pair<double, double>> seen; // mm along x, energy
    const AffineObserver observe = [&](const AffineState& state) {
        seen.emplace_back(state.map.offset.x, state.energy);
    };
    Registration registration(grids, levels, 0, steps, parameters, observe, ctx);
    registration.enter(0);
    AffineMap map;
    EXPECT_TRUE(registration.settle(map, Freedom::Affine, true));
    ASSERT_EQ(seen.size(), 3u);
    // The second map was the best; the third one's similarity led back to it.
    EXPECT_NEAR(map.offset.x, 1, 1e-6);
    EXPECT_NEAR(seen[2].first, 1, 1e-6);
    EXPECT_NEAR(seen[2].second, 0.1, 1e-6);
}

} // namespace
} // namespace systole::affine
