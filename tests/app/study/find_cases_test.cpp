// The cases that a folder or a table has, hostile ones included.
#include "app/base/error.h"
#include "app/study/cohort_case.h"
#include "io/base/error.h"
#include "tests/app/study/study_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <sys/stat.h>

namespace systole {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using FindCases = testing::StudyFolder;

TEST_F(FindCases, OfBids) {
    put("dataset_description.json", "{}");
    put("participants.tsv", "participant_id\tgroup\treference_ef\nsub-01\tcontrol\t61.5\n"
                            "sub-02\tn/a\tn/a\n");
    put("sub-01/ses-a/sub-01_ses-a_cine.nii.gz");
    put("sub-01/ses-a/sub-01_ses-a_dseg.nii.gz");
    put("sub-02/ses-b/sub-02_ses-b_cine.nii.gz");
    put("derivatives/other/sub-01/sub-01_cine.nii.gz");
    put("out/sub-01/sub-01_made.nii.gz");
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-01_ses-a_cine", "sub-02_ses-b_cine"));
    const CohortCase& first = found.cases[0];
    EXPECT_EQ(first.folder(), "sub-01/ses-a");
    EXPECT_EQ(first.labels, folder_ / "sub-01/ses-a/sub-01_ses-a_dseg.nii.gz");
    EXPECT_EQ(first.group, "control");
    EXPECT_THAT(first.references, ElementsAre(std::pair<std::string, double>("ef", 61.5)));
    EXPECT_THAT(found.cases[1].labels + found.cases[1].group, IsEmpty());

    EXPECT_THAT(ids(find({{"sub-02"}, {}})), ElementsAre("sub-02_ses-b_cine"));
    EXPECT_THAT(ids(find({{}, {"a"}})), ElementsAre("sub-01_ses-a_cine"));
    EXPECT_THROW(find({{"03"}, {}}), UsageError);
}

TEST_F(FindCases, OfAPlainFolder) {
    put("one.nii.gz");
    put("one_labels.nii.gz");
    put("heart 2/sequence.nii");
    put("heart 2/labels.nii");
    put("notes.txt");
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-heart2", "sub-one"));
    EXPECT_EQ(found.cases[0].labels, folder_ / "heart 2/labels.nii");
    EXPECT_EQ(found.cases[1].labels, folder_ / "one_labels.nii.gz");
}

TEST_F(FindCases, OfSeveralLabelMapsTheFirstEndingCounts) {
    for (const char* ending : {"_mask", "_gt", "_labels", "_dseg", ""}) {
        put("one" + std::string(ending) + ".nii");
        if (*ending && std::string(ending) != "_dseg")
            put("two" + std::string(ending) + ".nii");
    }
    put("two_cine.nii");
    const CohortCases found = find();
    ASSERT_THAT(ids(found), ElementsAre("sub-one", "sub-twocine"));
    EXPECT_EQ(found.cases[0].labels, folder_ / "one_dseg.nii");
    EXPECT_EQ(found.cases[1].labels, folder_ / "two_labels.nii");
}

TEST_F(FindCases, LoopsAndStrangeNamesAreNoCases) {
    put("a/heart.nii.gz");
    fs::create_directory_symlink(folder_.path(), folder_.path() / "a/again");
    put("b/new\nline.nii.gz");
    put("c/\x1b[31m/heart.nii.gz");
    fs::create_symlink("nowhere", folder_.path() / "dead.nii.gz");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.nii.gz").c_str(), 0600), 0);
    put("d/a.nii.gz"); // path with the same letters and digits as da.nii.gz
    put("d/b.nii.gz");
    put("da.nii.gz");
    put("M\xfcller.nii");
    put(std::string(200, 'n') + ".nii");
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-a", "sub-da", "sub-db"));
    EXPECT_THAT(found.refusals, Each(::testing::Not(HasSubstr("\n"))));
    EXPECT_THAT(found.refusals,
                ::testing::UnorderedElementsAre(
                    HasSubstr("a/again: is a link to a folder"), HasSubstr("control character"),
                    HasSubstr("control character"), HasSubstr("isn't UTF-8"),
                    HasSubstr("dead.nii.gz: is a link to content that isn't here (nowhere)"),
                    HasSubstr("pipe.nii.gz: isn't a file"), HasSubstr("is called sub-da, too"),
                    HasSubstr("nnn... has 204 characters, more than 150")));
}

TEST_F(FindCases, LettersOutsideAsciiAreNumbersSoThatNamesStayDifferent) {
    put("Jörg.nii");
    put("Jrg.nii");
    put("Jürg.nii");
    put("李.nii");
    put("🫀 1.nii");
    put("😀.nii");
    put("ὠ0.nii"); // U+1F60 and a digit, where the one before is U+1F600
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-Jrg", "sub-Ju00f6rg", "sub-Ju00fcrg", "sub-U01f600",
                                        "sub-U01fac01", "sub-u1f600", "sub-u674e"));
    EXPECT_THAT(found.refusals, IsEmpty());
    for (const char* label : {"Jörg", "sub-Jörg", "Ju00f6rg"})
        EXPECT_THAT(ids(find({{label}, {}})), ElementsAre("sub-Ju00f6rg")) << label;
    EXPECT_THAT(ids(table("file,id,session\na.nii,Zoë,früh\n")),
                ElementsAre("sub-Zou00eb_ses-fru00fch"));
    put("study/sub-Jörg/sub-Jörg_cine.nii");
    put("study/participants.tsv", "participant_id\tgroup\nsub-Jörg\tcontrol\nsub-Jrg\tother\n");
    const CohortCases bids = findCases(folder_ / "study", folder_ / "out", {});
    EXPECT_THAT(ids(bids), ElementsAre("sub-Ju00f6rg_cine"));
    EXPECT_EQ(bids.cases[0].group, "control");
    EXPECT_EQ(bidsLabel("\xc3"), "u0003"); // cut off: read no further
}

