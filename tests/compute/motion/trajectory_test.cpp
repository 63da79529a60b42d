// Trajectories over a window of frames: weights against mathematics, the filter on known motion, on
// noise, and on the phantom against its truth.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/sequence_driver.h"
#include "compute/motion/trajectory_filter.h"
#include "compute/ops/exponential.h"
#include "compute/ops/weighted_sum.h"
#include "io/phantom/phantom.h"
#include "tests/support/compute_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace systole {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

TEST(TrajectoryWeights, AreSavitzkyAndGolaysAtEqualDistances) {
    const std::vector<double> times{3, 4, 5, 6, 7};
    EXPECT_THAT(
        trajectoryWeights(times, false, 2),
        Pointwise(DoubleNear(1e-12), {-3.0 / 35, 12.0 / 35, 17.0 / 35, 12.0 / 35, -3.0 / 35}));
    EXPECT_THAT(
        trajectoryWeights(times, false, 4),
        Pointwise(DoubleNear(1e-12), {3.0 / 35, -5.0 / 35, -3.0 / 35, 9.0 / 35, 31.0 / 35}));
}

TEST(TrajectoryWeights, KeepEveryParabolaAtAnyTimes) {
    const std::vector<double> times{0, 0.02, 0.07, 0.09, 0.2, 0.21, 0.3};
    for (const bool fromStart : {false, true})
        for (std::size_t at = 1; at < times.size(); ++at) {
            const auto parabola = [&](double t) {
                return (fromStart ? 0.0 : 5.0) - 30 * t + 200 * t * t;
            };
            const std::vector<double> weights = trajectoryWeights(times, fromStart, at);
            double sum = 0;
            for (std::size_t i = 0; i < times.size(); ++i)
                sum += weights[i] * parabola(times[i]);
            EXPECT_NEAR(sum, parabola(times[at]), 1e-9) << at << " " << fromStart;
            EXPECT_EQ(weights[0] == 0, fromStart);
        }
}

TEST(TrajectoryWeights, FewSamplesStayWhereTheyAre) {
    const std::vector<double> three{0, 1, 2.5};
    EXPECT_THAT(trajectoryWeights(three, true, 2), Pointwise(DoubleNear(1e-12), {0.0, 0.0, 1.0}));
    EXPECT_THAT(trajectoryWeights(three, false, 1), Pointwise(DoubleNear(1e-12), {0.0, 1.0, 0.0}));
    EXPECT_THAT(trajectoryWeights(std::vector<double>{0, 1}, true, 1),
                Pointwise(DoubleNear(1e-12), {0.0, 1.0}));
}

TEST(WeightedSum, IsThatOfAPlainLoopForAnyNumberOfThreads) {
    constexpr Size3 size{37, 41, 53};
    const auto a = test::noiseVolume(size, 1), b = test::noiseVolume(size, 2),
               c = test::noiseVolume(size, 3);
    const std::vector<Summand> summands{{a.voxels, 0.3f}, {b.voxels, -1.2f}, {c.voxels, 0.7f}};
    for (const int threads : {1, 3}) {
        ExecResources resources(threads);
        std::vector<float> sum(a.voxels.size(), NAN);
        weightedSum(summands, sum, resources.context());
        for (std::size_t i = 0; i < sum.size(); ++i) {
            float expected = 0;
            for (const Summand& summand : summands)
                expected += summand.weight * summand.values[i];
            ASSERT_EQ(sum[i], expected) << i;
        }
    }
    ExecResources resources(1);
    std::vector<float> tooShort(7);
    EXPECT_THROW(weightedSum(summands, tooShort, resources.context()), ComputeError);
    const std::vector<Summand> many(maxSummands + 1, summands[0]);
    std::vector<float> sum(a.voxels.size());
    EXPECT_THROW(weightedSum(many, sum, resources.context()), ComputeError);
}

class TrajectoryFilterTest : public ::testing::Test {
protected:
    /// Displacement in voxels of a voxel in a frame, along x; along z half of it.
    using Motion = std::function<double(int frame, std::size_t voxel)>;

