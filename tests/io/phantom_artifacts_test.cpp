// Artifacts that the phantom adds: each follows its equation, and the truth stays exact.
#include "compute/core/error.h"
#include "compute/ops/resample.h"
#include "io/phantom/artifacts.h"
#include "io/phantom/letter.h"
#include "io/phantom/motion.h"
#include "io/phantom/phantom.h"
#include "io/phantom/sliding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double pi = std::numbers::pi;

class PhantomArtifacts : public ::testing::Test {
protected:
    std::vector<double> image(const PhantomOptions& options, int frame) {
        const Phantom phantom(options);
        Volume volume(phantom.geometry(), resources_.pool(), "image");
        phantom.image(frame, volume.view(), resources_.context());
        return {volume.voxels.data(), volume.voxels.data() + volume.voxels.size()};
    }
    ExecResources resources_{2};
};

/// A gain g moves every echo voxel by 20 log10(g) of the 50 dB that 255 gray values show.
TEST_F(PhantomArtifacts, GainOfEchoIsAnOffsetInDecibels) {
    PhantomOptions options = phantomPair({32, 32, 32});
    options.frames = 3;
    const std::vector<double> first = image(options, 0), middle = image(options, 1),
                              last = image(options, 2);
    options.gainDrift = 0.5;
    EXPECT_EQ(image(options, 0), first);
    const auto expectOffset = [&](const std::vector<double>& with,
                                  const std::vector<double>& without, double gain) {
        const double offset = 255 * 20 * std::log10(gain) / 50;
        for (std::size_t i = 0; i < with.size(); ++i) {
            if (with[i] == 0 || without[i] == 255)
                continue; // cut off by the gray range
            ASSERT_NEAR(with[i] - without[i], offset, 1e-2);
        }
    };
    expectOffset(image(options, 1), middle, std::sqrt(0.5));
    expectOffset(image(options, 2), last, 0.5);
}

TEST_F(PhantomArtifacts, GainAndBiasOfCtAreFactors) {
    PhantomOptions options = phantomPair({32, 24, 20});
    options.look = PhantomLook::Ct;
    options.additiveNoise = 0;
    const std::vector<double> plain = image(options, 1);
    options.gainDrift = 0.8;
    options.biasAmplitude = 0.2;
    const std::vector<double> changed = image(options, 1);
    const Phantom phantom(options);
    const PhantomBias bias(options, phantom.geometry(), 1);
    const Size3 size = phantom.geometry().size();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = VolumeView<const double>(plain.data(), size).offset(x, y, z);
                ASSERT_NEAR(changed[i], plain[i] * 0.8 * static_cast<double>(bias.at(x, y, z)),
                            1e-3);
            }
}

/// Three waves of 120 mm: shifting all phases by half a cycle turns the field over, a whole cycle
/// brings it back, and along each axis it obeys the equation of a wave.
TEST_F(PhantomArtifacts, BiasIsASmoothWaveThatDriftsOverTheCycle) {
    PhantomOptions options = phantomPair({64, 64, 64});
    options.biasAmplitude = 0.3;
    options.frames = 8;
    const Geometry geometry = Phantom(options).geometry(); // voxels of 2 mm
    const PhantomBias start(options, geometry, 0), half(options, geometry, 4),
        whole(options, geometry, 8);
    float lowest = 2, highest = 0;
    const double curvature = 2 * std::cos(2 * pi * 2 / 120);
    for (int i = 1; i < 63; ++i) {
        const float b = start.at(i, 20, 63 - i);
        lowest = std::min(lowest, b);
        highest = std::max(highest, b);
        EXPECT_NEAR(b + half.at(i, 20, 63 - i), 2, 1e-5);
        EXPECT_NEAR(b, whole.at(i, 20, 63 - i), 1e-5);
        // The x wave alone: differences of the field along x.
        const auto wave = [&](int x) {
            return static_cast<double>(start.at(x, 20, 30) -
                                       0.5f * (start.at(10, 20, 30) + start.at(40, 20, 30)));
        }; // 10 and 40 are half a wave apart, so that their x waves cancel
        EXPECT_NEAR(wave(i - 1) + wave(i + 1), curvature * wave(i), 1e-4);
    }
    EXPECT_GE(lowest, 1 - 0.3001f);
    EXPECT_LE(highest, 1 + 0.3001f);
    EXPECT_GT(highest - lowest, 0.1f);
    options.seed = 2;
    EXPECT_NE(PhantomBias(options, geometry, 0).at(5, 5, 5), start.at(5, 5, 5));
}

