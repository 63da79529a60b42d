// DIR-Lab's images: known by name, of exactly the published size, a sequence where a folder has
// the phases. ITK reads what the header beside them says.
#include "io/dirlab/cases.h"
#include "io/dirlab/image.h"
#include "tests/io/io_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TemporaryFolder;
using test::writeBytes;
using ::testing::HasSubstr;

/// A sparse file of the given size: reads as zeros.
void makeFile(const std::string& path, std::uintmax_t bytes) {
    writeBytes(path, "");
    std::filesystem::resize_file(path, bytes);
}

TEST(DirLab, NamesSayCaseAndPhase) {
    const auto expectName = [](const char* path, const char* name, std::optional<int> phase) {
        const std::optional<DirLabName> named = dirLabNameOf(path);
        ASSERT_TRUE(named) << path;
        EXPECT_EQ(named->of.name(), name);
        EXPECT_EQ(named->phase, phase) << path;
    };
    expectName("/a/case1_T00_s.img", "case1", 0);
    expectName("Case10_300_T50_xyz.txt", "case10", 50);
    expectName("case6_dirLab300_T90_xyz.txt", "case6", 90);
    expectName("case2_4D-75_T20.txt", "case2", 20);
    expectName("copd3_eBHCT.img", "copd3", 50);
    expectName("copd3_300_iBH_xyz_r1.txt", "copd3", 0);
    expectName("case4.mha", "case4", {});
    for (const char* path : {"case0_T00.img", "case11_T00.img", "case100_T00.img", "casex.img",
                             "mycase1_T00.img", "case1", "scase1_T00.img", "case", ""})
        EXPECT_FALSE(dirLabNameOf(path)) << path;
    EXPECT_EQ(parseDirLabCase("COPD7")->spacing.x, 0.625);
    for (const char* text : {"case1_T00", "case", "copd11", "7", ""})
        EXPECT_FALSE(parseDirLabCase(text)) << text;
    EXPECT_THROW(dirLabCase(DirLabSet::CopdGene, 0), FileError);
    for (int number = 1; number <= 10; ++number)
        for (const DirLabSet set : {DirLabSet::FourDCt, DirLabSet::CopdGene})
            EXPECT_EQ(dirLabCase(set, number).geometry().orientationLetters(), "LPI");
}

TEST(DirLab, OnlyImagesAreTakenForImages) {
    EXPECT_TRUE(dirLabImageName("case1_T00_s.img"));
    EXPECT_TRUE(dirLabImageName("CASE1_t50.nii.gz"));
    EXPECT_TRUE(dirLabImageName("copd2_iBHCT.img"));
    EXPECT_FALSE(dirLabImageName("case1_T00_T50_displacement.mha"));
    EXPECT_FALSE(dirLabImageName("case1_T00_mask.nii.gz"));
    EXPECT_FALSE(dirLabImageName("case1_300_T00_xyz.txt"));
    EXPECT_FALSE(dirLabImageName("case1.mha"));
}

TEST(DirLab, AnImageMustHaveExactlyTheVoxelsOfItsCase) {
    const TemporaryFolder folder;
    const std::string path = folder / "case1_T00_s.img";
    makeFile(path, 256ull * 256 * 94 * 2);
    const Sequence sequence = openSequence({path});
    EXPECT_EQ(sequence.geometry.size(), (Size3{256, 256, 94}));
    EXPECT_EQ(sequence.geometry.spacing(), (Vec3{0.97, 0.97, 2.5}));
    EXPECT_EQ(sequence.modality, "CT");
    EXPECT_EQ(sequence.voxelType, "int16");
    EXPECT_THAT(sequence.notes.at(0), HasSubstr("published"));
    for (const std::uintmax_t bytes :
         {256ull * 256 * 94 * 2 - 1, 256ull * 256 * 94 * 2 + 2, 2ull}) {
        makeFile(path, bytes);
        try {
            openSequence({path});
            ADD_FAILURE() << bytes;
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr("256 × 256 × 94 voxels of int16"));
        }
    }
    // An image of NIfTI's pairs stays one, whatever its name.
    const std::vector<std::int16_t> voxels(8, 7);
    const test::Bytes pair = test::NiftiBytes()
                                 .dim({3, 2, 2, 2, 1, 1, 1, 1})
                                 .type(4, 16)
                                 .voxelOffset(0)
                                 .magic("ni1")
                                 .with(std::vector<std::int16_t>{});
    writeBytes(folder / "case1_T00_s.hdr", test::cut(pair, 348));
    test::Bytes raw;
    test::append(raw, voxels);
    writeBytes(path, raw);
    EXPECT_EQ(openSequence({path}).geometry.size(), (Size3{2, 2, 2}));
}

