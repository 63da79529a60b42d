// Fields of six programs on eight orientations: their convention is recognized, by the file and by
// the images alone, and their displacements are right; what is wrong is refused.
#include "app/fields/given_field.h"
#include "io/formats/writer.h"
#include "tests/app/fields/six_writers.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace systole::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Oblique and anisotropic about one place; bit a of `flips` turns index axis a around.
Geometry gridOf(int flips, Size3 size = {34, 30, 24}) {
    const double a = 0.4, b = -0.25;
    const Matrix3 turned{{{std::cos(a), -std::sin(a) * std::cos(b), std::sin(a) * std::sin(b)},
                          {std::sin(a), std::cos(a) * std::cos(b), -std::cos(a) * std::sin(b)},
                          {0, std::sin(b), std::cos(b)}}};
    Matrix3 direction = turned;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            direction[row][axis] *= (flips >> axis & 1) != 0 ? -1 : 1;
    const Geometry atOrigin(size, {1.3, 1.1, 1.7}, {}, direction);
    return Geometry(size, atOrigin.spacing(), Vec3{12, -40, 55} - atOrigin.center(), direction);
}

/// Some millimeters along each axis, smooth.
Vec3 motion(Vec3 p) {
    return {2.5 + std::sin(p.y / 9), -2 + std::cos(p.z / 8), 1.8 + std::sin(p.x / 10)};
}

double texture(Vec3 p) {
    return 100 + 20 * std::sin(p.x / 1.9) * std::cos(p.y / 2.3 + 1) +
           20 * std::sin(p.z / 2.1 + p.y / 3.1) + 15 * std::cos(p.x / 3.7 - p.z / 2.7 + 2);
}

class GivenFields : public ::testing::Test {
protected:
    std::string in(const std::string& name) const { return folder_ / name; }

