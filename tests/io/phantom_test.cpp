// The phantom's promises: its motion is what it says, and its pictures show it.
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "compute/ops/resample.h"
#include "io/phantom/motion.h"
#include "io/phantom/phantom.h"
#include "tests/support/map_determinant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

Vec3 pointIn(std::uint64_t id, double halfWidth) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = (2 * uniformFloat(static_cast<std::uint32_t>(
                           randomBits(1, static_cast<std::uint64_t>(axis), id))) -
                   1) *
                  halfWidth;
    return p;
}

TEST(PhantomMotion, TheWallKeepsItsVolumeExactly) {
    const PhantomMotion motion(0.8, 1);
    int points = 0;
    for (std::uint64_t id = 0; points < 500; ++id) {
        const Vec3 p = pointIn(id, 70);
        Vec3 deeper = p;
        deeper.x *= 0.99; // away from the surfaces, where differences would straddle them
        deeper.y *= 0.99;
        if (HeartShape{}.tissue(p) != PhantomTissue::Wall ||
            HeartShape{}.tissue(deeper) != PhantomTissue::Wall || std::hypot(p.x, p.y) < 3 ||
            p.z > HeartShape{}.baseHeight - 0.01)
            continue;
        EXPECT_NEAR(test::determinantOf(motion, p), 1, 1e-5);
        ++points;
    }
}

TEST(PhantomMotion, InverseUndoesForwardEverywhereAndNothingFolds) {
    for (const double contraction : {0.0, 0.3, 1.0}) {
        const PhantomMotion motion(contraction, 1);
        for (std::uint64_t id = 0; id < 3000; ++id) {
            const Vec3 p = pointIn(id, 90);
            EXPECT_LT(length(motion.inverse(motion.forward(p)) - p), 1e-5);
            EXPECT_GT(test::determinantOf(motion, p), 0.2);
        }
    }
}

TEST(PhantomMotion, ShortensThickensAndTwistsAsStated) {
    const PhantomMotion motion(1, 1);
    // Endocardium at the equator: radius × 0.80.
    const Vec3 endocardium = motion.forward({20.0001, 0, 0});
    EXPECT_NEAR(std::hypot(endocardium.x, endocardium.y), 16, 0.01);
    // Base towards apex: 13 % of the length; twist 10 degrees over it.
    const Vec3 base = motion.forward({25, 0, 12}), apex = motion.forward({0, 0, -70});
    EXPECT_NEAR(base.z - apex.z, 0.87 * 82, 1e-6);
    const Vec3 low = motion.forward({5, 0, -69});
    EXPECT_NEAR(std::atan2(low.y, low.x) * 180 / 3.14159265, 10 * 81.0 / 82, 1e-3);
    EXPECT_NEAR(base.y, 0, 1e-9);
}

class PhantomLooks : public ::testing::TestWithParam<PhantomLook> {};
INSTANTIATE_TEST_SUITE_P(Looks, PhantomLooks,
                         ::testing::Values(PhantomLook::Echo, PhantomLook::Ct));

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    const auto n = static_cast<double>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ma += a[i] / n;
        mb += b[i] / n;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / std::sqrt(aa * bb);
}

struct Seen {
    double still = 0, tracked = 0;
};
Seen wallCorrelation(const PhantomOptions& options) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Phantom phantom(options);
    Volume first(phantom.geometry(), *ctx.pool, "first"),
        last(phantom.geometry(), *ctx.pool, "last"),
        warped(phantom.geometry(), *ctx.pool, "warped");
    phantom.image(0, first.view(), ctx);
    phantom.image(1, last.view(), ctx);
    const VectorField truth = phantom.truth(0, 1, ctx);
    warpVolume(last.view(), truth.view(), warped.view(), {}, ctx);
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
    std::vector<double> a, b, c;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == 1) {
            a.push_back(first.voxels.data()[i]);
            b.push_back(last.voxels.data()[i]);
            c.push_back(warped.voxels.data()[i]);
        }
    return {correlation(a, b), correlation(a, c)};
}

