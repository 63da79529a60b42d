// Perceptual color maps: the only colors that represent numbers.
#pragma once

#include <array>
#include <cmath>
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

/// A quantity whose sign shows that the tissue contracts, and its colors in the diverging map:
/// contraction is red in every picture, as shortening is in the bull's-eyes of echocardiography;
/// its opposite is blue. Views, panels and reports take it from here.
struct Contraction {
    int sign;                 ///< sign of the quantity where tissue contracts: 1 or -1
    const char *name, *other; ///< words at the red and at the blue end of a legend

    /// The value at the red end of ColorMap::Diverging, its upper one, where values reach from
    /// −limit to limit; the blue end has the opposite.
    double redEnd(double limit) const { return sign * std::abs(limit); }
    /// Place of a value in those colors: 1 and more where it reaches the red end; NaN stays NaN.
    double place(double value, double limit) const { return 0.5 + 0.5 * value / redEnd(limit); }
};

inline constexpr Contraction lengthContracts{-1, "shortens", "lengthens"};
inline constexpr Contraction volumeContracts{-1, "shrinks", "grows"};
/// Strain along the wall's radial axis.
inline constexpr Contraction wallContracts{1, "thickens", "thins"};

} // namespace systole
