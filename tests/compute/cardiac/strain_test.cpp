// Strain, twist and volumes of motions that are known in closed form.
#include "compute/cardiac/measures.h"
#include "compute/core/error.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

namespace systole::cardiac {
namespace {

using testing::fieldOf;
using ::testing::HasSubstr;
using testing::mapOf;

/// NaN equals NaN, and 0 equals −0.
void expectSame(double a, double b) {
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " " << b;
}

template <typename T>
void expectSame(const T& a, const T& b, std::initializer_list<double T::*> members) {
    for (const auto member : members)
        expectSame(a.*member, b.*member);
}

void expectSameValues(const Measures& all, const Measures& expected) {
    ASSERT_EQ(all.frames.size(), expected.frames.size());
    ASSERT_EQ(all.shells.size(), expected.shells.size());
    for (std::size_t t = 0; t < all.frames.size(); ++t) {
        const FrameMeasures &a = all.frames[t], &b = expected.frames[t];
        for (int k = 0; k < 3; ++k) {
            expectSame(a.strain[k], b.strain[k]);
            expectSame(a.rate[k], b.rate[k]);
        }
        ASSERT_FALSE(a.segments.empty());
        ASSERT_EQ(a.segments.size(), b.segments.size());
        for (std::size_t s = 0; s < a.segments.size(); ++s) {
            for (int k = 0; k < 3; ++k) {
                expectSame(a.segments[s].strain[k], b.segments[s].strain[k]);
                expectSame(a.segments[s].rate[k], b.segments[s].rate[k]);
            }
            expectSame(
                a.segments[s], b.segments[s],
                {&SegmentFrame::rotation, &SegmentFrame::jacobian, &SegmentFrame::thickness});
        }
        expectSame(a.rotation, b.rotation,
                   {&Rotation::apical, &Rotation::mid, &Rotation::basal, &Rotation::twist});
        expectSame(a.volume, b.volume,
                   {&Incompressibility::mean, &Incompressibility::deviation,
                    &Incompressibility::percentBeyond5, &Incompressibility::percentFolded,
                    &Incompressibility::deviationOfLogarithm, &Incompressibility::product});
        EXPECT_EQ(a.volume.histogram, b.volume.histogram);
        expectSame(a.cavity, b.cavity,
                   {&CavityVolumes::voxels, &CavityVolumes::surface, &CavityVolumes::midWall});
        expectSame(a.wallMilliliters, b.wallMilliliters);
        for (const Depth depth : {Depth::Endocardium, Depth::MidWall, Depth::Epicardium})
            expectSame(all.shells[t].milliliters(depth), expected.shells[t].milliliters(depth));
    }
}

class StrainOfMaps : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    Ventricle ventricle = testing::halfEllipsoid(ctx);
    const Geometry& grid = ventricle.wall.grid;

    FrameMeasures measure(const std::function<Vec3(Vec3)>& displacement, const char* definition) {
        VentricleMotion motion;
        motion.addReference(ventricle, 0);
        motion.add(ventricle, 1, 0.4, fieldOf(grid, *ctx.pool, displacement));
        MeasureOptions options;
        options.definition = &strainDefinition(definition);
        return measuresOf(ventricle, motion, options, ctx).frames[1];
    }
    double share(const FrameMeasures& frame, double CavityVolumes::*way) {
        VentricleMotion motion;
        motion.addReference(ventricle, 0);
        const Measures still = measuresOf(ventricle, motion, {}, ctx);
        return frame.cavity.*way / (still.frames[0].cavity.*way);
    }
};

TEST_F(StrainOfMaps, RigidMotionHasNone) {
    // 25 degrees about a slanted axis, and a shift.
    const Vec3 axis = (1 / std::sqrt(14.0)) * Vec3{1, 2, 3};
    const double angle = 25 * std::numbers::pi / 180;
    const auto rigid = [&](Vec3 p) {
        const Vec3 turned = std::cos(angle) * p + std::sin(angle) * cross(axis, p) +
                            (1 - std::cos(angle)) * dot(axis, p) * axis;
        return turned + Vec3{7, -5, 3} - p;
    };
    for (const StrainDefinition& definition : strainDefinitions()) {
        const FrameMeasures frame = measure(rigid, definition.name);
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(frame.strain[k], 0, 1e-4) << definition.name;
            for (std::size_t s = 0; s < 16; ++s)
                EXPECT_NEAR(frame.segments[s].strain[k], 0, 1e-4) << definition.name;
        }
        EXPECT_NEAR(frame.rotation.twist, 0, 0.05); // tilted, angles across the axis differ
        EXPECT_NEAR(frame.volume.mean, 1, 1e-4);
        EXPECT_LT(frame.volume.deviation, 1e-4);
        EXPECT_EQ(frame.volume.percentBeyond5, 0);
        EXPECT_NEAR(share(frame, &CavityVolumes::voxels), 1, 1e-4);
        EXPECT_NEAR(share(frame, &CavityVolumes::surface), 1, 1e-4);
        EXPECT_NEAR(share(frame, &CavityVolumes::midWall), 1, 1e-4);
    }
}

