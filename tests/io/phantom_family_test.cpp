// The family of phantoms: every heart's true motion is exact, and each option is what it says.
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "compute/ops/resample.h"
#include "io/phantom/artifacts.h"
#include "io/phantom/family.h"
#include "io/phantom/motion.h"
#include "tests/support/map_determinant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace systole {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// A random position within ±halfWidth along each axis.
Vec3 placeOf(std::uint64_t id, double halfWidth) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = (2 * uniformFloat(static_cast<std::uint32_t>(
                           randomBits(7, static_cast<std::uint64_t>(axis), id))) -
                   1) *
                  halfWidth;
    return p;
}

/// A random position within the box around the heart.
Vec3 placeInBoxOf(const HeartShape& heart, std::uint64_t id) {
    const Vec3 p = placeOf(id, 1);
    const double r = heart.epicardialRadius(),
                 length = heart.baseHeight + heart.epicardialHalfLength();
    return {r * p.x, r * p.y, heart.apexHeight() + 0.5 * (1 + p.z) * length};
}

/// Whether the wall reaches a hundredth of the radius to both sides: differences stay within it.
bool deepInWall(const HeartShape& heart, Vec3 p) {
    if (std::hypot(p.x, p.y) < 3 || p.z > heart.baseHeight - 0.01)
        return false;
    return std::ranges::all_of(std::initializer_list<double>{0.99, 1.0, 1.01}, [&](double part) {
        return heart.tissue({part * p.x, part * p.y, p.z}) == PhantomTissue::Wall;
    });
}

TEST(PhantomFamily, EveryHeartsMotionIsExactFoldsNowhereAndKeepsTheWallsVolume) {
    int inWall = 0, infarcted = 0;
    for (std::uint64_t seed = 1; seed <= familySeeds; ++seed) {
        const PhantomOptions options = familyMember("echo", 64, seed);
        infarcted += options.heart.infarctDegrees > 0;
        for (const double contraction : {0.5, 1.0}) {
            const PhantomMotion motion(options.heart, contraction, options.motionScale);
            for (std::uint64_t id = 0; id < 1500; ++id) {
                const Vec3 p = id % 2 == 0 ? placeOf(id, 85) : placeInBoxOf(options.heart, id);
                EXPECT_LT(length(motion.inverse(motion.forward(p)) - p), 1e-6);
                const double growth = test::determinantOf(motion, p);
                EXPECT_GT(growth, 0.2);
                if (deepInWall(options.heart, p)) {
                    EXPECT_NEAR(growth, 1, 1e-5);
                    ++inWall;
                }
            }
        }
    }
    EXPECT_GT(inWall, 10000);
    EXPECT_GE(infarcted, familySeeds / 4);
    EXPECT_LE(infarcted, familySeeds * 3 / 4);
}

TEST(PhantomFamily, AnInfarctStandsStillWhereTheOtherWallMoves) {
    HeartShape heart;
    heart.infarctDegrees = 60;
    heart.infarctAngleDegrees = 130;
    const PhantomMotion motion(heart, 1, 1), healthy(1, 1);
    for (double z = -65; z < -26; z += 3)
        for (const double angle : {101.0, 130.0, 159.0}) {
            const Vec3 p = heart.middleOfWall(z, angle * degree);
            EXPECT_LT(length(motion.forward(p) - p), 1e-9) << "z " << z << ", angle " << angle;
        }
    // The other side moves as without an infarct, except the cap.
    for (double z = -35; z < 10; z += 3) {
        const Vec3 p = heart.middleOfWall(z, (130 + 180) * degree);
        const Vec3 moved = motion.forward(p), usual = healthy.forward(p);
        EXPECT_NEAR(std::hypot(moved.x, moved.y), std::hypot(usual.x, usual.y), 1e-9);
        EXPECT_NEAR(std::atan2(moved.y, moved.x), std::atan2(usual.y, usual.x), 1e-9);
        EXPECT_NEAR(moved.z - usual.z, 0.13 * (70 - 48), 1e-9); // the cap's middle is at -48 mm
    }
    PhantomOptions options;
    options.heart = heart;
    options.sliding = true;
    EXPECT_THROW(Phantom{options}, ComputeError);
}

