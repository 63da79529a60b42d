// Keys of other programs in NRRD headers, duplicates, several data files, and old line ends.
#include "tests/io/text_header_support.h"

namespace systole::test {
namespace {

using ::testing::HasSubstr;

class NrrdHeaders : public TextHeaderTest {
protected:
    static constexpr const char* spaced =
        "space: LPS\nspace directions: (1.5,0,0) (0,1.25,0) (0,0,2) none\n"
        "space origin: (-10,20,5)\nkinds: domain domain domain list\n";

    /// A header without voxels beside its data files.
    std::string detached(int count, const std::string& dataFile,
                         const std::string& encoding = "raw") const {
        writeBytes(file("a.nhdr"), "NRRD0004\ntype: short\ndimension: 4\nsizes: 4 3 2 " +
                                       std::to_string(count) + "\n" + spaced +
                                       "endian: little\nencoding: " + encoding +
                                       "\ndata file: " + dataFile + "\n");
        return file("a.nhdr");
    }
    void expectFrames(const std::string& path, int count) const {
        const Sequence sequence = openSequence({path});
        ASSERT_EQ(sequence.frames, count);
        for (int frame = count; frame-- > 0;)
            EXPECT_EQ(readFrame(sequence, frame), counting<float>(24, 24 * frame));
    }
};

TEST_F(NrrdHeaders, LayersOfSegmentsAreNoFrames) {
    const std::string segments = "Segment0_ID:=S0\nSegment0_Name:=LV epi\nSegment0_LabelValue:=1\n"
                                 "Segment0_Layer:=0\nSegment1_ID:=S1\nSegment1_Name:=LV endo\n"
                                 "Segment1_LabelValue:=2\nSegment1_Layer:=1\n";
    EXPECT_THAT(refusal(frames(2, spaced + segments)), HasSubstr("'LV epi, LV endo'"));
    // Older files count layers without saying so, and first.
    EXPECT_THAT(
        refusal(nrrd("type: short\ndimension: 4\nsizes: 2 4 3 2\nkinds: list domain domain domain\n"
                     "space: LPS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n"
                     "Segment0_ID:=Segment_1\nSegment1_ID:=Segment_2\n",
                     48)),
        HasSubstr("'Segment_1, Segment_2'"));
    const Sequence one = openSequence({volume("spacings: 1 1 1\n" + segments)});
    EXPECT_EQ(one.frames, 1);
    EXPECT_TRUE(anyNoteHas(one, "1 LV epi, 2 LV endo"));
}

TEST_F(NrrdHeaders, ImagesThatDifferInSomethingElseThanTimeHaveNoTimes) {
    EXPECT_THAT(refusal(frames(2, std::string(spaced) + "modality:=DWMRI\nDWMRI_b-value:=1000\n"
                                                        "DWMRI_gradient_0000:=0 0 0\n")),
                HasSubstr("DWMRI"));
    const std::string multi = "MultiVolume.FrameLabels:=2,5\n"
                              "MultiVolume.FrameIdentifyingDICOMTagUnits:=ms\n"
                              "MultiVolume.FrameIdentifyingDICOMTagName:=";
    const Sequence echoes = openSequence({frames(2, spaced + multi + "EchoTime\n")});
    EXPECT_FALSE(echoes.timeKnown());
    EXPECT_TRUE(anyNoteHas(echoes, "'EchoTime'"));
    const Sequence triggers = openSequence({frames(2, spaced + multi + "TriggerTime\n")});
    EXPECT_NEAR(triggers.timesSeconds.at(1), 0.003, 1e-9);
    const Sequence labeled = openSequence({frames(
        2, std::string(spaced) + "labels: \"\" \"\" \"\" \"flip angle\"\n"
                                 "axis 3 index values:=5 10\nunits: \"\" \"\" \"\" \"s\"\n")});
    EXPECT_FALSE(labeled.timeKnown());
}

TEST_F(NrrdHeaders, TimeStampsOfPlusAreRead) {
    const Sequence sequence =
        openSequence({frames(3, std::string(spaced) + "Seq_Frame0000_Timestamp:=10.5\n"
                                                      "Seq_Frame0001_Timestamp:=10.54\n"
                                                      "Seq_Frame0002_Timestamp:=10.62\n")});
    ASSERT_EQ(sequence.timesSeconds.size(), 3U);
    EXPECT_NEAR(sequence.timesSeconds[1], 0.04, 1e-9);
    EXPECT_NEAR(sequence.timesSeconds[2], 0.12, 1e-9);
}

TEST_F(NrrdHeaders, WhatStandsTwiceMustBeTheSame) {
    EXPECT_THAT(refusal(volume("spacings: 5 5 5\nspacings: 2 2 2\n")), HasSubstr("'spacings'"));
    EXPECT_THAT(refusal(volume("sizes: 2 2 2\nspacings: 1 1 1\n")), HasSubstr("'sizes'"));
    EXPECT_THAT(refusal(volume("spacings: 1 1 1\naxis mins: 0 0 0\naxismins: 1 0 0\n")),
                HasSubstr("twice"));
    EXPECT_THAT(refusal(volume("spacings: 1 1 1\nSegment0_Name:=a\nSegment0_Name:=b\n")),
                HasSubstr("twice"));
    EXPECT_EQ(openSequence({volume("spacings: 2 2 2\nspacings: 2 2 2\n")}).geometry.spacing().x, 2);
}

TEST_F(NrrdHeaders, DataFilesAreListedOrNumbered) {
    for (int i = 0; i < 4; ++i)
        raw("f" + std::to_string(i + 1) + ".raw", 24, 24 * i);
    expectFrames(detached(4, "LIST\nf1.raw\nf2.raw\nf3.raw\nf4.raw"), 4);
    expectFrames(detached(4, "LIST 3\r\nf1.raw\r\nf2.raw\r\nf3.raw\r\nf4.raw"), 4);
    expectFrames(detached(4, "f%d.raw 1 4 1"), 4);
    expectFrames(detached(4, "f%i.raw 1 4 1 3"), 4);
    expectFrames(detached(2, "f%d.raw 1 2 1"), 2);
    const std::string back = detached(2, "f%d.raw 3 1 -2");
    EXPECT_EQ(readFrame(openSequence({back}), 0), counting<float>(24, 48));
    EXPECT_EQ(readFrame(openSequence({back}), 1), counting<float>(24));
    // A slice, or two frames, in each.
    for (int i = 0; i < 4; ++i)
        raw("slices/s" + std::string(i == 3 ? "010" : "00" + std::to_string(7 + i)) + ".raw", 12,
            12 * i);
    expectFrames(detached(2, "slices/s%03d.raw 7 10 1 2"), 2);
    raw("slab1.raw", 48, 0);
    raw("slab2.raw", 48, 48);
    expectFrames(detached(4, "LIST 4\nslab1.raw\nslab2.raw"), 4);
}

TEST_F(NrrdHeaders, DataFilesMayBeCompressedTextOrBehindLines) {
    for (int i = 0; i < 2; ++i) {
        Bytes bytes;
        append(bytes, counting<std::int16_t>(24, 24 * i));
        writeBytes(file("z" + std::to_string(i) + ".gz"), gzipped(bytes));
        std::string text;
        for (int v = 0; v < 24; ++v)
            text += std::to_string(24 * i + v) + (v % 4 == 3 ? "\n" : " ");
        writeBytes(file("t" + std::to_string(i) + ".txt"), text);
        Bytes behind;
        append(behind, "two\nlines\n!");
        append(behind, counting<std::int16_t>(24, 24 * i));
        writeBytes(file("b" + std::to_string(i) + ".raw"), behind);
    }
    expectFrames(detached(2, "z%d.gz 0 1 1", "gzip"), 2);
    expectFrames(detached(2, "t%d.txt 0 1 1", "ascii"), 2);
    expectFrames(detached(2, "LIST\nb0.raw\nb1.raw", "raw\nline skip: 2\nbyteskip: 1"), 2);
    expectFrames(detached(2, "LIST\nb0.raw\nb1.raw", "raw\nbyte skip: -1"), 2);
    EXPECT_THAT(refusal(detached(2, "z%d.gz 0 1 1", "gzip\nlineskip: 1")), HasSubstr("lines"));
}

TEST_F(NrrdHeaders, ListsThatDontFitAreRefused) {
    raw("f1.raw", 24, 0);
    raw("f2.raw", 20, 24); // short
    EXPECT_THAT(refusal(detached(4, "LIST\nf1.raw\nf2.raw")), HasSubstr("2 data files; 4"));
    EXPECT_THAT(refusal(detached(4, "LIST")), HasSubstr("0 data files; 4"));
    EXPECT_THAT(refusal(detached(2, "f%d.raw 1 5000000000000 1")), HasSubstr("first and last"));
    EXPECT_THAT(refusal(detached(2, "f%d.raw 1 900000000 1")),
                HasSubstr("900000000 data files; 2 are expected"));
    // As many as the header expects are named one after the other, up to the first that is missing.
    EXPECT_THAT(refusal(detached(1'000'000, "f%d.raw 1 1000000 1")), HasSubstr("'f3.raw'"));
    EXPECT_THAT(refusal(detached(2, "f%s.raw 1 2 1")), HasSubstr("%03d"));
    EXPECT_THAT(refusal(detached(2, "f%d%d.raw 1 2 1")), HasSubstr("%03d"));
    EXPECT_THAT(refusal(detached(2, "f%d.raw 1 2 0")), HasSubstr("step"));
    EXPECT_THAT(refusal(detached(2, "f%d.raw 1 2 1 7")), HasSubstr("from 1 to 4"));
    EXPECT_THAT(refusal(detached(2, "LIST\nf1.raw\n../f2.raw")), HasSubstr("'../f2.raw'"));
    try {
        openSequence({detached(2, "LIST\nf1.raw\nf2.raw")});
        ADD_FAILURE();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("f2.raw"));
    }
}

TEST_F(NrrdHeaders, TheDataFileMayLieBelowTheHeader) {
    raw("data/deep/f.raw", 48, 0);
    expectFrames(detached(2, "data/deep/f.raw"), 2);
    expectFrames(detached(2, "./data/deep/f.raw"), 2);
    expectFrames(detached(2, "data\\deep\\f.raw"), 2); // separators of Windows
    for (const char* outside : {"../f.raw", "data/../../f.raw", "/etc/passwd", "C:\\data\\f.raw"})
        EXPECT_THAT(refusal(detached(2, outside)), HasSubstr("in the folder of the header"));
}

TEST_F(NrrdHeaders, LineEndsOfEverySystemAreRead) {
    const std::string lines = std::string("type: short\ndimension: 4\nsizes: 4 3 2 2\n") + spaced;
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        std::string header = "NRRD0005\nendian: little\nencoding: raw\n" + lines + "\n";
        for (std::size_t at = 0; (at = header.find('\n', at)) != header.npos; at += end.size())
            header.replace(at, 1, end);
        Bytes bytes;
        append(bytes, header);
        // The first byte behind the header is that of a line end.
        append(bytes, counting<std::int16_t>(48, 10));
        writeBytes(file("e.nrrd"), bytes);
        const Sequence sequence = openSequence({file("e.nrrd")});
        EXPECT_EQ(readFrame(sequence, 0), counting<float>(24, 10));
        EXPECT_EQ(readFrame(sequence, 1), counting<float>(24, 34));
    }
}

} // namespace
} // namespace systole::test