TEST_P(PhantomLooks, PicturesFollowTheTrueMotion) {
    PhantomOptions options = phantomPair({64, 64, 64});
    options.look = GetParam();
    options.multiplicativeNoise = 0;
    options.additiveNoise = 0;
    options.textureGray = 12;
    const Seen seen = wallCorrelation(options);
    EXPECT_GT(seen.tracked, 0.8);
    EXPECT_LT(seen.still, 0.5 * seen.tracked + 0.2);
}

TEST(Phantom, DecorrelationAndNoiseLowerWhatCanBeTracked) {
    PhantomOptions options = phantomPair({48, 48, 48});
    const double clean = wallCorrelation(options).tracked;
    options.amplitudeCorrelation = 0.8;
    const double renewed = wallCorrelation(options).tracked;
    options.multiplicativeNoise = 0.4;
    const double noisy = wallCorrelation(options).tracked;
    EXPECT_LT(renewed, clean - 0.1);
    EXPECT_LT(noisy, renewed - 0.05);
}

/// Fully developed speckle: the intensity (squared envelope) is exponential, so its standard
/// deviation equals its mean; in decibels it has 5.57 dB.
TEST(Phantom, SpeckleIsFullyDeveloped) {
    ExecResources resources(2);
    PhantomOptions options = phantomPair({64, 64, 64});
    options.multiplicativeNoise = 0;
    const Phantom phantom(options);
    Volume image(phantom.geometry(), resources.pool(), "image");
    phantom.image(0, image.view(), resources.context());
    const std::vector<std::uint8_t> labels = phantom.labels(0, resources.context());
    double sum = 0, squares = 0, count = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == 1) {
            const double gray = image.voxels.data()[i];
            const double power = std::pow(10.0, (gray / 255 - 1) * 50 / 10);
            sum += power;
            squares += power * power;
            ++count;
        }
    const double mean = sum / count;
    EXPECT_NEAR(std::sqrt(squares / count - mean * mean) / mean, 1, 0.15);
}

TEST(Phantom, SameSeedSamePictureForAnyNumberOfThreads) {
    PhantomOptions options = phantomPair({40, 24, 32});
    std::vector<std::vector<float>> pictures;
    for (const int threads : {1, 3}) {
        ExecResources resources(threads);
        const Phantom phantom(options);
        Volume image(phantom.geometry(), resources.pool(), "image");
        phantom.image(1, image.view(), resources.context());
        pictures.emplace_back(image.voxels.data(), image.voxels.data() + image.voxels.size());
    }
    EXPECT_EQ(pictures[0], pictures[1]);
}

TEST(Phantom, TheWallsLabelVolumeStaysOverTheCycle) {
    ExecResources resources(2);
    PhantomOptions options;
    options.size = {96, 96, 96};
    options.frames = 4;
    const Phantom phantom(options);
    const auto volume = [&](int frame) {
        const std::vector<std::uint8_t> labels = phantom.labels(frame, resources.context());
        return static_cast<double>(std::count(labels.begin(), labels.end(), 1));
    };
    EXPECT_NEAR(volume(2) / volume(0), 1, 0.01);
    const std::vector<std::uint8_t> end = phantom.labels(2, resources.context());
    const std::vector<std::uint8_t> start = phantom.labels(0, resources.context());
    EXPECT_LT(std::count(end.begin(), end.end(), 2),
              0.65 * static_cast<double>(std::count(start.begin(), start.end(), 2)));
}