/// Every option is in its range, but they don't go together.
TEST(PhantomFamily, AMotionThatFoldsIsRefused) {
    PhantomOptions folding = phantomPair({16, 16, 16});
    folding.heart.infarctDegrees = 60;
    folding.heart.twistDegrees = 45;
    folding.heart.shortening = 0.3;
    folding.motionScale = 0.5;
    EXPECT_NO_THROW(Phantom{folding});
    folding.motionScale = 2;
    EXPECT_THROW(Phantom{folding}, ComputeError);
    const PhantomMotion motion(folding.heart, 1, folding.motionScale);
    int refused = 0;
    for (std::uint64_t id = 0; id < 500; ++id) { // undone, or said that it can't be
        const Vec3 q = placeInBoxOf(folding.heart, id);
        try {
            EXPECT_LT(length(motion.forward(motion.inverse(q)) - q), 1e-6);
        } catch (const ComputeError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);

    PhantomOptions wide = phantomPair({16, 16, 16});
    wide.sliding = true;
    wide.heart.endocardialRadius = 100;
    wide.heart.radialShortening = 0.45;
    wide.motionScale = 0.3;
    EXPECT_NO_THROW(Phantom{wide});
    wide.motionScale = 2; // makes its surface slide by more than 25 mm
    EXPECT_THROW(Phantom{wide}, ComputeError);

    PhantomOptions closed = phantomPair({16, 16, 16});
    closed.heart.endocardialHalfLength = 20;
    closed.heart.wallThickness = 2;
    closed.heart.baseHeight = 21;
    EXPECT_NO_THROW(Phantom{closed});
    closed.heart.baseHeight = 22;
    EXPECT_THROW(Phantom{closed}, ComputeError);
}

TEST(PhantomFamily, TheHeartMovesByItsOwnNumbers) {
    HeartShape heart;
    heart.endocardialRadius = 17;
    heart.wallThickness = 8;
    heart.endocardialHalfLength = 50;
    heart.shortening = 0.2;
    heart.radialShortening = 0.3;
    heart.twistDegrees = 20;
    const PhantomMotion motion(heart, 1, 1);
    const Vec3 endocardium = motion.forward({17.0001, 0, 0});
    EXPECT_NEAR(std::hypot(endocardium.x, endocardium.y), 0.7 * 17, 0.01);
    const Vec3 base = motion.forward({20, 0, 12}), apex = motion.forward({0, 0, -58});
    EXPECT_NEAR(base.z - apex.z, 0.8 * 70, 1e-6);
    const Vec3 low = motion.forward({5, 0, -57});
    EXPECT_NEAR(std::atan2(low.y, low.x) / degree, 20 * 69.0 / 70, 1e-3);
    EXPECT_EQ(heart.tissue({18, 0, 0}), PhantomTissue::Wall);
    EXPECT_EQ(heart.tissue({16, 0, 0}), PhantomTissue::Blood);
    EXPECT_EQ(heart.tissue({26, 0, 0}), PhantomTissue::Surroundings);
}

TEST(PhantomFamily, ASeedDecidesEverythingAndTheLookNothingOfTheHeart) {
    std::set<double> radii;
    std::set<int> densities, frames, heights;
    for (std::uint64_t seed = 1; seed <= familySeeds; ++seed) {
        const PhantomOptions first = familyMember("echo", 64, seed);
        for (const PhantomLookRow& look : phantomLooks()) {
            const PhantomOptions other = familyMember(look.name, 48, seed);
            EXPECT_EQ(other.heart.endocardialRadius, first.heart.endocardialRadius);
            EXPECT_EQ(other.heart.infarctDegrees, first.heart.infarctDegrees);
            EXPECT_EQ(other.frames, first.frames);
            EXPECT_NO_THROW(Phantom{other});
        }
        for (const FamilyDraw& draw : familyDraws()) {
            const ParamSet values = phantomTable().valuesOf(first);
            const ParamRow& row = values.table().row(draw.id);
            const double value =
                row.type == ParamType::Integer ? values.integer(draw.id) : values.real(draw.id);
            const bool usual = values.value(draw.id) == row.defaultValue;
            EXPECT_TRUE((value >= draw.low && value <= draw.high) || (usual && draw.share < 1))
                << draw.id;
        }
        radii.insert(first.heart.endocardialRadius);
        densities.insert(first.scatterersPerVoxel);
        frames.insert(first.frames);
        heights.insert(first.size.z);
    }
    EXPECT_EQ(radii.size(), static_cast<std::size_t>(familySeeds));
    EXPECT_EQ(*densities.begin(), 1);
    EXPECT_EQ(*densities.rbegin(), 8);
    EXPECT_EQ(frames, (std::set<int>{2, 3, 4}));
    EXPECT_EQ(heights, (std::set<int>{40, 64}));
    EXPECT_THROW(familyMember("ecco", 64, 1), ComputeError);
}

TEST(PhantomFamily, TheTableGivesBackWhatItTook) {
    const PhantomOptions options = familyMember("hard", 64, 5);
    PhantomOptions copy;
    phantomTable().into(copy, phantomTable().valuesOf(options));
    EXPECT_EQ(copy.heart.tiltDegrees, options.heart.tiltDegrees);
    EXPECT_EQ(copy.heart.shift, options.heart.shift);
    EXPECT_EQ(copy.scatterersPerVoxel, options.scatterersPerVoxel);
    EXPECT_EQ(copy.amplitudeCorrelation, 0.8);
    copy.heart.wallThickness = 1e6;
    EXPECT_THROW(phantomTable().valuesOf(copy), ComputeError);
}

class PhantomFamilyPictures : public ::testing::Test {
protected:
    Volume image(const PhantomOptions& options, int frame) {
        const Phantom phantom(options);
        Volume volume(phantom.geometry(), resources_.pool(), "image");
        phantom.image(frame, volume.view(), ctx_);
        return volume;
    }
    /// Power of a gray value in decibels over 50 dB.
    static double power(float gray) { return std::pow(10.0, (gray / 255.0 - 1) * 5); }

    ExecResources resources_{2};
    ExecContext ctx_ = resources_.context();
};

/// A tilted, shifted heart is the usual one turned and moved: so are its labels and its motion.
TEST_F(PhantomFamilyPictures, APoseTurnsAndMovesTheHeartWithItsMotion) {
    PhantomOptions usual = phantomPair({16, 16, 16}), posed = usual;
    posed.heart.shift = {4, -3, 2};
    posed.heart.tiltDegrees = 90;
    posed.heart.tiltDirectionDegrees = 90; // +z leans to +y, +y to -z, +x stays
    const Phantom before(usual), after(posed);
    const auto turned = [](Vec3 p) { return Vec3{p.x, p.z, -p.y}; };
    for (std::uint64_t id = 0; id < 200; ++id) {
        const Vec3 p = placeOf(id, 60), q = turned(p) + posed.heart.shift;
        EXPECT_LT(length(after.forward(q, 1) - (turned(before.forward(p, 1)) + posed.heart.shift)),
                  1e-9);
        EXPECT_LT(length(after.inverse(after.forward(q, 1), 1) - q), 1e-6);
    }
    const VectorField truth = after.truth(0, 1, ctx_);
    const Vec3 q = after.geometry().indexToPhysical({5, 9, 10});
    const std::size_t i = truth.view().componentView(0).offset(5, 9, 10);
    const Vec3 w = after.geometry().voxelVectorToPhysical({static_cast<double>(truth.view().u[i]),
                                                           static_cast<double>(truth.view().v[i]),
                                                           static_cast<double>(truth.view().w[i])});
    EXPECT_LT(length(after.forward(q, 1) - q - w), 1e-5);
}

TEST_F(PhantomFamilyPictures, HighVoxelsCoverTheSameSpace) {
    PhantomOptions options = phantomPair({32, 32, 20});
    options.voxelHeight = 1.6;
    const Geometry grid = Phantom(options).geometry();
    EXPECT_NEAR(grid.spacing().x, 4, 1e-12);
    EXPECT_NEAR(grid.spacing().z, 6.4, 1e-12);
    EXPECT_LT(length(grid.center()), 1e-9);
}

/// Warped back by the truth, the second frame of a heart with an infarct in high voxels is the
/// first again.
TEST_F(PhantomFamilyPictures, PicturesOfTheFamilyFollowTheTrueMotion) {
    PhantomOptions options = familyMember("echo", 64, 8);
    ASSERT_GT(options.heart.infarctDegrees, 0);
    ASSERT_GT(options.voxelHeight, 1);
    options.multiplicativeNoise = options.dropout = 0;
    const Phantom phantom(options);
    const Volume first = image(options, 0), second = image(options, 1);
    Volume warped(phantom.geometry(), resources_.pool(), "warped");
    const VectorField truth = phantom.truth(0, 1, ctx_);
    warpVolume(second.view(), truth.view(), warped.view(), {}, ctx_);
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx_);
    double still = 0, tracked = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == 1) {
            const double gray = first.voxels.data()[i];
            still += std::abs(gray - static_cast<double>(second.voxels.data()[i]));
            tracked += std::abs(gray - static_cast<double>(warped.voxels.data()[i]));
        }
    EXPECT_LT(tracked, 0.6 * still);
}

