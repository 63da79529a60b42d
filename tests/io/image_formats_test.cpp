// Each format against ITK, and what ITK does not read: list axes, times, files of their own.
#include "tests/io/io_support.h"

namespace systole::test {
namespace {

const Geometry obliqueGrid({5, 6, 7}, {0.9, 1.4, 2.1}, {-31, 17, 205}, obliquePermutedDirection());

class ItkAgrees : public ::testing::TestWithParam<const char*> {};

TEST_P(ItkAgrees, OnPlacesAndVoxelsOfAnObliquePermutedVolume) {
    using Image = itk::Image<short, 3>;
    const TemporaryFolder folder;
    const std::string path = folder / (std::string("volume") + GetParam());
    for (const bool compress : {false, true}) {
        const auto image = makeItkImage<Image>(obliqueGrid);
        const auto voxels = counting<short>(210, -100);
        std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
        writeWithItk(*image, path, compress);

        const Sequence sequence = openSequence({path});
        EXPECT_EQ(sequence.frames, 1);
        expectSamePlaces(sequence.geometry, *readWithItk<Image>(path), 1e-4);
        expectSamePlaces(sequence.geometry, *image, 1e-3);
        EXPECT_EQ(readFrame(sequence, 0), counting<float>(210, -100));
    }
}

TEST_P(ItkAgrees, OnTheFramesOfASequence) {
    using Image = itk::Image<float, 4>;
    const TemporaryFolder folder;
    const std::string path = folder / (std::string("sequence") + GetParam());
    const auto image = makeItkImage<Image>(obliqueGrid, 3);
    const auto voxels = counting<float>(630);
    std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
    writeWithItk(*image, path);

    const Sequence sequence = openSequence({path});
    ASSERT_EQ(sequence.frames, 3);
    expectSamePlaces(sequence.geometry, *image, 1e-3);
    for (int frame = 0; frame < 3; ++frame)
        EXPECT_EQ(readFrame(sequence, frame), counting<float>(210, 210 * frame));
}

INSTANTIATE_TEST_SUITE_P(Formats, ItkAgrees,
                         ::testing::Values(".nii", ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::erase(name, '.');
                             return name;
                         });

/// Data that VTK and ParaView write in addition to the voxels are skipped.
TEST(VtkImage, FieldsOfTheDataSetMetadataAndAnEmptyTitleAreSkipped) {
    const TemporaryFolder folder;
    const std::vector<std::uint8_t> voxels = counting<std::uint8_t>(8);
    for (const bool binary : {true, false}) {
        const std::string time = binary ? std::string("\0\n\0\1\2\3\n\n", 8) : "0.25";
        std::string text =
            "# vtk DataFile Version 4.2\n\n" + std::string(binary ? "BINARY" : "ASCII") +
            "\nDATASET STRUCTURED_POINTS\nFIELD FieldData 1\nTimeValue 1 1 double\n" + time +
            "\nMETADATA\nINFORMATION 1\nNAME a LOCATION b\nDATA 1 0\n\n"
            "DIMENSIONS 2 2 2\nSPACING 1 2 3\nORIGIN 0 0 0\nPOINT_DATA 8\n"
            "SCALARS s unsigned_char 1\nLOOKUP_TABLE default\n";
        for (const std::uint8_t voxel : voxels)
            text += binary ? std::string(1, static_cast<char>(voxel)) : std::to_string(voxel) + " ";
        const std::string path = folder / (binary ? "b.vtk" : "t.vtk");
        writeBytes(path, text);
        const Sequence sequence = openSequence({path});
        EXPECT_EQ(sequence.geometry.spacing(), (Vec3{1, 2, 3}));
        EXPECT_EQ(readFrame(sequence, 0), counting<float>(8));
    }
}

class NrrdListAxis : public ::testing::TestWithParam<int> {};

TEST_P(NrrdListAxis, MayStandAnywhere) {
    const TemporaryFolder folder;
    const auto at = static_cast<std::size_t>(GetParam());
    std::vector<std::string> sizes{"2", "3", "4"}, kinds(3, "domain"), units(3, "\"\""),
        directions{"(0,-2,0)", "(0,0,1.5)", "(3,0,0)"};
    const auto insert = [&](std::vector<std::string>& list, const std::string& word) {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), word);
    };
    insert(sizes, "5");
    insert(kinds, "list");
    insert(units, "\"ms\"");
    insert(directions, "none");
    const auto line = [](const std::vector<std::string>& list) {
        std::string text;
        for (const std::string& word : list)
            text += " " + word;
        return text + "\n";
    };
    const std::string header = "NRRD0005\n# made by a test\ntype: short\ndimension: 4\nspace: "
                               "right-anterior-superior\nsizes:" +
                               line(sizes) + "space directions:" + line(directions) +
                               "kinds:" + line(kinds) + "units:" + line(units) +
                               "endian: big\nencoding: gzip\nspace origin: (10, 20, 30)\naxis " +
                               std::to_string(at) + " index type:=numeric\naxis " +
                               std::to_string(at) + " index values:=0 90 100 300.5 400\n\n";
    // Voxel (x, y, z) of frame t holds 1000 t + its number within the frame.
    std::vector<short> voxels(120);
    std::size_t extents[4] = {2, 3, 4, 0};
    std::vector<std::size_t> order{0, 1, 2};
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), 3);
    extents[3] = 5;
    for (std::size_t i = 0; i < 120; ++i) {
        std::size_t rest = i, index[4] = {};
        for (const std::size_t axis : order) {
            index[axis] = rest % extents[axis];
            rest /= extents[axis];
        }
        voxels[i] = static_cast<short>(1000 * index[3] + index[0] + 2 * (index[1] + 3 * index[2]));
    }
    Bytes raw;
    append(raw, voxels, true);
    Bytes file;
    append(file, header);
    append(file, gzipped(raw));
    const std::string path = folder / "sequence.seq.nrrd";
    writeBytes(path, file);

    const Sequence sequence = openSequence({path});
    EXPECT_EQ(sequence.format, "NRRD sequence");
    EXPECT_EQ(sequence.geometry.size(), (Size3{2, 3, 4}));
    ASSERT_EQ(sequence.frames, 5);
    const std::vector<double> expected{0, 0.09, 0.1, 0.3005, 0.4};
    ASSERT_EQ(sequence.timesSeconds.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(sequence.timesSeconds[i], expected[i], 1e-12);
    EXPECT_LT(length(sequence.geometry.origin() - Vec3{-10, -20, 30}), 1e-12);
    EXPECT_LT(length(sequence.geometry.voxelVectorToPhysical({1, 0, 0}) - Vec3{0, 2, 0}), 1e-12);
    EXPECT_LT(length(sequence.geometry.voxelVectorToPhysical({0, 0, 1}) - Vec3{-3, 0, 0}), 1e-12);
    for (int frame = 0; frame < 5; ++frame)
        EXPECT_EQ(readFrame(sequence, frame), counting<float>(24, 1000 * frame));
}

