// Sources of the order and the times of DICOM frames: clocks, dates, dimensions, descriptions.
#include "io/dicom/time_keys.h"
#include "tests/io/dicom_support.h"

#include <gmock/gmock.h>

#include <functional>

namespace systole::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t contentTime = 0x00080033, acquisitionTime = 0x00080032,
                        acquisitionDateTime = 0x0008002a, seriesNumber = 0x00200011,
                        description = 0x0008103e;

/// The series without trigger times, each frame with this element.
void writeWith(const TemporaryFolder& folder, std::uint32_t tag,
               const std::array<const char*, 3>& texts) {
    Series().write(folder, [&](Slice& slice, int, int t) {
        slice.triggerTime.reset();
        slice.texts[tag] = texts.at(static_cast<std::size_t>(t));
        return true;
    });
}

void expectFrames(const Sequence& sequence, const std::array<double, 3>& seconds) {
    ASSERT_EQ(sequence.frames, 3);
    ASSERT_EQ(sequence.timesSeconds.size(), 3U);
    for (int t = 0; t < 3; ++t) {
        EXPECT_EQ(readFrame(sequence, t), Series().expectedFrame(t));
        EXPECT_NEAR(sequence.timesSeconds.at(static_cast<std::size_t>(t)),
                    seconds.at(static_cast<std::size_t>(t)), 1e-5);
    }
}

TEST(DicomTimes, ClocksGoOnAcrossMidnight) {
    for (const std::uint32_t clock : {contentTime, acquisitionTime}) {
        const TemporaryFolder folder;
        writeWith(folder, clock, {"235959.950000", "235959.990000", "000000.030000"});
        expectFrames(openSequence({folder.path().string()}), {0, 0.04, 0.08});
    }
}

TEST(DicomTimes, ADateWithItsClockIsBelievedBeforeAClock) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int t) {
        const char* times[] = {"20240229235959.950000+0000", "20240229185959.990000-0500",
                               "20240301010000.030000+0100"};
        slice.triggerTime.reset();
        slice.texts[acquisitionDateTime] = times[t];
        slice.texts[contentTime] = std::to_string(120010 - t);
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    expectFrames(sequence, {0, 0.04, 0.08});
    EXPECT_TRUE(anyNoteHas(sequence, "(0008,002A)"));
}

TEST(DicomTimes, DatesAreThoseOfTheCalendar) {
    const auto second = dateAndClockSeconds("20240228000001");
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(*dateAndClockSeconds("20240301000001") - *second, 2 * 86'400);
    EXPECT_EQ(*dateAndClockSeconds("20240228010001.5+0100") - *second, 0.5);
    for (const char* none : {"", "2024", "20240228", "20230229000000", "20240028000000",
                             "20240228000000+1", "20240228000000+", "2024-228000000", "x"})
        EXPECT_FALSE(dateAndClockSeconds(none).has_value()) << none;
    EXPECT_EQ(timeText({{}, "", TimeUnit::DateAndClock}, *second + 0.25), "00:00:01.250");
    EXPECT_EQ(timeText({{}, "", TimeUnit::Clock}, 86'400 + 3661.5), "01:01:01.500");
    EXPECT_EQ(timeText({{}, "", TimeUnit::Milliseconds}, 41.5), "41.5");
}

TEST(DicomTimes, TheTimeOfAMissingImageIsThatOfAClock) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int t) {
        slice.triggerTime.reset();
        slice.texts[acquisitionTime] = std::to_string(101500 + t);
        return z != 3 || t != 1;
    });
    EXPECT_THAT(refusalOf(folder.path().string()),
                HasSubstr("missing here: acquisition time (0008,0032) 10:15:01.000"));
}

TEST(DicomTimes, NumbersInDescriptionsStandBeforeTheirUnit) {
    EXPECT_EQ(numberBefore("ms", "CTA 100 ms"), 100);
    EXPECT_EQ(numberBefore("ms", "12.5ms, 3 items"), 12.5);
    EXPECT_EQ(numberBefore("%", "CTA  35 % B26f"), 35);
    for (const char* none : {"", "3 items", "ms", "100 msec", "0 ms to 100 ms", "about ms"})
        EXPECT_FALSE(numberBefore("ms", none).has_value()) << none;
}

TEST(DicomTimes, MillisecondsInDescriptionsOfCtAreTimes) {
    for (const bool isCt : {true, false}) {
        const TemporaryFolder folder;
        Series().write(folder, [&](Slice& slice, int, int t) {
            const char* names[] = {"CTA 0 ms", "CTA 100 ms", "CTA 900ms"};
            slice.triggerTime.reset();
            slice.modality = isCt ? "CT" : "MR";
            slice.series = "1.2." + std::to_string(9 - t);
            slice.texts[seriesNumber] = std::to_string(9 - t);
            slice.texts[description] = names[t];
            return true;
        });
        const Sequence sequence = openSequence({folder.path().string()});
        if (isCt)
            expectFrames(sequence, {0, 0.1, 0.9});
        else // echo times, for example
            EXPECT_EQ(readFrame(sequence, 0), Series().expectedFrame(2));
        EXPECT_EQ(sequence.timeKnown(), isCt);
    }
}