/// Voxels outside the sector are never seen; inside the picture is the one without a sector.
TEST_F(PhantomArtifacts, TheSectorStandsStillAndCutsTheWall) {
    PhantomOptions options = phantomPair({48, 48, 48});
    const Phantom whole(options);
    options.sectorDegrees = 70;
    const Phantom cut(options);
    const std::vector<std::uint8_t> seen = cut.visible(0, 0, resources_.context());
    PhantomOptions open = options;
    open.sectorDegrees = 0;
    for (const int frame : {0, 1}) {
        const std::vector<double> with = image(options, frame), without = image(open, frame);
        for (std::size_t i = 0; i < with.size(); ++i)
            ASSERT_EQ(with[i], seen[i] ? without[i] : 0);
    }
    // The truth is that of the tissue.
    const ExecContext ctx = resources_.context();
    const VectorField a = whole.truth(0, 1, ctx), b = cut.truth(0, 1, ctx);
    EXPECT_TRUE(std::equal(a.components.data(), a.components.data() + a.components.size(),
                           b.components.data()));
    // A part of the wall, and less than a half of it, is cut away.
    const std::vector<std::uint8_t> labels = cut.labels(0, ctx);
    double wall = 0, visible = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == 1) {
            ++wall;
            visible += seen[i];
        }
    EXPECT_GT(visible / wall, 0.5);
    EXPECT_LT(visible / wall, 0.95);
}

/// Visible in both frames: the voxel in its frame, and where the truth leads in the other.
TEST_F(PhantomArtifacts, VisibleMeansSeenInBothFrames) {
    PhantomOptions options = phantomPair({40, 40, 40});
    options.sectorDegrees = 60;
    const Phantom phantom(options);
    const ExecContext ctx = resources_.context();
    const Size3 size = phantom.geometry().size();
    const std::vector<std::uint8_t> both = phantom.visible(0, 1, ctx),
                                    here = phantom.visible(0, 0, ctx);
    const VectorField truth = phantom.truth(0, 1, ctx);
    const double tangent = std::tan(30 * pi / 180);
    int lost = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = truth.view().componentView(0).offset(x, y, z);
                const Vec3 p = phantom.geometry().indexToPhysical(
                    {x + static_cast<double>(truth.view().u[i]),
                     y + static_cast<double>(truth.view().v[i]),
                     z + static_cast<double>(truth.view().w[i])});
                // The base at end diastole lies at 41 mm, the probe 30 mm above it.
                const double margin = std::min((71 - p.z) * tangent - std::abs(p.x - 12),
                                               (71 - p.z) * tangent - std::abs(p.y));
                if (std::abs(margin) < 1e-3)
                    continue;
                ASSERT_EQ(both[i] != 0, here[i] != 0 && margin > 0);
                lost += here[i] && !both[i];
            }
    EXPECT_GT(lost, 0);
}

/// The power of the speckle in the middle of each region falls by the square of what its amplitude
/// loses, in its own frames, and stays elsewhere.
TEST_F(PhantomArtifacts, DropoutFadesRegionsOfTheWallInTheirFrames) {
    PhantomOptions options = phantomPair({96, 96, 96});
    options.multiplicativeNoise = 0;
    options.motionScale = 0; // so that regions stand still
    PhantomOptions faded = options;
    faded.dropout = 0.9;
    const Geometry geometry = Phantom(options).geometry();
    for (const int frame : {0, 1}) {
        const PhantomDropout dropout(faded, frame);
        const std::vector<double> before = image(options, frame), after = image(faded, frame);
        for (int k = 0; k < PhantomDropout::regions; ++k) {
            const Vec3 middle = dropout.middle(k);
            EXPECT_EQ(HeartShape{}.tissue(middle), PhantomTissue::Wall);
            const double expected =
                std::array{0.9, 0.45, 0.0, 0.45}[static_cast<std::size_t>((k + 2 * frame) % 4)];
            EXPECT_NEAR(dropout.loss(k), expected, 1e-9);
            double sumBefore = 0, sumAfter = 0;
            const Vec3 center = geometry.physicalToIndex({middle.x, middle.y, middle.z + 29});
            const auto at = [](double c) { return static_cast<int>(std::lround(c)); };
            for (int z = at(center.z) - 2; z <= at(center.z) + 2; ++z)
                for (int y = at(center.y) - 2; y <= at(center.y) + 2; ++y)
                    for (int x = at(center.x) - 2; x <= at(center.x) + 2; ++x) {
                        const std::size_t i =
                            VolumeView<const double>(before.data(), geometry.size())
                                .offset(x, y, z);
                        sumBefore += std::pow(10.0, (before[i] / 255 - 1) * 5);
                        sumAfter += std::pow(10.0, (after[i] / 255 - 1) * 5);
                    }
            const double amplitude = std::sqrt(sumAfter / sumBefore);
            EXPECT_NEAR(amplitude, static_cast<double>(dropout.amplitude(middle)), 0.08)
                << "region " << k << ", frame " << frame;
        }
    }
}

