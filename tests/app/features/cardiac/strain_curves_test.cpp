// Tables of strain read back: what they hold, and what isn't one.
#include "app/features/cardiac/strain_curves.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class StrainCurvesTest : public ::testing::Test {
protected:
    StrainCurves read(const std::string& text) {
        testing::writeText(folder_ / "t.csv", text);
        return readStrainCurves(folder_ / "t.csv");
    }
    void expectRefused(const std::string& text, const std::string& line, const std::string& what) {
        EXPECT_THAT([&] { read(text); },
                    ThrowsMessage<FileError>(AllOf(HasSubstr("t.csv: " + line), HasSubstr(what))));
    }
    testing::TemporaryFolder folder_;
};

TEST_F(StrainCurvesTest, AreByColumnSegmentAndFrame) {
    const StrainCurves segments =
        read("# notice\nframe,time_ms,segment,name,radial_percent\n"
             "3,0,1,basal anterior,1\n3,0,2,basal,2.5\n0,40,1,,-3\r\n0,40,2,,\n");
    EXPECT_TRUE(segments.ofSegments);
    EXPECT_EQ(segments.name, "t.csv");
    EXPECT_THAT(segments.frame, ElementsAre(3, 0));
    EXPECT_THAT(segments.milliseconds, ElementsAre(0, 40));
    ASSERT_EQ(segments.of.at("radial_percent").size(), 2u);
    EXPECT_THAT(segments.of.at("radial_percent")[0], ElementsAre(1, -3));
    EXPECT_EQ(segments.of.at("radial_percent")[1][0], 2.5);
    EXPECT_TRUE(std::isnan(segments.of.at("radial_percent")[1][1]));
    const StrainCurves whole = read("frame,time_ms,gls_percent\n0,,0\n1,,-5\n");
    EXPECT_FALSE(whole.ofSegments);
    EXPECT_TRUE(std::isnan(whole.milliseconds[1]));
    EXPECT_THAT(whole.of.at("gls_percent")[0], ElementsAre(0, -5));
}

TEST_F(StrainCurvesTest, WhatIsNoTableIsRefusedWithItsLine) {
    expectRefused("", "line 0", "ends before");
    expectRefused("a,b\n1,2\n", "line 1", "frame and time_ms");
    expectRefused("frame,time_ms,gls_percent\n0,0\n", "line 2", "expected 3 cells, found 2");
    expectRefused("frame,time_ms,gls_percent\n0,0,x\n", "line 2", "no number");
    const std::string head = "frame,time_ms,segment\n";
    expectRefused(head + "0,0,2\n", "line 2", "expected segment 1");
    expectRefused(head + "0,0,1\n0,0,2\n1,1,1\n", "line 4", "ends before");
    expectRefused(head + "0,0,1\n0,0,2\n1,1,1\n2,2,1\n", "line 5", "the first one 2");
    EXPECT_THAT([] { readStrainCurves("/nowhere.csv"); },
                ThrowsMessage<FileError>(HasSubstr("/nowhere.csv")));
}

} // namespace
} // namespace systole
