// Perceptual color maps: the only colors that represent numbers.
#pragma once

#include <array>
#include <vector>

namespace systole {

enum class ColorMap { Viridis, Cividis, Gray, Diverging, Rocket };

struct Color {
    float red = 0, green = 0, blue = 0; ///< sRGB, 0–1
    bool operator==(const Color&) const = default;
};

inline constexpr std::array<ColorMap, 5> colorMaps{
    ColorMap::Viridis, ColorMap::Cividis, ColorMap::Gray, ColorMap::Diverging, ColorMap::Rocket};
/// The map of a second quantity in the same view: `usual`, but never that of the first one.
constexpr ColorMap beside(ColorMap first, ColorMap usual) {
    return first == usual ? ColorMap::Viridis : usual;
}

const char* name(ColorMap map); ///< "viridis", "cividis", "gray", "diverging", "rocket"
/// The color at t, clamped to 0–1. Diverging has its neutral gray at 0.5.
Color colorAt(ColorMap map, double t);
/// Returns `entries` colors from t = 0 to t = 1.
std::vector<Color> colorTable(ColorMap map, int entries = 256);

} // namespace systole