TEST_F(FindCases, AnIdThatIsTooLongIsNamedAndNotTheName) {
    std::string name; // 30 letters
    for (int i = 0; i < 30; ++i)
        name += "李";
    put(name + ".nii");
    put("a.nii");
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-a"));
    EXPECT_THAT(found.refusals,
                ElementsAre(HasSubstr("its id sub-u674eu674eu674eu674eu674eu674eu674eu... has 154 "
                                      "characters, more than 150; a table (.csv)")));
}

TEST_F(FindCases, AnEmptyOrMissingFolderIsRefused) {
    EXPECT_THROW(find(), FileError);
    EXPECT_THROW(findCases(folder_ / "none", folder_ / "out", {}), FileError);
}

TEST_F(FindCases, ATableWithoutRowsIsToldFromAFolderWithoutImages) {
    EXPECT_THAT([&] { table("file,id\n\n,\n"); }, ::testing::ThrowsMessage<FileError>(HasSubstr(
                                                      "names of its columns, but no rows")));
}

TEST_F(FindCases, ALabelWithoutACaseIsExplainedByItsOwnFilesAlone) {
    put("dataset_description.json", "{}");
    put("sub-2/sub-2_cine.nii.gz");
    fs::create_symlink(folder_ / "none", folder_ / "sub-10");
    put("sub-11/sub-12_cine.nii.gz");
    const auto refusal = [&](const std::string& label) -> std::string {
        try {
            find({{label}, {}});
        } catch (const UsageError& error) {
            return error.what();
        }
        return "found";
    };
    EXPECT_THAT(refusal("1"), ::testing::EndsWith("no case is of sub-1"));
    EXPECT_THAT(refusal("10"), HasSubstr("no case is of sub-10; " + (folder_ / "sub-10")));
    EXPECT_THAT(refusal("11"), HasSubstr("is named sub-12 and lies in a folder sub-11"));
}