    template <typename Value>
    std::shared_ptr<const Volume> image(const Geometry& grid, const Value& value) {
        auto made = std::make_shared<Volume>(grid, resources_.pool(), "image");
        std::size_t i = 0;
        overGrid(grid, [&](Vec3 p) { made->voxels.data()[i++] = static_cast<float>(value(p)); });
        return made;
    }
    template <typename Body>
    static void overGrid(const Geometry& grid, const Body& body) {
        const Size3 size = grid.size();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    body(grid.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
    }
    /// The moving image has the texture; the fixed one has it through the motion.
    FieldImages forward(const Geometry& fixed, const Geometry& moving) {
        return {image(fixed, [](Vec3 p) { return texture(p + motion(p)); }),
                image(moving, texture)};
    }
    FieldImages backward(const Geometry& grid) {
        return {image(grid, texture), image(grid, [](Vec3 p) { return texture(p + motion(p)); })};
    }
    FieldReading read(const std::string& path, const FieldImages& images,
                      const FieldConvention* named = nullptr) {
        return readingOf(
            {path}, named, [&](std::size_t) { return images; }, ctx_);
    }
    /// The largest distance from the motion, mm.
    double errorOf(const std::string& path, const FieldReading& reading, const Motion& truth) {
        const MillimeterField field =
            readGivenField(path, *reading.convention,
                           reading.grids.empty() ? nullptr : &reading.grids.front(), ctx_);
        double largest = 0;
        const float* w = field.vectors.data();
        overGrid(field.geometry, [&](Vec3 p) {
            largest = std::max(largest, length(truth(p) - Vec3{w[0], w[1], w[2]}));
            w += 3;
        });
        return largest;
    }
    std::string refusal(const std::string& path, const FieldImages& images,
                        const FieldConvention* named = nullptr) {
        try {
            const FieldReading reading = read(path, images, named);
            return "it was read as " + std::string(reading.convention->name);
        } catch (const FileError& error) {
            return error.what();
        }
    }

    testing::TemporaryFolder folder_;
    ExecResources resources_{2};
    ExecContext ctx_ = resources_.context();
};

/// Rounding of numbers in single precision, mm.
constexpr double rounding = 1e-4;

TEST_F(GivenFields, SixWritersOnEightOrientationsAreRecognized) {
    for (int flips = 0; flips < 8; ++flips) {
        const Geometry grid = gridOf(flips);
        const FieldImages images = forward(grid, grid);
        for (const FieldWriter& writer : sixWriters()) {
            SCOPED_TRACE(std::string(writer.program) + " on " + grid.orientationLetters());
            const std::string path = in(writer.file);
            writer.write(path, grid, motion, true);
            const FieldReading said = readingOf({path}, nullptr, {}, ctx_);
            EXPECT_STREQ(said.convention->name, writer.convention);
            EXPECT_LT(errorOf(path, said, motion), writer.rounding);
            const FieldReading proved = read(path, images);
            EXPECT_STREQ(proved.convention->name, writer.convention);
            EXPECT_THAT(proved.basis, StartsWith("said by the file, proved by the images"));
        }
    }
}

TEST_F(GivenFields, ImagesAloneFindTheConventionOfFilesThatSayNothing) {
    for (int flips = 0; flips < 8; ++flips) {
        const Geometry grid = gridOf(flips);
        const FieldImages images = forward(grid, grid);
        for (const FieldWriter& writer : sixWriters()) {
            SCOPED_TRACE(std::string(writer.program) + " on " + grid.orientationLetters());
            const std::string path = in("silent.nii");
            writer.write(path, grid, motion, false);
            EXPECT_THROW(readingOf({path}, nullptr, {}, ctx_), UnknownConvention);
            const FieldReading found = read(path, images);
            EXPECT_STREQ(found.convention->name, writer.convention);
            EXPECT_THAT(found.basis, StartsWith("found by the images"));
            EXPECT_LT(errorOf(path, found, motion), writer.rounding);
        }
    }
}

/// Every row of the table, in voxels and millimeters, with the moving image on another grid.
TEST_F(GivenFields, EveryConventionIsReadOnTwoGrids) {
    const Geometry fixed = gridOf(1), moving = gridOf(4, {40, 38, 30});
    for (const FieldConvention& convention : fieldConventions()) {
        SCOPED_TRACE(convention.name);
        const Geometry& own = convention.backward ? moving : fixed;
        const Geometry& other = convention.backward ? fixed : moving;
        const AffineMap from = coordinatesIn(convention.frame, own),
                        to = coordinatesIn(convention.frame, other);
        writeNiftiField(in("field.nii"), own, {}, [&](Vec3 index) {
            const Vec3 p = own.indexToPhysical(index);
            return convention.positions ? to(p + motion(p)) : to(p + motion(p)) - from(p);
        });
        const FrameGrids grids{fixed, moving};
        const FieldReading reading{.convention = &convention, .grids = {grids}};
        // q + w(q) = p with q = p + v(p): v is found by iteration.
        const Motion truth = convention.backward ? Motion([](Vec3 p) {
            Vec3 v;
            for (int i = 0; i < 100; ++i)
                v = -1.0 * motion(p + v);
            return v;
        })
                                                 : Motion(motion);
        if (!convention.backward) {
            EXPECT_LT(errorOf(in("field.nii"), reading, truth), rounding);
            continue;
        }
        // Beyond the border of its grid nothing is known: the middle counts.
        const MillimeterField field =
            readGivenField(in("field.nii"), convention, &reading.grids.front(), ctx_);
        EXPECT_TRUE(field.geometry.matches(fixed));
        const Size3 size = fixed.size();
        const std::size_t middle =
            VolumeView<const float>(nullptr, size).offset(size.x / 2, size.y / 2, size.z / 2);
        const float* const w = field.vectors.data() + 3 * middle;
        const Vec3 p = fixed.indexToPhysical(
            {std::floor(size.x / 2.0), std::floor(size.y / 2.0), std::floor(size.z / 2.0)});
        EXPECT_LT(length(truth(p) - Vec3{w[0], w[1], w[2]}), 0.05);
    }
}

/// ANTs' InverseWarp says what its Warp says; the images know which way it leads.
TEST_F(GivenFields, ImagesFindTheDirection) {
    const Geometry grid = gridOf(3);
    writeNiftiField(in("1InverseWarp.nii"), grid, {.intentCode = 1007},
                    [&](Vec3 index) { return motion(grid.indexToPhysical(index)); });
    EXPECT_STREQ(read(in("1InverseWarp.nii"), backward(grid)).convention->name, "lps-backward");
    EXPECT_STREQ(read(in("1InverseWarp.nii"), forward(grid, grid)).convention->name, "lps");
}

TEST_F(GivenFields, FslSaysByItsNumbersWhetherTheyArePositions) {
    const Geometry grid = gridOf(5);
    const AffineMap fsl = coordinatesIn(VectorFrame::Fsl, grid);
    writeNiftiField(in("absolute.nii"), grid, {.frames = true, .intentCode = 2006},
                    [&](Vec3 index) {
                        const Vec3 p = grid.indexToPhysical(index);
                        return fsl(p + motion(p));
                    });
    const FieldReading said = readingOf({in("absolute.nii")}, nullptr, {}, ctx_);
    EXPECT_STREQ(said.convention->name, "fsl-positions");
    EXPECT_LT(errorOf(in("absolute.nii"), said, motion), rounding);
}

/// Read in the first one's convention, the second would be mirrored.
TEST_F(GivenFields, FilesThatSayDifferentConventionsAreRefusedAlsoWithoutImages) {
    const Geometry grid = gridOf(3);
    const auto write = [&](const char* name, int intent, double scale) {
        writeNiftiField(in(name), grid, {.intentCode = intent},
                        [&](Vec3 index) { return scale * motion(grid.indexToPhysical(index)); });
    };
    write("a.nii", 1007, 0.5);
    write("same.nii", 1007, 1);
    write("b.nii", 1006, 1);
    write("silent.nii", 0, 1);
    const auto two = [&](const char* second, const FieldConvention* named = nullptr) {
        GivenFieldFiles fields({in("a.nii"), in(second)}, named, {}, ctx_);
        fields.read(0);
        fields.read(1);
        return fields.reading();
    };
    EXPECT_STREQ(two("same.nii").convention->name, "lps");
    for (const char* other : {"b.nii", "silent.nii"})
        EXPECT_THAT([&] { two(other); },
                    ThrowsMessage<FileError>(
                        AllOf(HasSubstr(other), HasSubstr("another convention than"))));
    EXPECT_STREQ(two("silent.nii", findFieldConvention("lps")).convention->name, "lps");
}

TEST_F(GivenFields, ANameThatAFileContradictsIsTakenWithAWarning) {
    const Geometry grid = gridOf(3);
    for (const auto& [name, intent] : {std::pair("a.nii", 0), std::pair("b.nii", 1007)})
        writeNiftiField(in(name), grid, {.intentCode = intent},
                        [&](Vec3 index) { return motion(grid.indexToPhysical(index)); });
    const auto warning = [&](const char* named) {
        GivenFieldFiles fields({in("a.nii"), in("b.nii")}, findFieldConvention(named), {}, ctx_);
        fields.read(0);
        fields.read(1);
        EXPECT_STREQ(fields.reading().convention->name, named);
        return fields.reading().warning;
    };
    EXPECT_EQ(warning("lps"), "");
    EXPECT_EQ(warning("lps-backward"), ""); // no header says the direction
    EXPECT_EQ(warning("ras"), in("b.nii") + ": the file says lps, but is read as ras, as named");
    // All voxels would go to one place.
    EXPECT_THAT([&] { warning("lps-positions"); },
                ThrowsMessage<FileError>(HasSubstr("is no motion as it is read")));
}

/// Refused with the correlations, whoever says the wrong convention.
TEST_F(GivenFields, AFlippedAxisIsRefusedWithTheNumbers) {
    const Geometry grid = gridOf(2);
    const FieldImages images = forward(grid, grid);
    for (const int axis : {0, 1, 2})
        for (const int intent : {1007, 0}) {
            writeNiftiField(in("flipped.nii"), grid, {.intentCode = intent}, [&](Vec3 index) {
                Vec3 w = motion(grid.indexToPhysical(index));
                w[axis] = -w[axis];
                return w;
            });
            const std::string said = refusal(in("flipped.nii"), images);
            if (axis == 2 && intent == 0) { // equals the way back in RAS to first order
                EXPECT_EQ(said, "it was read as ras-backward");
                continue;
            }
            EXPECT_THAT(said,
                        AllOf(HasSubstr("flipped.nii"), HasSubstr("no motion 0."),
                              HasSubstr(std::string("lps with ") + "xyz"[axis] + " flipped 0.9")));
        }
}

TEST_F(GivenFields, AWrongNameIsRefusedWithTheNumbersAndTheRightOneTaken) {
    const Geometry grid = gridOf(6);
    const FieldImages images = forward(grid, grid);
    writeNiftiField(in("field.nii"), grid, {.intentCode = 1007},
                    [&](Vec3 index) { return motion(grid.indexToPhysical(index)); });
    for (const FieldConvention& convention : fieldConventions()) {
        const std::string said = refusal(in("field.nii"), images, &convention);
        if (convention.name == std::string("lps"))
            EXPECT_EQ(said, "it was read as lps");
        else
            EXPECT_THAT(said, AllOf(HasSubstr(convention.name), HasSubstr("lps 0.9")));
    }
    // A header that lies.
    writeNiftiField(in("lies.nii"), grid, {.intentCode = 1006},
                    [&](Vec3 index) { return motion(grid.indexToPhysical(index)); });
    EXPECT_THAT(refusal(in("lies.nii"), images), AllOf(HasSubstr("header"), HasSubstr("lps 0.9")));
}

/// An estimate that falls short by a third isn't taken for one in other units.
TEST_F(GivenFields, AnEstimateThatFallsShortIsStillItsOwn) {
    const Geometry grid = gridOf(0);
    writeNiftiField(in("short.nii"), grid, {.intentCode = 1007},
                    [&](Vec3 index) { return 0.67 * motion(grid.indexToPhysical(index)); });
    EXPECT_STREQ(read(in("short.nii"), forward(grid, grid)).convention->name, "lps");
}

TEST_F(GivenFields, WithoutMotionTheImagesDontTell) {
    const Geometry grid = gridOf(7);
    const FieldImages still{image(grid, texture), image(grid, texture)};
    const auto none = [](Vec3) { return Vec3{}; };
    writeNiftiField(in("said.nii"), grid, {.intentCode = 1007}, none);
    const FieldReading said = read(in("said.nii"), still);
    EXPECT_STREQ(said.convention->name, "lps");
    EXPECT_THAT(said.warning, HasSubstr("isn't proved"));
    writeNiftiField(in("silent.nii"), grid, {}, none);
    EXPECT_THROW(read(in("silent.nii"), still), UnknownConvention);
}

TEST_F(GivenFields, WhatIsNoFieldOfVoxelsSaysWhatMakesOne) {
    const Geometry grid = gridOf(0, {6, 6, 6});
    const auto refused = [&](const NiftiField& kind) {
        writeNiftiField(in("other.nii"), grid, kind, [](Vec3) { return Vec3{1, 2, 3}; });
        try {
            readingOf({in("other.nii")}, nullptr, {}, ctx_);
        } catch (const FileError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    for (const int coefficients : {2007, 2008, 2009})
        EXPECT_THAT(refused({.frames = true, .intentCode = coefficients}),
                    HasSubstr("fnirtfileutils"));
    for (const int topup : {2016, 2017, 2018})
        EXPECT_THAT(refused({.frames = true, .intentCode = topup}), HasSubstr("topup"));
    EXPECT_THAT(refused({.intentCode = 1007, .intentName = "NREG_TRANS", .intentParameter = 5}),
                HasSubstr("reg_transform"));
}

TEST_F(GivenFields, WithoutDirectionsOfItsAxesIsNotedAndNotTakenForOthers) {
    const std::string path = in("f.vtk");
    std::ofstream(path) << "# vtk DataFile Version 3.0\nby hand\nASCII\n"
                           "DATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\nSPACING 1 1 1\n"
                           "ORIGIN 0 0 0\nPOINT_DATA 8\nVECTORS field float\n"
                           "1 0 0 1 0 0 1 0 0 1 0 0\n1 0 0 1 0 0 1 0 0 1 0 0\n";
    const FieldReading reading = GivenFieldFiles({path}, nullptr, {}, ctx_).reading();
    EXPECT_THAT(reading.notes,
                ::testing::ElementsAre(StartsWith(path + ": VTK states no direction of the axes")));
    const Geometry oblique = gridOf(0);
    const FrameGrids grids{oblique, oblique};
    EXPECT_THAT([&] { readGivenField(path, *reading.convention, &grids, ctx_); },
                ThrowsMessage<FileError>(HasSubstr("doesn't say how its axes lie")));
}

TEST_F(GivenFields, CorrelationsDontDependOnThreads) {
    const Geometry grid = gridOf(1);
    const FieldImages images = forward(grid, grid);
    writeNiftiField(in("field.nii"), grid, {.intentCode = 1007},
                    [&](Vec3 index) { return motion(grid.indexToPhysical(index)); });
    const FieldReading two = read(in("field.nii"), images);
    ExecResources alone(1);
    const ExecContext one = alone.context();
    const FieldReading again = readingOf(
        {in("field.nii")}, nullptr, [&](std::size_t) { return images; }, one);
    ASSERT_EQ(two.scores.size(), 1 + fieldConventions().size());
    for (std::size_t i = 0; i < two.scores.size(); ++i)
        EXPECT_EQ(two.scores[i].correlation, again.scores[i].correlation);
}

} // namespace
} // namespace systole::test
