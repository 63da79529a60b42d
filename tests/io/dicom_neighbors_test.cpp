// Series that make one sequence together, and what else lies in a folder beside it.
#include "tests/io/dicom_support.h"

#include <gmock/gmock.h>

namespace systole::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t seriesNumber = 0x00200011, studyTime = 0x00080030;

void expectSeriesIsRead(const Sequence& sequence, const Series& series = {}) {
    ASSERT_EQ(sequence.frames, series.phases);
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    for (int t = 0; t < series.phases; ++t)
        EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
    if (series.phases == 3) {
        ASSERT_EQ(sequence.timesSeconds.size(), 3U);
        EXPECT_NEAR(sequence.timesSeconds[1], 0.0415, 1e-9);
        EXPECT_NEAR(sequence.timesSeconds[2], 0.090, 1e-9);
    }
}

/// Each slice is a series; `perSeries` slices share one.
void asBreathHolds(Slice& slice, int z, int perSeries = 1) {
    const int hold = z / perSeries;
    slice.series = "1.2.7." + std::to_string(70 - hold);
    slice.texts[seriesNumber] = std::to_string(20 + hold);
    slice.texts[studyTime] = std::to_string(101010 + 100 * hold);
}

TEST(JoinedSeries, ASeriesPerSliceIsOneStack) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        asBreathHolds(slice, z);
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "4 series are read as the slices of one stack"));
    // A file of any slice names the stack.
    expectSeriesIsRead(openSequence({folder / Series::nameOf(2, 1)}));
}

TEST(JoinedSeries, ASeriesPerTwoSlicesIsOneStack) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        asBreathHolds(slice, z, 2);
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "2 series are read as the slices"));
}

TEST(JoinedSeries, BreathHoldsOfDifferentHeartRatesShareTheirFrames) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int t) {
        asBreathHolds(slice, z);
        slice.triggerTime = *slice.triggerTime + 2 * z * t;
        slice.texts[0x00200013] = std::to_string(t + 1);
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_EQ(readFrame(sequence, 2), Series().expectedFrame(2));
    EXPECT_NEAR(sequence.timesSeconds.at(1), 0.0445, 1e-9);
    EXPECT_TRUE(anyNoteHas(sequence, "differ in time by up to 12 ms"));
}

/// The usual examination: short axis in breath holds, long axes, localizer, a late image.
TEST(JoinedSeries, OfAnExaminationTheShortAxisIsRead) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        asBreathHolds(slice, z);
        return true;
    });
    for (int axis = 0; axis < 2; ++axis)
        for (int t = 0; t < 30; ++t) {
            Slice slice = Series().slice(0, 0);
            slice.direction = axis == 0 ? identity3 : obliquePermutedDirection();
            slice.triggerTime = 30 * t;
            slice.series = "1.2.8." + std::to_string(axis);
            slice.texts[seriesNumber] = std::to_string(5 + axis);
            writeSlice(folder / ("LAX" + std::to_string(axis) + std::to_string(t)), slice);
        }
    for (int z = 0; z < 8; ++z) {
        Slice slice = Series().slice(0, 0);
        slice.triggerTime.reset();
        slice.series = "1.2.9";
        slice.position.z += 3 * z;
        slice.imageType = "ORIGINAL\\PRIMARY\\M\\LOCALIZER";
        writeSlice(folder / ("LOC" + std::to_string(z)), slice);
    }
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "holds 7 series"));
    EXPECT_TRUE(anyNoteHas(sequence, "30 images"));
    EXPECT_THAT(refusalOf(folder / "LAX03"), HasSubstr("one plane"));
}

TEST(JoinedSeries, AMissingSliceIsNamed) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        asBreathHolds(slice, z);
        return z != 1;
    });
    const std::string refusal = refusalOf(folder.path().string());
    EXPECT_THAT(refusal, HasSubstr("lies 16 mm behind"));
    EXPECT_THAT(refusal, HasSubstr("a slice is missing"));
}

TEST(JoinedSeries, AMissingImageIsNamedByItsTime) {
    for (const bool holds : {true, false}) {
        const TemporaryFolder folder;
        Series().write(folder, [&](Slice& slice, int z, int t) {
            if (holds)
                asBreathHolds(slice, z);
            return z != 3 || t != 1;
        });
        const std::string refusal = refusalOf(folder.path().string());
        EXPECT_THAT(refusal, HasSubstr("there are 2 images, at most others 3"));
        EXPECT_THAT(refusal, HasSubstr("missing here: trigger time (0018,1060) 41.5"));
    }
}