/// A slice is the mean of its planes; its truth is that of the middle between them.
TEST(Phantom, SlicesAreMeansOfPlanes) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    PhantomOptions thin = phantomPair({24, 24, 24}), thick = phantomPair({24, 24, 6});
    thick.planesPerSlice = 4;
    thin.additiveNoise = thick.additiveNoise = 0;
    for (const PhantomLook look : {PhantomLook::Echo, PhantomLook::Ct}) {
        thin.look = thick.look = look;
        const Phantom planes(thin), slices(thick);
        Volume fine(planes.geometry(), *ctx.pool, "planes"),
            coarse(slices.geometry(), *ctx.pool, "slices");
        planes.image(1, fine.view(), ctx);
        slices.image(1, coarse.view(), ctx);
        for (int z = 0; z < 6; ++z)
            for (int y = 0; y < 24; ++y)
                for (int x = 0; x < 24; ++x) {
                    double mean = 0;
                    for (int k = 0; k < 4; ++k)
                        mean += static_cast<double>(fine.view()(x, y, 4 * z + k)) / 4;
                    ASSERT_NEAR(static_cast<double>(coarse.view()(x, y, z)), mean, 1e-3);
                }
        const Vec3 a = planes.geometry().indexToPhysical({3, 5, 4 * 2 + 1.5});
        const Vec3 b = slices.geometry().indexToPhysical({3, 5, 2});
        EXPECT_NEAR(length(a - b), 0, 1e-9);
    }
    thick.planesPerSlice = 0;
    EXPECT_THROW(Phantom{thick}, ComputeError);
}

/// The plane that the base cuts the wall off at, in slices every 10 mm: the mean of its smoothed
/// edge over the slices' thickness has a closed form. In the gap nobody sees it.
TEST(Phantom, ASliceSeesItsThicknessAndNothingOfTheGap) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    constexpr double wall = 110, outside = 50, distance = 10, planeMillimeters = 0.5;
    PhantomOptions options = phantomPair({64, 64, 12});
    options.look = PhantomLook::Ct;
    options.additiveNoise = options.textureGray = 0;
    options.heart.wallThickness = 40;
    options.voxelHeight = 0.25;
    options.planesPerSlice = 20;
    // ∫ Φ
    const auto integral = [](double u) {
        return u * 0.5 * std::erfc(-u / std::sqrt(2)) +
               std::exp(-0.5 * u * u) / std::sqrt(2 * std::numbers::pi);
    };
    const Vec3 unshifted = HeartPose(options.heart).fromOwn({0, 0, options.heart.baseHeight});
    for (const double base : {8.0, 10.0, 12.0, 15.0}) // LPS mm
        for (const double thickness : {0.0, 8.0, 6.0, 3.0, 0.5}) {
            options.heart.shift.z = base - unshifted.z;
            options.sliceThickness = thickness;
            const Phantom phantom(options);
            Volume image(phantom.geometry(), *ctx.pool, "slices");
            phantom.image(0, image.view(), ctx);
            const double half = 0.5 * (thickness > 0 ? thickness : distance);
            for (const double middle : {5.0, 15.0}) {
                const Vec3 at = phantom.geometry().physicalToIndex({41, 1, middle});
                const double below = (base - middle + half) / planeMillimeters,
                             above = (base - middle - half) / planeMillimeters;
                const double share = (integral(below) - integral(above)) / (below - above);
                EXPECT_NEAR(static_cast<double>(image.view()(static_cast<int>(std::lround(at.x)),
                                                             static_cast<int>(std::lround(at.y)),
                                                             static_cast<int>(std::lround(at.z)))),
                            outside + (wall - outside) * share, 0.5)
                    << base << " mm, slice of " << thickness << " mm at " << middle;
            }
        }
    options.sliceThickness = 10.1;
    EXPECT_THROW(Phantom{options}, ComputeError);
    options.planesPerSlice = 1;
    options.sliceThickness = 0.9 * planeMillimeters;
    EXPECT_THROW(Phantom{options}, ComputeError) << "one plane has no gap";
    options.sliceThickness = planeMillimeters;
    EXPECT_NO_THROW(Phantom{options});
}

TEST(Phantom, RefusesSenselessOptions) {
    PhantomOptions options;
    options.frames = 0;
    EXPECT_THROW(Phantom{options}, ComputeError);
    options = {};
    options.motionScale = NAN;
    EXPECT_THROW(Phantom{options}, ComputeError);
    options = {};
    options.size = {0, 1, 1};
    EXPECT_THROW(Phantom{options}, ComputeError);
}

} // namespace
} // namespace systole
