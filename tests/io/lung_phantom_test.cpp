// The lung phantom's promises: exact inverses, no folds, lungs that slide along a wall, and
// pictures that show the same tissue where the motion says.
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "io/phantom/lung_motion.h"
#include "io/phantom/lungs.h"
#include "tests/support/map_determinant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

const Vec3 extents{256, 256, 240};

Vec3 pointIn(std::uint64_t id) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = (static_cast<double>(uniformFloat(static_cast<std::uint32_t>(
                       randomBits(7, static_cast<std::uint64_t>(axis), id)))) -
                   0.5) *
                  extents[axis];
    return p;
}

LungOptions smallLungs() {
    LungOptions options;
    options.grid =
        Geometry({64, 64, 40}, {4, 4, 6}, {-120, -100, 30}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});
    return options;
}

class LungPictures : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
};

TEST(LungMotion, InverseUndoesForwardEverywhere) {
    const LungShape shape(extents);
    for (const double exhalation : {0.0, 0.4, 1.0}) {
        const LungMotion motion(shape, 25, exhalation, 0.4);
        for (std::uint64_t id = 0; id < 3000; ++id) {
            const Vec3 p = pointIn(id);
            EXPECT_LT(length(motion.inverse(motion.forward(p)) - p), 1e-9);
            EXPECT_LT(length(motion.forward(motion.inverse(p)) - p), 1e-9);
        }
    }
}

TEST(LungMotion, NothingFoldsOnEitherSideOfTheWall) {
    const LungShape shape(extents);
    for (const double unevenness : {0.0, 0.5}) {
        const LungMotion motion(shape, shape.largestBreath(), 1, unevenness);
        for (std::uint64_t id = 0; id < 3000; ++id) {
            const Vec3 p = pointIn(id);
            if (std::abs(shape.wallDistance(p) - 1) < 0.01)
                continue;
            const double volume = test::determinantOf(motion, p);
            EXPECT_GT(volume, 0.4);
            EXPECT_NEAR(motion.determinant(p), volume, 1e-4);
        }
    }
}

TEST(LungMotion, LungsSlideAlongTheWallByTheBreath) {
    const LungShape shape(extents);
    const LungMotion motion(shape, 25, 1);
    // The back of the left lung at the height of the strongest motion, on both sides of the wall.
    const Vec3 inside{shape.lungCenterX, shape.lungY * 0.9999, shape.strongest};
    const Vec3 outside{shape.lungCenterX, shape.lungY * 1.0001, shape.strongest};
    EXPECT_NEAR(motion.forward(inside).z - inside.z, 25, 0.01);
    EXPECT_NEAR(motion.forward(outside).z - outside.z, 0, 1e-12);
    // Both stay on the wall: they only slip.
    const LungMotion still(shape, 0, 1);
    const Vec3 slid = motion.forward(inside);
    Vec3 there = inside;
    there.z = slid.z;
    EXPECT_LT(length(still.forward(there) - slid), 1e-9);
    // The tips stay where they are but for the chest's flattening.
    const Vec3 tip{shape.lungCenterX, 0, shape.top};
    EXPECT_EQ(motion.forward(tip).z, tip.z);
}

TEST_F(LungPictures, TheTruthIsTheMotionBetweenAnyTwoFrames) {
    const LungPhantom phantom(smallLungs());
    const Geometry& grid = phantom.geometry();
    const VectorField truth = phantom.truth(2, 5, ctx);
    double largest = 0;
    for (int z = 3; z < 40; z += 9)
        for (int y = 2; y < 64; y += 12)
            for (int x = 1; x < 64; x += 12) {
                const Vec3 p = grid.indexToPhysical({1.0 * x, 1.0 * y, 1.0 * z});
                const Vec3 q = phantom.forward(phantom.inverse(p, phantom.exhalation(2)),
                                               phantom.exhalation(5));
                const std::size_t i = truth.view().componentView(0).offset(x, y, z);
                const Vec3 d = grid.voxelVectorToPhysical(
                    {truth.view().u[i], truth.view().v[i], truth.view().w[i]});
                EXPECT_LT(length(d - (q - p)), 1e-3);
                largest = std::max(largest, length(d));
            }
    EXPECT_GT(largest, 10);
}

