// Tables as spreadsheets of many countries and systems save them: the same rows.
#include "app/study/cell_table.h"
#include "tests/app/study/study_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace systole {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Table = testing::StudyFolder;

TEST_F(Table, IsTheSameWhateverSeparatesItsCells) {
    struct Writing {
        const char *name, *text;
        std::vector<std::string> notes;
    };
    const std::string semicolons = "a semicolon separates its cells, and a comma decimals";
    for (const Writing& writing : std::vector<Writing>{
             {"comma.csv", "file,id,group,reference_ef\na b.nii,07,x,61.5\nc.nii,8,y,55\n", {}},
             {"tab.tsv",
              "file\tid\tgroup\treference_ef\na b.nii\t07\tx\t61.5\nc.nii\t8\ty\t55\n",
              {}},
             {"semicolon.csv",
              "file;id;group;reference_ef\na b.nii;07;x;61,5\nc.nii;8;y;55\n",
              {semicolons}},
             {"semicolon.tsv",
              "file;id;group;reference_ef\na b.nii;07;x;61,5\nc.nii;8;y;55\n",
              {semicolons}},
             {"tab.csv",
              "file\tid\tgroup\treference_ef\na b.nii\t07\tx\t61,5\nc.nii\t8\ty\t55\n",
              {"a tab separates its cells"}},
             {"bar.csv",
              "file|id|group|reference_ef\na b.nii|07|x|61.5\nc.nii|8|y|55\n",
              {"'|' separates its cells"}},
             {"comma.tsv",
              "file,id,group,reference_ef\na b.nii,07,x,\"61,5\"\nc.nii,8,y,55\n",
              {"a comma separates its cells"}},
             {"mac.csv", "file,id,group,reference_ef\ra b.nii,07,x,61.5\rc.nii,8,y,55\r", {}},
             {"windows.csv",
              "\xef\xbb\xbf"
              "file;id;group;reference_ef\r\na b.nii;07;x;61,5\r\nc.nii;8;y;55\r\n;;;\r\n",
              {semicolons}},
             {"excel.csv",
              "sep=;\nfile;id;group;reference_ef\na b.nii;07;x;61,5\nc.nii;8;y;55\n",
              {}},
             {"quotes.csv",
              "\"file\";\"id\";\"group\";\"reference_ef\"\n\"a b.nii\";\"07\"; \"x\" "
              ";\"61,5\"\n\"c.nii\";\"8\";\"y\";\"55\"\n",
              {semicolons}},
             {"quotes.tsv",
              "\"file\"\t\"id\"\t\"group\"\treference_ef\n\"a "
              "b.nii\"\t07\tx\t61.5\nc.nii\t8\ty\t55\n",
              {}},
             {"trailing.csv",
              "file;id;group;reference_ef;\na b.nii;07;x;61,5;\nc.nii;8;y;55;;;\n\n;;;;\n",
              {semicolons}}}) {
        const CohortCases found = table(writing.text, writing.name);
        ASSERT_THAT(ids(found), ElementsAre("sub-07", "sub-8")) << writing.name;
        EXPECT_EQ(found.cases[0].image, folder_ / "a b.nii") << writing.name;
        EXPECT_EQ(found.cases[0].group + found.cases[1].group, "xy") << writing.name;
        EXPECT_EQ(found.cases[0].references.at(0).second, 61.5) << writing.name;
        EXPECT_EQ(found.cases[1].references.at(0).second, 55) << writing.name;
        ASSERT_EQ(found.notes.size(), writing.notes.size())
            << writing.name << ::testing::PrintToString(found.notes);
        for (std::size_t i = 0; i < writing.notes.size(); ++i)
            EXPECT_EQ(found.notes[i], (folder_ / writing.name) + ": " + writing.notes[i]);
    }
}

TEST_F(Table, WithoutAKnownSeparatorSaysWhatItsHeadIs) {
    EXPECT_THAT(refusal("file id\na.nii 1\n"),
                HasSubstr("no column 'file'; a table of cases names the image of a case there"));
    EXPECT_THAT(refusal("file id\na.nii 1\n"), HasSubstr("Its head is 'file id'"));
    EXPECT_THAT(refusal("image;id\na.nii;1\n"), HasSubstr("Its head is 'image;id'"));
}

TEST_F(Table, ACellWithASeparatorNeedsQuotes) {
    EXPECT_THAT(refusal("file,id,seed\na.nii,1,35,-4,-2\n"),
                HasSubstr("line 2: has 5 cells, the head of the table 3; a cell that contains a "
                          "comma, as in 61,5 or a seed, stands in double quotes"));
    EXPECT_EQ(table("file,id,seed\na.nii,1,\"35,-4,-2\"\n").cases[0].seed, "35,-4,-2");
    EXPECT_EQ(table("file;id;seed\na.nii;1;35,-4,-2\n").cases[0].seed, "35,-4,-2");
    EXPECT_EQ(table("file,id,group\na.nii,1,5\" scar\n").cases[0].group, "5\" scar");
    EXPECT_EQ(table("file\tgroup\na.nii\t\"odd\n", "a.tsv").cases[0].group, "\"odd");
}

TEST_F(Table, ACommaThatMaySeparateThousandsIsNoDecimalComma) {
    EXPECT_THAT(refusal("file,reference_edv\na.nii,\"1,234\"\n"),
                HasSubstr("reference_edv is '1,234', which is no number; write it with a decimal "
                          "point"));
    EXPECT_EQ(table("file;reference_edv\na.nii;1,234\n").cases[0].references[0].second, 1.234);
    EXPECT_EQ(table("file,reference_ef\na.nii,\"0,615\"\n").cases[0].references[0].second, 0.615);
    EXPECT_THAT(refusal("file;reference_edv\na.nii;1.234,5\n"), HasSubstr("is no number"));
    EXPECT_THAT(refusal("file;reference_edv\na.nii;1,2,3\n"), HasSubstr("is no number"));
}

TEST_F(Table, AColumnTwiceIsRefused) {
    EXPECT_THAT(refusal("file,id,id\na.nii,1,2\n"),
                HasSubstr("line 1: the column 'id' is there twice"));
    EXPECT_THAT(refusal("file;group;group\na.nii;A;B\n"), HasSubstr("'group' is there twice"));
    EXPECT_THAT(ids(table("file,,id,\na.nii,,1,\n")), ElementsAre("sub-1"));
}

TEST_F(Table, ASpreadsheetIsNamedAsSuch) {
    put("cases.xlsx", "PK");
    try {
        findCases(folder_ / "cases.xlsx", folder_ / "out", {});
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("is a spreadsheet; save it as CSV in UTF-8"));
    }
    EXPECT_THAT(refusal("file\nM\xfcller.nii\n"), HasSubstr("saves it so as 'CSV UTF-8'"));
}

} // namespace
} // namespace systole
