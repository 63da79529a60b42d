// Statements of a DICOM header about the numbers in its pixels and about how many there are.
#include "tests/io/dicom_support.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

namespace systole::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint32_t bitsStored = 0x00280101, highBit = 0x00280102, pixelSpacing = 0x00280030,
                        detectorSpacing = 0x00181164, frameCount = 0x00280008,
                        modalityTable = 0x00283000;

void expectFramesOf(const Series& series, const Sequence& sequence) {
    ASSERT_EQ(sequence.frames, series.phases);
    for (int t = 0; t < series.phases; ++t)
        EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
}

std::string refusalWith(const std::function<void(Slice&)>& change) {
    const TemporaryFolder folder;
    Series().write(folder, [&](Slice& slice, int, int) {
        change(slice);
        return true;
    });
    return refusalOf(folder.path().string());
}

TEST(DicomValues, TheHighBitSaysWhereTheyStand) {
    for (const int high : {11, 12, 15}) {
        const TemporaryFolder folder;
        Series().write(folder, [&](Slice& slice, int, int) {
            slice.texts[bitsStored] = "12";
            slice.texts[highBit] = std::to_string(high);
            const int shift = high - 11;
            for (std::int16_t& pixel : slice.pixels) {
                const int unused = shift > 0 ? 1 : 0; // bit of an overlay
                pixel = static_cast<std::int16_t>(pixel * (1 << shift) + unused);
            }
            return true;
        });
        const Sequence sequence = openSequence({folder.path().string()});
        expectFramesOf(Series(), sequence);
        EXPECT_EQ(anyNoteHas(sequence, "the values are in bits"), high != 11);
    }
}

TEST(DicomValues, AHighBitThatCannotBeIsRefused) {
    for (const char* high : {"10", "16", "0", "70000"})
        EXPECT_THAT(refusalWith([&](Slice& slice) {
                        slice.texts[bitsStored] = "12";
                        slice.texts[highBit] = high;
                    }),
                    HasSubstr("(0028,0102)"));
}

/// The slice with these bytes as the pieces of its pixels, in run lengths.
void writePieces(const std::string& path, const Slice& slice, const Bytes& pieces) {
    writeSlice(path, slice);
    const std::size_t pixelElement = 12 + slice.pixels.size() * sizeof(std::int16_t);
    Bytes bytes = cut(readBytes(path), fs::file_size(path) - pixelElement);
    constexpr std::string_view plain = "1.2.840.10008.1.2.1";
    const auto sought = std::as_bytes(std::span(plain));
    const auto stated = std::search(bytes.begin(), bytes.end(), sought.begin(), sought.end());
    ASSERT_NE(stated, bytes.end());
    stated[plain.size() - 1] = std::byte{'5'};
    append(bytes, std::string("\xe0\x7f\x10\x00OB\0\0\xff\xff\xff\xff", 12));
    append(bytes, std::string("\xfe\xff\x00\xe0\0\0\0\0", 8)); // no table of offsets
    bytes.insert(bytes.end(), pieces.begin(), pieces.end());
    append(bytes, std::string("\xfe\xff\xdd\xe0\0\0\0\0", 8));
    writeBytes(path, bytes);
}

Bytes onePiece() {
    Bytes piece;
    append(piece, std::string("\xfe\xff\x00\xe0\x04\0\0\0\1\0\0\0", 12));
    return piece;
}

TEST(DicomValues, AHighBitOfCompressedPixelsIsRefused) {
    const TemporaryFolder folder;
    Slice slice = Series().slice(0, 0);
    slice.texts[bitsStored] = "12";
    slice.texts[highBit] = "15";
    writePieces(folder / "1.dcm", slice, onePiece());
    EXPECT_THAT(refusalOf(folder / "1.dcm"), HasSubstr("above their lowest bit"));
}

TEST(DicomValues, ASlopeOfZeroIsNone) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int) {
        slice.slope = 0;
        slice.intercept = -1024;
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    expectFramesOf(Series(), sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "the rescale slope (0028,1053) of 12 images is 0"));
}

TEST(DicomValues, AModalityTableIsNotAppliedAndSaid) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int) {
        gdcm::DataSet table;
        setBinary<std::uint16_t>(table, 0x0028, 0x3002, gdcm::VR::US, {4, 0, 16});
        setBinary<std::uint16_t>(table, 0x0028, 0x3006, gdcm::VR::OW, {1, 2, 3, 4});
        slice.sequences[modalityTable] = {table};
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    expectFramesOf(Series(), sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "the modality LUT (0028,3000) of 12 images isn't applied"));
}

TEST(DicomValues, AMissingSpacingIsCalledMissing) {
    for (const char* stated : {"none", "1,5\\1,25", "1.5"})
        EXPECT_THAT(refusalWith([&](Slice& slice) { slice.texts[pixelSpacing] = stated; }),
                    AllOf(HasSubstr("(0028,0030) is missing or isn't two numbers"),
                          Not(HasSubstr("(0018,1164)"))));
    EXPECT_THAT(refusalWith([](Slice& slice) {
                    slice.texts[pixelSpacing] = "none";
                    slice.texts[detectorSpacing] = "1.5\\1.25";
                }),
                AllOf(HasSubstr("(0028,0030) is missing"), HasSubstr("(0018,1164)")));
}

std::string refusalOfFrames(const char* frames) {
    const TemporaryFolder folder;
    Slice slice = Series().slice(0, 0);
    slice.texts[frameCount] = frames;
    writePieces(folder / "frames.dcm", slice, onePiece());
    return refusalOf(folder / "frames.dcm");
}

TEST(DicomValues, FramesThatTheFileCannotHoldAreRefusedBeforeTheyAreDescribed) {
    EXPECT_THAT(refusalOfFrames("2"), HasSubstr("promises 2 compressed frames, the file holds 1;"));
    EXPECT_THAT(refusalOfFrames("90000"), HasSubstr("promises 90000 compressed frames"));
    EXPECT_THAT(refusalOfFrames("1000000"), HasSubstr("at most 100000 are read"));
}

TEST(DicomValues, ObjectsThatAreNoSlicesAreRefusedByTheirName) {
    EXPECT_THAT(refusalWith([](Slice& slice) {
                    slice.sopClass = "1.2.840.10008.5.1.4.1.1.20";
                    slice.positioned = false;
                }),
                HasSubstr("nuclear medicine"));
    EXPECT_THAT(refusalWith([](Slice& slice) { slice.sopClass = "1.2.840.10008.5.1.4.1.1.481.2"; }),
                HasSubstr("radiotherapy dose"));
}

} // namespace
} // namespace systole::test
