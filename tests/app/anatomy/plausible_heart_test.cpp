// Messages about chambers and walls that are implausible.
#include "app/anatomy/plausible_heart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PlausibleHeart, HeartsOfMenAndOfAFetusAreLikely) {
    EXPECT_THAT(implausible(120, 130), IsEmpty());
    EXPECT_THAT(implausible(50, 130), IsEmpty());
    EXPECT_THAT(implausible(1.5, 1.8), IsEmpty());
}

TEST(PlausibleHeart, SaysWithNumbersWhatIsUnlikely) {
    EXPECT_THAT(implausible(60, 6), HasSubstr("0.1 times"));
    EXPECT_THAT(implausible(450, 200), HasSubstr("450 ml"));

    EXPECT_THAT(implausible(110, 200), IsEmpty());
    EXPECT_THAT(implausible(110, 0), IsEmpty()) << "no wall was looked for";
    EXPECT_THAT(implausible(450, 0), HasSubstr("450 ml"));
    EXPECT_THAT(implausible(200, 700), HasSubstr("about 24 mm"));
}

TEST(PlausibleHeart, AClickInAWallOrThroughAGapIsSaid) {
    EXPECT_THAT(doubtOf({53, 0.95, false}), IsEmpty());
    EXPECT_THAT(doubtOf({10, 0.95, false}), HasSubstr("10.0 ml"));
    EXPECT_THAT(doubtOf({90, 0.75, false}), HasSubstr("75 %"));
    EXPECT_THAT(doubtOf({53, 0.99, true}), HasSubstr("gap"));
    // A click in the wall may leak, too: the size says more.
    EXPECT_THAT(doubtOf({10, 0.75, true}), HasSubstr("10.0 ml"));
}

TEST(PlausibleHeart, AWallThatGainsAFifthOverTheCycleIsSaid) {
    const std::vector<VolumeInFrame> steady{{0, 98.2}, {1, 0}, {2, 107.3}},
        unsteady{{0, 100}, {1, 0}, {5, 120}};
    EXPECT_THAT(unsteadyWall({}), IsEmpty());
    EXPECT_THAT(unsteadyWall(steady), IsEmpty());
    EXPECT_THAT(unsteadyWall(unsteady), AllOf(HasSubstr("100.0 ml in frame 0"),
                                              HasSubstr("120.0 ml in frame 5"), HasSubstr("20 %")));
}

} // namespace
} // namespace systole