TEST_F(FindCases, OfATable) {
    const CohortCases found = table("\xef\xbb\xbf"
                                    "file,id,labels,frames,group,reference_ef\r\n"
                                    "\"a, \"\"b\"\".nii\",07,/abs/l.nii,0:9,x,55\r\n"
                                    "c.nii,sub-08,,,,\r\n\r\n");
    ASSERT_THAT(ids(found), ElementsAre("sub-07", "sub-08"));
    EXPECT_EQ(found.cases[0].image, folder_ / "a, \"b\".nii");
    EXPECT_EQ(found.cases[0].labels, "/abs/l.nii");
    EXPECT_EQ(found.cases[0].frames, "0:9");
    EXPECT_EQ(found.cases[0].references.front().second, 55);
    EXPECT_THAT(found.cases[1].references, IsEmpty());
}

TEST_F(FindCases, ColumnsThatNothingIsReadOfAreNoted) {
    EXPECT_THAT(table("file,id,session,labels,frames,seed,points,group,reference_ef\n"
                      "a.nii,1,,,,,,,55\n")
                    .notes,
                IsEmpty());
    EXPECT_THAT(table("file,lables,reference_eff\na.nii,l.nii,55\n").notes,
                ElementsAre(HasSubstr("columns 'lables', 'reference_eff'")));
    std::string head = "file", row = "a.nii";
    for (int i = 0; i < 30; ++i) {
        head += ",c" + std::to_string(i);
        row += ',';
    }
    EXPECT_THAT(table(head + "\n" + row + "\n").notes, ElementsAre(HasSubstr(" and 20 more")));
    // Ages are usual among participants; a reference that is no measure is a slip there, too.
    put("dataset_description.json", "{}");
    put("sub-01/sub-01_cine.nii.gz");
    put("participants.tsv", "participant_id\tage\treference_ef\nsub-01\t60\t55\n");
    EXPECT_THAT(find().notes, IsEmpty());
    put("participants.tsv", "participant_id\tage\treference_eff\nsub-01\t60\t55\n");
    EXPECT_THAT(find().notes, ElementsAre(HasSubstr("column 'reference_eff'")));
}

TEST_F(FindCases, TablesAreRefusedWithTheirLine) {
    EXPECT_THAT(refusal(""), HasSubstr("is empty"));
    EXPECT_THAT(refusal("id\n1\n"), HasSubstr("no column 'file'"));
    EXPECT_THAT(refusal("file,id\na.nii\n"), HasSubstr("line 2: has 1 cells, the head"));
    EXPECT_THAT(refusal("file\n\"a\n"), HasSubstr("line 2: a quote"));
    EXPECT_THAT(refusal("file,id\na.nii,1\n,2\n"), HasSubstr("line 3: names no file"));
    EXPECT_THAT(refusal("file,reference_ef\na.nii,much\n"), HasSubstr("line 2: reference_ef"));
    EXPECT_THAT(refusal("file\na\x01.nii\n"), HasSubstr("line 2: has a control character"));
    EXPECT_THAT(refusal("file\n"), HasSubstr("no rows"));
    EXPECT_THAT(refusal("file\nM\xfcller.nii\n"), HasSubstr("line 2: isn't UTF-8"));
    EXPECT_THAT(refusal("\xff\xfe"
                        "f"),
                HasSubstr("is UTF-16"));
    EXPECT_THAT(refusal(std::string(2000, ',')), HasSubstr("more than 1000 cells"));
}

TEST_F(FindCases, ManyFilesAreFoundAndNamedOnce) {
    for (int i = 0; i < 2000; ++i) {
        put("many/h" + std::to_string(i) + ".nii");
        put("many/h" + std::to_string(i) + "_gt.nii");
    }
    const CohortCases found = find();
    ASSERT_EQ(found.cases.size(), 2000U);
    EXPECT_EQ(found.cases[1].labels, folder_ / "many/h1_gt.nii");
}

} // namespace
} // namespace systole
