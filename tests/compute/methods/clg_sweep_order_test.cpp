// The order of sweeps that take one pass: every step finds its neighborhood as whole steps one
// after the other would leave it.
#include "compute/methods/clg/solver/sweep_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

struct Case {
    Size3 size;
    int colors, sweeps, threads;
    std::size_t planeBytes;
};

class SweepOrderTest : public testing::TestWithParam<Case> {};

TEST_P(SweepOrderTest, EveryRowFindsItsNeighborsAStepBehind) {
    const Case& c = GetParam();
    const SweepOrder order(c.size, c.colors, c.sweeps, c.planeBytes, c.threads);
    ASSERT_GE(order.sweeps(), 1);
    ASSERT_LE(order.sweeps(), c.sweeps);
    std::vector<int> done(static_cast<std::size_t>(c.size.y * c.size.z), 0);
    const auto at = [&](int y, int z) -> int& {
        return done[static_cast<std::size_t>(z * c.size.y + y)];
    };
    ExecResources one(1);
    int wrong = 0;
    order.run(one.context(), [&](const SweepPart& part) {
        for (int y = part.firstRow; y < part.endRow; ++y) {
            for (int z = std::max(0, part.z - 1); z < std::min(c.size.z, part.z + 2); ++z)
                for (int k = std::max(0, y - 1); k < std::min(c.size.y, y + 2); ++k)
                    wrong += at(k, z) < part.step || at(k, z) > part.step + 1;
            wrong += at(y, part.z)++ != part.step;
        }
    });
    EXPECT_EQ(wrong, 0);
    for (const int steps : done)
        ASSERT_EQ(steps, order.sweeps() * c.colors);
}

constexpr std::size_t little = 1 << 10, much = std::size_t{1} << 23;
INSTANTIATE_TEST_SUITE_P(
    Sizes, SweepOrderTest,
    testing::Values(Case{{8, 40, 64}, 2, 5, 1, little}, Case{{8, 40, 64}, 2, 5, 3, little},
                    Case{{8, 40, 64}, 2, 5, 3, much}, Case{{8, 40, 64}, 4, 5, 2, much},
                    Case{{8, 9, 7}, 2, 5, 2, much}, Case{{8, 9, 7}, 4, 5, 16, much},
                    Case{{8, 1, 30}, 2, 3, 2, little}, Case{{8, 30, 1}, 2, 5, 4, much}));

TEST(SweepOrder, TakesSeveralSweepsAPassWhereSlabsAreThickEnough) {
    EXPECT_EQ(SweepOrder({8, 8, 128}, 2, 5, little, 2).sweeps(), 5);
    EXPECT_EQ(SweepOrder({8, 8, 128}, 2, 5, little, 64).sweeps(), 1);
    EXPECT_EQ(SweepOrder({8, 8, 4}, 2, 5, little, 1).sweeps(), 5);
}

} // namespace
} // namespace systole
