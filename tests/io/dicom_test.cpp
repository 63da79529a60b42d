#include "tests/io/dicom_support.h"

#include <itkGDCMImageIO.h>
#include <itkImageSeriesReader.h>

namespace systole::test {
namespace {

TEST(DicomSeries, SlicesAndPhasesFindTheirPlace) {
    const TemporaryFolder folder;
    const Series series;
    series.write(folder);
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_EQ(sequence.format, "DICOM series");
    EXPECT_EQ(sequence.modality, "MR");
    EXPECT_EQ(sequence.voxelType, "int16");
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    EXPECT_NEAR(sequence.geometry.spacing().z, 8, 1e-5) << "not the slice thickness";
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
    EXPECT_NEAR(sequence.timesSeconds.at(1), 0.0415, 1e-9);
    EXPECT_NEAR(sequence.timesSeconds.at(2), 0.090, 1e-9);
    EXPECT_EQ(sequence.closingSeconds, 0);
    EXPECT_TRUE(anyNoteHas(sequence, "trigger time"));
}

TEST(DicomSeries, LiesWhereItkPutsIt) {
    const TemporaryFolder folder;
    Series series;
    series.phases = 1;
    series.write(folder);
    using Image = itk::Image<short, 3>;
    auto reader = itk::ImageSeriesReader<Image>::New();
    reader->SetImageIO(itk::GDCMImageIO::New());
    std::vector<std::string> names;
    for (int z = 0; z < series.slices; ++z)
        names.push_back(folder / Series::nameOf(z, 0));
    reader->SetFileNames(names);
    reader->Update();
    const Sequence sequence = openSequence({folder.path().string()});
    expectSamePlaces(sequence.geometry, *reader->GetOutput(), 1e-4);
    const auto voxels = readFrame(sequence, 0);
    EXPECT_TRUE(std::equal(voxels.begin(), voxels.end(), reader->GetOutput()->GetBufferPointer()));
}

TEST(DicomSeries, TheCycleClosesWithTheIntervalOfTheBeats) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int) {
        slice.cycle = 850;
        return true;
    });
    EXPECT_NEAR(openSequence({folder.path().string()}).closingSeconds, 0.85 - 0.09, 1e-9);
}

TEST(DicomSeries, SlicesOfDifferentBeatsShareTheirMeanTime) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int t) {
        slice.triggerTime = *slice.triggerTime + 2 * z * t;
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_NEAR(sequence.timesSeconds.at(1), 0.0445, 1e-9);
    EXPECT_TRUE(anyNoteHas(sequence, "differ in time by up to 12 ms"));
}

TEST(DicomSeries, EarlierTimeElementsAreBelievedFirst) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int t) {
        slice.texts[0x0020930d] = numberList({0.2 * t}); // seconds
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_NEAR(sequence.timesSeconds.at(2), 0.4, 1e-9);
    EXPECT_TRUE(anyNoteHas(sequence, "0020,930D"));
}

TEST(DicomSeries, PercentOfTheCycleNeedsItsLength) {
    const auto open = [](bool withCycle) {
        const TemporaryFolder folder;
        Series().write(folder, [&](Slice& slice, int, int t) {
            slice.triggerTime.reset();
            slice.texts[0x00209241] = numberList({10.0 * t});
            if (withCycle)
                slice.texts[0x00181088] = "60"; // beats a minute
            return true;
        });
        return openSequence({folder.path().string()});
    };
    EXPECT_NEAR(open(true).timesSeconds.at(2), 0.2, 1e-9);
    EXPECT_NEAR(open(true).closingSeconds, 0.8, 1e-9);
    EXPECT_FALSE(open(false).timeKnown());
    EXPECT_TRUE(anyNoteHas(open(false), "time unknown"));
}

TEST(DicomSeries, AnOrderWithoutTimesStaysWithoutTimes) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int t) {
        slice.triggerTime.reset();
        slice.texts[0x00200100] = std::to_string(3 - t); // runs backwards
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_FALSE(sequence.timeKnown());
    EXPECT_EQ(readFrame(sequence, 0), Series().expectedFrame(2));
}

TEST(DicomSeries, PhasesStoredAsSeriesOfTheirOwnAreOneSequence) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int t) {
        slice.series = "1.2.3." + std::to_string(50 - t);
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_EQ(readFrame(sequence, 1), Series().expectedFrame(1));
    EXPECT_TRUE(anyNoteHas(sequence, "3 series"));
}