/// All of space by one matrix: each voxel's strain along its axes is known.
TEST_F(StrainOfMaps, AHomogeneousDeformationGivesItsTensorInEveryVoxel) {
    const Matrix3 f{{{0.9, 0.03, 0}, {-0.05, 0.85, 0.02}, {0.01, 0, 0.8}}};
    const auto motion = [&](Vec3 p) { return f * p + Vec3{1, 2, 3} - p; };
    const Displacements u = displacementsIn(ventricle.wall, fieldOf(grid, *ctx.pool, motion));
    const Displacements inCavity =
        displacementsIn(ventricle.cavity, fieldOf(grid, *ctx.pool, motion));
    for (const int order : {1, 2, 3}) {
        const std::vector<VoxelChange> changes =
            VentricleFits(ventricle, order, ctx).change(u, inCavity, ctx).voxels;
        for (std::size_t i = 0; i < ventricle.wall.count(); ++i) {
            const HeartAxes& axes = ventricle.axes[i];
            EXPECT_NEAR(std::sqrt(changes[i].stretch.longitudinal) - 1,
                        length(f * axes.longitudinal) - 1, 1e-4);
            EXPECT_NEAR(changes[i].stretch.circumferential,
                        dot(f * axes.circumferential, f * axes.circumferential), 2e-4);
            EXPECT_NEAR(std::sqrt(changes[i].stretch.radial) - 1, length(f * axes.radial) - 1,
                        1e-4);
            EXPECT_NEAR(changes[i].jacobian, 0.613158, 1e-4);
        }
    }
}

/// More frames than a vector has, by any number of threads.
TEST_F(StrainOfMaps, AllFramesTogetherGiveTheValuesOfEachAlone) {
    ExecResources many(5);
    VentricleMotion motion;
    for (int t = 0; t < 19; ++t)
        motion.add(ventricle, t, t, fieldOf(grid, *ctx.pool, [t](Vec3 p) {
                       const double phase = 0.3 * t;
                       return Vec3{std::sin(0.1 * p.y + phase), 0.05 * t * std::cos(0.2 * p.z),
                                   0.01 * p.x * std::sin(phase)};
                   }));
    const VentricleFits fits(ventricle, 3, ctx);
    for (const char* const definition : {"midwall", "deepstrain"}) {
        MeasureOptions options;
        options.definition = &strainDefinition(definition);
        FrameChanges alone;
        for (std::size_t t = 0; t < motion.frame.size(); ++t)
            alone.push_back(std::make_shared<const FrameChange>(
                fits.change(motion.wall[t], motion.cavity[t], ctx)));
        const Measures one = VentricleMeter(fits, options, ctx).measure(motion, alone, ctx),
                       together = measuresOf(fits, motion, options, ctx),
                       byMany = measuresOf(fits, motion, options, many.context());
        for (const Measures* all : {&together, &byMany})
            expectSameValues(*all, one);
    }
}

/// Shorter along the axis, narrower across it: signs and units of everything.
TEST_F(StrainOfMaps, SignsAndUnitsOfAHeartThatShortensAndTurns) {
    constexpr double longer = 0.85, wider = 0.9, perMillimeter = 0.004; // radians
    const auto motion = [&](Vec3 p) {
        const double turn = -perMillimeter * p.z; // 0 at the base; right-handed about +z
        const double c = wider * std::cos(turn), s = wider * std::sin(turn);
        return Vec3{c * p.x - s * p.y, s * p.x + c * p.y, longer * p.z} - p;
    };
    const FrameMeasures contours = measure(motion, "eacvi"), mid = measure(motion, "midwall");
    EXPECT_NEAR(contours.strain.circumferential, wider - 1, 0.001);
    EXPECT_NEAR(mid.strain.circumferential, wider - 1, 0.001);
    EXPECT_LT(contours.strain.longitudinal, -0.1);
    EXPECT_GT(contours.strain.longitudinal, -0.15);
    EXPECT_NEAR(mid.strain.radial,
                1 / ((1 + mid.strain.longitudinal) * (1 + mid.strain.circumferential)) - 1, 1e-12);
    // The apex turns clockwise seen from itself: against the sense that counts as positive.
    const Rotation& rotation = contours.rotation;
    EXPECT_LT(rotation.apical, rotation.mid);
    EXPECT_LT(rotation.mid, rotation.basal);
    const double degreesPerCm = 10 * perMillimeter * 180 / std::numbers::pi;
    EXPECT_NEAR(rotation.torsionPerCm, -degreesPerCm, 0.02 * degreesPerCm);
    EXPECT_NEAR(share(contours, &CavityVolumes::voxels), longer * wider * wider, 1e-3);
    EXPECT_NEAR(share(contours, &CavityVolumes::surface), longer * wider * wider, 1e-3);
    EXPECT_NEAR(contours.volume.mean, longer * wider * wider, 1e-3);
    EXPECT_NEAR(contours.volume.driftPercent, 100 * (longer * wider * wider - 1), 0.1);
    EXPECT_NEAR(contours.volume.percentBeyond5, 100, 1e-9);
}

