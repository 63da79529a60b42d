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
constexpr double fullWidth = 120, briefWidth = 72, barOnlyWidth = 50;
constexpr double captionHeight = 28, footHeight = 10, arrowHeight = 36;
constexpr double shortestBar = 34, longestBar = 220, barWidth = 14;
constexpr double longestArrow = 48;

bool isRight(LegendCorner corner) {
    return corner == LegendCorner::BottomRight || corner == LegendCorner::TopRight;
}
bool isTop(LegendCorner corner) {
    return corner == LegendCorner::TopRight || corner == LegendCorner::TopLeft;
}
LegendCorner cornerOf(bool top, bool right) {
    return top ? (right ? LegendCorner::TopRight : LegendCorner::TopLeft)
               : (right ? LegendCorner::BottomRight : LegendCorner::BottomLeft);
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

std::optional<LegendPlace> placeLegend(const Legend& legend, int width, int height) {
    const double unit = legend.pixelRatio;
    const double taken = isTop(legend.corner) ? legend.above : legend.below;
    const double across = 0.5 * width - (margin + middle) * unit;
    const double along = 0.5 * height - (margin + middle) * unit - taken;
    LegendPlace place;
    place.brief = across < fullWidth * unit;
    const bool barOnly = across < briefWidth * unit;
    place.width = (barOnly ? barOnlyWidth : place.brief ? briefWidth : fullWidth) * unit;
    double room = along - (captionHeight + footHeight) * unit;
    if (across < place.width || room < shortestBar * unit)
        return std::nullopt;
    const bool arrow =
        legend.arrowScale > 0 && !barOnly && room >= (shortestBar + arrowHeight) * unit;
    if (arrow) {
        room -= arrowHeight * unit;
        const double pixelsPerMillimeter = legend.arrowScale / legend.millimetersPerPixel;
        place.arrowMillimeters = roundDown(longestArrow * unit / pixelsPerMillimeter);
        place.arrowPixels = place.arrowMillimeters * pixelsPerMillimeter;
    }
    place.barHeight = std::min(room, longestBar * unit);
    place.height =
        place.barHeight + (captionHeight + footHeight + (arrow ? arrowHeight : 0)) * unit;
    place.x = isRight(legend.corner) ? width - margin * unit - place.width : margin * unit;
    place.y = isTop(legend.corner) ? height - margin * unit - taken - place.height
                                   : margin * unit + taken;
    place.barBottom = place.y + (footHeight + (arrow ? arrowHeight : 0)) * unit;
    return place;
}

void drawLegend(const Legend& legend, const LegendPlace& place, vtkRenderer* renderer,
                FlatLayer& shapes, TextLayer& texts) {
    const double pixel = legend.pixelRatio;
    const Color text{0.92f, 0.93f, 0.95f}, rim{0.55f, 0.58f, 0.64f};
    // A dark background: in a slice it may lie over bright tissue.
    shapes.addRectangle(place.x, place.y, place.width, place.height, {0.02f, 0.025f, 0.035f}, 0.72);

    const double left = place.x + 8 * pixel, right = left + barWidth * pixel;
    const double bottom = place.barBottom, height = place.barHeight;
    shapes.addRectangle(left - pixel, bottom - pixel, right - left + 2 * pixel, height + 2 * pixel,
                        rim, 1);
    const LengthUnit length = lengthUnit(legend.maximum);
    const ColorScale scale =
        legend.scale.value_or(ColorScale{legend.map, legend.caption, length.name,
                                         colorBarTicks(legend.maximum / length.millimeters)});
    shapes.addGradient(left, bottom, right - left, height, colorTable(scale.map, 64));
    const std::vector<ColorBarTick>& ticks = scale.ticks;
    // As many as can be read.
    const double apart = height / static_cast<double>(ticks.size() - 1);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (apart < 13 * pixel && i != 0 && i + 1 != ticks.size())
            continue;
        const double y = bottom + ticks[i].part * height;
        shapes.addRectangle(right, y - 0.5 * pixel, 4 * pixel, pixel, rim, 1);
        texts.add(renderer, ticks[i].label, right + 7 * pixel, y, TextAnchor::CenterLeft, text, 12);
    }
    const std::string unit = scale.unit.empty() ? "" : fmt::format("[{}]", scale.unit);
    const std::string caption = unit.empty()  ? scale.caption
                                : place.brief ? unit
                                              : scale.caption + " " + unit;
    texts.add(renderer, caption, left - pixel, place.y + place.height - 11 * pixel,
              TextAnchor::CenterLeft, text, 12);
    if (place.arrowMillimeters > 0) {
        addArrow(shapes, left, place.y + 30 * pixel, place.arrowPixels, pixel);
        const LengthUnit arrow = lengthUnit(place.arrowMillimeters);
        texts.add(renderer,
                  fmt::format("{:.4g} {}{} ×{:.4g}", place.arrowMillimeters / arrow.millimeters,
                              arrow.name, place.brief ? "" : ", arrows", legend.arrowScale),
                  left - pixel, place.y + 12 * pixel, TextAnchor::CenterLeft, text, 12);
    }
}

LegendCorner besideOf(LegendCorner corner) { return cornerOf(isTop(corner), !isRight(corner)); }

LegendCorner acrossFrom(LegendCorner corner) { return cornerOf(!isTop(corner), isRight(corner)); }

LegendCorner cornerAt(double x, double fromTop, double width, double height) {
    return cornerOf(fromTop < 0.5 * height, x >= 0.5 * width);
}

} // namespace systole
