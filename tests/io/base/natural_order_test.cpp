#include "io/base/natural_order.h"
#include "tests/io/io_support.h"

#include <random>

namespace systole::test {
namespace {

using Names = std::vector<std::string>;

/// frame1.nii, frame10.nii, ...: as a shell sorts a pattern.
Names asAShell(Names names) {
    std::ranges::sort(names);
    return names;
}

TEST(NaturalOrder, NumbersCountWhateverTheirDigits) {
    Names frames, mixed, folders, percent;
    for (int i = 1; i <= 120; ++i)
        frames.push_back("frame" + std::to_string(i) + ".nii");
    for (int slice = 1; slice <= 2; ++slice)
        for (int i = 8; i <= 11; ++i)
            mixed.push_back("s" + std::to_string(slice) + "_t" + std::to_string(i) + ".nii.gz");
    for (int i = 9; i <= 11; ++i)
        folders.push_back("run/t" + std::to_string(i) + "/image.nii");
    for (int i = 0; i <= 100; i += 10)
        percent.push_back("gated_" + std::to_string(i) + "%.mha");
    for (const Names& wanted : {frames, mixed, folders, percent}) {
        const FilesInOrder files = frameFilesInOrder(asAShell(wanted));
        EXPECT_EQ(files.paths, wanted);
        EXPECT_NE(files.note.find("in the order of the numbers"), std::string::npos);
        Names shuffled = wanted;
        std::ranges::shuffle(shuffled, std::mt19937(7));
        EXPECT_EQ(sortedByNumbers(shuffled), wanted);
    }
}

TEST(NaturalOrder, OrdersOfOtherLanguagesThanCAreAShellsToo) {
    // Names sorted regardless of case and punctuation.
    EXPECT_EQ(frameFilesInOrder({"a10.nii", "A9.nii"}).paths, (Names{"A9.nii", "a10.nii"}));
    EXPECT_EQ(frameFilesInOrder({"f10.nii", "f1.nii", "f2.nii"}).paths,
              (Names{"f1.nii", "f2.nii", "f10.nii"}));
}

TEST(NaturalOrder, WhatIsInOrderStaysWithoutANote) {
    for (const Names& names :
         {Names{"f01.nii", "f02.nii", "f10.nii"}, Names{"f1.nii", "f2.nii", "f10.nii"},
          Names{"ed.nii", "es.nii"}, Names{"t0.25.nii", "t0.5.nii", "t1.nii"},
          Names{"20260101_1.nii", "20260101_2.nii", "20260102_1.nii"}, Names{"one.nii"},
          Names{"99999999999999999999998.nii", "99999999999999999999999.nii"}}) {
        const FilesInOrder files = frameFilesInOrder(names);
        EXPECT_EQ(files.paths, names);
        EXPECT_EQ(files.note, "");
    }
}

TEST(NaturalOrder, TheUsersOwnOrderStaysAndIsSaid) {
    const Names backwards{"f3.nii", "f2.nii", "f1.nii"};
    const FilesInOrder files = frameFilesInOrder(backwards);
    EXPECT_EQ(files.paths, backwards);
    EXPECT_NE(files.note.find("isn't that of their numbers: f3.nii, f2.nii, f1.nii"),
              std::string::npos);
}

TEST(NaturalOrder, FractionsAreToldFromCounters) {
    EXPECT_EQ(sortedByNumbers({"t0.5.nii", "t0.25.nii"}), (Names{"t0.25.nii", "t0.5.nii"}));
    EXPECT_EQ(sortedByNumbers({"s1.10.nii", "s1.9.nii"}), (Names{"s1.9.nii", "s1.10.nii"}));
    EXPECT_EQ(sortedByNumbers({"1.2.84.nii", "1.2.9.nii"}), (Names{"1.2.9.nii", "1.2.84.nii"}));
    EXPECT_EQ(sortedByNumbers({"img.10.nii", "img.9.nii"}), (Names{"img.9.nii", "img.10.nii"}));
}

TEST(NaturalOrder, AMinusIsASignWhereTheSamePlaceIsAlsoWithoutIt) {
    const Names wanted{"a2/t-10.nii", "a2/t-5.nii", "a2/t0.nii", "a2/t5.nii", "a2/t10.nii"};
    const FilesInOrder shell = frameFilesInOrder(asAShell(wanted));
    EXPECT_EQ(shell.paths, wanted);
    EXPECT_NE(shell.note.find("in the order of the numbers"), std::string::npos);
    EXPECT_EQ(frameFilesInOrder(wanted).note, "");
    EXPECT_EQ(sortedByNumbers({"t-0.25.nii", "t0.5.nii", "t-0.5.nii", "t0.nii"}),
              (Names{"t-0.5.nii", "t-0.25.nii", "t0.nii", "t0.5.nii"}));
    // Nothing is negative here.
    for (const Names& names : {Names{"sub-1_t1.nii", "sub-1_t2.nii", "sub-2_t1.nii"},
                               Names{"f-1.nii", "f-2.nii", "f-10.nii"},
                               Names{"2026-01-02.nii", "2026-01-10.nii", "2026-02-01.nii"},
                               Names{"t1-5.nii", "t1-10.nii", "t5.nii"}})
        EXPECT_EQ(frameFilesInOrder(names).note, "") << names.front();
}

TEST(NaturalOrder, FramesOfAGlobFollowTheirNumbers) {
    const TemporaryFolder folder;
    Names paths;
    for (int i = 1; i <= 12; ++i) {
        NiftiBytes header;
        header.dim({3, 2, 2, 2, 1, 1, 1, 1}).type(4, 16);
        paths.push_back(folder / ("frame" + std::to_string(i) + ".nii"));
        writeBytes(paths.back(), header.with(std::vector<std::int16_t>(8, std::int16_t(100 * i))));
    }
    const Sequence sequence = openSequence(asAShell(paths));
    ASSERT_EQ(sequence.frames, 12);
    for (int frame = 0; frame < 12; ++frame)
        EXPECT_EQ(readFrame(sequence, frame).front(), 100.0F * static_cast<float>(frame + 1));
    EXPECT_TRUE(anyNoteHas(sequence, "frame1.nii, frame2.nii, frame3.nii, ..., frame12.nii"));
}

} // namespace
} // namespace systole::test
