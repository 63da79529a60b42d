// Spectral matching with A² on the device: the verdicts of the processor, for sums that are exact.
#include "compute/landmarks/spectral_matching.h"
#include "tests/compute/landmarks/matches_support.h"
#include "tests/support/gpu_support.h"

namespace systole {
namespace {

class SpectralOnDevice : public test::OnDevice {
protected:
    ExecResources workers{0};
};

TEST_F(SpectralOnDevice, VerdictsAreTheProcessors) {
    const ExecContext host = workers.context(), device = context();
    for (const int group : {1, 10, 40})
        for (const std::size_t count : {0U, 1U, 5U, 1500U}) {
            const test::Matches matches =
                test::plantedMatches(count, 100, test::sliding, count < 100 ? 1 : group, 0.2);
            const std::vector<unsigned char> counts(count, 1);
            std::vector<unsigned char> expected(count), found(count), again(count);
            const NeighborTable table = nearestNeighbors(matches.points, 24, host);
            const auto judge = [&](std::vector<unsigned char>& agrees, const ExecContext& ctx) {
                return judgeSpectrally(matches.points, matches.displacements, counts, table, {},
                                       agrees, ctx);
            };
            const SpectralReport on = judge(expected, host), off = judge(found, device);
            judge(again, device);
            EXPECT_EQ(found, expected) << group << " of " << count;
            EXPECT_EQ(again, found) << group << " of " << count;
            EXPECT_EQ(on.iterations, off.iterations);
            EXPECT_EQ(on.components, off.components);
        }
}

} // namespace
} // namespace systole
