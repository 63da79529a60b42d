// Damaged and hostile files of the formats that ITK reads for us.
#include "tests/io/hostile_support.h"

#include <limits>

namespace systole::test {
namespace {

/// 4 × 4 × 4 voxels of int16: every case spoils one thing of it.
std::string vtk(const std::string& replaced = "", const std::string& by = "") {
    std::string text = "# vtk DataFile Version 3.0\nmade by a test\nBINARY\n"
                       "DATASET STRUCTURED_POINTS\nDIMENSIONS 4 4 4\nSPACING 1 1 1\n"
                       "ORIGIN 0 0 0\nPOINT_DATA 64\nSCALARS scalars short 1\n"
                       "LOOKUP_TABLE default\n" +
                       std::string(128, 'v');
    if (!replaced.empty())
        text.replace(text.find(replaced), replaced.size(), by);
    return text;
}
std::string textVtk(const std::string& voxels) {
    const std::string text = vtk("BINARY", "ASCII");
    return text.substr(0, text.size() - 128) + voxels;
}
Bytes gipl(std::uint16_t slices = 4, float spacing = 1, std::uint16_t type = 15) {
    Bytes data;
    append(data, std::vector<std::uint16_t>{4, 4, slices, 1, type}, true);
    append(data, std::vector<float>{1, spacing, 1, 1}, true);
    data.resize(252);
    append(data, std::vector<std::uint32_t>{0xefffe9b0}, true);
    append(data, counting<std::int16_t>(64), true);
    return data;
}

std::vector<Hostile> hostileItkFiles() {
    return {
        {"NoiseNamedVtk", bytes("noise.vtk", noise(5000)), "VTK header"},
        {"NoiseNamedGipl", bytes("noise.gipl", noise(5000)), "GIPL"},
        {"VtkWithoutVoxels", content("a.vtk", vtk("SCALARS", "NORMALS")), "SCALARS"},
        {"VtkOfAnUnsoundField", content("a.vtk", vtk("SCALARS", "FIELD")), "no sound field"},
        {"VtkWithoutLookupTable", content("a.vtk", vtk("LOOKUP_TABLE default\n")), "LOOKUP_TABLE"},
        {"VtkWithALongLine", content("a.vtk", vtk("short", std::string(1000, 's'))), "the type"},
        {"VtkOfOneEndlessLine",
         [](const TemporaryFolder& f) {
             const std::string blanks(std::size_t{80} << 20, ' ');
             writeBytes(f / "a.vtk", vtk("POINT_DATA 64\n", blanks));
             return std::vector{f / "a.vtk"};
         },
         "VTK header"},
        {"VtkOfAGrid", content("a.vtk", vtk("STRUCTURED_POINTS", "UNSTRUCTURED_GRID")),
         "STRUCTURED_POINTS is expected"},
        {"VtkOfAnUnknownType", content("a.vtk", vtk("short", "bit")), "a.vtk"},
        {"VtkOfColors",
         content("a.vtk",
                 vtk("SCALARS scalars short 1\nLOOKUP_TABLE default", "COLOR_SCALARS colors 3")),
         "SCALARS"},
        {"VtkWithoutComponents", content("a.vtk", vtk("short 1", "short 0")),
         "0 numbers per voxel"},
        {"VtkTextWithoutComponents",
         content("a.vtk", textVtk("7 7 7").replace(textVtk("").find("short 1"), 7, "short 0")),
         "0 numbers per voxel"},
        {"VtkOfTwoDimensions", content("a.vtk", vtk("4 4 4", "4 4 1")), "dimension"},
        {"VtkWithHugeSizes", content("a.vtk", vtk("4 4 4", "99999 99999 99999")), "99999"},
        {"VtkWithNegativeSizes", content("a.vtk", vtk("4 4 4", "4 -4 4")), "-4"},
        {"VtkWithoutSizes", content("a.vtk", vtk("DIMENSIONS 4 4 4\n")), "a.vtk"},
        {"VtkWithSpacingOfZero", content("a.vtk", vtk("SPACING 1 1 1", "SPACING 1 0 1")),
         "spacing"},
        {"VtkWithSpacingNotANumber", content("a.vtk", vtk("SPACING 1 1 1", "SPACING 1 nan 1")),
         "spacing"},
        {"VtkWithTwoSpacings", content("a.vtk", vtk("SPACING 1 1 1", "SPACING 1 1")),
         "three numbers"},
        {"VtkWithoutSpacings", content("a.vtk", vtk("SPACING 1 1 1", "SPACING x")),
         "three numbers"},
        {"VtkWithFourSpacings", content("a.vtk", vtk("SPACING 1 1 1", "SPACING 1 1 1 1")),
         "three numbers"},
        {"VtkWithDecimalCommas", content("a.vtk", vtk("SPACING 1 1 1", "SPACING 1,5 1,25 2,0")),
         "decimal points"},
        {"VtkWithoutOrigin", content("a.vtk", vtk("ORIGIN 0 0 0", "ORIGIN")), "three numbers"},
        {"VtkWithACommaInItsOrigin", content("a.vtk", vtk("ORIGIN 0 0 0", "ORIGIN -10,5 20 5")),
         "decimal points"},
        {"VtkWithTwoSizes", content("a.vtk", vtk("4 4 4", "4 4")), "three numbers"},
        {"VtkWithASizeInPart", content("a.vtk", vtk("4 4 4", "4 4 4.5")), "three numbers"},
        {"VtkWithTwoOrigins",
         content("a.vtk", vtk("ORIGIN 0 0 0\n", "ORIGIN 0 0 0\nORIGIN 1 2 3\n")), "repeats"},
        {"VtkWithAMisspeltLine", content("a.vtk", vtk("SPACING", "SPACNG")), "'spacng 1 1 1'"},
        {"VtkOfScalarsWithoutAType", content("a.vtk", vtk("scalars short 1", "scalars")),
         "the type"},
        {"VtkNowhere", content("a.vtk", vtk("ORIGIN 0 0 0", "ORIGIN 0 inf 0")),
         "coordinate of the first voxel is inf"},
        {"VtkTooShort", content("a.vtk", vtk().substr(0, vtk().size() - 1)), "promises"},
        {"VtkOfTooFewNumbers", content("a.vtk", textVtk("1 2 3")), "numbers"},
        {"VtkOfWords", content("a.vtk", textVtk(std::string(200, 'v'))), "a number was expected"},
        {"GiplHeaderAlone", bytes("a.gipl", cut(gipl(), 200)), "GIPL"},
        {"GiplTooShort", bytes("a.gipl", cut(gipl(), 300)), "promises"},
        {"GiplWithHugeSize", bytes("a.gipl", gipl(65535)), "promises"},
        {"GiplWithoutSlices", bytes("a.gipl", gipl(0)), "a.gipl"},
        {"GiplWithSpacingOfZero", bytes("a.gipl", gipl(4, 0)), "spacing"},
        {"GiplWithSpacingNotANumber",
         bytes("a.gipl", gipl(4, std::numeric_limits<float>::quiet_NaN())), "spacing"},
        {"GiplOfAnUnknownType", bytes("a.gipl", gipl(4, 1, 77)), "a.gipl"},
        {"GiplCutOff", bytes("a.gipl.gz", cut(gzipped(gipl()), 120)), "cut off"},
        {"GiplBomb", bytes("bomb.gipl.gz", bomb(gipl())), "trap"},
    };
}

class HostileItkFile : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileItkFile, IsRefusedInOneLineThatNamesIt) { expectRefusal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Each, HostileItkFile, ::testing::ValuesIn(hostileItkFiles()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostileItkFiles, TheSoundOnesThatTheyWereMadeFromAreRead) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.vtk", vtk());
    std::string numbers;
    for (int i = 0; i < 64; ++i)
        numbers += std::to_string(i) + " ";
    writeBytes(folder / "text.vtk", textVtk(numbers));
    writeBytes(folder / "a.gipl", gipl());
    writeBytes(folder / "a.gipl.gz", gzipped(gipl()));
    for (const char* name : {"a.vtk", "text.vtk", "a.gipl", "a.gipl.gz"})
        EXPECT_EQ(refusalOf({folder / name}), "") << name;
}

TEST(HostileItkFiles, CapsAreTheCallers) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.vtk", vtk());
    OpenOptions options;
    options.maximumFrameBytes = 4 * 4 * 4 * sizeof(float);
    EXPECT_NO_THROW(openSequence({folder / "a.vtk"}, options));
    options.maximumFrameBytes -= 1;
    EXPECT_THROW(openSequence({folder / "a.vtk"}, options), FileError);
}

TEST(HostileItkFiles, AreNotReadWhenTheyShrinkAfterTheyWereOpened) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.vtk", vtk());
    const Sequence sequence = openSequence({folder / "a.vtk"});
    writeBytes(folder / "a.vtk", vtk().substr(0, vtk().size() - 20));
    EXPECT_THROW(readFrame(sequence, 0), FileError);
}

} // namespace
} // namespace systole::test
