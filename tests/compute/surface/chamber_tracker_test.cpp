// A chamber over the frames: against the phantom's labels, and through a valve that opens.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/surface/chamber_tracker.h"
#include "io/phantom/phantom.h"
#include "tests/support/volume_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace systole {
namespace {

MotionBetween estimated() {
    const MotionMethod& method = motionMethod("clg");
    const std::shared_ptr<MotionEstimator> estimator =
        method.make(ParamSet(*method.parameters), Backend::Cpu);
    return [estimator](const Volume& fixed, const Volume& moving, FieldView<float> displacement,
                       const ExecContext& ctx) {
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.spacing = fixed.geometry.spacing();
        input.scale = {0, 1};
        estimator->estimate(input, displacement, ctx);
    };
}

/// Everything moves by `voxels` of the tracker's cubes along x from the fixed to the moving frame.
MotionBetween shifted(float voxels) {
    return
        [voxels](const Volume&, const Volume&, FieldView<float> displacement, const ExecContext&) {
            std::fill_n(displacement.u, displacement.size.voxels(), voxels);
        };
}

class ChamberTracking : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    const Geometry grid{{44, 32, 32}, {2.5, 2.5, 2.5}};

    /// A ball of blood, 20 mm in radius, `shift` mm along x from (30, 39, 39), beside another one,
    /// of which a wall parts it: closed, or with a hole of 12 mm in radius.
    Volume balls(bool open, double shift = 0) {
        return test::volumeOf(grid, *ctx.pool, [&](int i, int j, int k) {
            const double x = 2.5 * i - shift, y = 2.5 * j - 39, z = 2.5 * k - 39;
            const double across = std::hypot(y, z);
            const bool blood = std::hypot(x - 30, across) < 20 || std::hypot(x - 76, across) < 20 ||
                               (open && across < 12 && x > 30 && x < 76);
            // Flat and darkest voxels would count as no data.
            return blood ? 200.0 : 50.0 + 5 * ((7 * i + 3 * j + 5 * k) % 5);
        });
    }
    static SegmentSeeds click() {
        SegmentSeeds seeds;
        seeds.click = Vec3{30, 39, 39};
        return seeds;
    }
};

constexpr double ballMilliliters = 4.0 / 3 * 3.14159265 * 8;

TEST_F(ChamberTracking, StaysInItsChamberWhenTheValveOpens) {
    ChamberTracker tracker(click(), {}, shifted(0));
    EXPECT_NEAR(tracker.next(balls(false), ctx).milliliters, ballMilliliters,
                0.1 * ballMilliliters);
    const Volume open = balls(true);
    for (int frame = 0; frame < 3; ++frame) {
        const Segmentation found = tracker.next(open, ctx);
        EXPECT_LE(found.milliliters, 1.15 * ballMilliliters);
        // Nowhere farther than the leash from where the first contour ended.
        for (int x = 0; x < grid.size().x; ++x)
            if (2.5 * x > 50 + trackerLeash + 2.5) {
                EXPECT_EQ(found.labels[found.signedDistance.view().offset(x, 16, 16)], 0) << x;
            }
    }
}

TEST_F(ChamberTracking, CarriesContourAndSeedsAlong) {
    ChamberTracker tracker(click(), {}, shifted(-2));
    const double first = tracker.next(balls(false), ctx).milliliters;
    // 15 mm in three frames, five times the leash.
    Segmentation found;
    for (const double shift : {5.0, 10.0, 15.0})
        found = tracker.next(balls(false, shift), ctx);
    EXPECT_NEAR(found.milliliters, first, 0.03 * first);
    EXPECT_EQ(found.labels[found.signedDistance.view().offset(25, 16, 16)], chamberLabel);
    EXPECT_EQ(found.labels[found.signedDistance.view().offset(8, 16, 16)], 0);
}

/// The phantom labels muscle 1 and blood 2.
double dice(const std::vector<std::uint8_t>& found, std::uint8_t label,
            const std::vector<std::uint8_t>& truth, std::uint8_t its) {
    double both = 0, sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const bool in = found[i] == label, wanted = truth[i] == its;
        both += in && wanted ? 1 : 0;
        sum += (in ? 1 : 0) + (wanted ? 1 : 0);
    }
    return 2 * both / sum;
}

TEST_F(ChamberTracking, FollowsThePhantomsBeat) {
    // All of the heart, and one whose base the image cuts off: the wall in view hardly
    // changes there, either.
    for (const int height : {48, 32}) {
        PhantomOptions beating;
        beating.size = {48, 48, height};
        beating.look = PhantomLook::Ct;
        beating.frames = 4;
        const Phantom phantom(beating);
        SegmentSeeds seeds;
        seeds.click = Vec3{0, 0, 9};
        SegmentOptions options;
        options.wall = true;
        ChamberTracker tracker(seeds, options, estimated());
        Volume image(phantom.geometry(), *ctx.pool, "image");
        double wallMilliliters = 0, wallInTruth = 0;
        for (int frame = 0; frame < 4; ++frame) {
            SCOPED_TRACE(testing::Message() << "frame " << frame << " of " << height << " planes");
            phantom.image(frame, image.view(), ctx);
            const Segmentation found = tracker.next(image, ctx);
            const std::vector<std::uint8_t> truth = phantom.labels(frame, ctx);
            const auto inTruth = static_cast<double>(std::ranges::count(truth, std::uint8_t{1}));
            if (frame == 0) {
                wallMilliliters = found.wallMilliliters;
                wallInTruth = inTruth;
                EXPECT_TRUE(found.keepsWall);
            }
            EXPECT_NEAR(found.wallMilliliters, wallMilliliters, 0.01 * wallMilliliters);
            EXPECT_NEAR(found.wallMilliliters / wallMilliliters, inTruth / wallInTruth, 0.02);
            EXPECT_GE(dice(found.labels, chamberLabel, truth, 2), 0.92);
            EXPECT_GE(dice(found.labels, wallLabel, truth, 1), 0.84);
        }
    }
}

TEST_F(ChamberTracking, AnyNumberOfThreadsGivesTheSameBits) {
    const auto with = [&](int threads) {
        ExecResources other(threads);
        ChamberTracker tracker(click(), {}, estimated());
        tracker.next(balls(false), other.context());
        const Segmentation found = tracker.next(balls(true, 2), other.context());
        const auto span = found.signedDistance.voxels.span();
        return std::vector<float>(span.begin(), span.end());
    };
    EXPECT_EQ(with(1), with(3));
}

TEST_F(ChamberTracking, AFrameThatFailedCanBeTriedAgain) {
    ChamberTracker tracker(click(), {}, shifted(0));
    tracker.next(balls(false), ctx);
    const Volume other = test::volumeOf(Geometry({32, 32, 32}, {2.5, 2.5, 2.5}), *ctx.pool,
                                        [](int x, int, int) { return x; });
    EXPECT_THROW(tracker.next(other, ctx), ComputeError);
    Volume broken = balls(false);
    broken.view()(1, 1, 1) = NAN;
    EXPECT_THROW(tracker.next(broken, ctx), ComputeError);
    EXPECT_NEAR(tracker.next(balls(false), ctx).milliliters, ballMilliliters,
                0.1 * ballMilliliters);
}

} // namespace
} // namespace systole
