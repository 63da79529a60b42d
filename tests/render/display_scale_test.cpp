// The scale of colors and arrows, the place of the legend, and what a cut leaves: plain
// mathematics.
#include "render/cut.h"
#include "render/display_scale.h"
#include "render/legend.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace systole {
namespace {

const Geometry grid({100, 80, 60}, {1, 1, 2});

TEST(DisplayScale, FollowsTheMotionOfTheSequence) {
    const DisplayScale scale = automaticScale(1.3, grid);
    EXPECT_DOUBLE_EQ(scale.motion, 1.5);
    EXPECT_DOUBLE_EQ(scale.difference, 0.3);
    EXPECT_DOUBLE_EQ(scale.rest, 0.05);
    EXPECT_DOUBLE_EQ(scale.rounding, 0.01);
    // The longest side is 120 mm: an arrow of 1.5 mm is drawn with at most 10 mm.
    EXPECT_DOUBLE_EQ(scale.arrows, 6);
    EXPECT_DOUBLE_EQ(scale.grid(), 6);
    EXPECT_DOUBLE_EQ(DisplayScale{.arrows = 0.5}.grid(), 1) << "never less than there is";
}

TEST(DisplayScale, NeverMagnifiesRest) {
    for (const double range : {1e-9, 1e-3, 0.049, 0.05}) {
        const DisplayScale scale = automaticScale(range, grid);
        EXPECT_GE(scale.motion, restVoxels * 1);
        EXPECT_EQ(scale, automaticScale(1e-9, grid)) << range;
    }
}

TEST(DisplayScale, IsFiniteForASequenceOfUnknownMotion) {
    for (const double range : {0.0, -1.0, std::nan(""), static_cast<double>(INFINITY)}) {
        const DisplayScale scale = automaticScale(range, grid);
        EXPECT_TRUE(scale.motion > 0 && std::isfinite(scale.motion));
        EXPECT_TRUE(scale.arrows > 0 && std::isfinite(scale.arrows));
    }
}

TEST(DisplayScale, TheUsersNumbersCount) {
    const DisplayScale automatic = automaticScale(1.3, grid);
    DisplayOptions display;
    EXPECT_EQ(scaleFor(display, automatic, 0.4), automatic);
    display.colorMaximum = 7;
    EXPECT_EQ(scaleFor(display, automatic, 0.4).motion, 7);
    EXPECT_EQ(scaleFor(display, automatic, 0.4).difference, automatic.difference);
    EXPECT_EQ(scaleFor(display, automatic, 0.4).rest, automatic.rest);
    display.colorMaximum = 0.01; // asked for: small motion is no rest
    EXPECT_LT(scaleFor(display, automatic, 0.4).rest, 0.01);
    display.roundingDifferences = true;
    EXPECT_DOUBLE_EQ(scaleFor(display, automatic, 0.0123).difference, 0.015);
    EXPECT_EQ(scaleFor(display, automatic, 0.0123).rounding, 0);
    display.differenceMaximum = 0.5;
    EXPECT_EQ(scaleFor(display, automatic, 0.0123).difference, 0.5);
}

TEST(DisplayScale, InNumbersItIsThatOfTheAutomaticOne) {
    // Locking the scale must not change the picture.
    for (const double range : {1e-6, 0.3, 5.0}) {
        const DisplayScale automatic = automaticScale(range, grid);
        DisplayOptions locked;
        locked.colorMaximum = automatic.motion;
        locked.differenceMaximum = automatic.difference;
        const DisplayScale numbers = scaleFor(locked, automaticScale(99, grid), 0);
        EXPECT_EQ(numbers.motion, automatic.motion);
        EXPECT_EQ(numbers.difference, automatic.difference);
        EXPECT_NEAR(numbers.rest, automatic.rest, 1e-12);
    }
}

TEST(RoundUp, GivesTheNextRoundNumber) {
    EXPECT_DOUBLE_EQ(roundUp(0.9), 1);
    EXPECT_DOUBLE_EQ(roundUp(1), 1);
    EXPECT_DOUBLE_EQ(roundUp(1.01), 1.5);
    EXPECT_DOUBLE_EQ(roundUp(3.2), 4);
    EXPECT_DOUBLE_EQ(roundUp(8.5), 10);
    EXPECT_NEAR(roundUp(0.0123), 0.015, 1e-12);
    EXPECT_EQ(roundUp(0), 0);
    EXPECT_EQ(roundUp(std::nan("")), 0);
}

TEST(RoundDown, GivesTheRoundNumberBelow) {
    EXPECT_DOUBLE_EQ(roundDown(1), 1);
    EXPECT_DOUBLE_EQ(roundDown(1.99), 1.5);
    EXPECT_DOUBLE_EQ(roundDown(4.9), 4);
    EXPECT_DOUBLE_EQ(roundDown(9.99), 8);
    EXPECT_DOUBLE_EQ(roundDown(10), 10);
    EXPECT_NEAR(roundDown(0.07), 0.06, 1e-12);
    EXPECT_EQ(roundDown(0), 0);
    EXPECT_EQ(roundDown(std::nan("")), 0);
}

TEST(LegendPlace, IsWithinItsQuarterOfTheView) {
    for (const double ratio : {1.0, 2.0})
        for (const LegendCorner corner : legendCorners)
            for (const double arrows : {0.0, 5.0})
                for (int width = 100; width < 1400; width += 37)
                    for (int height = 100; height < 900; height += 41) {
                        Legend legend;
                        legend.corner = corner;
                        legend.pixelRatio = ratio;
                        legend.arrowScale = arrows;
                        legend.above = 40 * ratio;
                        legend.millimetersPerPixel = 0.3;
                        const int w = static_cast<int>(ratio * width);
                        const int h = static_cast<int>(ratio * height);
                        const auto place = placeLegend(legend, w, h);
                        if (!place) {
                            EXPECT_TRUE(width < 150 || height < 300) << width << "×" << height;
                            continue;
                        }
                        const bool right =
                            corner == LegendCorner::BottomRight || corner == LegendCorner::TopRight;
                        const bool top =
                            corner == LegendCorner::TopLeft || corner == LegendCorner::TopRight;
                        EXPECT_GE(place->x, right ? 0.5 * w : 0);
                        EXPECT_LE(place->x + place->width, right ? w : 0.5 * w);
                        EXPECT_GE(place->y, top ? 0.5 * h : 0);
                        EXPECT_LE(place->y + place->height, top ? h - legend.above : 0.5 * h);
                        EXPECT_LE(place->arrowPixels, place->width);
                        EXPECT_EQ(cornerAt(place->x + 1, h - place->y - 1, w, h), corner);
                    }
}

TEST(LegendPlace, KeepsItsTextsWithinIt) {
    for (const double ratio : {1.0, 2.0}) {
        const TextWidth widthOf = [ratio](const std::string& text) {
            const std::size_t end = text.find('\n');
            const std::size_t first = std::min(end, text.size());
            return 7 * ratio * static_cast<double>(std::max(first, text.size() - first));
        };
        for (const auto& [caption, unit] :
             {std::pair("displacement", "mm"), std::pair("circumferential strain", "%"),
              std::pair("largest strain", ""), std::pair("|J|", "")})
            for (int width = 150; width < 900; width += 31) {
                SCOPED_TRACE(caption);
                Legend legend;
                legend.arrowScale = 25;
                legend.millimetersPerPixel = 3;
                legend.pixelRatio = ratio;
                legend.scale = ColorScale{ColorMap::Viridis, caption, unit, colorBarTicks(1)};
                const auto place = placeLegend(legend, static_cast<int>(ratio * width),
                                               static_cast<int>(ratio * 300), widthOf);
                if (!place)
                    continue;
                EXPECT_LE(widthOf(place->caption), place->width);
                EXPECT_LE(widthOf(place->arrowText), place->width);
                std::string whole = place->caption;
                std::ranges::replace(whole, '\n', ' ');
                if (width > 300) {
                    EXPECT_EQ(whole, unit[0] ? fmt::format("{} [{}]", caption, unit) : caption);
                }
            }
    }
}

TEST(LegendPlace, HasAnArrowOfARoundLength) {
    Legend legend;
    legend.arrowScale = 5;
    legend.millimetersPerPixel = 0.25; // 20 pixels per mm
    legend.maximum = 10;
    const auto place = placeLegend(legend, 600, 500);
    ASSERT_TRUE(place);
    EXPECT_DOUBLE_EQ(place->arrowMillimeters, 2);
    EXPECT_DOUBLE_EQ(place->arrowPixels, 40);
    legend.maximum = 1.4; // no motion is longer
    EXPECT_DOUBLE_EQ(placeLegend(legend, 600, 500)->arrowMillimeters, 1);
    legend.maximum = 0.1; // too short to be seen
    EXPECT_EQ(placeLegend(legend, 600, 500)->arrowMillimeters, 0);
    legend.arrowScale = 0;
    EXPECT_EQ(placeLegend(legend, 600, 500)->arrowMillimeters, 0);
}

TEST(LegendPlace, StaysBelowThePictureWhereThereIsRoom) {
    Legend legend;
    legend.maximum = 4;
    const double usual = placeLegend(legend, 600, 800)->height;
    legend.freeBeside = 20;
    legend.freeAlong = 170;
    EXPECT_LE(placeLegend(legend, 600, 800)->height, 170);
    EXPECT_GT(placeLegend(legend, 600, 800)->height, 130) << "it takes what is free";
    legend.freeAlong = 0;
    const auto over = placeLegend(legend, 600, 800);
    EXPECT_LT(over->height, 0.5 * usual) << "over the picture it is short";
    EXPECT_GE(over->barHeight, 34);
    legend.freeBeside = 200;
    EXPECT_EQ(placeLegend(legend, 600, 800)->height, usual) << "there is room beside the picture";
}

TEST(KeptBox, CutsTowardsTheObserverAndCropsFromTheSides) {
    const PhysicalBox whole{{-50, -40, -30}, {50, 40, 30}};
    DisplayOptions display;
    EXPECT_FALSE(keptBox(display, whole, {}, {0, -1, 0}));
    display.cutAway = true;
    const Vec3 crosshair{10, 5, -3};
    // Observer in front of the patient.
    auto kept = keptBox(display, whole, crosshair, {0.2, -0.9, 0.3});
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->low, (Vec3{-50, 5, -30}));
    EXPECT_EQ(kept->high, whole.high);
    display.cutPlane = CutPlane::Axial;
    kept = keptBox(display, whole, crosshair, {0.2, -0.9, 0.3}); // slightly from above
    EXPECT_EQ(kept->low, whole.low);
    EXPECT_EQ(kept->high, (Vec3{50, 40, -3}));
    display.cropRight = 10;
    display.cropLeft = 20;
    kept = keptBox(display, whole, crosshair, {0.2, -0.9, 0.3});
    EXPECT_EQ(kept->low, (Vec3{-40, -40, -30}));
    EXPECT_EQ(kept->high, (Vec3{30, 40, -3}));
}

TEST(KeptBox, IsNeverEmpty) {
    const PhysicalBox whole{{-50, -40, -30}, {50, 40, 30}};
    DisplayOptions display;
    display.cropRight = display.cropLeft = 95;
    display.cutAway = true;
    for (const Vec3 crosshair : {whole.low, whole.high}) {
        for (const CutPlane plane : cutPlanes) {
            display.cutPlane = plane;
            const auto kept = keptBox(display, whole, crosshair, {0.5, 0.6, 0.7});
            ASSERT_TRUE(kept);
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_GT(kept->high[axis], kept->low[axis]);
                EXPECT_GE(kept->low[axis], whole.low[axis]);
                EXPECT_LE(kept->high[axis], whole.high[axis]);
            }
        }
    }
}

} // namespace
} // namespace systole
