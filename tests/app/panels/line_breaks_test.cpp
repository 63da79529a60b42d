// Lines of the panels: where they break.
#include "app/panels/line_breaks.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

/// As if every letter were one wide.
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
    EXPECT_EQ(broken("takes 2.96 ms", 11), "takes\n2.96 ms");
    EXPECT_EQ(broken("takes 2.96 ms", 7), "takes\n2.96 ms");
    EXPECT_EQ(broken("at (12.5 GB/s), 3 % of it", 16), "at (12.5 GB/s),\n3 % of it");
    EXPECT_EQ(broken("at (12.5 GB/s), 3 % of it", 12), "at\n(12.5 GB/s),\n3 % of it");
    EXPECT_EQ(broken("in 8 ms; or 9 s.", 8), "in 8 ms;\nor 9 s.");
    // No unit: what is counted may stand on the next line.
    EXPECT_EQ(broken("blocks of 256 threads", 13), "blocks of 256\nthreads");
}

TEST(LineBreaks, BreaksThatAreThereStayAndLongWordsStandAlone) {
    EXPECT_EQ(broken("one\ntwo three", 9), "one\ntwo three");
    EXPECT_EQ(broken("a /very/long/path b", 6), "a\n/very/long/path\nb");
}

TEST(LineBreaks, FirmSpacesAreBetweenNumbersAndUnitsAlone) {
    EXPECT_EQ(withFirmSpaces("a 2.96 ms, 4 % of 200 threads"),
              "a 2.96\u00a0ms, 4\u00a0% of 200 threads");
}

} // namespace
} // namespace systole