/// The mean number of voxels between local maxima along x grows with the point spread; its power
/// stays, since the gain makes up for it; without that it would fall to a quarter here.
TEST_F(PhantomFamilyPictures, ThePointSpreadGrowsWithDepthAndThePowerStays) {
    PhantomOptions options = phantomPair({64, 64, 64});
    options.multiplicativeNoise = 0;
    const Volume narrow = image(options, 0);
    options.lateralGrowth = 1;
    const Volume wide = image(options, 0);
    const auto maxima = [&](const Volume& volume, int from, int to) {
        int count = 0;
        for (int z = from; z < to; ++z)
            for (int y = 0; y < 12; ++y) // rows next to the heart
                for (int x = 1; x < 63; ++x)
                    count += volume.view()(x, y, z) > volume.view()(x - 1, y, z) &&
                             volume.view()(x, y, z) > volume.view()(x + 1, y, z);
        return static_cast<double>(count);
    };
    // z is the height: the first planes are 135 mm below the probe, the last ones 8 mm.
    EXPECT_NEAR(maxima(narrow, 0, 6) / maxima(wide, 0, 6), 2.3, 0.4);
    EXPECT_NEAR(maxima(narrow, 58, 64) / maxima(wide, 58, 64), 1.15, 0.12);
    double before = 0, after = 0;
    for (int z = 0; z < 32; ++z)
        for (int y = 0; y < 64; y = y == 11 ? 52 : y + 1)
            for (int x = 0; x < 64; ++x) {
                before += power(narrow.view()(x, y, z));
                after += power(wide.view()(x, y, z));
            }
    EXPECT_NEAR(after / before, 1, 0.3);
}