TEST_F(StrainOfMaps, GreenIsThatOfTheSameStretch) {
    const auto motion = [](Vec3 p) { return Vec3{-0.1 * p.x, -0.1 * p.y, -0.15 * p.z}; };
    const FrameMeasures green = measure(motion, "deepstrain"), plain = measure(motion, "voxels");
    EXPECT_NEAR(plain.strain.circumferential, -0.1, 1e-4);
    EXPECT_NEAR(green.strain.circumferential, (0.81 - 1) / 2, 1e-4);
}

TEST_F(StrainOfMaps, CurvesAreInGramsAndPerSecond) {
    const auto motion = [](Vec3 p) { return Vec3{-0.1 * p.x, -0.1 * p.y, -0.15 * p.z}; };
    VentricleMotion moving;
    moving.addReference(ventricle, 3);
    moving.add(ventricle, 4, 0.2, fieldOf(grid, *ctx.pool, motion));
    MeasureOptions options;
    options.definition = &strainDefinition("voxels");
    const Measures measures = measuresOf(ventricle, moving, options, ctx);
    EXPECT_NEAR(measures.frames[1].rate.circumferential, -0.1 / 0.2, 1e-3);
    const double wall = 2.0 / 3 * std::numbers::pi * (28 * 28 * 56 - 18 * 18 * 46) / 1000; // ml
    EXPECT_NEAR(measures.wallGrams, 1.05 * wall, 0.03 * wall);
    const double cavity = 2.0 / 3 * std::numbers::pi * 18 * 18 * 46 / 1000;
    EXPECT_NEAR(measures.frames[0].cavity.surface, cavity, 0.03 * cavity);
    EXPECT_NEAR(measures.frames[0].segments[0].thickness, 10, 0.3);
    moving.timeSeconds[1] = std::nan("");
    EXPECT_TRUE(
        std::isnan(measuresOf(ventricle, moving, options, ctx).frames[1].rate.circumferential));
}

/// Slices that end before the apex, the last of them without wall, and go on to the end of the
/// grid.
TEST_F(StrainOfMaps, AStackWithoutApexIsMeasuredAsFarAsItGoes) {
    const Geometry stack({44, 44, 6}, {1.6, 1.6, 8}, {-34.4, -34.4, -44});
    const Ventricle open = ventricleOf(
        mapOf(stack,
              [](Vec3 p) {
                  const double r = std::hypot(p.x, p.y), inner = std::hypot(r / 18, p.z / 56);
                  return inner < 1                                       ? Tissue::Cavity
                         : std::hypot(r / 28, p.z / 66) < 1 && p.z > -40 ? Tissue::Wall
                                                                         : Tissue::Other;
              }),
        {{}, {}, Vec3{0, -20, 0}}, ctx);
    ASSERT_TRUE(open.placement.apicalCut);
    EXPECT_NEAR(open.axis().apex().z, -40, 1e-6); // one slice below the last one with wall
    EXPECT_NEAR(open.axis().length(), 40, 1e-6);
    EXPECT_GT(open.labelledCavityMilliliters, // includes the slice without wall
              1.02 * open.cavity.voxelMilliliters() * static_cast<double>(open.cavity.count()));
    VentricleMotion motion;
    motion.addReference(open, 0);
    motion.add(open, 1, 0.4, fieldOf(stack, *ctx.pool, [](Vec3 p) {
                   return Vec3{-0.1 * p.x, -0.1 * p.y, -0.15 * p.z};
               }));
    const Measures measures = measuresOf(open, motion, {}, ctx);
    const FrameMeasures& frame = measures.frames[1];
    EXPECT_NEAR(frame.strain.circumferential, -0.1, 1e-3);
    EXPECT_NEAR(frame.strain.longitudinal, -0.15, 0.01);
    EXPECT_NEAR(frame.rotation.twist, 0, 0.01);
    for (std::size_t s = 0; s < 12; ++s)
        EXPECT_NEAR(frame.segments[s].strain.circumferential, -0.1, 1e-3);
    EXPECT_EQ(measures.segmentVoxels[16], 0);
    EXPECT_TRUE(std::isnan(frame.segments[16].strain.circumferential));
    EXPECT_TRUE(std::isnan(frame.segments[16].rotation));
    const CavityVolumes &before = measures.frames[0].cavity, &after = frame.cavity;
    EXPECT_NEAR(after.surface / before.surface, 0.85 * 0.81, 1e-3);
    EXPECT_NEAR(after.voxels / before.voxels, 0.85 * 0.81, 1e-3);
}