// Multi-frame files.

using FrameContent = std::function<void(gdcm::DataSet& content, int z, int t)>;

/// One file whose frames lie in no order; `dimensions` are pairs of group and element.
std::string writeEnhanced(const TemporaryFolder& folder, const FrameContent& fill,
                          const std::vector<std::vector<std::uint16_t>>& dimensions = {}) {
    const Series series;
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setImage(set, 4, 3, "1.2.840.10008.5.1.4.1.1.4.1"); // Enhanced MR
    setText(set, 0x0008, 0x0060, gdcm::VR::CS, "MR");
    setText(set, 0x0028, 0x0008, gdcm::VR::IS, "12");
    std::vector<gdcm::DataSet> pointers;
    for (const std::vector<std::uint16_t>& dimension : dimensions) {
        gdcm::DataSet pointer;
        setBinary<std::uint16_t>(pointer, 0x0020, 0x9165, gdcm::VR::AT, dimension);
        pointers.push_back(pointer);
    }
    if (!pointers.empty())
        setItems(set, 0x0020, 0x9222, pointers);
    const Matrix3& d = series.grid.direction();
    gdcm::DataSet measures, orientation, shared;
    setText(measures, 0x0028, 0x0030, gdcm::VR::DS, "1.5\\1.25");
    setText(orientation, 0x0020, 0x0037, gdcm::VR::DS,
            numberList({d[0][0], d[1][0], d[2][0], d[0][1], d[1][1], d[2][1]}));
    setItems(shared, 0x0028, 0x9110, {measures});
    setItems(shared, 0x0020, 0x9116, {orientation});
    setItems(set, 0x5200, 0x9229, {shared});
    std::vector<gdcm::DataSet> perFrame;
    std::vector<std::int16_t> pixels;
    for (int z = 3; z >= 0; --z)
        for (const int t : {2, 0, 1}) {
            gdcm::DataSet position, content, groups;
            const Vec3 at = series.grid.indexToPhysical({0, 0, static_cast<double>(z)});
            setText(position, 0x0020, 0x0032, gdcm::VR::DS, numberList({at.x, at.y, at.z}));
            fill(content, z, t);
            setItems(groups, 0x0020, 0x9113, {position});
            setItems(groups, 0x0020, 0x9111, {content});
            perFrame.push_back(groups);
            for (const std::int16_t value : counting<std::int16_t>(12, 1000 * t + 100 * z - 500))
                pixels.push_back(value);
        }
    setItems(set, 0x5200, 0x9230, perFrame);
    setBinary(set, 0x7fe0, 0x0010, gdcm::VR::OW, pixels);
    const std::string path = folder / "frames.dcm";
    writeDataSet(path, writer, gdcm::TransferSyntax::ExplicitVRLittleEndian);
    return path;
}

void indexPlaceAndTime(gdcm::DataSet& content, int z, int t) {
    setBinary<std::uint32_t>(
        content, 0x0020, 0x9157, gdcm::VR::UL,
        {static_cast<std::uint32_t>(z + 1), static_cast<std::uint32_t>(t + 1)});
}

TEST(DicomMultiFrame, TimesOfFramesAreThoseOfTheirAcquisition) {
    const TemporaryFolder folder;
    const std::string path = writeEnhanced(folder, [](gdcm::DataSet& content, int, int t) {
        setText(content, 0x0018, 0x9074, gdcm::VR::DT,
                "20240101120000." + std::to_string(100000 + 40000 * t));
    });
    expectFrames(openSequence({path}), {0, 0.04, 0.08});
}

TEST(DicomMultiFrame, DimensionsOfTimeOrderFrames) {
    const std::vector<std::vector<std::vector<std::uint16_t>>> statements = {
        {}, {{0x0020, 0x9057}, {0x0020, 0x9128}}};
    for (const auto& stated : statements) {
        const TemporaryFolder folder;
        const Sequence sequence = openSequence({writeEnhanced(folder, indexPlaceAndTime, stated)});
        ASSERT_EQ(sequence.frames, 3);
        EXPECT_FALSE(sequence.timeKnown());
        EXPECT_TRUE(anyNoteHas(sequence, "dimension index values (0020,9157)"));
        for (int t = 0; t < 3; ++t)
            EXPECT_EQ(readFrame(sequence, t), Series().expectedFrame(t));
    }
}

TEST(DicomMultiFrame, DimensionsOfEchoesAreNotOfTime) {
    const TemporaryFolder folder;
    EXPECT_THAT(
        refusalOf(writeEnhanced(folder, indexPlaceAndTime, {{0x0020, 0x9057}, {0x0018, 0x9082}})),
        HasSubstr("order in time"));
}

} // namespace
} // namespace systole::test