TEST(DicomSeries, OfUnrelatedSeriesTheLargestIsRead) {
    const TemporaryFolder folder;
    Series().write(folder);
    Slice localizer;
    localizer.series = "9.9.9";
    localizer.pixels = counting<std::int16_t>(12);
    writeSlice(folder / "A.dcm", localizer);
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_EQ(sequence.frames, 3);
    EXPECT_TRUE(anyNoteHas(sequence, "holds 2 series"));
}

TEST(DicomSeries, RescaleAndUnusedBitsAreMinded) {
    const TemporaryFolder folder;
    Series series;
    series.phases = 1;
    series.write(folder, [](Slice& slice, int, int) {
        slice.slope = 2;
        slice.intercept = -1024;
        slice.modality = "CT";
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_EQ(sequence.modality, "CT");
    EXPECT_EQ(readFrame(sequence, 0).front(), 2 * -500 - 1024);
}

TEST(DicomSeries, ImplicitlyCodedElementsAreReadAlike) {
    const TemporaryFolder folder;
    const Series series;
    for (int z = 0; z < series.slices; ++z)
        for (int t = 0; t < series.phases; ++t)
            writeSlice(folder / Series::nameOf(z, t), series.slice(z, t),
                       gdcm::TransferSyntax::ImplicitVRLittleEndian);
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    EXPECT_EQ(sequence.timesSeconds.size(), 3U);
    EXPECT_EQ(readFrame(sequence, 1), series.expectedFrame(1));
}

class CompressedDicom : public ::testing::TestWithParam<gdcm::TransferSyntax::TSType> {};

TEST_P(CompressedDicom, PixelsAreReadAlike) {
    const TemporaryFolder plain, folder;
    Series series;
    series.phases = 1;
    series.grid = Geometry({40, 36, 4}, {1.25, 1.5, 8}, {3, 2, 1}, series.grid.direction());
    series.write(plain);
    for (int z = 0; z < series.slices; ++z)
        compressSlice(plain / Series::nameOf(z, 0), folder / Series::nameOf(z, 0), GetParam());
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    EXPECT_EQ(readFrame(sequence, 0), series.expectedFrame(0));
}

INSTANTIATE_TEST_SUITE_P(Each, CompressedDicom,
                         ::testing::Values(gdcm::TransferSyntax::RLELossless,
                                           gdcm::TransferSyntax::JPEGLosslessProcess14_1,
                                           gdcm::TransferSyntax::JPEGLSLossless,
                                           gdcm::TransferSyntax::JPEG2000Lossless));

TEST(DicomMultiFrame, FunctionalGroupsPlaceEveryFrame) {
    const TemporaryFolder folder;
    const Series series;
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setImage(set, 4, 3, "1.2.840.10008.5.1.4.1.1.6.2"); // Enhanced US Volume
    setText(set, 0x0008, 0x0060, gdcm::VR::CS, "US");
    setText(set, 0x0028, 0x0008, gdcm::VR::IS, "12");
    const Matrix3& d = series.grid.direction();
    gdcm::DataSet measures, plane, shared;
    setText(measures, 0x0028, 0x0030, gdcm::VR::DS, "1.5\\1.25");
    setBinary<double>(plane, 0x0020, 0x9302, gdcm::VR::FD,
                      {d[0][0], d[1][0], d[2][0], d[0][1], d[1][1], d[2][1]});
    setItems(shared, 0x0028, 0x9110, {measures});
    setItems(shared, 0x0020, 0x930f, {plane});
    setItems(set, 0x5200, 0x9229, {shared});
    std::vector<gdcm::DataSet> perFrame;
    std::vector<std::int16_t> pixels;
    for (int z = 3; z >= 0; --z) // not in the order of the grid
        for (int t = 0; t < 3; ++t) {
            gdcm::DataSet position, time, groups;
            const Vec3 at = series.grid.indexToPhysical({0, 0, static_cast<double>(z)});
            setBinary<double>(position, 0x0020, 0x9301, gdcm::VR::FD, {at.x, at.y, at.z});
            setBinary<double>(time, 0x0020, 0x930d, gdcm::VR::FD, {0.03 * t * t});
            setItems(groups, 0x0020, 0x930e, {position});
            setItems(groups, 0x0020, 0x9310, {time});
            perFrame.push_back(groups);
            for (const std::int16_t value : counting<std::int16_t>(12, 1000 * t + 100 * z - 500))
                pixels.push_back(value);
        }
    setItems(set, 0x5200, 0x9230, perFrame);
    setBinary(set, 0x7fe0, 0x0010, gdcm::VR::OW, pixels);
    const std::string path = folder / "volume.dcm";
    writeDataSet(path, writer, gdcm::TransferSyntax::ExplicitVRLittleEndian);

    const Sequence sequence = openSequence({path});
    EXPECT_EQ(sequence.format, "DICOM multi-frame");
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    EXPECT_NEAR(sequence.timesSeconds.at(2), 0.12, 1e-9);
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
    EXPECT_TRUE(anyNoteHas(sequence, "in the patient is not stated"));
}

/// 4 × 3 × 5 voxels of 0.1 × 0.2 × 0.3 cm, three frames 20 ms apart, as QLAB writes them.
void writePhilips(const std::string& path, std::size_t voxels) {
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setImage(set, 4, 3, "1.2.840.113543.6.6.1.3.10002");
    setBinary<std::uint16_t>(set, 0x0028, 0x0100, gdcm::VR::US, {8});
    setText(set, 0x0008, 0x0060, gdcm::VR::CS, "US");
    setText(set, 0x0018, 0x1063, gdcm::VR::DS, "20");
    for (const std::uint16_t element : {std::uint16_t{0x6024}, std::uint16_t{0x6026}})
        setBinary<std::uint16_t>(set, 0x0018, element, gdcm::VR::US, {3});
    setBinary<double>(set, 0x0018, 0x602c, gdcm::VR::FD, {0.1});
    setBinary<double>(set, 0x0018, 0x602e, gdcm::VR::FD, {0.2});
    setText(set, 0x0028, 0x0008, gdcm::VR::IS, "3");
    setText(set, 0x3001, 0x0010, gdcm::VR::LO, "Philips3D");
    setBinary<std::uint32_t>(set, 0x3001, 0x1001, gdcm::VR::UL, {5});
    setBinary<std::uint16_t>(set, 0x3001, 0x1002, gdcm::VR::US, {3});
    setBinary<double>(set, 0x3001, 0x1003, gdcm::VR::FD, {0.3});
    setBinary(set, 0x7fe0, 0x0010, gdcm::VR::OW, counting<std::uint8_t>(180));
    writeDataSet(path, writer, gdcm::TransferSyntax::ExplicitVRLittleEndian);
    fs::resize_file(path, fs::file_size(path) - 180 + voxels);
}

TEST(PhilipsCartesian, IsReadFrameBehindFrame) {
    const TemporaryFolder folder;
    const std::string path = folder / "echo.dcm";
    writePhilips(path, 180);
    for (const std::string& named : {path, folder.path().string()}) {
        const Sequence sequence = openSequence({named});
        EXPECT_EQ(sequence.format, "Philips Cartesian DICOM");
        EXPECT_EQ(sequence.modality, "US");
        EXPECT_EQ(sequence.geometry.size(), (Size3{4, 3, 5}));
        EXPECT_LT(length(sequence.geometry.spacing() - Vec3{1, 2, 3}), 1e-12);
        ASSERT_EQ(sequence.frames, 3);
        EXPECT_NEAR(sequence.timesSeconds.at(2), 0.04, 1e-12);
        EXPECT_EQ(readFrame(sequence, 2), counting<float>(60, 120));
    }
}

TEST(PhilipsCartesian, OfAFileCutShortTheFramesThatAreThereAreRead) {
    const TemporaryFolder folder;
    const std::string path = folder / "echo.dcm";
    writePhilips(path, 150);
    EXPECT_EQ(openSequence({path}).frames, 2);
    EXPECT_TRUE(anyNoteHas(openSequence({path}), "promises 3 frames"));
    writePhilips(path, 178); // less than a row is missing
    const Sequence sequence = openSequence({path});
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_TRUE(anyNoteHas(sequence, "last 2 voxels"));
    EXPECT_EQ(readFrame(sequence, 2).at(57), 177);
    EXPECT_EQ(readFrame(sequence, 2).at(58), 0);
    writePhilips(path, 40);
    EXPECT_THROW(openSequence({path}), FileError);
}

} // namespace
} // namespace systole::test
