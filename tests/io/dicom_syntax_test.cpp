// Ways to store a data set: without a header, deflated, big endian, and behind a DICOMDIR.
#include "tests/io/dicom_support.h"

#include <gmock/gmock.h>

namespace systole::test {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t behindPrefix = 132;

/// Offset of the data set: the first element of the header has the bytes of the rest of it.
std::size_t dataSetOf(const Bytes& file) {
    std::uint32_t length = 0;
    std::memcpy(&length, file.data() + behindPrefix + 8, 4);
    return behindPrefix + 12 + length;
}

Bytes joined(Bytes first, const Bytes& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// Writes the series, with each file changed once it is written.
void writeChanged(const TemporaryFolder& folder, const gdcm::TransferSyntax& syntax,
                  const std::function<Bytes(const Bytes&)>& change) {
    const Series series;
    for (int z = 0; z < series.slices; ++z)
        for (int t = 0; t < series.phases; ++t) {
            const std::string path = folder / ("IM" + std::to_string(10 * z + t));
            writeSlice(path, series.slice(z, t), syntax);
            writeBytes(path, change(readBytes(path)));
        }
}

void expectSeriesIsRead(const TemporaryFolder& folder, const char* note = nullptr) {
    const Sequence sequence = openSequence({folder.path().string()});
    const Series series;
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    ASSERT_EQ(sequence.timesSeconds.size(), 3U);
    EXPECT_NEAR(sequence.timesSeconds[2], 0.090, 1e-9);
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
    EXPECT_TRUE(!note || anyNoteHas(sequence, note));
}

Bytes from(const Bytes& file, std::size_t first) {
    return Bytes(file.begin() + static_cast<std::ptrdiff_t>(first), file.end());
}

struct Headless {
    const char* name;
    gdcm::TransferSyntax::TSType syntax;
    std::function<Bytes(const Bytes&)> change;
    bool isSaid = true;
};

class HeadlessDicom : public ::testing::TestWithParam<Headless> {};

std::vector<Headless> headless() {
    const auto bare = [](const Bytes& file) { return from(file, dataSetOf(file)); };
    const auto withoutGroup2 = [](const Bytes& file) {
        return joined(cut(file, behindPrefix), from(file, dataSetOf(file)));
    };
    return {
        {"ExplicitLittleEndian", gdcm::TransferSyntax::ExplicitVRLittleEndian, bare},
        {"ImplicitLittleEndian", gdcm::TransferSyntax::ImplicitVRLittleEndian, bare},
        {"NoGroup2Explicit", gdcm::TransferSyntax::ExplicitVRLittleEndian, withoutGroup2},
        {"NoGroup2Implicit", gdcm::TransferSyntax::ImplicitVRLittleEndian, withoutGroup2},
        {"Group2AtByte0", gdcm::TransferSyntax::ImplicitVRLittleEndian,
         [](const Bytes& file) { return from(file, behindPrefix); }, false},
        {"PrefixAtByte0", gdcm::TransferSyntax::ExplicitVRLittleEndian,
         [](const Bytes& file) { return from(file, behindPrefix - 4); }, false},
        {"PaddedAtTheEnd", gdcm::TransferSyntax::ExplicitVRLittleEndian,
         [](const Bytes& file) {
             return joined(from(file, dataSetOf(file)), Bytes(512, std::byte{}));
         }},
    };
}

TEST_P(HeadlessDicom, IsReadByTheLookOfItsElements) {
    const TemporaryFolder folder;
    writeChanged(folder, GetParam().syntax, GetParam().change);
    expectSeriesIsRead(folder, GetParam().isSaid ? "nothing behind it): 12;" : nullptr);
    EXPECT_EQ(openSequence({folder / "IM10"}).frames, 3);
}

INSTANTIATE_TEST_SUITE_P(Each, HeadlessDicom, ::testing::ValuesIn(headless()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(DicomSyntax, OtherFilesDoNotLookLikeDataSets) {
    const TemporaryFolder folder;
    Series().write(folder);
    // Pixels of 16 bits that count from 8, text, and a header that is cut at once.
    Bytes counted;
    append(counted, counting<std::int16_t>(4000, 8));
    writeBytes(folder / "counted.raw", counted);
    Bytes constant;
    append(constant, std::vector<std::int16_t>(4000, 8));
    writeBytes(folder / "constant.raw", constant);
    writeBytes(folder / "short", std::string("\x08\0\x05\0CS", 6));
    writeBytes(folder / "text", "\x08 and so on, without an end to it in sight for a long time");
    expectSeriesIsRead(folder);
}

Bytes withSyntax(const Bytes& header, std::string_view uid) {
    Bytes made;
    append(made, std::string(128, '\0') + "DICM");
    append(made, std::string_view("\x02\0\x10\0UI", 6));
    append(made, std::vector<std::uint16_t>{static_cast<std::uint16_t>(uid.size())});
    append(made, uid);
    return joined(made, header);
}

constexpr std::string_view deflatedUid = "1.2.840.10008.1.2.1.99";

TEST(DicomSyntax, DeflatedDataSetsAreRead) {
    // Bare, as the standard has it, and with zlib's header, as some writers do.
    for (const int windowBits : {-15, 15}) {
        const TemporaryFolder folder;
        writeChanged(folder, gdcm::TransferSyntax::ExplicitVRLittleEndian, [&](const Bytes& file) {
            return withSyntax(gzipped(from(file, dataSetOf(file)), windowBits), deflatedUid);
        });
        expectSeriesIsRead(folder);
    }
}

TEST(DicomSyntax, DeflatedDataSetsOfGdcmAreRead) {
    const TemporaryFolder folder;
    writeChanged(folder, gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian,
                 [](const Bytes& file) { return file; });
    expectSeriesIsRead(folder);
}

TEST(DicomSyntax, DamagedDeflatedDataSetsAreRefusedAsDamaged) {
    const TemporaryFolder folder;
    writeChanged(folder, gdcm::TransferSyntax::ExplicitVRLittleEndian, [&](const Bytes& file) {
        const Bytes packed = gzipped(from(file, dataSetOf(file)), -15);
        return withSyntax(cut(packed, packed.size() / 2), deflatedUid);
    });
    const std::string refusal = refusalOf(folder.path().string());
    EXPECT_THAT(refusal, HasSubstr("cut off"));
    EXPECT_THAT(refusal, ::testing::Not(HasSubstr("retired")));
}

TEST(DicomSyntax, BigEndianIsRead) {
    const TemporaryFolder folder;
    writeChanged(folder, gdcm::TransferSyntax::ExplicitVRBigEndian,
                 [](const Bytes& file) { return file; });
    expectSeriesIsRead(folder);
}

TEST(DicomSyntax, OfGesOwnSyntaxThePixelsAreBigEndian) {
    const TemporaryFolder folder;
    writeChanged(folder, gdcm::TransferSyntax::ImplicitVRLittleEndian, [&](const Bytes& file) {
        Bytes made = withSyntax(from(file, dataSetOf(file)), std::string("1.2.840.113619.5.2"));
        for (std::size_t at = made.size() - 24; at < made.size(); at += 2)
            std::swap(made[at], made[at + 1]);
        return made;
    });
    expectSeriesIsRead(folder);
}

TEST(DicomSyntax, ElementsThatAreImplicitThoughTheirSyntaxIsNotAreRead) {
    const TemporaryFolder folder;
    writeChanged(folder, gdcm::TransferSyntax::ImplicitVRLittleEndian, [&](const Bytes& file) {
        return withSyntax(from(file, dataSetOf(file)), std::string("1.2.840.10008.1.2.1\0", 20));
    });
    expectSeriesIsRead(folder);
}

TEST(DicomSyntax, AVideoIsRefusedByItsName) {
    const TemporaryFolder folder;
    writeChanged(folder, gdcm::TransferSyntax::ExplicitVRLittleEndian, [&](const Bytes& file) {
        return withSyntax(from(file, dataSetOf(file)), "1.2.840.10008.1.2.4.102");
    });
    EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr("MPEG-4"));
}

TEST(DicomSyntax, MosaicsAreRefusedByTheirName) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int) {
        slice.imageType = "ORIGINAL\\PRIMARY\\M\\ND\\MOSAIC";
        return z == 0;
    });
    EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr("mosaics"));
}

