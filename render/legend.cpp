#include "render/legend.h"

#include "render/color_bar.h"
#include "render/display_scale.h"
#include "render/flat_layer.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

// Logical pixels.
constexpr double margin = 8, middle = 12; ///< free at the border, and at the middle of the view
constexpr double fullWidth = 126, briefWidth = 72, barOnlyWidth = 50;
/// Min width of the view; in a narrower one the bar has no caption.
constexpr double widthForCaption = 240;
constexpr double captionHeight = 28, captionLine = 15, footHeight = 10, arrowHeight = 36;
constexpr int points = 12;
constexpr Color textColor{0.92f, 0.93f, 0.95f};
constexpr double textInset = 7, textEnd = 2; ///< free beside texts
constexpr double shortestBar = 34, longestBar = 220, barWidth = 14;
constexpr double overPicture = 60; ///< min height of a bar that covers the picture
constexpr double longestArrow = 48, shortestArrow = 8;
constexpr double endLine = 13; ///< distance from an end of the bar to its meaning

LegendCorner cornerOf(bool top, bool right) {
    return top ? (right ? LegendCorner::TopRight : LegendCorner::TopLeft)
               : (right ? LegendCorner::BottomRight : LegendCorner::BottomLeft);
}

ColorScale scaleOf(const Legend& legend) {
    const LengthUnit length = lengthUnit(legend.maximum);
    return legend.scale.value_or(ColorScale{legend.map, legend.caption, length.name,
                                            colorBarTicks(legend.maximum / length.millimeters)});
}

/// The text in two lines that fit, the first as long as possible; empty: there are none.
std::string inTwoLines(const std::string& text, const auto& fits) {
    for (std::size_t at = text.rfind(' '); at != std::string::npos && at > 0;
         at = text.rfind(' ', at - 1)) {
        std::string broken = text;
        broken[at] = '\n';
        if (fits(broken))
            return broken;
    }
    return {};
}

/// The caption of a narrow legend is only the unit, if there is one; else as much text as fits.
std::string captionFor(const ColorScale& scale, bool narrow, bool twoLines, const auto& fits) {
    const std::string unit = scale.unit.empty() ? "" : fmt::format("[{}]", scale.unit);
    if (narrow && !unit.empty())
        return unit;
    const std::string whole = unit.empty() ? scale.caption : scale.caption + " " + unit;
    if (fits(whole))
        return whole;
    const std::string broken = twoLines ? inTwoLines(whole, fits) : "";
    return broken.empty() ? unit : broken;
}

std::string arrowTextFor(const Legend& legend, double millimeters, const auto& fits) {
    const LengthUnit unit = lengthUnit(millimeters);
    const auto text = [&](const char* arrows) {
        return fmt::format("{:.4g} {}{} ×{:.4g}", millimeters / unit.millimeters, unit.name, arrows,
                           legend.arrowScale);
    };
    const std::string whole = text(", arrows");
    return fits(whole) ? whole : text("");
}

/// An arrow to the right, its tail in the middle of the left border.
void addArrow(FlatLayer& shapes, double x, double y, double length, double unit) {
    const double head = std::min(7 * unit, 0.6 * length), half = 0.5 * head;
    const Color rim{0, 0, 0}, white{1, 1, 1};
    for (const bool outer : {true, false}) {
        const double grow = outer ? unit : 0;
        const Color color = outer ? rim : white;
        shapes.addRectangle(x - grow, y - unit - grow, length - head + grow, 2 * (unit + grow),
                            color, 1);
        const double neck = x + length - head - grow, wide = half + 1.5 * grow;
        shapes.addTriangle({{{neck, y - wide}, {x + length + 2 * grow, y}, {neck, y + wide}}},
                           color);
    }
}

} // namespace

bool isRight(LegendCorner corner) {
    return corner == LegendCorner::BottomRight || corner == LegendCorner::TopRight;
}

bool isTop(LegendCorner corner) {
    return corner == LegendCorner::TopRight || corner == LegendCorner::TopLeft;
}

