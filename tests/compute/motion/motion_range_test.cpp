// How large the motion of a sequence is, from its frames.
#include "compute/core/error.h"
#include "compute/motion/motion_range.h"
#include "compute/motion/sequence_driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Waves that are shifted from frame to frame, along x by `shift` voxels, there and back.
class Waves : public FrameSource {
public:
    explicit Waves(std::vector<double> positions) : positions_(std::move(positions)) {}

    void read(int index, VolumeView<float> voxels) override {
        reads.push_back(index);
        if (unreadable.count(index))
            throw ComputeError("damaged");
        const double shift = positions_[static_cast<std::size_t>(index)];
        for (int z = 0; z < voxels.size.z; ++z)
            for (int y = 0; y < voxels.size.y; ++y)
                for (int x = 0; x < voxels.size.x; ++x)
                    voxels(x, y, z) = static_cast<float>(
                        128 + 40 * std::sin(0.35 * (x - shift) + 0.2 * y) +
                        40 * std::cos(0.3 * z - 0.25 * (x - shift)) + 20 * std::sin(0.3 * y));
    }

    std::set<int> unreadable;
    std::vector<int> reads;

private:
    std::vector<double> positions_;
};

class MotionRangeTest : public ::testing::Test {
protected:
    Sequence sequence(std::vector<double> positions, Size3 size = {48, 44, 40}) {
        Sequence made;
        made.geometry = Geometry(size, {2, 2, 2});
        made.frames = static_cast<int>(positions.size());
        source = std::make_shared<Waves>(std::move(positions));
        made.source = source;
        return made;
    }
    double rangeOf(const Sequence& of) { return motionRange(of, {30, 226}, resources.context()); }

    ExecResources resources{2};
    std::shared_ptr<Waves> source;
};

TEST_F(MotionRangeTest, IsTheLargestMotionBetweenNeighbors) {
    // Steps of 0, 1 and 0.5 voxels of 2 mm.
    const double range = rangeOf(sequence({0, 0, 1, 0.5}));
    EXPECT_GT(range, 2 / 1.5);
    EXPECT_LT(range, 2 * 1.5);
    EXPECT_LT(rangeOf(sequence({0, 0.1, 0.2, 0.1})), 0.5 * range);
}

TEST_F(MotionRangeTest, OnePairThatStandsOutOfManyDoesNotSetIt) {
    const double regular = rangeOf(sequence({0, 1, 0, 1, 0, 1, 0, 1}));
    const double jump = rangeOf(sequence({0, 1, 0, 1, 0, 3, 2, 3}));
    EXPECT_LT(jump, 1.5 * regular);
    // The end of a sequence that isn't a whole cycle doesn't either.
    EXPECT_LT(rangeOf(sequence({0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8})), 0.7 * regular);
}

TEST_F(MotionRangeTest, IsNextToNothingWhereNothingMoves) {
    EXPECT_LT(rangeOf(sequence({0, 0, 0})), 0.01);
    EXPECT_EQ(rangeOf(sequence({0})), 0);
}

TEST_F(MotionRangeTest, TwoFramesHaveOneToo) {
    const Sequence two = sequence({0, 1});
    ExecContext ctx = resources.context();
    Volume fixed(two.geometry, resources.pool(), "fixed"),
        moving(two.geometry, resources.pool(), "");
    source->read(0, fixed.view());
    source->read(1, moving.view());
    const double range = motionRange(fixed, moving, {30, 226}, ctx);
    EXPECT_GT(range, 2 / 1.5);
    EXPECT_LT(range, 2 * 1.5);
}

TEST_F(MotionRangeTest, DoesNotDependOnTheNumberOfThreads) {
    const Sequence of = sequence({0, 1, 0.5});
    ExecResources one(1);
    EXPECT_EQ(rangeOf(of), motionRange(of, {30, 226}, one.context()));
}

TEST_F(MotionRangeTest, IsReadTogetherWithTheGrayRangeEachFrameOnce) {
    const Sequence of = sequence({0, 0.5, 1, 1.2, 0.7, 0.3, 0.1});
    const ExecContext ctx = resources.context();
    const SequenceRanges ranges = sequenceRanges(of, ctx);
    EXPECT_EQ(std::set<int>(source->reads.begin(), source->reads.end()).size(),
              source->reads.size());
    EXPECT_TRUE(std::is_sorted(source->reads.begin(), source->reads.end()));
    const IntensityScale gray = intensityScale(of, ctx);
    EXPECT_EQ(ranges.gray.low, gray.low);
    EXPECT_EQ(ranges.gray.high, gray.high);
    EXPECT_EQ(ranges.motion, motionRange(of, gray, ctx));
}

TEST_F(MotionRangeTest, MotionSinceTheFirstFrameAddsUp) {
    const SequenceRanges ranges =
        sequenceRanges(sequence({0, 0.4, 0.8, 1.2, 1.6, 2, 2.4}), resources.context());
    EXPECT_GT(ranges.motionSinceFirst, 2 * ranges.motion);
    EXPECT_GT(ranges.motionSinceFirst, 4 / 1.5); // the second largest: 2 voxels of 2 mm
    EXPECT_LT(ranges.motionSinceFirst, 4 * 1.5);
    EXPECT_EQ(sequenceRanges(sequence({0}), resources.context()).motionSinceFirst, 0);
}

TEST_F(MotionRangeTest, LeavesOutWhatCannotBeRead) {
    const Sequence of = sequence({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
    const ExecContext ctx = resources.context();
    const SequenceRanges whole = sequenceRanges(of, ctx);
    source->unreadable = {1}; // the moving frame of the first pair
    const SequenceRanges damaged = sequenceRanges(of, ctx);
    EXPECT_EQ(damaged.gray.high, whole.gray.high);
    EXPECT_GT(damaged.motion, 1);
    source->unreadable = {0};
    EXPECT_THROW(sequenceRanges(of, ctx), ComputeError) << "the gray range needs it";
}

TEST_F(MotionRangeTest, TheGrayRangeIsToldBeforeMotionIsEstimated) {
    const Sequence of = sequence({0, 1, 0});
    ExecContext ctx = resources.context();
    std::vector<IntensityScale> told;
    const auto cancel = [&](const IntensityScale& gray) {
        told.push_back(gray);
        ctx.cancel.cancel();
    };
    EXPECT_THROW(sequenceRanges(of, ctx, cancel), Cancelled);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].high, intensityScale(of, resources.context()).high);
}

TEST_F(MotionRangeTest, CanBeCancelled) {
    const Sequence of = sequence({0, 1, 0});
    ExecContext ctx = resources.context();
    ctx.cancel.cancel();
    EXPECT_THROW(sequenceRanges(of, ctx), Cancelled);
}

} // namespace
} // namespace systole