// DICOMDIR.

void writeDirectory(const std::string& path, const std::vector<std::string>& names) {
    gdcm::Writer writer;
    std::vector<gdcm::DataSet> records;
    gdcm::DataSet patient;
    setText(patient, 0x0004, 0x1430, gdcm::VR::CS, "PATIENT");
    records.push_back(patient);
    for (const std::string& name : names) {
        gdcm::DataSet record;
        setText(record, 0x0004, 0x1430, gdcm::VR::CS, "IMAGE");
        setText(record, 0x0004, 0x1500, gdcm::VR::CS, name);
        records.push_back(record);
    }
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    setText(set, 0x0004, 0x1130, gdcm::VR::CS, "DISC");
    setItems(set, 0x0004, 0x1220, records);
    gdcm::FileMetaInformation& header = writer.GetFile().GetHeader();
    setText(header, 0x0002, 0x0002, gdcm::VR::UI, "1.2.840.10008.1.3.10");
    setText(header, 0x0002, 0x0003, gdcm::VR::UI, "1.2.3.9");
    header.SetDataSetTransferSyntax(gdcm::TransferSyntax::ExplicitVRLittleEndian);
    writer.SetFileName(path.c_str());
    ASSERT_TRUE(writer.Write());
}

/// A disc with the series in folders, its names in capitals as on the medium.
std::vector<std::string> writeDisc(const TemporaryFolder& folder, bool smallLetters) {
    const std::string inside = smallLetters ? "dicom/st1/se1" : "DICOM/ST1/SE1";
    fs::create_directories(folder / inside);
    std::vector<std::string> names;
    const Series series;
    for (int z = 0; z < series.slices; ++z)
        for (int t = 0; t < series.phases; ++t) {
            const std::string number = std::to_string(10 * z + t);
            writeSlice(folder / (inside + (smallLetters ? "/im" : "/IM") + number),
                       series.slice(z, t));
            names.push_back("DICOM\\ST1\\SE1\\IM" + number);
        }
    writeDirectory(folder / "DICOMDIR", names);
    return names;
}

