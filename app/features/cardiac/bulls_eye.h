// The bull's-eye of a left ventricle as plain data: where its segments lie in the picture, and what
// they show. Panel and report draw the same one.
#pragma once

#include "app/features/cardiac/strain_run.h"
#include "render/base/colormaps.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// A place in the picture, whose outer circle has the radius 1 around 0; y upwards.
struct BullsEyePoint {
    double x = 0, y = 0;
};

/// Place of a segment in the picture. The ventricle is seen from the apex: apex in the middle, base
/// outside, anterior wall above, septum on the left (Cerqueira et al., Circulation 105 (2002)).
/// Levels are rings of equal width.
struct BullsEyeSector {
    int segment = 1;                  ///< number from 1
    double inner = 0, outer = 1;      ///< radii
    double fromDegrees = 0, span = 0; ///< counter-clockwise from the right

    BullsEyePoint middle() const; ///< center of its number; 0, 0 of a whole disc
    /// A polygon around it, the arcs in pieces of at most 3 degrees; the last point isn't the first
    /// again. Of a whole ring or disc the circle outside.
    std::vector<BullsEyePoint> outline() const;
    /// Parallel lines over it, rising to the right, pairs of ends; none through the box around
    /// middle() of that half width and half height, where its number stands.
    std::vector<std::array<BullsEyePoint, 2>> hatching(BullsEyePoint number = {}) const;
    /// True if a place lies in the sector.
    bool contains(BullsEyePoint place) const;
};
/// Sectors of all segments, by number.
std::vector<BullsEyeSector> bullsEyeSectors(cardiac::AhaModel model);
/// Number of the segment at a place; 0: none.
int bullsEyeSegmentAt(cardiac::AhaModel model, BullsEyePoint place);

/// A quantity that a bull's-eye can show.
struct BullsEyeQuantity {
    const char* name;  ///< "longitudinal"
    const char* title; ///< "longitudinal strain"
    const char* unit;
    int decimals; ///< decimals of the numbers in the segments
    /// The colors reach from −limit to limit; 0: from 0 to the last frame's time, unsigned.
    double limit;
    /// Meaning of the sign of a signed quantity: what is red; null: positive values are red.
    const Contraction* contraction;
    /// Value of segment s + 1 at index t in the list of frames; NaN: unknown.
    double (*value)(const StrainOutcome& outcome, std::size_t t, std::size_t s);
    bool ofCycle; ///< the value is the same for each frame
    /// Columns of the value in segmentsCsv(), and of wholeWall() in curvesCsv(); empty: none.
    const char *column, *wholeColumn;
    /// Direction of strain, 0 to 2 as in cardiac::Directions; -1: the quantity isn't a strain's.
    int direction;

    bool isSigned() const { return limit > 0; }
};
std::span<const BullsEyeQuantity> bullsEyeQuantities();
/// Throws std::out_of_range for an unknown name.
const BullsEyeQuantity& bullsEyeQuantity(const std::string& name);
/// Quantity whose curve over time is shown for this one: itself, or, for a time to peak, the strain
/// with that peak.
const BullsEyeQuantity& curveOf(const BullsEyeQuantity& quantity);
/// True if the value's standard error exceeds the outcome's bound; the segment is then hatched. Of
/// a time to peak the error of the strain in the frame shown counts.
bool isHatched(const BullsEyeQuantity& quantity, const StrainOutcome& outcome, std::size_t t,
               const BullsEyeSector& sector);
/// Counterpart of `value` for the whole wall: GLS, GCS or GRS, or the twist; percent, degrees.
double wholeWall(const BullsEyeQuantity& quantity, const StrainOutcome& outcome, std::size_t t);
/// The values at the ends of the colors.
struct BullsEyeRange {
    double low = 0, high = 1;
};
BullsEyeRange rangeOf(const BullsEyeQuantity& quantity, const StrainOutcome& outcome);
/// Both ends of that range for a legend: "-30 shortens", "30 % lengthens".
struct BullsEyeEnds {
    std::string low, high;
};
BullsEyeEnds endsOf(const BullsEyeQuantity& quantity, BullsEyeRange range);
/// Place of a value in its color map, 0 to 1: the diverging one of signed quantities, 1 being its
/// red end; a sequential one of others. NaN stays NaN.
double colorPlace(const BullsEyeQuantity& quantity, BullsEyeRange range, double value);
Color colorOf(const BullsEyeQuantity& quantity, double place); ///< `place` from 0 to 1
bool isDark(Color color);                                      ///< text on it is white
/// "-18"; "–" for NaN. Rounded, 0 has no sign.
std::string figureText(double value, int decimals);

} // namespace systole