    FrameResult estimate(int frame, const Motion& motion) {
        FrameResult result;
        result.fixedFrame = 0;
        result.movingFrame = frame;
        result.fixed = result.moving = image;
        auto field = std::make_shared<VectorField>(grid, resources.pool(), "estimate");
        const FieldView<float> view = field->view();
        for (std::size_t i = 0; i < grid.voxels(); ++i) {
            view.u[i] = static_cast<float>(motion(frame, i));
            view.v[i] = 0;
            view.w[i] = 0.5f * view.u[i];
        }
        result.field = field;
        return result;
    }
    /// Frames 1 … count − 1 through a filter, in the order in which they come out.
    std::vector<FrameResult> filtered(const Motion& motion, int count, int window,
                                      const std::function<double(int)>& seconds) {
        TrajectoryFilter filter(window);
        std::vector<FrameResult> all;
        const auto take = [&](std::vector<FrameResult> results) {
            std::move(results.begin(), results.end(), std::back_inserter(all));
        };
        for (int frame = 1; frame < count; ++frame)
            take(filter.add(estimate(frame, motion), seconds(frame), resources.context()));
        take(filter.finish(resources.context()));
        return all;
    }
    double meanError(const FrameResult& result, const Motion& truth) const {
        double sum = 0;
        for (std::size_t i = 0; i < grid.voxels(); ++i)
            sum += std::abs(static_cast<double>(result.field->view().u[i]) -
                            truth(result.movingFrame, i));
        return sum / static_cast<double>(grid.voxels());
    }
    static double byNumber(int frame) { return frame; }

    ExecResources resources{2};
    const Geometry grid{{12, 11, 10}, {1, 1, 1}};
    std::shared_ptr<Volume> image = [this] {
        auto volume = std::make_shared<Volume>(grid, resources.pool(), "frame");
        for (std::size_t i = 0; i < grid.voxels(); ++i)
            volume->voxels.data()[i] = static_cast<float>(i % 12);
        return volume;
    }();
};

TEST_F(TrajectoryFilterTest, KeepsUniformAndUniformlyAcceleratedMotion) {
    const auto irregular = [](int frame) { return 0.03 * frame + 0.002 * (frame % 3); };
    const Motion motion = [&](int frame, std::size_t voxel) {
        const double t = irregular(frame);
        return (voxel % 2 == 0 ? 0.0 : 25 * t * t) + 8 * t;
    };
    for (const int window : {5, 9})
        for (const int count : {2, 3, 6, 14}) {
            const std::vector<FrameResult> results = filtered(motion, count, window, irregular);
            ASSERT_EQ(results.size(), static_cast<std::size_t>(count - 1));
            for (int frame = 1; frame < count; ++frame) {
                const FrameResult& result = results[static_cast<std::size_t>(frame - 1)];
                EXPECT_EQ(result.movingFrame, frame);
                EXPECT_LT(meanError(result, motion), 1e-6) << window << " " << count;
            }
        }
}

TEST_F(TrajectoryFilterTest, ReturnsAFrameAsSoonAsItsWindowIsComplete) {
    const Motion rest = [](int, std::size_t) { return 0.0; };
    TrajectoryFilter filter(7);
    std::vector<std::size_t> counts;
    for (int frame = 1; frame < 10; ++frame)
        counts.push_back(filter.add(estimate(frame, rest), frame, resources.context()).size());
    EXPECT_THAT(counts, ::testing::ElementsAre(0, 0, 0, 0, 0, 3, 1, 1, 1));
    EXPECT_EQ(filter.finish(resources.context()).size(), 3u);
    EXPECT_EQ(filter.finish(resources.context()).size(), 0u);
    EXPECT_NO_THROW(filter.add(estimate(1, rest), 1, resources.context())); // begun anew
}

