// Doubts about labels: some hold only as long as the labels are those that were found, others
// follow from the volumes, whoever made the labels.
#include "app/anatomy/label_doubts.h"
#include "compute/surface/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace systole {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LabelDoubtsTest : public ::testing::Test {
protected:
    // A milliliter is 125 voxels.
    void SetUp() override { labels.reset(Geometry({50, 50, 50}, {2, 2, 2}), 4); }

    void label(int frame, double chamber, double wall = 0) {
        LabelMap map(labels.grid().voxels());
        const auto blood = static_cast<std::size_t>(125 * chamber),
                   muscle = static_cast<std::size_t>(125 * wall);
        std::fill_n(map.begin(), blood, chamberLabel);
        std::fill_n(map.begin() + static_cast<std::ptrdiff_t>(blood), muscle, wallLabel);
        labels.begin("segmentation");
        labels.replace(frame, std::move(map));
        labels.end();
        doubts.follow(labels);
    }
    void find(int frame, double chamber, const std::string& doubt = {}) {
        label(frame, chamber);
        doubts.found(frame, chamber, doubt);
    }

    LabelHistory labels;
    LabelDoubts doubts;
};

TEST_F(LabelDoubtsTest, WhatWasFoundIsDoubtedUntilItIsCorrectedAndAgainWhenThatIsUndone) {
    doubts.begin(1);
    find(1, 100, "the contour may have leaked");
    EXPECT_EQ(doubts.ofFinding(), "Frame 1: the contour may have leaked.");
    EXPECT_THAT(doubts.all(), Contains("Frame 1: the contour may have leaked."));
    label(1, 101);
    EXPECT_NE(doubts.ofFinding(), "") << "touched, not corrected";
    const int before = labels.position();
    label(1, 80);
    EXPECT_EQ(doubts.ofFinding(), "");
    EXPECT_THAT(doubts.all(), IsEmpty());
    labels.moveTo(before);
    doubts.follow(labels);
    EXPECT_NE(doubts.ofFinding(), "");
    find(2, 100, "so may this one");
    EXPECT_THAT(doubts.ofFinding(), HasSubstr("Frame 1: the contour may have leaked; 1 other "
                                              "frame is to be looked at"));
    doubts.begin(3);
    EXPECT_EQ(doubts.ofFinding(), "") << "of the run before";
}

TEST_F(LabelDoubtsTest, AChamberThatGrowsByMoreThanAHeartFillsIsDoubted) {
    doubts.begin(0);
    find(0, 100);
    find(1, 60);
    find(2, 80); // 33 % more
    EXPECT_EQ(doubts.ofFinding(), "");
    find(3, 112);
    EXPECT_THAT(doubts.ofFinding(),
                HasSubstr("Frame 3: the chamber is 40 % larger than in frame 2"));
}

TEST_F(LabelDoubtsTest, FramesThatWereFoundFromASmallChamberAreDoubted) {
    const auto findAllFrom = [&](int first) {
        doubts.begin(first);
        int frame = 0;
        for (const double milliliters : {100.0, 80.0, 40.0, 96.0})
            find(frame++, milliliters);
    };
    findAllFrom(2);
    EXPECT_EQ(doubts.origin(), 2);
    EXPECT_THAT(doubts.all(), Contains(HasSubstr("found from frame 2, where the chamber has "
                                                 "40.0 ml, against 100.0 ml in frame 0")));
    findAllFrom(1); // halfway
    EXPECT_THAT(doubts.all(), Contains(HasSubstr("found from frame 1")));
    findAllFrom(3);
    EXPECT_EQ(doubts.origin(), 3);
    EXPECT_THAT(doubts.all(), IsEmpty());
    // Each for itself: none has an origin.
    for (const int frame : {0, 1, 2, 3}) {
        doubts.begin(frame);
        find(frame, 60);
    }
    EXPECT_EQ(doubts.origin(), std::nullopt);
}

TEST_F(LabelDoubtsTest, VolumesThatAHeartCannotHaveAreDoubtedWhoeverLabelledThem) {
    label(0, 100, 5);
    label(1, 100, 110);
    EXPECT_THAT(doubts.all(), Contains(HasSubstr("Frame 0: a wall of 5.0 ml")));
    EXPECT_THAT(doubts.all(), Contains(HasSubstr("muscle can't be compressed")));
    label(0, 100, 110);
    EXPECT_THAT(doubts.all(), IsEmpty());
    label(1, 450); // no wall: the chamber is judged alone
    EXPECT_THAT(doubts.all(), Contains(HasSubstr("450 ml is larger")));
}

} // namespace
} // namespace systole