/// The amplitude changes little over a speckle: where it is still above half, the intensity over
/// its local mean stays exponential (standard deviation equal to the mean).
TEST_F(PhantomArtifacts, SpeckleStaysFullyDevelopedUnderDropoutAndGain) {
    PhantomOptions options = phantomPair({64, 64, 64});
    options.multiplicativeNoise = 0;
    options.dropout = 0.9;
    options.gainDrift = 0.7;
    const Phantom phantom(options);
    const std::vector<double> gray = image(options, 1);
    const std::vector<std::uint8_t> labels = phantom.labels(1, resources_.context());
    const PhantomDropout dropout(options, 1);
    double sum = 0, squares = 0, count = 0;
    const Size3 size = phantom.geometry().size();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = VolumeView<const double>(gray.data(), size).offset(x, y, z);
                Vec3 p = phantom.geometry().indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                p = phantom.inverse(p, 1);
                p.z -= 29;
                const double amplitude = static_cast<double>(dropout.amplitude(p));
                if (labels[i] != 1 || amplitude < 0.5)
                    continue;
                const double power =
                    std::pow(10.0, (gray[i] / 255 - 1) * 5) / amplitude / amplitude;
                sum += power;
                squares += power * power;
                ++count;
            }
    const double mean = sum / count;
    EXPECT_NEAR(std::sqrt(squares / count - mean * mean) / mean, 1, 0.15);
}

TEST(SlidingRadius, PushedIsIncreasingMeetsTheSurfaceAndIsUndone) {
    for (const double shift : {-6.0, -0.5, 0.0, 3.0, 6.0}) {
        EXPECT_NEAR(pushedRadius(20, 20, 20 + shift), 20 + shift, 1e-12);
        double last = 0;
        for (double r = 20; r < 120; r += 0.7) {
            const double pushed = pushedRadius(r, 20, 20 + shift);
            EXPECT_GT(pushed, last);
            EXPECT_NEAR(pulledRadius(pushed, 20, 20 + shift), r, 1e-9);
            last = pushed;
        }
        EXPECT_NEAR(last, 119.4, 1e-4); // far away nothing moves
    }
}

/// Points left and right of the surface at height z, `gap` mm apart.
struct AcrossTheSurface {
    Vec3 inside, outside;
};
AcrossTheSurface across(double z, double angle, double gap) {
    const double r = PhantomMotion(0, 1).slidingRadius(z);
    const auto at = [&](double radius) {
        return Vec3{radius * std::cos(angle), radius * std::sin(angle), z};
    };
    return {at(r - gap / 2), at(r + gap / 2)};
}

/// Neither gap nor overlap: both sides stay on the moved surface, whose meridian is traced by the
/// inner side; only along it do they part.
TEST(PhantomSliding, TheSidesPartAlongTheSurfaceAndStayInTouch) {
    const PhantomMotion motion(1, 1, true);
    double largestSlip = 0;
    for (double z = -60; z < 30; z += 3.1) {
        const auto [inside, outside] = across(z, 0.7, 1e-7);
        const Vec3 in = motion.forward(inside), out = motion.forward(outside);
        EXPECT_EQ(out.z, z);
        EXPECT_NEAR(std::atan2(out.y, out.x), 0.7, 1e-12);
        // Which inner point has come to the height of the outer one?
        const double from = -70 + (z + 70) / 0.87;
        const Vec3 there = motion.forward(across(from, 0, 1e-7).inside);
        EXPECT_NEAR(there.z, out.z, 1e-9);
        EXPECT_NEAR(std::hypot(there.x, there.y), std::hypot(out.x, out.y), 1e-5);
        largestSlip = std::max(largestSlip, length(in - out));
    }
    EXPECT_GT(largestSlip, 8);
}

TEST(PhantomSliding, InverseUndoesForwardOnBothSides) {
    for (const double contraction : {0.4, 1.0})
        for (const double scale : {1.0, 2.0}) {
            const PhantomMotion motion(contraction, scale, true);
            for (double z = -85; z < 60; z += 4.3)
                for (double r = 0.5; r < 80; r += 2.9) {
                    if (std::abs(r - PhantomMotion(0, 1).slidingRadius(z)) < 1e-3)
                        continue;
                    const Vec3 p{0.6 * r, 0.8 * r, z};
                    EXPECT_LT(length(motion.inverse(motion.forward(p)) - p), 1e-8)
                        << "r " << r << ", z " << z;
                    if (r > PhantomMotion(0, 1).slidingRadius(z)) {
                        EXPECT_EQ(motion.forward(p).z, z);
                    }
                }
        }
}