TEST(JoinedSeries, ARepeatedSliceIsRefusedWithBothSeries) {
    const TemporaryFolder folder;
    Series series;
    series.write(folder, [](Slice& slice, int z, int) {
        asBreathHolds(slice, z);
        return true;
    });
    for (int t = 0; t < 3; ++t) {
        Slice again = series.slice(2, t);
        asBreathHolds(again, 9);
        again.pixels.front() = 1;
        again.texts[0x00200013] = std::to_string(t + 1);
        writeSlice(folder / ("again" + std::to_string(t)), again);
    }
    const std::string refusal = refusalOf(folder.path().string());
    EXPECT_THAT(refusal, HasSubstr("number '22'"));
    EXPECT_THAT(refusal, HasSubstr("number '29'"));
    EXPECT_THAT(refusal, HasSubstr("name a file of the series to be read here"));
    // The user chooses one by naming its file.
    const Sequence first = openSequence({folder / Series::nameOf(2, 1)});
    expectSeriesIsRead(first);
    EXPECT_TRUE(anyNoteHas(first, "the series number '29' is left out"));
    const Sequence second = openSequence({folder / "again0"});
    ASSERT_EQ(second.frames, 3);
    std::vector<float> expected = series.expectedFrame(1);
    expected.at(2 * series.pixels()) = 1;
    EXPECT_EQ(readFrame(second, 1), expected);
    EXPECT_TRUE(anyNoteHas(second, "the series number '22' is left out"));
}

TEST(JoinedSeries, PhasesBesideALocalizerAreOneSequence) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int t) {
        slice.series = "1.2.3." + std::to_string(50 - t);
        return true;
    });
    Slice localizer;
    localizer.series = "9.9.9";
    localizer.pixels = counting<std::int16_t>(12);
    writeSlice(folder / "A.dcm", localizer);
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "holds 4 series"));
}

TEST(JoinedSeries, SlicesOfTwoExaminationsAreNot) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        asBreathHolds(slice, z);
        slice.texts[0x00200052] = z < 2 ? "1.2.50" : "1.2.51"; // frame of reference
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_EQ(sequence.geometry.size().z, 2);
    EXPECT_TRUE(anyNoteHas(sequence, "holds 4 series"));
}

// Neighbors.

void writeObject(const std::string& path, const char* sopClass, const char* modality) {
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setText(set, 0x0008, 0x0016, gdcm::VR::UI, sopClass);
    setText(set, 0x0008, 0x0018, gdcm::VR::UI, gdcm::UIDGenerator().Generate());
    setText(set, 0x0008, 0x0060, gdcm::VR::CS, modality);
    setText(set, 0x0020, 0x000e, gdcm::VR::UI, std::string("1.2.60.") + modality[0]);
    writeDataSet(path, writer, gdcm::TransferSyntax::ExplicitVRLittleEndian);
}

void writeScreenshot(const std::string& path, const std::string& series) {
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setImage(set, 5, 2, "1.2.840.10008.5.1.4.1.1.7");
    setText(set, 0x0020, 0x000e, gdcm::VR::UI, series);
    setText(set, 0x0020, 0x0011, gdcm::VR::IS, "99");
    setText(set, 0x0008, 0x0060, gdcm::VR::CS, "OT");
    setBinary<std::uint16_t>(set, 0x0028, 0x0002, gdcm::VR::US, {3});
    setText(set, 0x0028, 0x0004, gdcm::VR::CS, "RGB");
    setBinary<std::uint16_t>(set, 0x0028, 0x0100, gdcm::VR::US, {8});
    setBinary<std::uint16_t>(set, 0x0028, 0x0101, gdcm::VR::US, {8});
    setBinary(set, 0x7fe0, 0x0010, gdcm::VR::OW, counting<std::uint8_t>(30));
    writeDataSet(path, writer, gdcm::TransferSyntax::ExplicitVRLittleEndian);
}

struct Neighbor {
    const char* name;
    std::function<void(const std::string& path)> write;
    const char* said;
};

class NeighborsOfASequence : public ::testing::TestWithParam<Neighbor> {};

