// The labeled bar that shows what the colors mean.
#pragma once

#include "render/colormaps.h"

#include <string>
#include <vector>

class vtkRenderer;

namespace systole {

class FlatLayer;
class TextLayer;

struct ColorBarTick {
    double part; ///< fraction of the bar's length, 0 at the bottom
    std::string label;
};
/// Round numbers from 0 to maximum, both ends included.
std::vector<ColorBarTick> colorBarTicks(double maximum);

/// The unit in which lengths up to `maximum` (mm) can be read without powers of ten.
struct LengthUnit {
    double millimeters; ///< length of one unit
    const char* name;
};
LengthUnit lengthUnit(double maximumMillimeters);

struct ColorBar {
    ColorMap map = ColorMap::Viridis;
    double maximum = 1;    ///< mm at the upper end
    std::string caption;   ///< what the colors stand for
    double pixelRatio = 1; ///< framebuffer pixels per logical pixel
};
/// Draws the bar at the right border of a view of this many pixels.
void drawColorBar(const ColorBar& bar, int width, int height, vtkRenderer* renderer,
                  FlatLayer& shapes, TextLayer& texts);

} // namespace systole
