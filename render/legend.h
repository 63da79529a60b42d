// The legend of a view: what its colors mean, and how long its arrows are drawn. It stands in a
// corner and never reaches the middle of the view.
#pragma once

#include "render/base/colormaps.h"
#include "render/color_bar.h"
#include "render/display_options.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>

class vtkRenderer;

namespace systole {

class FlatLayer;
class TextLayer;

struct Legend {
    ColorMap map = ColorMap::Viridis;
    double maximum = 1;                ///< mm at the upper end of the colors
    std::string caption;               ///< quantity that the colors represent
    std::optional<ColorScale> scale{}; ///< replaces map, maximum and caption
    double arrowScale = 0;             ///< drawn mm per mm of motion; 0: there are no arrows
    double millimetersPerPixel = 1;    ///< framebuffer pixels
    double pixelRatio = 1;             ///< framebuffer pixels per logical pixel
    LegendCorner corner = LegendCorner::BottomRight;
    /// Rows of other text at the upper and lower border, which it leaves free; framebuffer pixels.
    double above = 0, below = 0;
    /// Free space between the picture and the two borders at the corner, next to it and above or
    /// below it; framebuffer pixels. Infinity: unknown, or there is no picture to leave free.
    double freeBeside = std::numeric_limits<double>::infinity(), freeAlong = freeBeside;
};

/// Position of a legend: framebuffer pixels from the bottom left of the view.
struct LegendPlace {
    double x = 0, y = 0, width = 0, height = 0;
    double barBottom = 0, barHeight = 0;
    std::string caption;         ///< text that fits: in two lines, or only the unit
    std::string arrowText;       ///< length of motion, next to the arrow
    double arrowMillimeters = 0; ///< motion that the drawn arrow stands for; 0: no arrow fits
    double arrowPixels = 0;      ///< its length
    bool hasEnds = false;        ///< there is room for what both ends of the bar mean
    bool contains(double px, double py) const {
        return px >= x && px < x + width && py >= y && py < y + height;
    }
};

/// Framebuffer pixels that a text takes in the legend's letters.
using TextWidth = std::function<double(const std::string& text)>;
TextWidth legendTextWidth(vtkRenderer* renderer, TextLayer& texts);

/// None if the view is too small for a readable one. Within its quarter of the view. Texts stay
/// within it where `widthOf` is given.
std::optional<LegendPlace> placeLegend(const Legend& legend, int width, int height,
                                       const TextWidth& widthOf = {});

void drawLegend(const Legend& legend, const LegendPlace& place, vtkRenderer* renderer,
                FlatLayer& shapes, TextLayer& texts);

bool isRight(LegendCorner corner);
bool isTop(LegendCorner corner);
/// The corner to the left or right of a corner.
LegendCorner besideOf(LegendCorner corner);
/// The corner above or below a corner.
LegendCorner acrossFrom(LegendCorner corner);
/// The corner of a view that a position is nearest to.
LegendCorner cornerAt(double x, double fromTop, double width, double height);

} // namespace systole