std::vector<Neighbor> neighbors() {
    const auto object = [](const char* sopClass, const char* modality) {
        return [=](const std::string& path) { writeObject(path, sopClass, modality); };
    };
    return {
        {"Screenshot", [](const std::string& path) { writeScreenshot(path, "9.9"); },
         "number '99' (1 image, such as 'X.dcm', which can't be read: this DICOM image is 'RGB'"},
        {"ScreenshotOfTheSeries", [](const std::string& path) { writeScreenshot(path, "1.2.3.4"); },
         "1 image in color or of a screen is left out"},
        {"GrayScreenshotWithoutPlace",
         [](const std::string& path) {
             Slice slice;
             slice.series = "9.9";
             slice.positioned = false;
             slice.pixels = counting<std::int16_t>(12);
             slice.sopClass = "1.2.840.10008.5.1.4.1.1.7";
             writeSlice(path, slice);
         },
         "left out: without a number (1 image"},
        {"LocalizerOfTheSeries",
         [](const std::string& path) {
             Slice slice;
             slice.columns = 3;
             slice.rows = 4;
             slice.pixels = counting<std::int16_t>(12);
             slice.imageType = "ORIGINAL\\PRIMARY\\LOCALIZER";
             writeSlice(path, slice);
         },
         "1 image (localizer or screenshot) of the series is left out"},
        {"DamagedImageOfAnotherSeries",
         [](const std::string& path) {
             Slice slice;
             slice.series = "9.9";
             slice.pixels = counting<std::int16_t>(12);
             writeSlice(path, slice);
             fs::resize_file(path, fs::file_size(path) - 5);
         },
         "which can't be read"},
        {"StructuredReport", object("1.2.840.10008.5.1.4.1.1.88.33", "SR"),
         "left out: 1 structured report"},
        {"DoseReport", object("1.2.840.10008.5.1.4.1.1.88.67", "SR"),
         "left out: 1 radiation dose report"},
        {"PresentationState", object("1.2.840.10008.5.1.4.1.1.11.1", "PR"),
         "left out: 1 presentation state"},
        {"Document", object("1.2.840.10008.5.1.4.1.1.104.1", "DOC"), "left out: 1 document"},
        {"Electrocardiogram", object("1.2.840.10008.5.1.4.1.1.9.1.1", "ECG"),
         "left out: 1 waveform"},
    };
}

TEST_P(NeighborsOfASequence, AreLeftOutAndSaid) {
    const TemporaryFolder folder;
    Series().write(folder);
    GetParam().write(folder / "X.dcm");
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, GetParam().said)) << ::testing::PrintToString(sequence.notes);
}

INSTANTIATE_TEST_SUITE_P(Each, NeighborsOfASequence, ::testing::ValuesIn(neighbors()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(DicomNeighbors, ALargerLocalizerInThreeDirectionsIsNotTheSequence) {
    const TemporaryFolder folder;
    Series().write(folder);
    const Matrix3 directions[] = {identity3, obliquePermutedDirection(), obliqueSliceDirection()};
    for (int i = 0; i < 24; ++i) {
        Slice slice;
        slice.series = "0.9";
        slice.direction = directions[i % 3];
        slice.position.z = 10 * i;
        slice.pixels = counting<std::int16_t>(12);
        writeSlice(folder / ("L" + std::to_string(i)), slice);
    }
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "24 images, such as 'L"));
}

TEST(DicomNeighbors, AFileOfAnotherSeriesNamesIt) {
    const TemporaryFolder folder;
    Series().write(folder);
    Series late;
    late.phases = 1;
    late.slices = 3;
    late.grid = Geometry({4, 3, 3}, {1.25, 1.5, 6}, {1, 2, 3}, identity3);
    for (int z = 0; z < 3; ++z) {
        Slice slice = late.slice(z, 0);
        slice.series = "7.7";
        slice.texts[seriesNumber] = "12";
        slice.texts[0x0008103e] = "late";
        writeSlice(folder / ("late" + std::to_string(z)), slice);
    }
    const Sequence cycle = openSequence({folder.path().string()});
    expectSeriesIsRead(cycle);
    EXPECT_TRUE(anyNoteHas(cycle, "number '12' 'late' (3 images, such as 'late0')"));
    EXPECT_TRUE(anyNoteHas(cycle, "name one of its files"));
    const Sequence other = openSequence({folder / "late0"});
    expectSeriesIsRead(other, late);
    EXPECT_EQ(other.title(), "late0, series 12 'late'");
    EXPECT_TRUE(anyNoteHas(other, "'late0' belongs to is read from its folder: series 12 'late'"));
    const Sequence again = openSequence({folder / Series::nameOf(0, 0)});
    expectSeriesIsRead(again);
    EXPECT_EQ(again.title(), again.name) << "this series has neither number nor description";
}

