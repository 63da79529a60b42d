// Lines of the panels: where they break.
#include "app/base/units.h"
#include "app/kit/line_breaks.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

/// Lines of a text whose letters are all one wide.
std::string broken(std::string_view text, float width) {
    return brokenLines(text, width,
                       [](std::string_view part) { return static_cast<float>(part.size()); });
}

TEST(LineBreaks, LinesAreAsLongAsTheyCanBe) {
    EXPECT_EQ(broken("one two three four", 9), "one two\nthree\nfour");
    EXPECT_EQ(broken("one two three four", 10), "one two\nthree four");
    EXPECT_EQ(broken("one two", 7), "one two");
    EXPECT_EQ(broken("", 7), "");
}

TEST(LineBreaks, ANumberKeepsItsDecimalsAndItsUnit) {
    EXPECT_EQ(broken("takes " + quantity("2.96", "ms"), 12), "takes\n2.96\u00a0ms");
    EXPECT_EQ(broken("takes " + quantity("2.96", "ms"), 7), "takes\n2.96\u00a0ms");
    EXPECT_EQ(broken("blocks of 256 threads", 13), "blocks of 256\nthreads");
}

TEST(LineBreaks, BreaksThatAreThereStayAndLongWordsStandAlone) {
    EXPECT_EQ(broken("one\ntwo three", 9), "one\ntwo three");
    EXPECT_EQ(broken("a verylongword b", 6), "a\nverylongword\nb");
}

TEST(LineBreaks, OfALongPathTheNameIsSeen) {
    EXPECT_EQ(broken("/very/long/path: none b", 16), "/very/long/path:\nnone b");
    EXPECT_EQ(broken("/very/long/path: none b", 14), "…/long/path:\nnone b");
    EXPECT_EQ(broken("/very/long/path: none b", 10), "…/path:\nnone b");
    EXPECT_EQ(broken("a /very/long/path b", 6), "a\n…ath\nb");
    EXPECT_EQ(broken("/a/über.nii", 10), "…ber.nii") << "no half of a letter";
}

} // namespace
} // namespace systole
