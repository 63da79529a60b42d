// Files in a DICOM folder that hold no image, or whose image isn't here: what is left out with a
// note, and what refuses the folder because something would be missing.
#include "tests/io/dicom_support.h"

#include <gmock/gmock.h>

#include <tuple>

namespace systole::test {
namespace {

using ::testing::HasSubstr;

void expectSeriesIsRead(const Sequence& sequence) {
    const Series series;
    ASSERT_EQ(sequence.frames, series.phases);
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    for (int t = 0; t < series.phases; ++t)
        EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
}

TEST(DicomLeftOut, WhatIsNamedLikeDicomAndIsNoneIsLeftOutAndSaid) {
    const std::vector<std::tuple<const char*, std::string, const char*>> files = {
        {"zz.dcm", "", "'zz.dcm' (empty)"},
        {"IM999", "", "'IM999' (empty)"},
        {"1.2.840.7", "", "'1.2.840.7' (empty)"},
        {"README.dcm", "\n<!DOCTYPE html><p>", "'README.dcm' (a web page)"},
        {"notes.ima", "{\"a\": 1}", "'notes.ima' (JSON)"},
        {"x.dcm", "PK\3\4", "'x.dcm' (a ZIP archive)"},
        {"y.dcm", "junk", "'y.dcm' (not DICOM)"}};
    for (const auto& [name, content, said] : files) {
        const TemporaryFolder folder;
        Series().write(folder);
        writeBytes(folder / name, content);
        const Sequence sequence = openSequence({folder.path().string()});
        expectSeriesIsRead(sequence);
        EXPECT_TRUE(anyNoteHas(sequence, said)) << ::testing::PrintToString(sequence.notes);
        expectSeriesIsRead(openSequence({folder / Series::nameOf(0, 0)}));
    }
}

TEST(DicomLeftOut, WhatIsMissingMayHaveBeenInAnEmptyFile) {
    const TemporaryFolder folder;
    Series().write(folder, [&](Slice&, int z, int t) {
        if (z == 1)
            writeBytes(folder / ("IM00" + std::to_string(t)), "");
        return z != 1;
    });
    const std::string refusal = refusalOf(folder.path().string());
    EXPECT_THAT(refusal, HasSubstr("a slice is missing"));
    EXPECT_THAT(refusal, HasSubstr("left out, as no DICOM files: 'IM000' and 2 more (empty)"));
}

/// The slice at the top of the stack, so that nothing else would tell that it is missing.
TEST(DicomLeftOut, ContentThatIsNotHereRefusesTheFolderWithItsCause) {
    const char* link = "../.git/annex/objects/a/b";
    const std::vector<std::tuple<const char*, bool, std::string, const char*>> files = {
        {"IM999", true, "nowhere", "IM999: is a link to content that isn't here (nowhere)"},
        {"top.dcm", true, link, "top.dcm: is a link of git-annex"},
        {"1.2.3.99", true, "1.2.3.99", "1.2.3.99: is a link that leads round in a circle"},
        {"IM999", false, "version https://git-lfs.github.com/spec/v1\nsize 9\n",
         "IM999: is a pointer of Git LFS"},
        {"top.dcm", false, "/annex/objects/MD5-s1--0\n", "top.dcm: is a pointer of git-annex"}};
    for (const auto& [name, isLink, content, said] : files) {
        const TemporaryFolder folder;
        Series().write(folder, [](Slice&, int z, int) { return z < 3; });
        if (isLink)
            fs::create_symlink(content, folder / name);
        else
            writeBytes(folder / name, content);
        EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr(said));
        EXPECT_THAT(refusalOf(folder / Series::nameOf(0, 0)), HasSubstr(said));
        EXPECT_THAT(refusalOf(folder / name), HasSubstr(said));
    }
}

TEST(DicomLeftOut, AFileThatCannotBeLookedAtRefusesTheFolder) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice&, int z, int) { return z < 3; });
    fs::create_symlink(std::string(300, 'x'), folder / "IM999"); // no name is that long
    EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr("IM999: cannot be looked at: "));
}

TEST(DicomLeftOut, LinksOfOtherFilesThatLeadNowhereAreLeftOutAndSaid) {
    const TemporaryFolder folder;
    Series().write(folder);
    fs::create_symlink("nowhere", folder / "sidecar.json");
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "'sidecar.json' (its content isn't here)"));
}

TEST(DicomLeftOut, ACutCopyOfAWholeImageIsLeftOut) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int t) {
        slice.instance = "1.2.3.5." + std::to_string(10 * z + t + 1);
        return true;
    });
    const std::string copy = folder / "IM (1).dcm";
    fs::copy_file(folder / Series::nameOf(1, 1), copy);
    fs::resize_file(copy, fs::file_size(copy) - 5);
    const Sequence sequence = openSequence({folder.path().string()});
    expectSeriesIsRead(sequence);
    EXPECT_TRUE(anyNoteHas(sequence, "1 file is left out, such as 'IM (1).dcm'"));
    EXPECT_THAT(refusalOf(copy), HasSubstr("cut off or damaged"));
}

TEST(DicomLeftOut, OfImagesThatShareOneUidACutOneIsMissed) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int) {
        slice.instance = "1.2.3.5";
        return true;
    });
    const std::string damaged = folder / Series::nameOf(1, 1);
    fs::resize_file(damaged, fs::file_size(damaged) - 5);
    EXPECT_THAT(refusalOf(folder.path().string()), HasSubstr(damaged));
}

} // namespace
} // namespace systole::test