/// The shadow is a factor on the envelope: so many decibels in every voxel, none before what blocks
/// the rays; the truth doesn't know it.
TEST_F(PhantomFamilyPictures, AShadowLowersWhatLiesBehindItByItsFactor) {
    PhantomOptions options = phantomPair({48, 48, 48});
    const Volume clear = image(options, 1);
    options.shadow = 0.9;
    const Volume dark = image(options, 1);
    const PhantomShadow shadow(options);
    const Geometry grid = clear.geometry;
    int lowered = 0;
    for (int z = 0; z < 48; ++z)
        for (int y = 0; y < 48; ++y)
            for (int x = 0; x < 48; ++x) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                const double factor = static_cast<double>(shadow.amplitude(p));
                if (length(p - probe) < 25) {
                    EXPECT_EQ(factor, 1);
                }
                lowered += factor < 0.5;
                const double gray =
                    static_cast<double>(clear.view()(x, y, z)) + 255 * 20 * std::log10(factor) / 50;
                if (gray > 0 && clear.view()(x, y, z) < 255) {
                    ASSERT_NEAR(static_cast<double>(dark.view()(x, y, z)), gray, 1e-2);
                }
            }
    EXPECT_GT(lowered, 500);
    EXPECT_LT(lowered, 48 * 48 * 48 / 4);
}

TEST_F(PhantomFamilyPictures, FewerScatterersAreAnotherPictureOfTheSamePower) {
    PhantomOptions options = phantomPair({48, 48, 48});
    options.multiplicativeNoise = 0;
    options.scatterersPerVoxel = 1;
    const Volume few = image(options, 0);
    options.scatterersPerVoxel = 8;
    const Volume many = image(options, 0);
    double a = 0, b = 0, both = 0;
    for (std::size_t i = 0; i < few.voxels.size(); ++i) {
        a += power(few.voxels.data()[i]);
        b += power(many.voxels.data()[i]);
        both += few.voxels.data()[i] == many.voxels.data()[i];
    }
    EXPECT_NEAR(a / b, 1, 0.1);
    EXPECT_LT(both, 0.2 * static_cast<double>(few.voxels.size()));
}

TEST_F(PhantomFamilyPictures, TheSameSeedMakesTheSamePictureForAnyNumberOfThreads) {
    const PhantomOptions options = familyMember("hard", 32, 6);
    const Volume two = image(options, 1);
    ExecResources one(1);
    const Phantom phantom(options);
    Volume single(phantom.geometry(), one.pool(), "image");
    phantom.image(1, single.view(), one.context());
    EXPECT_TRUE(std::ranges::equal(two.view().span(), single.view().span()));
    const Volume other = image(familyMember("hard", 32, 8), 1);
    EXPECT_FALSE(std::ranges::equal(two.view().span(), other.view().span()));
}

TEST_F(PhantomFamilyPictures, OnlyEchoHasABeam) {
    for (double PhantomOptions::*beam :
         {&PhantomOptions::lateralGrowth, &PhantomOptions::dropout, &PhantomOptions::shadow}) {
        PhantomOptions options = phantomPair({16, 16, 16});
        options.look = PhantomLook::Ct;
        options.*beam = 0.5;
        EXPECT_THROW(Phantom{options}, ComputeError);
    }
}

} // namespace
} // namespace systole
