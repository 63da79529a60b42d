// Repeated or unusual statements of a NIfTI header: two of the place, frames beyond the fourth
// axis, a magic that contradicts the file.
#include "tests/io/io_support.h"
#include "tests/io/refusal.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace systole::test {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::array<std::array<double, 4>, 3> zeroRows{};
const std::array<std::array<double, 4>, 3> soundRows{
    {{-1.5, 0, 0, 10}, {0, -1.25, 0, -20}, {0, 0, 2, 5}}};

class NiftiStatements : public ::testing::Test {
protected:
    std::string file(const std::string& name) const { return folder_ / name; }
    std::string write(const NiftiBytes& header, std::size_t voxels = 96,
                      const std::string& name = "a.nii") const {
        const std::string path = file(name);
        writeBytes(path, header.with(counting<std::int16_t>(voxels)));
        return path;
    }
    static NiftiBytes image(std::int64_t frames = 1) {
        NiftiBytes header;
        header.dim({4, 4, 3, 2, frames, 1, 1, 1})
            .type(4, 16)
            .pixdim({1, 1.5, 1.25, 2, 0.04, 1, 1, 1})
            .units(2 | 8);
        return header;
    }
    Sequence open(const NiftiBytes& header) const { return openSequence({write(header)}); }
    std::string refusal(const NiftiBytes& header) const {
        return refusalSentence(write(header), [](const auto& path) { openSequence({path}); });
    }

    TemporaryFolder folder_;
};

/// A turn by 210 degrees around z, in RAS.
const std::array<double, 3> turn{0, 0, -std::sin(105 * std::numbers::pi / 180)};

void expectTurned(const Sequence& sequence) {
    const double c = std::cos(210 * std::numbers::pi / 180),
                 s = std::sin(210 * std::numbers::pi / 180);
    const Matrix3 expected{{{-c, s, 0}, {-s, -c, 0}, {0, 0, 1}}};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            EXPECT_NEAR(sequence.geometry.direction()[row][column], expected[row][column], 1e-6);
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(sequence.geometry.origin()[axis], (Vec3{-10, 20, 5})[axis], 1e-6);
        EXPECT_NEAR(sequence.geometry.spacing()[axis], (Vec3{1.5, 1.25, 2})[axis], 1e-6);
    }
}

