// Sub-voxel alignment of patches, and searches that begin where a point is expected.
#include "compute/core/error.h"
#include "compute/landmarks/patch_alignment.h"
#include "compute/landmarks/tracker.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

constexpr Size3 size{40, 36, 32};
constexpr Vec3 shift{1.4, -0.8, 0.5};

class PatchAlignmentOfWaves : public testing::Test {
protected:
    double error(Vec3 start) {
        const std::vector<Vec3> points{{14, 18, 16}};
        std::vector<Vec3> displacements{start};
        alignPatches(fixed.view(), moving.view(), points, {}, displacements, resources.context());
        return length(displacements[0] - shift);
    }
    test::TestVolume fixed{size, test::waves};
    /// Brighter.
    test::TestVolume moving{size, [](double x, double y, double z) {
                                return 30 + test::waves(x - shift.x, y - shift.y, z - shift.z);
                            }};
    ExecResources resources{2};
};

TEST_F(PatchAlignmentOfWaves, FindsTheFractionOfAVoxelWhateverTheBrightness) {
    for (const Vec3 start : {Vec3{1, -1, 0}, Vec3{2, 0, 1}, Vec3{1.4, -0.8, 0.5}})
        EXPECT_LT(error(start), 0.05);
}

TEST_F(PatchAlignmentOfWaves, LeavesWhatWouldGoTooFarOrHasNoStructure) {
    EXPECT_EQ(error({9, 9, 9}), length(Vec3{9, 9, 9} - shift));
    test::TestVolume flat(size, [](double, double, double) { return 7; });
    std::vector<Vec3> displacements{{0.25, 0, 0}};
    alignPatches(flat.view(), flat.view(), std::vector<Vec3>{{20, 18, 16}}, {}, displacements,
                 resources.context());
    EXPECT_EQ(displacements[0], (Vec3{0.25, 0, 0}));
}

/// A region of three voxels finds motion of seven where it is told to look.
TEST(LandmarkTracker, SearchesWhereAPointIsExpected) {
    const Vec3 far{7, -5, 4};
    test::TestVolume fixed(size, test::waves);
    test::TestVolume moving(size, [&](double x, double y, double z) {
        return test::waves(x - far.x, y - far.y, z - far.z);
    });
    ExecResources resources(2);
    TrackerSettings settings;
    settings.searchRadius = {3, 3, 3};
    settings.backwardTolerance = 0; // backward it begins where the point came from, too
    LandmarkTracker tracker(size, {1, 1, 1}, {0, 255}, settings, resources.context());
    const std::vector<Vec3> points{{18, 20, 14}, {14, 18, 16}};
    tracker.start(fixed.view(), points, resources.context());
    std::vector<Vec3> expected;
    for (const Vec3& p : points)
        expected.push_back(p + Vec3{6, -6, 3});
    tracker.expect(expected);
    const TrackStep step = tracker.advance(moving.view(), resources.context());
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_LT(length(step.points[i].position - points[i] - far), 1) << i;
    expected.pop_back();
    EXPECT_THROW(tracker.expect(expected), ComputeError);
}

} // namespace
} // namespace systole
