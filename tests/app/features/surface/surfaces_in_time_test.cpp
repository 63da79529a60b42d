// Surfaces denoised with their neighbors in time: what flickers falls, what moves goes on moving.
#include "app/features/surface/surfaces_in_time.h"
#include "compute/core/error.h"
#include "compute/surface/surface.h"
#include "compute/surface/surface_methods.h"
#include "tests/support/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace systole {
namespace {

using namespace test;

constexpr int frames = 16;
const Size3 size{28, 28, 28};
const Vec3 center{13.4, 13.7, 13.5};

/// A ball that beats by `amplitude` of its radius, or doesn't, with fresh noise in every frame.
struct NoisyBalls {
    double amplitude = 0;
    Geometry grid{size, {1, 1, 1}, {}};
    BufferPool* pool = nullptr;

    double radius(int frame) const {
        return 9 * (1 - amplitude / 2 * (1 - std::cos(2 * std::numbers::pi * frame / frames)));
    }
    void distance(int frame, VolumeView<float> phi) const {
        const std::vector<float> noisy = sampled(sphere(center, radius(frame)), size, 0.4,
                                                 static_cast<std::uint64_t>(frame + 1));
        std::ranges::copy(noisy, phi.data);
    }
    VectorField motion(int fixed, int moving) const {
        VectorField field(grid, *pool, "motion");
        const FieldView<float> view = field.view();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const Vec3 at{static_cast<double>(x), static_cast<double>(y),
                                  static_cast<double>(z)};
                    const Vec3 moved = (radius(moving) / radius(fixed) - 1) * (at - center);
                    for (int axis = 0; axis < 3; ++axis)
                        view.component(axis)[view.componentView(0).offset(x, y, z)] =
                            static_cast<float>(moved[axis]);
                }
        return field;
    }
    FramesInTime source(bool moves) const {
        FramesInTime frame{.geometry = grid,
                           .frames = frames,
                           .closedCycle = true,
                           .distance = [this](int t, VolumeView<float> phi) { distance(t, phi); }};
        if (moves)
            frame.motion = [this](int fixed, int moving) { return motion(fixed, moving); };
        return frame;
    }
};

class SurfacesOfFrames : public ::testing::Test {
protected:
    std::vector<double> volumes(const NoisyBalls& balls, int away, bool moves) {
        return volumes(balls.source(moves), away);
    }
    std::vector<double> volumes(const FramesInTime& source, int away) {
        const ExecContext ctx = resources.context();
        const SurfaceMethod& method = surfaceMethods()[1]; // semi-local
        MeanInTimeParameters parameters;
        parameters.frames = std::max(away, 1);
        SurfacesInTime inTime(source, parameters);
        Volume phi(source.geometry, resources.pool(), "phi");
        std::vector<double> all;
        for (int frame = 0; frame < frames; ++frame) {
            if (away > 0)
                inTime.mean(frame, phi.view(), ctx);
            else
                source.distance(frame, phi.view());
            denoiseSurface(method, phi.view(), source.geometry, method.defaults(), ctx);
            all.push_back(surfaceOf(phi.view(), source.geometry, SurfaceEdge::Closed, ctx)
                              .measures.volumeCubicMillimeters);
        }
        return all;
    }
    static double jitter(const std::vector<double>& volumes) {
        double sum = 0;
        for (std::size_t t = 0; t < volumes.size(); ++t)
            sum += std::pow(volumes[(t + 1) % volumes.size()] - volumes[t], 2);
        return std::sqrt(sum / static_cast<double>(volumes.size()));
    }
    static double ejectionFraction(const std::vector<double>& volumes) {
        return 1 - volumes[frames / 2] / volumes[0];
    }

    ExecResources resources{2};
};

TEST_F(SurfacesOfFrames, FlickerOfAStillBallFallsFiveTimes) {
    const NoisyBalls still{.pool = &resources.pool()};
    const double before = jitter(volumes(still, 0, false));
    EXPECT_LT(5 * jitter(volumes(still, 3, false)), before);
    EXPECT_LT(5 * jitter(volumes(still, 3, true)), before);
}

