// MetaImage headers of Plus, of old writers, and contradictory ones.
#include "tests/io/text_header_support.h"

namespace systole::test {
namespace {

using ::testing::HasSubstr;

class MetaHeaders : public TextHeaderTest {
protected:
    std::string volume(const std::string& lines) const {
        return meta("NDims = 3\nDimSize = 4 3 2\n" + lines);
    }
    std::string frames(int count, const std::string& lines) const {
        return meta("NDims = 4\nDimSize = 4 3 2 " + std::to_string(count) +
                        "\nElementSpacing = 1.5 1.25 2 1\n" + lines,
                    24 * static_cast<std::size_t>(count));
    }
    static std::string stamps(const std::string& what, const std::vector<std::string>& seconds) {
        std::string lines;
        for (std::size_t i = 0; i < seconds.size(); ++i)
            lines += "Seq_Frame000" + std::to_string(i) + "_" + what + " = " + seconds[i] + "\n";
        return lines;
    }
};

TEST_F(MetaHeaders, TimeStampsOfPlusAreRead) {
    for (const char* what : {"Timestamp", "UnfilteredTimestamp"}) {
        const Sequence sequence =
            openSequence({frames(4, stamps(what, {"10.5", "10.54", "10.58", "10.65"}))});
        ASSERT_EQ(sequence.timesSeconds.size(), 4U);
        EXPECT_NEAR(sequence.timesSeconds[1], 0.04, 1e-9);
        EXPECT_NEAR(sequence.timesSeconds[3], 0.15, 1e-9);
        EXPECT_FALSE(anyNoteHas(sequence, "time unknown"));
    }
    const Sequence both = openSequence(
        {frames(2, stamps("UnfilteredTimestamp", {"1", "9"}) + stamps("Timestamp", {"1", "2"}))});
    EXPECT_NEAR(both.timesSeconds.at(1), 1, 1e-9);
}

TEST_F(MetaHeaders, TimeStampsThatAreNoneLeaveTheTimesUnknown) {
    for (const std::vector<std::string>& bad :
         {std::vector<std::string>{"1", "1", "2"}, {"1", "2"}, {"1", "nan", "3"}, {"1", "x", "3"}})
        EXPECT_FALSE(openSequence({frames(3, stamps("Timestamp", bad))}).timeKnown());
    const Sequence more =
        // One timestamp belongs to a frame that was cut off.
        openSequence({frames(2, stamps("Timestamp", {"1", "2", "3"}))});
    EXPECT_NEAR(more.timesSeconds.at(1), 1, 1e-9);
}

TEST_F(MetaHeaders, WhatPlusSaysOfFramesIsNoted) {
    const Sequence sequence = openSequence({frames(
        3, stamps("Timestamp", {"1", "2", "3"}) + stamps("ImageStatus", {"OK", "INVALID", "OK"}) +
               "Seq_Frame0000_ProbeToTrackerTransform = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n")});
    EXPECT_TRUE(anyNoteHas(sequence, "invalid: 1"));
    EXPECT_TRUE(anyNoteHas(sequence, "tracked probe"));
}

TEST_F(MetaHeaders, KindsTellSlicesFromFrames) {
    EXPECT_EQ(openSequence({frames(2, "Kinds = domain domain domain list\n")}).frames, 2);
    EXPECT_THAT(refusal(volume("ElementSpacing = 1 1 1\nKinds = domain domain list\n")),
                HasSubstr("'domain domain list'"));
    EXPECT_THAT(refusal(frames(2, "Kinds = domain domain domain vector\n")), HasSubstr("vector"));
}

TEST_F(MetaHeaders, WhatStandsTwiceMustBeTheSame) {
    EXPECT_THAT(refusal(volume("ElementSpacing = 5 5 5\nElementSpacing = 2 2 2\n")),
                HasSubstr("'ElementSpacing'"));
    EXPECT_THAT(refusal(volume("ElementSpacing = 1 1 1\nOffset = 0 0 0\nPosition = 1 0 0\n")),
                HasSubstr("Offset and Position"));
    EXPECT_THAT(refusal(volume("ElementSpacing = 1 1 1\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n"
                               "Orientation = 0 1 0 1 0 0 0 0 1\n")),
                HasSubstr("TransformMatrix and Orientation"));
    EXPECT_THAT(refusal(volume("ElementSpacing = 1 1 1\nBinaryDataByteOrderMSB = False\n"
                               "ElementByteOrderMSB = True\n")),
                HasSubstr("ElementByteOrderMSB"));
    expectPlace(volume("ElementSpacing = 2 2 2\nElementSpacing = 2 2 2\nOffset = 1 2 3\n"
                       "Origin = 1 2 3\n"),
                {1, 2, 3}, {2, 2, 2});
}

TEST_F(MetaHeaders, ItkAgreesOnOtherNamesOfTheSame) {
    for (const char* lines :
         {"ElementSpacing = -1.5 1.25 2\n", "ElementSpacing = 1.5 1.25 2\nElementSize = 1 1 1\n",
          "ElementSize = 1 1 3\n",
          "ElementSpacing = 1 2 1\nPosition = 1 2 3\nOrientation = 0 1 0 1 0 0 0 0 1\n",
          "ElementSpacing = 1 2 1\nOrigin = 1 2 3\nRotation = 0 1 0 0 0 1 1 0 0\n",
          "ElementSpacing = 1 1 1\nOffset = 1 2 3\nTransformMatrix = 0 1 0 0 0 1 1 0 0\n"
          "CenterOfRotation = 5 5 5\n",
          "ElementSpacing = 1 1 1\nAnatomicalOrientation = RPI\n"})
        expectSamePlaces(openSequence({volume(lines)}).geometry,
                         *readWithItk<itk::Image<float, 3>>(volume(lines)), 1e-9);
    EXPECT_TRUE(anyNoteHas(
        openSequence({volume("ElementSpacing = 1 1 1\nAnatomicalOrientation = RPI\n")}), "'RPI'"));
}

TEST_F(MetaHeaders, DataFilesAreNumberedListedOrBelow) {
    for (int i = 0; i < 4; ++i)
        raw("s" + std::to_string(8 + i) + ".raw", 12, 12 * i);
    raw("below/f.raw", 48, 0);
    const auto header = [&](const std::string& dataFile) {
        writeBytes(file("a.mhd"),
                   "ObjectType = Image\nNDims = 4\nDimSize = 4 3 2 2\nElementSpacing = 1 1 1 1\n"
                   "ElementType = MET_SHORT\nElementDataFile = " +
                       dataFile + "\n");
        return file("a.mhd");
    };
    for (const char* files : {"s%d.raw 8 11 1 2", "LIST 2\ns8.raw\ns9.raw\ns10.raw\ns11.raw",
                              "below/f.raw", "below\\f.raw"}) {
        const Sequence sequence = openSequence({header(files)});
        ASSERT_EQ(sequence.frames, 2) << files;
        EXPECT_EQ(readFrame(sequence, 1), counting<float>(24, 24)) << files;
    }
    EXPECT_THAT(refusal(header("s%d.raw 8 11 1")), HasSubstr("4 data files; 2"));
    EXPECT_THAT(refusal(header("s%d.raw 0 1000000000 1")), HasSubstr("1000000001 data files; 2"));
    EXPECT_THAT(refusal(header("../f.raw")), HasSubstr("in the folder of the header"));
}

TEST_F(MetaHeaders, PatternsMayEndBehindTheNameTheFirstOrTheLastValue) {
    for (int i = 0; i < 3; ++i) // a slice in each; the third belongs to no image
        raw("s00" + std::to_string(i + 1) + ".raw", 12, 12 * i);
    const auto header = [&](const std::string& dataFile) {
        writeBytes(file("a.mhd"), "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n"
                                  "ElementSpacing = 1 1 1\nElementType = MET_SHORT\n"
                                  "ElementDataFile = " +
                                      dataFile + "\n");
        return file("a.mhd");
    };
    for (const char* pattern : {"s%03d.raw", "s%03d.raw 1", "s%03d.raw 1 2"})
        EXPECT_EQ(readFrame(openSequence({header(pattern)}), 0), counting<float>(24)) << pattern;
    EXPECT_EQ(readFrame(openSequence({header("s%03d.raw 2")}), 0), counting<float>(24, 12));
    EXPECT_THAT(refusal(header("s%03d.raw 3")), HasSubstr("'s004.raw'"));
    EXPECT_THAT(refusal(header("s%03d.raw 1 3")), HasSubstr("3 data files; 2"));
    // One file may be called like that.
    raw("s%03d.raw", 24, 5);
    EXPECT_EQ(readFrame(openSequence({header("s%03d.raw")}), 0), counting<float>(24, 5));
}

TEST_F(MetaHeaders, LineEndsOfEverySystemAreRead) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        std::string header = "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n"
                             "ElementSpacing = 1 1 1\nElementType = MET_SHORT\n"
                             "ElementDataFile = LOCAL\n";
        for (std::size_t at = 0; (at = header.find('\n', at)) != header.npos; at += end.size())
            header.replace(at, 1, end);
        Bytes bytes;
        append(bytes, header);
        append(bytes, counting<std::int16_t>(24, 10)); // begins with the byte of a line end
        writeBytes(file("e.mha"), bytes);
        EXPECT_EQ(readFrame(openSequence({file("e.mha")}), 0), counting<float>(24, 10));
    }
}

} // namespace
} // namespace systole::test
