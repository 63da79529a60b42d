#include "app/features/cardiac/bulls_eye.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace systole {
namespace {

using cardiac::AhaModel;

BullsEyePoint polar(double radius, double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A level of `count` segments from `first`, the first of which is centered above.
void addRing(std::vector<BullsEyeSector>& sectors, int count, double inner, double outer) {
    const double span = 360.0 / count;
    for (int i = 0; i < count; ++i) {
        const int segment = static_cast<int>(sectors.size()) + 1;
        sectors.push_back({segment, inner, outer, 90 - span / 2 + i * span, span});
    }
}

template <int direction>
double strainIn(const StrainOutcome& outcome, std::size_t t, std::size_t s) {
    return 100 * outcome.measures.frames[t].segments[s].strain[direction];
}
template <int direction>
double timeToPeak(const StrainOutcome& outcome, std::size_t, std::size_t s) {
    return 1e3 * outcome.summary.segments[s][direction].seconds;
}
double rotationIn(const StrainOutcome& outcome, std::size_t t, std::size_t s) {
    return outcome.measures.frames[t].segments[s].rotation;
}

} // namespace

BullsEyePoint BullsEyeSector::middle() const {
    if (span >= 360 && inner == 0)
        return {};
    return polar((inner + outer) / 2, fromDegrees + span / 2);
}

std::vector<BullsEyePoint> BullsEyeSector::outline() const {
    const int pieces = static_cast<int>(std::ceil(span / 3));
    const bool whole = span >= 360;
    std::vector<BullsEyePoint> points;
    const auto along = [&](double radius, int i) {
        points.push_back(polar(radius, fromDegrees + span * i / pieces));
    };
    for (int i = 0; i < (whole ? pieces : pieces + 1); ++i)
        along(outer, i);
    if (whole)
        return points;
    if (inner == 0)
        points.push_back({});
    else
        for (int i = pieces; i >= 0; --i)
            along(inner, i);
    return points;
}

bool BullsEyeSector::contains(BullsEyePoint place) const {
    const double radius = std::hypot(place.x, place.y);
    const double degrees = std::atan2(place.y, place.x) * 180 / std::numbers::pi;
    const double turned = std::fmod(degrees - fromDegrees + 720, 360.0);
    return radius >= inner && radius < outer && turned < span;
}

std::vector<std::array<BullsEyePoint, 2>> BullsEyeSector::hatching(BullsEyePoint number) const {
    constexpr double apart = 0.055, step = 0.005; // fractions of the radius
    // Numbers of lines to either side and of steps along a line, which reach the disc's edge.
    constexpr int lines = 26, steps = 401;
    const double c = std::numbers::sqrt2 / 2;
    const BullsEyePoint at = middle();
    const auto isFree = [&](BullsEyePoint place) {
        return std::abs(place.x - at.x) >= number.x || std::abs(place.y - at.y) >= number.y;
    };
    std::vector<std::array<BullsEyePoint, 2>> hatching;
    for (int line = -lines; line <= lines; ++line) {
        bool inside = false;
        for (int i = 0; i < steps; ++i) {
            const double along = step * i - 1, across = apart * line;
            const BullsEyePoint place{c * (along - across), c * (along + across)};
            if (!contains(place) || !isFree(place)) {
                inside = false;
            } else if (inside) {
                hatching.back()[1] = place;
            } else {
                hatching.push_back({place, place});
                inside = true;
            }
        }
    }
    return hatching;
}

std::vector<BullsEyeSector> bullsEyeSectors(AhaModel model) {
    const bool cap = model == AhaModel::Seventeen;
    const double width = cap ? 1.0 / 4 : 1.0 / 3, mid = 1 - 2 * width;
    std::vector<BullsEyeSector> sectors;
    addRing(sectors, 6, 1 - width, 1);
    addRing(sectors, 6, mid, 1 - width);
    addRing(sectors, model == AhaModel::Eighteen ? 6 : 4, cap ? width : 0, mid);
    if (cap)
        addRing(sectors, 1, 0, width);
    return sectors;
}

bool isHatched(const BullsEyeQuantity& quantity, const StrainOutcome& outcome, std::size_t t,
               const BullsEyeSector& sector) {
    return isDoubtful(outcome, t, static_cast<std::size_t>(sector.segment - 1), quantity.direction);
}

int bullsEyeSegmentAt(AhaModel model, BullsEyePoint place) {
    for (const BullsEyeSector& sector : bullsEyeSectors(model))
        if (sector.contains(place))
            return sector.segment;
    return 0;
}

std::span<const BullsEyeQuantity> bullsEyeQuantities() {
    static const BullsEyeQuantity all[] = {
        {"longitudinal", "longitudinal strain", "%", 0, 30, &lengthContracts, strainIn<0>, false,
         "longitudinal_percent", "gls_percent", 0},
        {"circumferential", "circumferential strain", "%", 0, 30, &lengthContracts, strainIn<1>,
         false, "circumferential_percent", "gcs_percent", 1},
        {"radial", "radial strain", "%", 0, 60, &wallContracts, strainIn<2>, false,
         "radial_percent", "grs_percent", 2},
        {"rotation", "rotation", "°", 1, 15, nullptr, rotationIn, false, "rotation_deg",
         "twist_deg", -1},
        {"time-to-peak-longitudinal", "time to peak longitudinal", "ms", 0, 0, nullptr,
         timeToPeak<0>, true, "", "", 0},
        {"time-to-peak-circumferential", "time to peak circumferential", "ms", 0, 0, nullptr,
         timeToPeak<1>, true, "", "", 1},
        {"time-to-peak-radial", "time to peak radial", "ms", 0, 0, nullptr, timeToPeak<2>, true, "",
         "", 2},
    };
    return all;
}

const BullsEyeQuantity& bullsEyeQuantity(const std::string& name) {
    for (const BullsEyeQuantity& quantity : bullsEyeQuantities())
        if (name == quantity.name)
            return quantity;
    throw std::out_of_range("no quantity " + name);
}

const BullsEyeQuantity& curveOf(const BullsEyeQuantity& quantity) {
    return quantity.ofCycle ? bullsEyeQuantities()[static_cast<std::size_t>(quantity.direction)]
                            : quantity;
}

double wholeWall(const BullsEyeQuantity& quantity, const StrainOutcome& outcome, std::size_t t) {
    const cardiac::FrameMeasures& frame = outcome.measures.frames[t];
    return quantity.direction >= 0 ? 100 * frame.strain[quantity.direction] : frame.rotation.twist;
}

BullsEyeRange rangeOf(const BullsEyeQuantity& quantity, const StrainOutcome& outcome) {
    if (quantity.isSigned())
        return {-quantity.limit, quantity.limit};
    double last = 0;
    for (const double seconds : outcome.motion.timeSeconds)
        last = std::max(last, std::isfinite(seconds) ? 1e3 * seconds : 0);
    return {0, last > 0 ? last : 1};
}

BullsEyeEnds endsOf(const BullsEyeQuantity& quantity, BullsEyeRange range) {
    BullsEyeEnds ends{
        figureText(range.low, quantity.decimals),
        fmt::format("{} {}", figureText(range.high, quantity.decimals), quantity.unit)};
    if (const Contraction* const of = quantity.contraction) {
        ends.low += std::string(" ") + (of->sign < 0 ? of->name : of->other);
        ends.high += std::string(" ") + (of->sign < 0 ? of->other : of->name);
    }
    return ends;
}

double colorPlace(const BullsEyeQuantity& quantity, BullsEyeRange range, double value) {
    const double place = quantity.contraction ? quantity.contraction->place(value, quantity.limit)
                                              : (value - range.low) / (range.high - range.low);
    return std::isnan(place) ? place : std::clamp(place, 0.0, 1.0);
}

Color colorOf(const BullsEyeQuantity& quantity, double place) {
    return colorAt(quantity.isSigned() ? ColorMap::Diverging : ColorMap::Viridis, place);
}

bool isDark(Color color) {
    return 0.2126f * color.red + 0.7152f * color.green + 0.0722f * color.blue <= 0.5f;
}

std::string figureText(double value, int decimals) {
    if (!std::isfinite(value))
        return "–";
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    const bool isZero = text.find_first_of("123456789") == std::string::npos;
    return isZero && text[0] == '-' ? text.substr(1) : text;
}

} // namespace systole