TEST_F(NiftiStatements, ASoundQformServesWhereTheSformIsNone) {
    const double tiny = 1e-30, huge = 1e30;
    const std::array<std::array<double, 4>, 3> garbage[] = {
        zeroRows,
        {{{nan, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
        {{{1, 0, 0, 0}, {0, 1, 0, nan}, {0, 0, 1, 0}}},
        {{{1, 2, 0, 0}, {1, 2, 0, 0}, {0, 0, 1, 0}}}, // two axes point the same way
        {{{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}}}, // the third has no length
        {{{huge, 0, 0, 0}, {0, tiny, 0, 0}, {0, 0, 1, 0}}},
        {{{1, 0, 0, huge}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
    for (const auto& rows : garbage) {
        const Sequence sequence = open(image().sform(rows).qform(turn, {10, -20, 5}));
        expectTurned(sequence);
        EXPECT_TRUE(anyNoteHas(sequence, "the sform isn't usable"));
        EXPECT_TRUE(anyNoteHas(sequence, "the qform is used"));
    }
}

TEST_F(NiftiStatements, ASoundQformAgreesWithItkWhereTheSformIsZero) {
    const std::string path = write(image().sform(zeroRows, 0).qform(turn, {10, -20, 5}));
    const auto itkImage = readWithItk<itk::Image<float, 3>>(path);
    expectSamePlaces(open(image().sform(zeroRows).qform(turn, {10, -20, 5})).geometry, *itkImage);
}

TEST_F(NiftiStatements, ASoundSformServesWhereTheQformIsNone) {
    for (const std::array<double, 3>& garbage :
         {std::array{nan, 0.0, 0.0}, std::array{3.0, 4.0, 5.0}, std::array{0.0, 0.0, -1e20}}) {
        const Sequence sequence = open(image().sform(soundRows).qform(garbage, {0, 0, 0}));
        EXPECT_NEAR(sequence.geometry.origin().x, -10, 1e-6);
        EXPECT_NEAR(sequence.geometry.direction()[0][0], 1, 1e-6);
        EXPECT_TRUE(anyNoteHas(sequence, "the qform isn't usable"));
        EXPECT_FALSE(anyNoteHas(sequence, "differently"));
    }
}

TEST_F(NiftiStatements, WithoutASoundStatementTheFieldIsNamed) {
    EXPECT_THAT(refusal(image().sform(zeroRows)), HasSubstr("the sform isn't usable"));
    EXPECT_THAT(refusal(image().sform(zeroRows).qform({nan, 0, 0}, {0, 0, 0})),
                HasSubstr("nor is the qform"));
    EXPECT_THAT(refusal(image().sform(zeroRows, 0).qform({2, 0, 0}, {0, 0, 0})),
                HasSubstr("the qform isn't usable"));
}

TEST_F(NiftiStatements, TheSformsLengthsServeWherePixdimIsNone) {
    for (const double bad : {0.0, nan, 1e30}) {
        const Sequence sequence =
            open(image().pixdim({1, bad, 1.25, 2, 0.04, 1, 1, 1}).sform(soundRows));
        EXPECT_NEAR(sequence.geometry.spacing().x, 1.5, 1e-6);
        EXPECT_TRUE(anyNoteHas(sequence, "pixdim"));
        EXPECT_THAT(refusal(image()
                                .pixdim({1, bad, 1.25, 2, 0.04, 1, 1, 1})
                                .sform(soundRows, 0)
                                .qform(turn, {0, 0, 0})),
                    HasSubstr("the voxel spacing along axis 1"));
    }
    const Sequence sequence =
        open(image().pixdim({1, -1.5, 1.25, 2, 0.04, 1, 1, 1}).sform(soundRows));
    EXPECT_NEAR(sequence.geometry.spacing().x, 1.5, 1e-6);
    EXPECT_NEAR(sequence.geometry.direction()[0][0], 1, 1e-6);
}

TEST_F(NiftiStatements, FramesStandOnAnyAxisBeyondTheThird) {
    for (const std::size_t axis : {5UL, 6UL, 7UL}) {
        std::array<std::int64_t, 8> dim{static_cast<std::int64_t>(axis), 4, 3, 2, 1, 1, 1, 1};
        std::array<double, 8> pixdim{1, 1.5, 1.25, 2, 1, 1, 1, 1};
        dim[axis] = 4;
        pixdim[axis] = 0.04;
        const std::string path = write(image().dim(dim).pixdim(pixdim), 4 * 24);
        const Sequence sequence = openSequence({path});
        ASSERT_EQ(sequence.frames, 4);
        ASSERT_EQ(sequence.timesSeconds.size(), 4U);
        EXPECT_NEAR(sequence.timesSeconds[3], 0.12, 1e-6);
        for (int frame = 0; frame < 4; ++frame)
            EXPECT_EQ(readFrame(sequence, frame), counting<float>(24, 24 * frame));
        EXPECT_TRUE(anyNoteHas(sequence, "taken as frames"));
    }
}

TEST_F(NiftiStatements, TheIntentTellsFramesFromComponents) {
    const auto fifth = [](std::int64_t count, int intent, double step) {
        NiftiBytes header = image();
        header.dim({5, 4, 3, 2, 1, count, 1, 1})
            .pixdim({1, 1.5, 1.25, 2, 1, step, 1, 1})
            .intent(intent);
        return header;
    };
    const auto framesOf = [&](const NiftiBytes& header) {
        return openSequence({write(header, 4 * 24)}).frames;
    };
    EXPECT_EQ(framesOf(fifth(2, 0, 1)), 2);
    EXPECT_EQ(framesOf(fifth(3, 0, 0.05)), 3); // a time from one to the next
    EXPECT_EQ(framesOf(fifth(3, 2001, 1)), 3); // a time series
    EXPECT_THAT(refusal(fifth(3, 0, 1)), HasSubstr("3 numbers per voxel"));
    EXPECT_THAT(refusal(fifth(3, 1007, 0.05)), HasSubstr("3 numbers per voxel"));
    EXPECT_THAT(refusal(fifth(2, 1007, 0.05)), HasSubstr("2 numbers per voxel"));
    NiftiBytes both = image();
    both.dim({5, 4, 3, 2, 2, 2, 1, 1});
    EXPECT_THAT(refusal(both), HasSubstr("axis 5 has 2"));
}

TEST_F(NiftiStatements, AMagicThatTheFileContradictsDoesNotCount) {
    for (const bool zipped : {false, true}) {
        const std::string path = file(zipped ? "c.nii.gz" : "c.nii");
        const Bytes bytes = image(2).magic("ni1").with(counting<std::int16_t>(48));
        writeBytes(path, zipped ? gzipped(bytes) : bytes);
        const Sequence sequence = openSequence({path});
        ASSERT_EQ(sequence.frames, 2);
        EXPECT_EQ(readFrame(sequence, 1), counting<float>(24, 24));
        EXPECT_TRUE(anyNoteHas(sequence, "magic"));
    }
    // The header of a pair leaves the offset at 0.
    const std::string none = file("none.nii");
    writeBytes(none, image(2).magic("ni1").voxelOffset(0).with(counting<std::int16_t>(48)));
    EXPECT_EQ(readFrame(openSequence({none}), 0), counting<float>(24));
}

TEST_F(NiftiStatements, APairIsReadByItsFiles) {
    Bytes voxels;
    append(voxels, counting<std::int16_t>(24));
    writeBytes(file("p.img"), voxels);
    for (const char* magic : {"ni1", "n+1"}) {
        for (const double offset : {0.0, 352.0}) { // copied from a single file's header
            writeBytes(file("p.hdr"), image().magic(magic).voxelOffset(offset).header());
            for (const char* named : {"p.hdr", "p.img"}) {
                const Sequence sequence = openSequence({file(named)});
                EXPECT_EQ(readFrame(sequence, 0), counting<float>(24));
            }
        }
    }
    fs::remove(file("p.img"));
    EXPECT_THAT(refusalSentence(file("p.hdr"), [](const auto& path) { openSequence({path}); }),
                HasSubstr("byte"));
    NiftiBytes analyze = image();
    analyze.magic(std::string(4, '\0'));
    EXPECT_THAT(refusal(analyze), HasSubstr("Analyze 7.5"));
}

TEST_F(NiftiStatements, AScaleThatIsNoneLeavesTheStoredValues) {
    for (const double slope : {0.0, nan})
        EXPECT_EQ(readFrame(open(image().rescale(slope, nan)), 0), counting<float>(24));
    for (const auto& [slope, intercept] : {std::pair{infinity, 0.0}, {1.0, nan}, {2.0, infinity}})
        EXPECT_THAT(refusal(image().rescale(slope, intercept)), HasSubstr("scl_"));
}

TEST_F(NiftiStatements, TimesOfSlicesAndOtherUnitsAreSaid) {
    NiftiBytes header = image(2);
    header.put<std::int8_t>(122, 1);
    header.put<float>(132, 0.01F);
    EXPECT_TRUE(anyNoteHas(openSequence({write(header, 48)}), "one after the other"));
    const Sequence milliseconds =
        openSequence({write(image(2).units(2 | 16).pixdim({1, 1, 1, 1, 40, 1, 1, 1}), 48)});
    EXPECT_NEAR(milliseconds.timesSeconds.at(1), 0.04, 1e-9);
    const Sequence hertz = openSequence({write(image(2).units(2 | 32), 48)});
    EXPECT_FALSE(hertz.timeKnown());
    const Sequence meters = openSequence({write(
        image()
            .units(1 | 8)
            .pixdim({1, 0.0015, 0.00125, 0.002, 1, 1, 1, 1})
            .sform({{{-0.0015, 0, 0, 0.01}, {0, -0.00125, 0, -0.02}, {0, 0, 0.002, 0.005}}}))});
    EXPECT_NEAR(meters.geometry.spacing().y, 1.25, 1e-4);
    EXPECT_NEAR(meters.geometry.origin().y, 20, 1e-4);
}

} // namespace
} // namespace systole::test
