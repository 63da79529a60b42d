#include "render/base/colormaps.h"
#include "render/color_bar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace systole {
namespace {

/// CIE lightness of an sRGB color, 0–100.
double lightness(Color c) {
    const auto linear = [](float v) {
        const double x = static_cast<double>(v);
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(ColorMaps, SequentialMapsGrowSteadilyLighter) {
    for (const ColorMap map :
         {ColorMap::Viridis, ColorMap::Cividis, ColorMap::Gray, ColorMap::Rocket}) {
        double before = -1;
        for (int i = 0; i <= 200; ++i) {
            const double now = lightness(colorAt(map, i / 200.0));
            EXPECT_GT(now, before - 0.05) << name(map) << " at " << i / 200.0;
            before = std::max(before, now);
        }
        EXPECT_GT(lightness(colorAt(map, 1)) - lightness(colorAt(map, 0)), 55) << name(map);
    }
}

TEST(ColorMaps, ASecondQuantityNeverHasTheColorsOfTheFirst) {
    for (const ColorMap first : colorMaps) {
        const ColorMap landmarks = beside(first, ColorMap::Rocket),
                       distance = beside(first, ColorMap::Cividis);
        EXPECT_NE(landmarks, first);
        EXPECT_NE(distance, first);
        EXPECT_NE(landmarks, distance);
    }
}

TEST(ColorMaps, ViridisHasItsPublishedEndsAndMiddle) {
    const auto hex = [](double t) {
        const Color c = colorAt(ColorMap::Viridis, t);
        char text[8];
        std::snprintf(text, sizeof text, "%02x%02x%02x",
                      static_cast<unsigned>(std::lround(c.red * 255)),
                      static_cast<unsigned>(std::lround(c.green * 255)),
                      static_cast<unsigned>(std::lround(c.blue * 255)));
        return std::string(text);
    };
    EXPECT_EQ(hex(0), "440154");
    EXPECT_EQ(hex(1), "fde725");
    // Entry 128 of 256 is 21918c; between the anchors one step of 255 is allowed.
    const Color middle = colorAt(ColorMap::Viridis, 128 / 255.0);
    EXPECT_NEAR(middle.red * 255, 0x21, 1.5);
    EXPECT_NEAR(middle.green * 255, 0x91, 1.5);
    EXPECT_NEAR(middle.blue * 255, 0x8c, 1.5);
}

TEST(ColorMaps, DivergingIsNeutralAtItsCenterAndEquallyLightOnBothSides) {
    const Color center = colorAt(ColorMap::Diverging, 0.5);
    EXPECT_NEAR(center.red, center.green, 1e-3f);
    EXPECT_NEAR(center.green, center.blue, 1e-3f);
    for (const double t : {0.1, 0.25, 0.4})
        EXPECT_NEAR(lightness(colorAt(ColorMap::Diverging, 0.5 - t)),
                    lightness(colorAt(ColorMap::Diverging, 0.5 + t)), 6)
            << t;
    EXPECT_GT(colorAt(ColorMap::Diverging, 0).blue, colorAt(ColorMap::Diverging, 0).red);
    EXPECT_GT(colorAt(ColorMap::Diverging, 1).red, colorAt(ColorMap::Diverging, 1).blue);
}

TEST(ColorMaps, ValuesOutsideAreTheEnds) {
    for (const ColorMap map : colorMaps) {
        EXPECT_EQ(colorAt(map, -3), colorAt(map, 0));
        EXPECT_EQ(colorAt(map, 7), colorAt(map, 1));
        const auto table = colorTable(map, 256);
        ASSERT_EQ(table.size(), 256u);
        EXPECT_EQ(table.front(), colorAt(map, 0));
        EXPECT_EQ(table.back(), colorAt(map, 1));
    }
}

TEST(ColorBar, TicksRunFromZeroToTheMaximumInEqualRoundSteps) {
    for (const double maximum : {0.05, 0.3, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 150.0}) {
        const auto ticks = colorBarTicks(maximum);
        ASSERT_GE(ticks.size(), 4u) << maximum;
        ASSERT_LE(ticks.size(), 6u) << maximum;
        EXPECT_EQ(ticks.front().label, "0");
        EXPECT_DOUBLE_EQ(std::stod(ticks.back().label), maximum);
        for (const ColorBarTick& tick : ticks)
            EXPECT_NEAR(std::stod(tick.label), tick.part * maximum, 1e-9 + 1e-6 * maximum);
    }
}

TEST(ColorBar, SmallLengthsAreReadInSmallUnits) {
    EXPECT_STREQ(lengthUnit(4).name, "mm");
    EXPECT_STREQ(lengthUnit(0.02).name, "mm");
    EXPECT_STREQ(lengthUnit(2e-3).name, "µm");
    EXPECT_STREQ(lengthUnit(1.5e-6).name, "nm");
    for (const double maximum : {4.0, 0.02, 2e-3, 1.5e-6, 3e-5}) {
        const double shown = maximum / lengthUnit(maximum).millimeters;
        EXPECT_EQ(colorBarTicks(shown).back().label.find('e'), std::string::npos) << maximum;
    }
}

TEST(ColorBar, RangesBeginWithTheLowestValue) {
    const auto range = [](const char* bottom, const char* top, const char* unit) {
        ColorScale scale;
        scale.unit = unit;
        scale.ticks = {{0, bottom}, {1, top}};
        return rangeText(scale);
    };
    EXPECT_EQ(range("0", "12", "mm"), "0–12 mm");
    EXPECT_EQ(range("-0.2", "0.2", ""), "-0.2 to 0.2");
    EXPECT_EQ(range("30", "-30", "%"), "-30 to 30 %"); // shortening is red, on top
}

TEST(ColorBar, SenselessMaximaGiveABarOfOne) {
    for (const double maximum : {0.0, -2.0, std::nan(""), HUGE_VAL})
        EXPECT_EQ(colorBarTicks(maximum).back().label, "1");
}

} // namespace
} // namespace systole