TEST(DicomNeighbors, FilesOfOneNameAreToldApartByTheirFolders) {
    const TemporaryFolder folder;
    const auto writeSeries = [&](const std::string& number, int phases, const char* uid) {
        const std::string below = folder / ("SER" + number);
        fs::create_directory(below);
        Series series;
        int file = 0;
        for (int z = 0; z < series.slices; ++z)
            for (int t = 0; t < phases; ++t) {
                Slice slice = series.slice(z, t);
                slice.series = uid;
                slice.pixels.front() += static_cast<std::int16_t>(phases - 3); // no copies
                slice.texts[seriesNumber] = number;
                slice.texts[0x0008103e] = "cine " + number;
                writeSlice(below + "/IM000" + std::to_string(file++) + ".dcm", slice);
            }
    };
    writeSeries("5", 1, "5.5");
    writeSeries("8", 3, "8.8");
    for (const std::string end : {"", "/"}) {
        const Sequence cycle = openSequence({folder.path().string() + end});
        expectSeriesIsRead(cycle);
        EXPECT_EQ(cycle.part, "series 8 'cine 8'");
        EXPECT_TRUE(anyNoteHas(cycle, "number '8' 'cine 8' is read, with 12 images; left out: "
                                      "number '5' 'cine 5' (4 images, such as 'SER5/IM000"))
            << ::testing::PrintToString(cycle.notes);
    }
    // Files outside the folder of the first named file have their whole path.
    std::vector<std::string> files;
    for (const char* below : {"SER8", "SER5"})
        for (const auto& entry : fs::directory_iterator(folder / below))
            files.push_back(entry.path().string());
    const Sequence named = openSequence(files);
    EXPECT_TRUE(anyNoteHas(named, "such as '" + (folder / "SER5/IM000")))
        << ::testing::PrintToString(named.notes);
}

TEST(DicomNeighbors, ADamagedImageOfTheSequenceRefusesIt) {
    const TemporaryFolder folder;
    Series().write(folder);
    Slice localizer;
    localizer.series = "9.9.9";
    localizer.pixels = counting<std::int16_t>(12);
    writeSlice(folder / "A.dcm", localizer);
    const std::string damaged = folder / Series::nameOf(1, 1);
    fs::resize_file(damaged, fs::file_size(damaged) - 5);
    EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr(damaged));
}

TEST(DicomNeighbors, ARefusalSaysWhichSeriesItIsAbout) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        slice.texts[seriesNumber] = "7";
        return z != 1;
    });
    Slice localizer;
    localizer.series = "9.9.9";
    localizer.pixels = counting<std::int16_t>(12);
    writeSlice(folder / "A.dcm", localizer);
    const std::string refusal = refusalOf(folder.path().string());
    EXPECT_THAT(refusal, HasSubstr("a slice is missing"));
    EXPECT_THAT(refusal, HasSubstr("of 2 series that number '7' was chosen"));
    EXPECT_THAT(refusal, HasSubstr("'A.dcm'"));
}

TEST(DicomNeighbors, HiddenFilesAreLeftOut) {
    const TemporaryFolder folder;
    Series().write(folder);
    writeBytes(folder / ".DS_Store", std::string(600, '\0'));
    writeBytes(folder / "Thumbs.db", std::string(600, 'T'));
    writeBytes(folder / "desktop.ini", "[.ShellClassInfo]\r\n");
    writeBytes(folder / "._IM001.dcm", std::string("\0\5\x16\7\0\2\0\0Mac OS X", 16));
    fs::create_directories(folder / "__MACOSX/deeper");
    writeBytes(folder / "__MACOSX/deeper/._IM001.dcm", std::string("\0\5\x16\7", 4));
    writeBytes(folder / "__MACOSX/IM001.dcm", "no DICOM either");
    fs::create_directory(folder / ".Trash");
    Slice thrownAway = Series().slice(0, 0);
    thrownAway.triggerTime = 300;
    writeSlice(folder / ".Trash/IM001.dcm", thrownAway);
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "hidden files and folders are left out: 3"));
}

TEST(DicomNeighbors, AFileThatIsNotDicomAmongThoseNamedIsNamed) {
    const TemporaryFolder folder;
    Series().write(folder);
    writeBytes(folder / "notes.json", "{}");
    std::vector<std::string> files{folder / Series::nameOf(0, 0), folder / "notes.json"};
    try {
        openSequence(files);
        FAIL() << "was read without complaint";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("notes.json: is not a DICOM file"));
    }
}

} // namespace
} // namespace systole::test