TEST(DirLab, VoxelsComeBackAndAHeaderMakesThemAnImageOfAnyGrid) {
    const TemporaryFolder folder;
    const Geometry grid({5, 4, 3}, {1.5, 2, 2.5}, {3, -4, 5}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});
    std::vector<float> voxels(grid.voxels());
    for (std::size_t i = 0; i < voxels.size(); ++i)
        voxels[i] = static_cast<float>(i) * 100 - 1024;
    voxels[0] = 1e6f; // beyond int16
    voxels[1] = 2.6f;
    writeDirLabImage(folder / "case1_T00.img", {voxels.data(), grid.size()});
    writeRawHeader(folder / "case1_T00.mhd", grid, "case1_T00.img");
    EXPECT_EQ(std::filesystem::file_size(folder / "case1_T00.img"), 2 * grid.voxels());
    voxels[0] = 32767;
    voxels[1] = 3;
    const Sequence sequence = openSequence({folder / "case1_T00.mhd"});
    EXPECT_TRUE(sequence.geometry.matches(grid));
    BufferPool pool;
    Volume back(grid, pool, "back");
    sequence.source->read(0, back.view());
    EXPECT_TRUE(std::ranges::equal(back.view().span(), voxels));

    using Image = itk::Image<short, 3>;
    const auto reader = itk::ImageFileReader<Image>::New();
    reader->SetImageIO(itk::MetaImageIO::New());
    reader->SetFileName(folder / "case1_T00.mhd");
    reader->Update();
    EXPECT_EQ(reader->GetOutput()->GetPixel({{4, 3, 2}}), static_cast<short>(voxels.back()));
    EXPECT_DOUBLE_EQ(reader->GetOutput()->GetOrigin()[1], -4);
    EXPECT_DOUBLE_EQ(reader->GetOutput()->GetDirection()[2][2], -1);
}

TEST(DirLab, AFolderOfPhasesIsASequence) {
    const TemporaryFolder folder;
    const Geometry grid({4, 4, 4}, {1, 1, 1});
    for (const int phase : {50, 0, 20}) {
        const std::vector<float> voxels(grid.voxels(), static_cast<float>(phase));
        const std::string name =
            "case3_T" + std::string(phase < 10 ? "0" : "") + std::to_string(phase);
        writeDirLabImage(folder / (name + ".img"), {voxels.data(), grid.size()});
        writeRawHeader(folder / (name + ".mhd"), grid, name + ".img");
    }
    writeBytes(folder / "case3_300_T00_xyz.txt", "1 1 1\n");
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_FALSE(sequence.timeKnown());
    BufferPool pool;
    Volume frame(grid, pool, "frame");
    for (int i = 0; i < 3; ++i) {
        sequence.source->read(i, frame.view());
        EXPECT_EQ(frame.view()(1, 2, 3), i == 0 ? 0 : i == 1 ? 20 : 50);
    }
    makeFile(folder / "copd1_iBHCT.img", 1);
    EXPECT_THROW(openSequence({folder.path().string()}), FileError);
    EXPECT_TRUE(dirLabImagesIn(folder / "missing").empty());
}

} // namespace
} // namespace systole