TEST_F(StrainOfMaps, AWallThatTheImageCutsIsMeasuredUpToTheEdge) {
    const auto measured = [&](int columns) {
        const Geometry image({columns, 44, 36}, {1.6, 1.6, 2}, {-34.4, -34.4, -69});
        const auto heart = [](Vec3 p) {
            const double r = std::hypot(p.x, p.y);
            return p.z > 0                            ? Tissue::Other
                   : std::hypot(r / 18, p.z / 56) < 1 ? Tissue::Cavity
                   : std::hypot(r / 28, p.z / 66) < 1 ? Tissue::Wall
                                                      : Tissue::Other;
        };
        const Ventricle v = ventricleOf(mapOf(image, heart), {{}, {}, Vec3{0, -20, 0}}, ctx);
        VentricleMotion motion;
        motion.addReference(v, 0);
        motion.add(v, 1, 0.4, fieldOf(image, *ctx.pool, [](Vec3 p) {
                       return Vec3{-0.1 * p.x, -0.1 * p.y, -0.15 * p.z};
                   }));
        return std::pair(measuresOf(v, motion, {}, ctx), v.placement.notes);
    };
    const auto [whole, none] = measured(44);
    const auto [cut, notes] = measured(34); // x ends at 19.2 mm: of 10 mm of wall 1.2 are left
    const auto says = ::testing::Contains(HasSubstr("image's edge cuts the wall"));
    EXPECT_THAT(none, ::testing::Not(says));
    EXPECT_THAT(notes, says);
    const FrameMeasures &a = whole.frames[1], &b = cut.frames[1];
    EXPECT_NEAR(b.strain.circumferential, -0.1, 2e-3);
    EXPECT_NEAR(b.strain.longitudinal, -0.15, 0.015);
    EXPECT_NEAR(b.cavity.surface, a.cavity.surface, 0.01 * a.cavity.surface);
}

/// The fixture's ventricle, without the wall in a window of angles and heights.
TissueMap withHole(const Geometry& grid, double fromDegrees, double toDegrees, double low,
                   double high) {
    const LongAxis axis({0, 0, -46}, {}, {0, -20, 0});
    return mapOf(grid, [&, axis](Vec3 p) {
        const double r = std::hypot(p.x, p.y), angle = axis.angle(p);
        const bool hole = angle > fromDegrees && angle < toDegrees && p.z > low && p.z < high;
        return p.z > 0 || std::hypot(r / 28, p.z / 56) > 1 ? Tissue::Other
               : std::hypot(r / 18, p.z / 46) < 1          ? Tissue::Cavity
               : hole                                      ? Tissue::Other
                                                           : Tissue::Wall;
    });
}

TEST_F(StrainOfMaps, LinesWithoutAWayGoWithTheirNeighborsAndASegmentWithoutAnyHasNoStrain) {
    const GivenPoints points{Vec3{0, 0, -46}, Vec3{}, Vec3{0, -20, 0}};
    const auto measured = [&](const TissueMap& map) {
        const Ventricle v = ventricleOf(map, points, ctx);
        VentricleMotion motion;
        motion.addReference(v, 0);
        motion.add(v, 1, 0.4, fieldOf(grid, *ctx.pool, [](Vec3 p) {
                       return Vec3{-0.1 * p.x, -0.1 * p.y, -0.15 * p.z};
                   }));
        return measuresOf(v, motion, {}, ctx);
    };
    const Measures whole = measured(withHole(grid, 0, 0, 0, 0));
    EXPECT_EQ(whole.linesFilled, 0);
    // All of segment 10 (mid inferior: 120 to 180 degrees), and a margin.
    const Measures holed = measured(withHole(grid, 95, 205, -37, -7));
    EXPECT_GT(holed.linesFilled, 40);
    const FrameMeasures &a = whole.frames[1], &b = holed.frames[1];
    // Few voxels carry a line at the edge of the hole.
    EXPECT_NEAR(b.strain.circumferential, -0.1, 3e-3);
    EXPECT_NEAR(b.strain.longitudinal, a.strain.longitudinal, 6e-3);
    EXPECT_NEAR(b.cavity.surface / holed.frames[0].cavity.surface, 0.85 * 0.81, 2e-3);
    for (std::size_t s = 0; s < 17; ++s) {
        EXPECT_EQ(std::isnan(b.segments[s].strain.circumferential), s == 9) << s + 1;
        EXPECT_EQ(std::isnan(b.segments[s].thickness), s == 9) << s + 1;
    }
    try {
        measured(withHole(grid, 20, 340, -45, -8));
        ADD_FAILURE() << "not refused";
    } catch (const ComputeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("lines from the long axis through the wall exist in"));
    }
}