INSTANTIATE_TEST_SUITE_P(Positions, NrrdListAxis, ::testing::Values(0, 1, 2, 3));

std::string smallNrrd(const std::string& more, const std::string& sizes = "2 2 2 3") {
    return "NRRD0004\ntype: uchar\ndimension: " + std::string(sizes.size() > 5 ? "4" : "3") +
           "\nsizes: " + sizes + "\n" + more;
}

TEST(Nrrd, TimesOfOlderMultiVolumesAreRead) {
    const TemporaryFolder folder;
    const std::string path = folder / "multivolume.nrrd";
    writeBytes(path, smallNrrd("space: left-posterior-superior\nspace directions: (1,0,0) (0,1,0) "
                               "(0,0,1) none\nkinds: domain domain domain list\nencoding: raw\n"
                               "MultiVolume.FrameLabels:=0,35,80\n"
                               "MultiVolume.FrameIdentifyingDICOMTagUnits:=ms\n\n") +
                         std::string(24, 'a'));
    const Sequence sequence = openSequence({path});
    EXPECT_EQ(sequence.timesSeconds, (std::vector<double>{0, 0.035, 0.08}));
}

TEST(Nrrd, TimesWithoutAUnitOrOutOfOrderAreUnknown) {
    const TemporaryFolder folder;
    const std::string path = folder / "timeless.nrrd";
    const std::string common =
        "space: left-posterior-superior\nspace directions: none (1,0,0) (0,1,0) "
        "(0,0,1)\nkinds: list domain domain domain\nencoding: raw\n";
    for (const char* lines : {"axis 0 index values:=0 1 2\n", "",
                              "units: \"s\" \"\" \"\" \"\"\naxis 0 index values:=0 2 1\n",
                              "units: \"s\" \"\" \"\" \"\"\naxis 0 index values:=0 1\n",
                              "units: \"s\" \"\" \"\" \"\"\naxis 0 index values:=a b c\n"}) {
        writeBytes(path, smallNrrd(common + lines + "\n", "3 2 2 2") + std::string(24, 'a'));
        const Sequence sequence = openSequence({path});
        EXPECT_FALSE(sequence.timeKnown()) << lines;
        EXPECT_TRUE(anyNoteHas(sequence, "time unknown")) << lines;
    }
}