TEST_F(SurfacesOfFrames, EjectionFractionOfABeatingBallStays) {
    const NoisyBalls beating{.amplitude = 0.2, .pool = &resources.pool()};
    const double truth = 1 - std::pow(0.8, 3);
    const double moved = ejectionFraction(volumes(beating, 3, true));
    EXPECT_NEAR(moved, truth, 0.01);
    EXPECT_NEAR(moved, ejectionFraction(volumes(beating, 0, false)), 0.01);
    // The motion is found from the noisy surfaces themselves.
    FramesInTime estimated = beating.source(false);
    estimated.motion = [&](int fixed, int moving) {
        Volume a(beating.grid, resources.pool(), "a"), b(beating.grid, resources.pool(), "b");
        beating.distance(fixed, a.view());
        beating.distance(moving, b.view());
        return motionOfDistances(a, b, resources.context());
    };
    estimated.smoothedPairs = smoothedPairsOf(frames);
    EXPECT_NEAR(ejectionFraction(volumes(estimated, 3)), truth, 0.01);
    // The result would be lower if the motion were left out.
    EXPECT_LT(ejectionFraction(volumes(beating, 3, false)), truth - 0.02);
}

TEST_F(SurfacesOfFrames, AreTheSameBitsForAnyNumberOfThreads) {
    const NoisyBalls beating{.amplitude = 0.2, .pool = &resources.pool()};
    Volume one(beating.grid, resources.pool(), "one"),
        three = Volume(beating.grid, resources.pool(), "three");
    MeanInTimeParameters parameters;
    parameters.frames = 2;
    for (const auto& [threads, phi] : {std::pair(1, &one), std::pair(3, &three)}) {
        ExecResources team(threads);
        SurfacesInTime(beating.source(true), parameters).mean(5, phi->view(), team.context());
    }
    EXPECT_TRUE(std::ranges::equal(one.view().span(), three.view().span()));
}

/// A motion that changes along a parabola isn't flattened by the mean, and noise in it falls.
TEST(SmoothingWeights, KeepAParabola) {
    for (const int reach : {0, 1, 2, 5, 8}) {
        const std::vector<float> weights = smoothingWeights(reach);
        ASSERT_EQ(weights.size(), static_cast<std::size_t>(2 * reach + 1));
        double constant = 0, linear = 0, parabola = 0, noise = 0;
        for (int i = 0; i <= 2 * reach; ++i) {
            const double weight = double{weights[static_cast<std::size_t>(i)]}, away = i - reach;
            constant += weight;
            linear += weight * away;
            parabola += weight * away * away;
            noise += weight * weight;
        }
        EXPECT_NEAR(constant, 1, 1e-6) << reach;
        EXPECT_NEAR(linear, 0, 1e-6) << reach;
        if (reach != 1) {
            EXPECT_NEAR(parabola, 0, 1e-5) << reach;
        }
        if (reach > 0) {
            EXPECT_LT(noise, 0.5) << reach;
        }
    }
}

/// Every frame and motion is read once while the frames go by; the ends have fewer neighbors.
TEST_F(SurfacesOfFrames, ReadEveryFrameOnce) {
    const NoisyBalls still{.pool = &resources.pool()};
    FramesInTime source = still.source(true);
    source.closedCycle = false;
    std::vector<int> reads(frames), motions(frames);
    source.distance = [&](int frame, VolumeView<float> phi) {
        ++reads.at(static_cast<std::size_t>(frame));
        still.distance(frame, phi);
    };
    source.motion = [&](int fixed, int moving) {
        EXPECT_EQ(moving, fixed + 1);
        ++motions.at(static_cast<std::size_t>(fixed));
        return still.motion(fixed, moving);
    };
    source.smoothedPairs = 2;
    MeanInTimeParameters parameters;
    parameters.frames = 2;
    SurfacesInTime inTime(source, parameters);
    Volume phi(still.grid, resources.pool(), "phi");
    for (int frame = 0; frame < frames; ++frame)
        inTime.mean(frame, phi.view(), resources.context());
    EXPECT_EQ(reads, std::vector<int>(frames, 1));
    motions.pop_back();
    EXPECT_EQ(motions, std::vector<int>(frames - 1, 1));
}

TEST_F(SurfacesOfFrames, RefuseACycleShorterThanTheWindow) {
    const NoisyBalls still{.pool = &resources.pool()};
    MeanInTimeParameters parameters;
    parameters.frames = 8;
    EXPECT_THROW(SurfacesInTime(still.source(false), parameters), ComputeError);
    parameters.frames = 0;
    EXPECT_THROW(SurfacesInTime(still.source(false), parameters), ComputeError);
}

} // namespace
} // namespace systole
