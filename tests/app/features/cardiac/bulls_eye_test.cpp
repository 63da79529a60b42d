// The bull's-eye: its segments lie where the AHA's do, seen from the apex.
#include "app/features/cardiac/bulls_eye.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace systole {
namespace {

using cardiac::AhaModel;

constexpr AhaModel models[] = {AhaModel::Sixteen, AhaModel::Seventeen, AhaModel::Eighteen};
/// The ventricle's angle 0, the anterior insertion of the right ventricle, lies between segments 1
/// and 2 of the picture.
constexpr double insertionDegrees = 120;

BullsEyePoint at(double radius, double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

double areaOf(const std::vector<BullsEyePoint>& polygon) {
    double twice = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const BullsEyePoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        twice += a.x * b.y - a.y * b.x;
    }
    return std::abs(twice) / 2;
}

TEST(BullsEye, AnglesAboutTheLongAxisAreThoseOfThePicture) {
    for (const AhaModel model : models) {
        const double ring = model == AhaModel::Seventeen ? 0.25 : 1.0 / 3;
        for (int whole = 0; whole < 360; whole += 7) {
            const double degrees = whole + 0.5; // never on a border
            const auto shown = [&](double radius) {
                return bullsEyeSegmentAt(model, at(radius, degrees + insertionDegrees));
            };
            EXPECT_EQ(shown(1 - 0.5 * ring), cardiac::ahaSegment(0.8, degrees, model)) << degrees;
            EXPECT_EQ(shown(1 - 1.5 * ring), cardiac::ahaSegment(0.5, degrees, model)) << degrees;
            EXPECT_EQ(shown(1 - 2.5 * ring), cardiac::ahaSegment(0.1, degrees, model)) << degrees;
        }
    }
    EXPECT_EQ(bullsEyeSegmentAt(AhaModel::Seventeen, {0.01, -0.02}), 17);
}

TEST(BullsEye, HatchingCoversASectorAndNothingElse) {
    for (const BullsEyeSector& sector : bullsEyeSectors(AhaModel::Seventeen)) {
        const auto lines = sector.hatching();
        ASSERT_GT(lines.size(), 3u);
        double length = 0;
        for (const auto& [from, to] : lines) {
            for (const BullsEyePoint& p : {from, to})
                EXPECT_TRUE(sector.contains(p)) << sector.segment;
            EXPECT_NEAR(to.y - from.y, to.x - from.x, 1e-9);
            length += std::hypot(to.x - from.x, to.y - from.y);
        }
        // Lines 0.055 apart, as far as they are long, cover the sector.
        EXPECT_NEAR(0.055 * length / areaOf(sector.outline()), 1, 0.15) << sector.segment;
    }
}

TEST(BullsEye, HatchingLeavesTheNumberFree) {
    constexpr BullsEyePoint number{0.12, 0.06};
    for (const BullsEyeSector& sector : bullsEyeSectors(AhaModel::Seventeen)) {
        const BullsEyePoint at = sector.middle();
        std::size_t points = 0;
        for (const auto& [from, to] : sector.hatching(number))
            for (int i = 0; i <= 10; ++i, ++points) {
                const BullsEyePoint p{from.x + (to.x - from.x) * i / 10,
                                      from.y + (to.y - from.y) * i / 10};
                EXPECT_FALSE(std::abs(p.x - at.x) < number.x - 1e-9 &&
                             std::abs(p.y - at.y) < number.y - 1e-9)
                    << sector.segment;
            }
        EXPECT_GT(points, 30u) << "beside the number it is hatched";
    }
}

TEST(BullsEye, AnteriorIsAboveAndTheSeptumOnTheLeft) {
    EXPECT_EQ(bullsEyeSegmentAt(AhaModel::Seventeen, {0, 0.9}), 1);
    EXPECT_EQ(bullsEyeSegmentAt(AhaModel::Seventeen, {0, -0.9}), 4);
    EXPECT_EQ(bullsEyeSegmentAt(AhaModel::Seventeen, {-0.4, 0}), 14); // apical septal
    EXPECT_EQ(bullsEyeSegmentAt(AhaModel::Seventeen, {0.4, 0}), 16);  // apical lateral
    EXPECT_EQ(bullsEyeSegmentAt(AhaModel::Seventeen, {0.8, 0.7}), 0); // a point outside
}

TEST(BullsEye, SectorsCoverTheDiscOnceAndHaveTheirNumbersInside) {
    for (const AhaModel model : models) {
        const auto sectors = bullsEyeSectors(model);
        ASSERT_EQ(sectors.size(), static_cast<std::size_t>(cardiac::ahaSegments(model)));
        double area = 0;
        for (const BullsEyeSector& sector : sectors) {
            area += areaOf(sector.outline());
            EXPECT_EQ(bullsEyeSegmentAt(model, sector.middle()), sector.segment);
        }
        EXPECT_NEAR(area, std::numbers::pi, 0.01);
    }
}

TEST(BullsEye, ContractionIsRedInEachDirection) {
    const StrainOutcome none;
    const auto placeOf = [&](const char* name, double value) {
        const BullsEyeQuantity& quantity = bullsEyeQuantity(name);
        return colorPlace(quantity, rangeOf(quantity, none), value);
    };
    EXPECT_DOUBLE_EQ(placeOf("longitudinal", -30), 1);
    EXPECT_DOUBLE_EQ(placeOf("longitudinal", 15), 0.25);
    EXPECT_DOUBLE_EQ(placeOf("circumferential", 0), 0.5);
    EXPECT_DOUBLE_EQ(placeOf("radial", 600), 1);
    EXPECT_TRUE(std::isnan(placeOf("radial", std::numeric_limits<double>::quiet_NaN())));
}

TEST(BullsEye, TheLegendSaysWhichEndContracts) {
    const auto endsOfQuantity = [](const char* name) {
        const BullsEyeQuantity& quantity = bullsEyeQuantity(name);
        return endsOf(quantity, rangeOf(quantity, {}));
    };
    EXPECT_EQ(endsOfQuantity("longitudinal").low, "-30 shortens");
    EXPECT_EQ(endsOfQuantity("longitudinal").high, "30 % lengthens");
    EXPECT_EQ(endsOfQuantity("radial").low, "-60 thins");
    EXPECT_EQ(endsOfQuantity("radial").high, "60 % thickens");
    EXPECT_EQ(endsOfQuantity("rotation").low, "-15.0");
}

TEST(BullsEye, FiguresHaveNoNegativeZero) {
    EXPECT_EQ(figureText(-0.3, 0), "0");
    EXPECT_EQ(figureText(-18.44, 1), "-18.4");
    EXPECT_EQ(figureText(std::numeric_limits<double>::quiet_NaN(), 0), "–");
}

TEST(BullsEye, UnknownNamesAreRefused) {
    EXPECT_THROW(bullsEyeQuantity("torsion"), std::out_of_range);
}

} // namespace
} // namespace systole