std::optional<LegendPlace> placeLegend(const Legend& legend, int width, int height,
                                       const TextWidth& widthOf) {
    const double unit = legend.pixelRatio;
    const double taken = isTop(legend.corner) ? legend.above : legend.below;
    const double across = 0.5 * width - (margin + middle) * unit;
    const double along = 0.5 * height - (margin + middle) * unit - taken;
    LegendPlace place;
    const bool narrow = across < fullWidth * unit, barOnly = width < widthForCaption * unit;
    place.width = (barOnly ? barOnlyWidth : narrow ? briefWidth : fullWidth) * unit;
    double room = along - (captionHeight + footHeight) * unit;
    if (across < place.width || room < shortestBar * unit)
        return std::nullopt;
    const auto fits = [&](const std::string& text) {
        return !widthOf || widthOf(text) <= place.width - (textInset + textEnd) * unit;
    };
    place.caption =
        captionFor(scaleOf(legend), narrow, room >= (shortestBar + captionLine) * unit, fits);
    const double secondLine = place.caption.find('\n') == std::string::npos ? 0 : captionLine;
    room -= secondLine * unit;
    if (legend.arrowScale > 0 && !barOnly && room >= (shortestBar + arrowHeight) * unit) {
        // The arrow shows a motion that occurs, so it isn't longer than the colors' maximum.
        const double pixelsPerMillimeter = legend.arrowScale / legend.millimetersPerPixel;
        const double length =
            roundDown(std::min(longestArrow * unit / pixelsPerMillimeter, legend.maximum));
        if (length * pixelsPerMillimeter >= shortestArrow * unit) {
            room -= arrowHeight * unit;
            place.arrowMillimeters = length;
            place.arrowPixels = length * pixelsPerMillimeter;
            place.arrowText = arrowTextFor(legend, length, fits);
        }
    }
    const bool arrow = place.arrowMillimeters > 0;
    const double rest =
        (captionHeight + secondLine + footHeight + (arrow ? arrowHeight : 0)) * unit;
    const double outside = legend.freeAlong - margin * unit - taken - rest;
    const bool covers = legend.freeBeside < place.width + margin * unit;
    place.barHeight =
        std::min(room, covers ? std::clamp(outside, overPicture * unit, longestBar * unit)
                              : longestBar * unit);
    place.height = place.barHeight + rest;
    place.x = isRight(legend.corner) ? width - margin * unit - place.width : margin * unit;
    place.y = isTop(legend.corner) ? height - margin * unit - taken - place.height
                                   : margin * unit + taken;
    place.barBottom = place.y + (footHeight + (arrow ? arrowHeight : 0)) * unit;
    place.hasEnds =
        !narrow && !scaleOf(legend).lowest.empty() && place.barHeight >= 5 * endLine * unit;
    return place;
}

TextWidth legendTextWidth(vtkRenderer* renderer, TextLayer& texts) {
    return [renderer, &texts](const std::string& text) {
        return texts.sizeOf(renderer, text, TextAnchor::TopLeft, textColor, points).width;
    };
}

void drawLegend(const Legend& legend, const LegendPlace& place, vtkRenderer* renderer,
                FlatLayer& shapes, TextLayer& texts) {
    const double pixel = legend.pixelRatio;
    const Color rim{0.55f, 0.58f, 0.64f};
    // A dark background: in a slice it may lie over bright tissue.
    shapes.addRectangle(place.x, place.y, place.width, place.height, {0.02f, 0.025f, 0.035f}, 0.72);

    const double left = place.x + 8 * pixel, right = left + barWidth * pixel;
    const double bottom = place.barBottom, height = place.barHeight;
    shapes.addRectangle(left - pixel, bottom - pixel, right - left + 2 * pixel, height + 2 * pixel,
                        rim, 1);
    const ColorScale scale = scaleOf(legend);
    shapes.addGradient(left, bottom, right - left, height, colorTable(scale.map, 64));
    const std::vector<ColorBarTick>& ticks = scale.ticks;
    // Ticks in between are left out if they would be too close to be read.
    const double apart = height / static_cast<double>(ticks.size() - 1);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (apart < 13 * pixel && i != 0 && i + 1 != ticks.size())
            continue;
        const double y = bottom + ticks[i].part * height;
        const double toEnd = std::min(y - bottom, bottom + height - y);
        if (place.hasEnds && toEnd > 0.5 * pixel && toEnd < 2 * endLine * pixel)
            continue;
        shapes.addRectangle(right, y - 0.5 * pixel, 4 * pixel, pixel, rim, 1);
        texts.add(renderer, ticks[i].label, right + 7 * pixel, y, TextAnchor::CenterLeft, textColor,
                  points);
    }
    if (place.hasEnds)
        for (const bool high : {false, true})
            texts.add(renderer, high ? scale.highest : scale.lowest, right + 7 * pixel,
                      high ? bottom + height - endLine * pixel : bottom + endLine * pixel,
                      TextAnchor::CenterLeft, textColor, points);
    const double textLeft = place.x + textInset * pixel;
    if (!place.caption.empty())
        texts.add(renderer, place.caption, textLeft, place.y + place.height - 4 * pixel,
                  TextAnchor::TopLeft, textColor, points);
    if (place.arrowMillimeters > 0) {
        addArrow(shapes, left, place.y + 30 * pixel, place.arrowPixels, pixel);
        texts.add(renderer, place.arrowText, textLeft, place.y + 12 * pixel, TextAnchor::CenterLeft,
                  textColor, points);
    }
}

LegendCorner besideOf(LegendCorner corner) { return cornerOf(isTop(corner), !isRight(corner)); }

LegendCorner acrossFrom(LegendCorner corner) { return cornerOf(!isTop(corner), isRight(corner)); }

LegendCorner cornerAt(double x, double fromTop, double width, double height) {
    return cornerOf(fromTop < 0.5 * height, x >= 0.5 * width);
}

} // namespace systole
