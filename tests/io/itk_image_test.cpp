// The formats that ITK reads for us, with ITK as their writer.
#include "io/formats/writer.h"
#include "tests/io/io_support.h"

#include <itkRGBPixel.h>
#include <itkVector.h>

namespace systole::test {
namespace {

/// Neither VTK legacy nor GIPL states a direction.
const Geometry straightGrid({5, 6, 7}, {0.9, 1.4, 2.1}, {-31, 17, 205});

void expectStraightGrid(const Geometry& geometry) {
    EXPECT_TRUE(geometry.matches(straightGrid, 1e-4))
        << geometry.size().x << " " << geometry.spacing().x << " " << geometry.origin().x;
}

struct Kind {
    const char* extension;
    bool plainText;
};

class ItkImage : public ::testing::TestWithParam<Kind> {
protected:
    std::string path() const { return folder_ / (std::string("image") + GetParam().extension); }

    template <typename T>
    void expectVolume(const char* voxelType) const {
        const auto image = makeItkImage<itk::Image<T, 3>>(straightGrid);
        const auto voxels = counting<T>(210, std::is_signed_v<T> ? -100 : 0);
        std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
        writeWithItk(*image, path(), false, GetParam().plainText);

        const Sequence sequence = openSequence({path()});
        EXPECT_EQ(sequence.frames, 1);
        EXPECT_EQ(sequence.voxelType, GetParam().plainText ? "float32" : voxelType);
        EXPECT_TRUE(anyNoteHas(sequence, "no direction"));
        expectStraightGrid(sequence.geometry);
        for (int again = 0; again < 2; ++again)
            EXPECT_EQ(readFrame(sequence, 0), std::vector<float>(voxels.begin(), voxels.end()))
                << voxelType;
    }

    TemporaryFolder folder_;
};

TEST_P(ItkImage, IsReadAsItkWroteIt) {
    expectVolume<unsigned char>("uint8");
    expectVolume<short>("int16");
    expectVolume<unsigned short>("uint16");
    expectVolume<float>("float32");
    expectVolume<double>("float64");
}

TEST_P(ItkImage, IsRefusedWhereverItIsCutOff) {
    const auto image = makeItkImage<itk::Image<short, 3>>(straightGrid);
    image->FillBuffer(1234);
    writeWithItk(*image, path(), false, GetParam().plainText);
    const Bytes sound = readBytes(path());
    // Text may lose the blank behind its last number.
    for (std::size_t keep = 0; keep + 2 < sound.size(); keep += 7) {
        writeBytes(path(), cut(sound, keep));
        EXPECT_THROW(readFrame(openSequence({path()}), 0), FileError) << keep << " bytes kept";
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, ItkImage,
                         ::testing::Values(Kind{".vtk", false}, Kind{".vtk", true},
                                           Kind{".gipl", false}, Kind{".gipl.gz", false}),
                         [](const auto& info) {
                             std::string name = info.param.extension;
                             std::erase(name, '.');
                             return name + (info.param.plainText ? "text" : "");
                         });

TEST(ItkSequence, OfGiplHasItsFramesAndNoTimes) {
    const TemporaryFolder folder;
    for (const char* name : {"sequence.gipl", "sequence.gipl.gz"}) {
        const auto image = makeItkImage<itk::Image<float, 4>>(straightGrid, 3);
        const auto voxels = counting<float>(630);
        std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
        writeWithItk(*image, folder / name);

        const Sequence sequence = openSequence({folder / name});
        ASSERT_EQ(sequence.frames, 3);
        expectStraightGrid(sequence.geometry);
        EXPECT_FALSE(sequence.timeKnown());
        EXPECT_TRUE(anyNoteHas(sequence, "time unknown"));
        const Sequence byHeader = openSequence({folder / name}, {.headerAlone = true});
        EXPECT_EQ(byHeader.frames, 3);
        for (const int frame : {2, 0, 1})
            for (const Sequence& opened : {sequence, byHeader})
                EXPECT_EQ(readFrame(opened, frame), counting<float>(210, 210 * frame));
    }
}

TEST(ItkSequence, OfGiplIsOpenedByItsHeaderAloneWhateverIsBehindIt) {
    const TemporaryFolder folder;
    const std::string path = folder / "noise.gipl.gz";
    const auto image = makeItkImage<itk::Image<short, 3>>(Geometry({64, 64, 20}, {1, 1, 1}));
    for (int i = 0; i < 64 * 64 * 20; ++i) // hardly shrinks, so that the damage is far behind
        image->GetBufferPointer()[i] = static_cast<short>(i * 7919 % 30011);
    writeWithItk(*image, path);
    Bytes damaged = readBytes(path);
    damaged[damaged.size() / 2] ^= std::byte{1};
    writeBytes(path, damaged);
    EXPECT_THROW(openSequence({path}), FileError);
    const Sequence byHeader = openSequence({path}, {.headerAlone = true});
    EXPECT_EQ(byHeader.geometry.size().z, 20);
    EXPECT_THROW(readFrame(byHeader, 0), FileError);
}

TEST(ItkVolumes, MakeASequenceOfFiles) {
    const TemporaryFolder folder;
    std::vector<std::string> paths;
    for (int frame = 0; frame < 3; ++frame) {
        const auto image = makeItkImage<itk::Image<short, 3>>(straightGrid);
        image->FillBuffer(static_cast<short>(frame));
        paths.push_back(folder / ("frame" + std::to_string(frame) + ".vtk"));
        writeWithItk(*image, paths.back());
    }
    const Sequence sequence = openSequence(paths);
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_EQ(readFrame(sequence, 2), std::vector<float>(210, 2.0F));
}

TEST(ItkVolume, LargerThanWhatIsReadAtOnceComesBackWhole) {
    const Geometry grid({256, 256, 100}, {1, 1, 1});
    const auto image = makeItkImage<itk::Image<float, 3>>(grid);
    const auto voxels = counting<float>(grid.voxels());
    std::copy(voxels.begin(), voxels.end(), image->GetBufferPointer());
    const TemporaryFolder folder;
    writeWithItk(*image, folder / "large.vtk");
    const Sequence sequence = openSequence({folder / "large.vtk"});
    for (int again = 0; again < 2; ++again)
        EXPECT_TRUE(readFrame(sequence, 0) == voxels);
}

TEST(ItkVectors, AreADisplacementField) {
    using Image = itk::Image<itk::Vector<float, 3>, 3>;
    const TemporaryFolder folder;
    for (const bool plainText : {false, true}) {
        const auto image = makeItkImage<Image>(straightGrid);
        float* values = image->GetBufferPointer()->GetDataPointer();
        const auto expected = counting<float>(630);
        std::copy(expected.begin(), expected.end(), values);
        writeWithItk(*image, folder / "field.vtk", false, plainText);

        BufferPool pool;
        const MillimeterField field = readField(folder / "field.vtk", pool);
        expectStraightGrid(field.geometry);
        EXPECT_EQ(std::vector<float>(field.vectors.data(), field.vectors.data() + 630), expected);
    }
}

TEST(ItkColors, AreNoVectors) {
    using Image = itk::Image<itk::RGBPixel<unsigned char>, 3>;
    const TemporaryFolder folder;
    const auto image = makeItkImage<Image>(straightGrid);
    image->FillBuffer(itk::RGBPixel<unsigned char>(3));
    writeWithItk(*image, folder / "colors.vtk");
    BufferPool pool;
    EXPECT_THROW(readField(folder / "colors.vtk", pool), FileError);
    EXPECT_THROW(openSequence({folder / "colors.vtk"}), FileError);
}

} // namespace
} // namespace systole::test
