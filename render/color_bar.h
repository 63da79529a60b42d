// The labelled bar that says what the colours mean.
#pragma once

#include "render/colormaps.h"

#include <string>
#include <vector>

class vtkRenderer;

namespace systole {

class FlatLayer;
class TextLayer;

struct ColorBarTick {
    double part; ///< of the bar, 0 at the bottom
    std::string label;
};
/// Round numbers from 0 to maximum, both ends among them.
std::vector<ColorBarTick> colorBarTicks(double maximum);

/// In which lengths up to `maximum` (mm) are read without powers of ten.
struct LengthUnit {
    double millimetres; ///< of one
    const char* name;
};
LengthUnit lengthUnit(double maximumMillimetres);

struct ColorBar {
    ColorMap map = ColorMap::Viridis;
    double maximum = 1;    ///< mm at the upper end
    std::string caption;   ///< what the colors stand for
    double pixelRatio = 1; ///< framebuffer pixels per logical pixel
};
/// At the right border of a view of this many pixels.
void drawColorBar(const ColorBar& bar, int width, int height, vtkRenderer* renderer,
                  FlatLayer& shapes, TextLayer& texts);

} // namespace systole