/// A parabola over five frames leaves √(17/35) of white noise in the middle.
TEST_F(TrajectoryFilterTest, LessensNoiseAsTheFitPredicts) {
    constexpr int frames = 40;
    const Motion truth = [](int frame, std::size_t) {
        return 3 * (1 - std::cos(2 * std::numbers::pi * frame / 40));
    };
    const Motion noisy = [&](int frame, std::size_t voxel) {
        const auto counter = static_cast<std::uint64_t>(frame) * 10000 + voxel;
        return truth(frame, voxel) + 0.3 * normalPair(randomBits(1, 2, counter)).first;
    };
    const std::vector<FrameResult> results = filtered(noisy, frames, 5, byNumber);
    double before = 0, after = 0;
    for (int frame = 3; frame < frames - 3; ++frame) {
        before += meanError(estimate(frame, noisy), truth);
        after += meanError(results[static_cast<std::size_t>(frame - 1)], truth);
    }
    EXPECT_NEAR(after / before, std::sqrt(17.0 / 35), 0.03);
}

TEST_F(TrajectoryFilterTest, DoesNotFlattenAnAbruptTurn) {
    const Motion truth = [](int frame, std::size_t) {
        return frame <= 10 ? 1.0 * frame : 10 - 2.0 * (frame - 10);
    };
    const Motion noisy = [&](int frame, std::size_t voxel) {
        const auto counter = static_cast<std::uint64_t>(frame) * 10000 + voxel;
        return truth(frame, voxel) + 0.05 * normalPair(randomBits(1, 2, counter)).first;
    };
    const std::vector<FrameResult> results = filtered(noisy, 20, 5, byNumber);
    // The parabola alone would be 18/35 away at the turn.
    EXPECT_LT(meanError(results[9], truth), 0.08);
    EXPECT_LT(meanError(results[4], truth), 0.04);
}

TEST_F(TrajectoryFilterTest, WarpsTheFrameAlongTheTrajectory) {
    const std::vector<FrameResult> results =
        filtered([](int frame, std::size_t) { return 0.5 * frame; }, 6, 5, byNumber);
    ASSERT_NE(results[1].warped, nullptr);
    EXPECT_FLOAT_EQ(results[1].warped->view()(3, 4, 5), image->view()(4, 4, 5));
    EXPECT_GT(results[1].profile.seconds("trajectory"), 0);
}

/// Slopes of 0.9 and −0.9 by turns: of (9, −9, −9, −9, 9)/10 the parabola in the middle is −1.2.
TEST_F(TrajectoryFilterTest, DoesNotFoldWhereNoEstimateDoes) {
    const Motion squeezed = [](int frame, std::size_t voxel) {
        const double x = static_cast<double>(voxel % 12);
        return (frame % 5 < 2 ? 0.9 : -0.9) * std::clamp(x - 3, 0.0, 4.0);
    };
    for (int frame = 1; frame < 12; ++frame)
        ASSERT_FALSE(hasFolds(estimate(frame, squeezed).field->view(), resources.context()));
    const std::vector<FrameResult> results = filtered(squeezed, 12, 5, byNumber);
    for (const FrameResult& result : results)
        EXPECT_FALSE(hasFolds(result.field->view(), resources.context())) << result.movingFrame;
}

TEST_F(TrajectoryFilterTest, AFrameAloneStaysAsEstimated) {
    TrajectoryFilter filter(unsmoothedWindow);
    for (int frame = 1; frame < 4; ++frame) {
        const FrameResult given = estimate(frame, [](int, std::size_t) { return 0.0; });
        const std::vector<FrameResult> ready = filter.add(given, frame, resources.context());
        ASSERT_EQ(ready.size(), 1u);
        EXPECT_EQ(ready[0].movingFrame, frame);
        EXPECT_EQ(ready[0].field, given.field);
        EXPECT_EQ(ready[0].window, unsmoothedWindow);
    }
    EXPECT_TRUE(filter.finish(resources.context()).empty());
}