/// Strain is that of the same tissue since the frame that is named, and frames before it follow.
TEST_F(StrainOfMaps, EndDiastoleMayBeAnotherFrameThanThatOfTheLabels) {
    const auto moved = [](double across, double along, double degrees) {
        const double c = across * std::cos(degrees * std::numbers::pi / 180),
                     s = across * std::sin(degrees * std::numbers::pi / 180);
        return [=](Vec3 p) {
            return Vec3{c * p.x - s * p.y - p.x, s * p.x + c * p.y - p.y, (along - 1) * p.z};
        };
    };
    for (const StrainDefinition& definition : strainDefinitions()) {
        VentricleMotion motion;
        motion.addReference(ventricle, 0);
        motion.add(ventricle, 1, 0.2, fieldOf(grid, *ctx.pool, moved(1.05, 1.1, 10)));
        motion.add(ventricle, 2, 0.5, fieldOf(grid, *ctx.pool, moved(0.9, 0.8, 4)));
        MeasureOptions options;
        options.definition = &definition;
        const Measures byLabels = measuresOf(ventricle, motion, options, ctx);
        motion.beginAt(1, 0.75);
        EXPECT_THAT(motion.frame, ::testing::ElementsAre(1, 2, 0));
        EXPECT_NEAR(motion.timeSeconds[1], 0.3, 1e-12);
        EXPECT_NEAR(motion.timeSeconds[2], 0.55, 1e-12);
        const Measures measures = measuresOf(ventricle, motion, options, ctx);
        const FrameMeasures &diastole = measures.frames[0], &systole = measures.frames[1];
        const auto strainOf = [&](double stretch) {
            return definition.tensor == Tensor::GreenLagrange && !definition.byContours
                       ? (stretch * stretch - 1) / 2
                       : stretch - 1;
        };
        for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(diastole.strain[k], 0, 1e-9);
        EXPECT_NEAR(systole.strain.circumferential, strainOf(0.9 / 1.05), 1e-3);
        EXPECT_NEAR(measures.frames[2].strain.circumferential, strainOf(1 / 1.05), 1e-3);
        EXPECT_NEAR(systole.rotation.mid - diastole.rotation.mid,
                    byLabels.frames[2].rotation.mid - byLabels.frames[1].rotation.mid, 1e-3);
        EXPECT_NEAR(std::abs(systole.rotation.mid), 6, 1e-3);
        EXPECT_NEAR(systole.volume.mean, 0.81 * 0.8 / (1.05 * 1.05 * 1.1), 1e-4);
        EXPECT_EQ(systole.cavity.voxels, byLabels.frames[2].cavity.voxels);
        EXPECT_EQ(systole.wallMilliliters, byLabels.frames[2].wallMilliliters);
    }
}

TEST_F(StrainOfMaps, RefusesWhatIsntOfTheVentricle) {
    const auto refused = [](const auto& act, const char* what) {
        try {
            act();
            ADD_FAILURE() << "not refused: " << what;
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), HasSubstr(what));
        }
    };
    VentricleMotion motion;
    const Geometry other({40, 40, 30}, {2, 2, 2.5});
    refused(
        [&] { motion.add(ventricle, 1, 0, fieldOf(other, *ctx.pool, [](Vec3 p) { return p; })); },
        "another grid");
    refused(
        [&] {
            motion.add(ventricle, 1, 0, fieldOf(grid, *ctx.pool, [](Vec3) {
                           return Vec3{std::nan(""), 0, 0};
                       }));
        },
        "isn't finite");
    refused([] { strainDefinition("best"); }, "'best'");
}

} // namespace
} // namespace systole::cardiac