/// The wall's motion is the same as without sliding, so its guarantees hold.
TEST(PhantomSliding, TheWallMovesAsWithoutSliding) {
    const PhantomMotion still(1, 1), sliding(1, 1, true);
    int points = 0;
    for (double z = -69; z < 12; z += 2.3)
        for (double r = 1; r < 30; r += 1.7)
            if (HeartShape{}.tissue({r, 0, z}) == PhantomTissue::Wall) {
                EXPECT_LT(length(still.forward({r, 0, z}) - sliding.forward({r, 0, z})), 1e-12);
                ++points;
            }
    EXPECT_GT(points, 100);
}

/// Warped back by the truth, the picture is the first one again, on both sides of the surface.
TEST_F(PhantomArtifacts, SlidingPicturesFollowTheTrueMotionOnBothSides) {
    PhantomOptions options = phantomPair({64, 64, 64});
    options.sliding = true;
    options.multiplicativeNoise = 0;
    const ExecContext ctx = resources_.context();
    const Phantom phantom(options);
    Volume first(phantom.geometry(), *ctx.pool, "first"),
        last(phantom.geometry(), *ctx.pool, "last"),
        warped(phantom.geometry(), *ctx.pool, "warped");
    phantom.image(0, first.view(), ctx);
    phantom.image(1, last.view(), ctx);
    const VectorField truth = phantom.truth(0, 1, ctx);
    warpVolume(last.view(), truth.view(), warped.view(), {}, ctx);
    for (const bool inside : {true, false}) {
        double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
        for (int z = 0; z < 64; ++z)
            for (int y = 0; y < 64; ++y)
                for (int x = 0; x < 64; ++x) {
                    Vec3 p = phantom.geometry().indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                    p.z -= 29;
                    const double depth =
                        PhantomMotion(0, 1).slidingRadius(p.z) - std::hypot(p.x, p.y);
                    if (p.z < -60 || p.z > 5 ||
                        (inside ? depth < 2 || depth > 9 : depth > -4 || depth < -14))
                        continue;
                    const double f = static_cast<double>(first.view()(x, y, z)),
                                 w = static_cast<double>(warped.view()(x, y, z));
                    ++n;
                    a += f;
                    b += w;
                    aa += f * f;
                    bb += w * w;
                    ab += f * w;
                }
        const double correlation =
            (n * ab - a * b) / std::sqrt((n * aa - a * a) * (n * bb - b * b));
        EXPECT_GT(correlation, 0.8) << (inside ? "inside" : "outside");
    }
}

TEST_F(PhantomArtifacts, RefusesSenselessValues) {
    const auto expectRefused = [](auto change) {
        PhantomOptions options = phantomPair({16, 16, 16});
        change(options);
        EXPECT_THROW(Phantom{options}, ComputeError);
    };
    expectRefused([](PhantomOptions& o) { o.gainDrift = 0; });
    expectRefused([](PhantomOptions& o) { o.biasAmplitude = 1; });
    expectRefused([](PhantomOptions& o) { o.sectorDegrees = 5; });
    expectRefused([](PhantomOptions& o) { o.dropout = NAN; });
    expectRefused([](PhantomOptions& o) {
        o.dropout = 0.5;
        o.look = PhantomLook::Ct;
    });
}

/// A shell that is open to +x, and the ball that it leaves the hollow and the slit of.
TEST(Letter, IsTheBallWithoutItsHollowAndItsSlit) {
    const Geometry grid({41, 41, 41}, {2, 2, 2});
    BufferPool pool;
    Volume ball(grid, pool, "ball"), letter(grid, pool, "letter");
    drawLetter(LetterFrame::Ball, grid, ball.view());
    drawLetter(LetterFrame::Letter, grid, letter.view());
    // The radius is 14 voxels, that of the hollow 7; the slit is 6 voxels wide.
    const auto of = [&](const Volume& volume, int x, int y, int z) {
        return volume.view()(20 + x, 20 + y, 20 + z);
    };
    for (const auto& [x, y, z] :
         {std::array{0, 0, 0}, {10, 0, 0}, {10, 1, 0}, {10, 0, 5}, {4, 4, 0}}) {
        EXPECT_GT(of(ball, x, y, z), 250);
        EXPECT_LT(of(letter, x, y, z), 5) << x << ' ' << y << ' ' << z;
    }
    for (const auto& [x, y, z] : {std::array{-10, 0, 0}, {0, 10, 0}, {-3, 0, -10}, {9, 5, 0}})
        EXPECT_GT(of(letter, x, y, z), 250) << x << ' ' << y << ' ' << z;
    for (std::size_t i = 0; i < grid.voxels(); ++i)
        ASSERT_LE(letter.voxels.data()[i], ball.voxels.data()[i]);
    EXPECT_LT(of(ball, 0, 16, 0), 5);
}

} // namespace
} // namespace systole