TEST_F(TrajectoryFilterTest, RefusesWhatItCannotFit) {
    for (const int window : {0, 3, 4, 6, 33})
        EXPECT_THROW(TrajectoryFilter{window}, ComputeError) << window;
    const Motion rest = [](int, std::size_t) { return 0.0; };
    TrajectoryFilter filter(5);
    filter.add(estimate(1, rest), 1, resources.context());
    EXPECT_THROW(filter.add(estimate(2, rest), 1, resources.context()), ComputeError);
    FrameResult other = estimate(2, rest);
    other.field =
        std::make_shared<VectorField>(Geometry({3, 3, 3}, {1, 1, 1}), resources.pool(), "other");
    EXPECT_THROW(filter.add(other, 2, resources.context()), ComputeError);
}

/// Echo whose speckle decorrelates, under strong noise.
class TrajectoryOnPhantom : public ::testing::Test {
protected:
    static constexpr int frames = 12;
    static constexpr std::uint8_t wall = 1;

    static Phantom phantom() {
        PhantomOptions options;
        options.size = {32, 32, 32};
        options.frames = frames;
        options.motionScale = 0.25;
        options.amplitudeCorrelation = 0.8;
        options.multiplicativeNoise = 0.3;
        return Phantom(options);
    }
    /// The motion of frame 0 into frames 1 …; window 0: as estimated.
    static std::vector<FrameResult> motion(const Phantom& heart, int window, int threads,
                                           BufferPool& pool) {
        ThreadTeam team(threads);
        ExecContext ctx;
        ctx.pool = &pool;
        ctx.threads = &team;
        const MotionMethod& method = motionMethods().front();
        SequenceDriver driver(method.make(ParamSet(*method.parameters, "default"), Backend::Cpu),
                              {ReferenceMode::First, {0, 255}});
        std::optional<TrajectoryFilter> filter;
        if (window > 0)
            filter.emplace(window);
        std::vector<FrameResult> all;
        const auto take = [&](std::vector<FrameResult> results) {
            std::move(results.begin(), results.end(), std::back_inserter(all));
        };
        const auto frameAt = [&](int index) {
            auto frame = std::make_shared<Volume>(heart.geometry(), pool, "phantom frame");
            heart.image(index, frame->view(), ctx);
            return frame;
        };
        const auto first = frameAt(0);
        for (int frame = 1; frame < frames; ++frame) {
            FrameResult result = driver.estimate(first, 0, frameAt(frame), frame, ctx);
            if (filter)
                take(filter->add(std::move(result), frame, ctx));
            else
                all.push_back(std::move(result));
        }
        if (filter)
            take(filter->finish(ctx));
        return all;
    }

    BufferPool pool;
};

TEST_F(TrajectoryOnPhantom, IsNearerToTheTruthThanEachFrameAlone) {
    const Phantom heart = phantom();
    ExecResources resources(2);
    const std::vector<std::uint8_t> labels = heart.labels(0, resources.context());
    const auto meanError = [&](const std::vector<FrameResult>& results) {
        double sum = 0;
        std::size_t count = 0;
        for (const FrameResult& result : results) {
            const VectorField truth = heart.truth(0, result.movingFrame, resources.context());
            for (std::size_t i = 0; i < labels.size(); ++i)
                if (labels[i] == wall) {
                    double squared = 0;
                    for (int axis = 0; axis < 3; ++axis)
                        squared +=
                            std::pow(static_cast<double>(result.field->view().component(axis)[i]) -
                                         static_cast<double>(truth.view().component(axis)[i]),
                                     2);
                    sum += std::sqrt(squared);
                    ++count;
                }
        }
        return sum / static_cast<double>(count);
    };
    const double alone = meanError(motion(heart, 0, 2, pool));
    const double together = meanError(motion(heart, defaultTrajectoryWindow, 2, pool));
    RecordProperty("alone", std::to_string(alone));
    RecordProperty("together", std::to_string(together));
    EXPECT_LT(together, 0.95 * alone);
}

TEST_F(TrajectoryOnPhantom, DoesNotDependOnTheNumberOfThreads) {
    const Phantom heart = phantom();
    const std::vector<FrameResult> one = motion(heart, 5, 1, pool),
                                   three = motion(heart, 5, 3, pool);
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t n = 0; n < one.size(); ++n) {
        const auto a = one[n].field->components.span(), b = three[n].field->components.span();
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << n;
    }
}

} // namespace
} // namespace systole
