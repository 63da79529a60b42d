// The one form of notes.
#include "app/cli/note_text.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(NoteText, IsOneClauseOrSentencesFromASmallLetterOn) {
    EXPECT_EQ(noteText("The motion folds 3 % of the wall."), "the motion folds 3 % of the wall");
    EXPECT_EQ(noteText("the apex was found from the labels"), "the apex was found from the labels");
    EXPECT_EQ(noteText("Frame 0 has no map. End systole: frame 2."),
              "frame 0 has no map. End systole: frame 2.");
    EXPECT_EQ(noteText("DICOM states no time"), "DICOM states no time");
    EXPECT_EQ(noteText("and 3 more ..."), "and 3 more ...");
    EXPECT_EQ(noteText(""), "");
}

} // namespace
} // namespace systole
