// The caption below a picture.
#include "render/caption.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

RgbaImage gray(int width, int height) {
    RgbaImage image;
    image.width = width;
    image.height = height;
    image.pixels.assign(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                        120);
    return image;
}

int brightPixels(const RgbaImage& image, int fromX, int toX, int fromY) {
    int count = 0;
    for (int y = fromY; y < image.height; ++y)
        for (int x = fromX; x < toX; ++x)
            count += image.at(x, y)[0] > 140;
    return count;
}

TEST(Caption, IsAddedBelowAndLeavesThePictureAsItIs) {
    const RgbaImage picture = gray(500, 60);
    const RgbaImage with = withCaption(picture, {"ball.nii.gz", "frame 3 of 0–24"}, 1);
    EXPECT_EQ(with.width, 500);
    EXPECT_GT(with.height, 75);
    EXPECT_TRUE(std::equal(picture.pixels.begin(), picture.pixels.end(), with.pixels.begin()));
    EXPECT_GT(brightPixels(with, 0, 250, 60), 150);
    EXPECT_EQ(brightPixels(with, 300, 500, 60), 0); // short texts stay at the left
    EXPECT_EQ(withCaption(picture, {"ball.nii.gz", "frame 3 of 0–24"}, 1).pixels, with.pixels);
}

TEST(Caption, BreaksIntoTheLinesThatItNeeds) {
    const std::vector<std::string> parts{"a file", "frame 3", "120 ms", "motion 3 to 4", "clg"};
    const int one = withCaption(gray(900, 10), parts, 1).height;
    const int several = withCaption(gray(150, 10), parts, 1).height;
    EXPECT_GT(several, one + 18);
    // A word that is wider than the picture is broken, too: nothing is cut off.
    const RgbaImage narrow = withCaption(gray(90, 10), {std::string(60, 'w')}, 1);
    EXPECT_GT(narrow.height, one + 18);
    EXPECT_EQ(brightPixels(narrow, 86, 90, 10), 0);
    EXPECT_GT(withCaption(gray(1, 1), {"äöü"}, 1).height, 1);
    EXPECT_EQ(withCaption(gray(50, 10), {}, 1).width, 50);
}

TEST(Caption, GrowsWithThePixelRatio) {
    const int once = withCaption(gray(900, 10), {"frame 3"}, 1).height - 10;
    const int twice = withCaption(gray(900, 10), {"frame 3"}, 2).height - 10;
    EXPECT_NEAR(twice, 2 * once, 2);
}

TEST(Caption, UnitsAndDashesHaveSigns) {
    // A sign that the font lacks would leave nothing, or the same box for all.
    const auto drawn = [](const char* text) { return withCaption(gray(200, 1), {text}, 2).pixels; };
    EXPECT_NE(drawn("µ"), drawn(" "));
    EXPECT_NE(drawn("–"), drawn(" "));
    EXPECT_NE(drawn("·"), drawn(" "));
    EXPECT_NE(drawn("µ"), drawn("·"));
    // Missing characters are drawn as question marks.
    EXPECT_EQ(drawn("3心→4"), drawn("3??4"));
    EXPECT_EQ(drawn("3\xff\xe5"), drawn("3??")); // no characters at all
}

} // namespace
} // namespace systole