TEST_F(LungPictures, MovedLandmarksShowTheSameTissue) {
    LungOptions options = smallLungs();
    options.grid = Geometry({96, 96, 72}, {2.5, 2.5, 3.25});
    options.noiseHounsfield = 0;
    const LungPhantom phantom(options);
    const std::vector<Vec3> points = phantom.landmarks(300, ctx);
    ASSERT_GT(points.size(), 150u);
    Volume in(options.grid, *ctx.pool, "in"), out(options.grid, *ctx.pool, "out");
    phantom.image(0, in.view(), ctx);
    phantom.image(5, out.view(), ctx);
    const auto at = [&](const Volume& image, Vec3 p) {
        const Vec3 index = image.geometry.physicalToIndex(p);
        return image.view()(static_cast<int>(std::lround(index.x)),
                            static_cast<int>(std::lround(index.y)),
                            static_cast<int>(std::lround(index.z)));
    };
    double followed = 0, left = 0, motion = 0;
    const double n = static_cast<double>(points.size());
    for (const Vec3 p : points) {
        const Vec3 q = phantom.forward(p, 1);
        followed += std::abs(at(in, p) - at(out, q)) / n;
        left += std::abs(at(in, p) - at(out, p)) / n;
        motion += length(q - p) / n;
        // A voxel's center, on a vessel.
        const Vec3 index = options.grid.physicalToIndex(p);
        EXPECT_NEAR(index.x, std::round(index.x), 1e-6);
        EXPECT_NEAR(index.z, std::round(index.z), 1e-6);
    }
    EXPECT_GT(motion, 8);
    EXPECT_LT(followed, 0.5 * left);
    for (std::size_t a = 0; a < points.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            ASSERT_GE(length(points[a] - points[b]), 5);
}

TEST_F(LungPictures, KeepTheirMassIfAsked) {
    LungOptions options = smallLungs();
    options.grid = Geometry({96, 96, 72}, {2.5, 2.5, 3.25});
    options.noiseHounsfield = 0;
    options.unevenness = 0.2;
    const auto masses = [&](bool kept) {
        options.keepsMass = kept;
        const LungPhantom phantom(options);
        Volume image(options.grid, *ctx.pool, "image");
        std::array<double, 2> sums{};
        for (const int frame : {0, 5}) {
            phantom.image(frame, image.view(), ctx);
            const auto lungs = phantom.lungs(frame, ctx);
            for (std::size_t i = 0; i < lungs.size(); ++i)
                // Vessels move, but their density and so their mass as drawn changes: without them.
                if (lungs[i] && image.view().data[i] < -600)
                    sums[frame == 0 ? 0 : 1] += image.view().data[i] + 1000.0;
        }
        return sums[1] / sums[0];
    };
    const double kept = masses(true), lost = masses(false);
    EXPECT_GT(kept, 0.95);
    EXPECT_LT(kept, 1.1);
    EXPECT_LT(lost, 0.9);
}

TEST_F(LungPictures, AreTheSameForAnyNumberOfThreadsAndNewNoiseInEveryFrame) {
    const LungPhantom phantom(smallLungs());
    Volume a(phantom.geometry(), *ctx.pool, "a"), b(phantom.geometry(), *ctx.pool, "b");
    phantom.image(3, a.view(), ctx);
    ExecResources one{1};
    phantom.image(3, b.view(), one.context());
    EXPECT_TRUE(std::ranges::equal(a.view().span(), b.view().span()));
    phantom.image(7, b.view(), ctx); // breathed in as far as in frame 3
    EXPECT_FALSE(std::ranges::equal(a.view().span(), b.view().span()));
    const auto lungs = phantom.lungs(0, ctx);
    const double share =
        static_cast<double>(std::ranges::count(lungs, 1)) / static_cast<double>(lungs.size());
    EXPECT_GT(share, 0.1);
    EXPECT_LT(share, 0.5);
}

TEST_F(LungPictures, RefuseWhatWouldFold) {
    LungOptions options = smallLungs();
    options.breathMillimeters = 60;
    EXPECT_THROW(LungPhantom{options}, ComputeError);
    options.breathMillimeters = -1;
    EXPECT_THROW(LungPhantom{options}, ComputeError);
}

} // namespace
} // namespace systole