TEST(Nrrd, ReadsTextVoxelsAndLeftAnteriorSuperior) {
    const TemporaryFolder folder;
    const std::string path = folder / "text.nrrd";
    writeBytes(path, smallNrrd("space: left-anterior-superior\nspace directions: (1,0,0) (0,2,0) "
                               "(0,0,3)\nspace origin: (1,2,3)\nencoding: ascii\n\n",
                               "2 2 2") +
                         "0 1 2 3\n4.5 5 6 -7\n");
    const Sequence sequence = openSequence({path});
    EXPECT_EQ(sequence.geometry.orientationLetters(), "LAS");
    EXPECT_EQ(sequence.geometry.origin(), (Vec3{1, -2, 3}));
    EXPECT_EQ(readFrame(sequence, 0), (std::vector<float>{0, 1, 2, 3, 4.5, 5, 6, -7}));
}

TEST(MetaImage, ReadsSlicesAndVolumesFromAListOfFiles) {
    const TemporaryFolder folder;
    for (int part = 0; part < 3; ++part) {
        Bytes voxels;
        append(voxels, counting<std::int16_t>(8, 8 * part), true);
        writeBytes(folder / ("part" + std::to_string(part) + ".raw"), voxels);
    }
    const std::string common =
        "BinaryData = True\nElementByteOrderMSB = True\nElementType = MET_SHORT\n"
        "ElementDataFile = LIST\npart0.raw\npart1.raw\npart2.raw\n";
    writeBytes(folder / "volume.mhd", "ObjectType = Image\nNDims = 3\nDimSize = 2 4 3\n"
                                      "ElementSpacing = 1 1 5\nModality = MET_MOD_CT\n" +
                                          common);
    const Sequence volume = openSequence({folder / "volume.mhd"});
    EXPECT_EQ(volume.modality, "CT");
    EXPECT_EQ(readFrame(volume, 0), counting<float>(24));

    writeBytes(folder / "sequence.mhd", "ObjectType = Image\nNDims = 4\nDimSize = 2 2 2 3\n"
                                        "ElementSpacing = 1 1 5 0.04\n" +
                                            common);
    const Sequence sequence = openSequence({folder / "sequence.mhd"});
    EXPECT_EQ(readFrame(sequence, 2), counting<float>(8, 16));
    EXPECT_FALSE(sequence.timeKnown()) << "MetaImage has no unit of time";
    EXPECT_TRUE(anyNoteHas(sequence, "0.04"));
}

TEST(MetaImage, ReadsVoxelsWrittenAsText) {
    const TemporaryFolder folder;
    const std::string path = folder / "text.mha";
    writeBytes(path, "ObjectType = Image\nNDims = 3\nBinaryData = False\nDimSize = 2 2 2\n"
                     "ElementSpacing = 1 1 1\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n"
                     "1 2 3 4 5 6 7 8.25");
    EXPECT_EQ(readFrame(openSequence({path}), 0).at(7), 8.25F);
}

TEST(FrameList, TakesOneVolumePerFileInTheOrderGiven) {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    for (const char* extension : {".nii.gz", ".mha", ".nrrd"}) {
        const auto image = makeItkImage<itk::Image<short, 3>>(obliqueGrid);
        image->FillBuffer(static_cast<short>(paths.size() + 7));
        paths.push_back(folder / (std::string("frame") + extension));
        writeWithItk(*image, paths.back());
    }
    OpenOptions options;
    options.frameTimeMilliseconds = 30;
    const Sequence sequence = openSequence({paths[2], paths[0], paths[1]}, options);
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_EQ(readFrame(sequence, 0).front(), 9);
    EXPECT_EQ(readFrame(sequence, 1).front(), 7);
    EXPECT_EQ(readFrame(sequence, 2).front(), 8);
    EXPECT_NEAR(sequence.timesSeconds.at(2), 0.06, 1e-12);
    EXPECT_FALSE(openSequence(paths).timeKnown());
}

} // namespace
} // namespace systole::test
