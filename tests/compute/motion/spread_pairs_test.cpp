// Chains of pairs on several workers, on the processor and with an estimator of the test's own.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/spread_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

namespace systole {
namespace {

constexpr int frames = 9;

class SpreadPairsTest : public ::testing::Test {
protected:
    /// Adds one to the starting value, and fails at a frame whose first voxel is negative.
    class Counter : public MotionEstimator {
    public:
        MotionReport run(const MotionInput& input, FieldView<float> displacement,
                         const ExecContext&) override {
            if (input.moving.row(0, 0)[0] < 0)
                throw ComputeError("a bad frame");
            for (std::size_t i = 0; i < displacement.size.voxels(); ++i)
                displacement.u[i] += 1;
            MotionReport report;
            report.levels.resize(1);
            return report;
        }
        std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
        int reach() const override { return 1; }
    };

    std::shared_ptr<const Volume> frame(int index, int side) {
        auto volume = std::make_shared<Volume>(Geometry({side, side, side}, {1, 1, 1}),
                                               resources_.pool(), "frame");
        for (int z = 0; z < side; ++z)
            for (int y = 0; y < side; ++y)
                for (int x = 0; x < side; ++x) { // a ball that moves along x
                    const double r =
                        std::hypot(x - side / 2.0 - 0.4 * index, y - side / 2.0, z - side / 2.0);
                    volume->view().row(y, z)[x] =
                        static_cast<float>(200 / (1 + std::exp(r - side / 4.0)));
                }
        if (index == badFrame_)
            volume->view().row(0, 0)[0] = -1;
        return volume;
    }

    SpreadPairs::Work work(int chain, int workers, const MakeEstimator& make, int side) {
        SpreadPairs::Work work;
        work.lastFrame = frames - 1;
        work.chain = chain;
        work.next = [this, side] { return frame(read_++, side); };
        work.settings.make = make;
        work.settings.scale = {0, 200};
        work.workers.resize(static_cast<std::size_t>(workers));
        read_ = 0;
        return work;
    }
    /// The first component of every voxel, pair after pair.
    std::vector<float> found(int chain, int workers, const MakeEstimator& make, int side = 8) {
        SpreadPairs pairs(work(chain, workers, make, side), resources_.context());
        std::vector<float> all;
        for (int at = 0; at + 1 < frames; ++at) {
            const SpreadPairs::Estimated made = pairs.take();
            EXPECT_EQ(made.result.fixedFrame, at);
            EXPECT_EQ(made.result.movingFrame, at + 1);
            const auto field = made.result.field->view();
            all.insert(all.end(), field.u, field.u + field.size.voxels());
        }
        return all;
    }
    static MakeEstimator counter() {
        return [](Backend) { return std::make_unique<Counter>(); };
    }

    ExecResources resources_{2};
    std::atomic<int> read_{0};
    int badFrame_ = -1;
};

TEST_F(SpreadPairsTest, AChainBeginsAtZeroAndEachPairGoesOnFromTheOneBefore) {
    for (const int workers : {1, 3}) {
        const std::vector<float> all = found(3, workers, counter());
        for (int at = 0; at + 1 < frames; ++at) // 1, 2, 3, 1, 2, 3, ...
            EXPECT_EQ(all[static_cast<std::size_t>(at) * 512], 1.0f + static_cast<float>(at % 3));
    }
}

TEST_F(SpreadPairsTest, TheMotionIsTheSameForAnyNumberOfWorkers) {
    const MotionMethod& method = motionMethods().front();
    const MakeEstimator make = estimatorMaker(method, ParamSet(*method.parameters, "default"));
    const std::vector<float> one = found(2, 1, make, 16);
    EXPECT_GT(*std::ranges::max_element(one), 0.1f);
    EXPECT_EQ(found(2, 2, make, 16), one);
    EXPECT_EQ(found(2, 5, make, 16), one);
    EXPECT_NE(found(frames, 1, make, 16), one); // the length of the chains does matter
}

TEST_F(SpreadPairsTest, AFailureIsThrownWhereItsPairIsTaken) {
    badFrame_ = 5;
    SpreadPairs pairs(work(2, 2, counter(), 8), resources_.context());
    EXPECT_THROW(for (int at = 0; at + 1 < frames; ++at) pairs.take(), ComputeError);
}

TEST_F(SpreadPairsTest, AfterAFrameThatCannotBeReadNoOtherIsRead) {
    SpreadPairs::Work failing = work(1, 4, counter(), 8);
    failing.next = [this] {
        if (read_++ == 2)
            throw ComputeError("an unreadable frame");
        return frame(read_ - 1, 8);
    };
    {
        SpreadPairs pairs(std::move(failing), resources_.context());
        EXPECT_THROW(for (int at = 0; at + 1 < frames; ++at) pairs.take(), ComputeError);
    }
    EXPECT_EQ(read_, 3);
}

TEST_F(SpreadPairsTest, EndsBeforeAllPairsAreTakenAndWhenCancelled) {
    { SpreadPairs unused(work(1, 2, counter(), 8), resources_.context()); }
    ExecContext ctx = resources_.context();
    SpreadPairs pairs(work(1, 2, counter(), 8), ctx);
    pairs.take();
    EXPECT_LE(read_, 5); // a chain each ahead, and one that is being taken
    ctx.cancel.cancel();
    EXPECT_THROW(for (;;) pairs.take(), Cancelled);
}

} // namespace
} // namespace systole