TEST(Dicomdir, TheFilesThatItNamesAreRead) {
    for (const bool smallLetters : {false, true}) {
        const TemporaryFolder folder;
        writeDisc(folder, smallLetters);
        // Not of the disc.
        Slice other = Series().slice(1, 1);
        other.series = "5.5";
        writeSlice(folder / "extra.dcm", other);
        const Sequence sequence = openSequence({folder / "DICOMDIR"});
        ASSERT_EQ(sequence.frames, 3);
        for (int t = 0; t < 3; ++t)
            EXPECT_EQ(readFrame(sequence, t), Series().expectedFrame(t));
        EXPECT_TRUE(anyNoteHas(sequence, "the 12 files that this DICOMDIR names are read"));
    }
}

TEST(Dicomdir, TheFolderOfADiscIsRead) {
    const TemporaryFolder folder;
    writeDisc(folder, false);
    expectSeriesIsRead(folder);
}

TEST(Dicomdir, WithoutItsFilesItIsRefused) {
    const TemporaryFolder folder;
    writeDirectory(folder / "DICOMDIR", {"DICOM\\IM1", "DICOM\\IM2", "..\\..\\etc\\passwd"});
    const std::string refusal = refusalOf(folder / "DICOMDIR");
    EXPECT_THAT(refusal, HasSubstr("names 3 files"));
    EXPECT_THAT(refusal, HasSubstr("none of which is there"));
    EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr("DICOMDIR"));
}

TEST(Dicomdir, MissingFilesAreCounted) {
    const TemporaryFolder folder;
    std::vector<std::string> names = writeDisc(folder, false);
    names.push_back("DICOM\\ST1\\SE1\\IM77");
    writeDirectory(folder / "DICOMDIR", names);
    const Sequence sequence = openSequence({folder / "DICOMDIR"});
    EXPECT_EQ(sequence.frames, 3);
    EXPECT_TRUE(anyNoteHas(sequence, "1 of 13 files that the DICOMDIR names are missing"));
}

TEST(Dicomdir, AFileWhoseContentIsNotHereIsRefusedWithItsCause) {
    const TemporaryFolder folder;
    writeDisc(folder, false);
    const std::string image = folder / "DICOM/ST1/SE1/IM32";
    fs::remove(image);
    fs::create_symlink("../../../.git/annex/objects/a/b", image);
    EXPECT_THAT(refusalOf(folder / "DICOMDIR"), HasSubstr("IM32: is a link of git-annex"));
}

} // namespace
} // namespace systole::test
