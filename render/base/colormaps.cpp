#include "render/base/colormaps.h"

#include <algorithm>
#include <cstddef>

namespace systole {
namespace {

constexpr std::size_t anchors = 16;
using Anchors = std::array<Color, anchors>;

// Viridis (S. van der Walt and N. Smith) and cividis (J. Nuñez, C. Anderton and R. Renslow), both
// CC0, at 16 of their 256 entries; linear interpolation between these errs by less than one 8-bit
// step.
constexpr Anchors viridis{{{0.267004f, 0.004874f, 0.329415f},
                           {0.282656f, 0.100196f, 0.422160f},
                           {0.277134f, 0.185228f, 0.489898f},
                           {0.253935f, 0.265254f, 0.529983f},
                           {0.221989f, 0.339161f, 0.548752f},
                           {0.190631f, 0.407061f, 0.556089f},
                           {0.163625f, 0.471133f, 0.558148f},
                           {0.139147f, 0.533812f, 0.555298f},
                           {0.120565f, 0.596422f, 0.543611f},
                           {0.134692f, 0.658636f, 0.517649f},
                           {0.208030f, 0.718701f, 0.472873f},
                           {0.327796f, 0.773980f, 0.406640f},
                           {0.477504f, 0.821444f, 0.318195f},
                           {0.647257f, 0.858400f, 0.209861f},
                           {0.824940f, 0.884720f, 0.106217f},
                           {0.993248f, 0.906157f, 0.143936f}}};
constexpr Anchors cividis{{{0.000000f, 0.135112f, 0.304751f},
                           {0.000000f, 0.181610f, 0.421859f},
                           {0.117612f, 0.225935f, 0.434308f},
                           {0.208926f, 0.272546f, 0.424809f},
                           {0.279411f, 0.318677f, 0.423031f},
                           {0.342246f, 0.364939f, 0.428559f},
                           {0.401418f, 0.411790f, 0.440708f},
                           {0.458366f, 0.459552f, 0.460457f},
                           {0.517920f, 0.508454f, 0.472707f},
                           {0.582087f, 0.558670f, 0.468118f},
                           {0.648222f, 0.610553f, 0.454801f},
                           {0.716177f, 0.664384f, 0.432386f},
                           {0.785965f, 0.720438f, 0.399613f},
                           {0.857809f, 0.778969f, 0.353259f},
                           {0.932180f, 0.840159f, 0.285880f},
                           {0.995737f, 0.909344f, 0.217772f}}};
// Rocket without its ends: from dark purple by red to light orange.
constexpr std::array<Color, 6> rocket{{{0.207843f, 0.098039f, 0.243137f},
                                       {0.439216f, 0.121569f, 0.341176f},
                                       {0.678431f, 0.090196f, 0.349020f},
                                       {0.882353f, 0.200000f, 0.258824f},
                                       {0.952941f, 0.462745f, 0.317647f},
                                       {0.964706f, 0.705882f, 0.560784f}}};
// Blue and red of equal lightness, steadily lighter towards a neutral middle.
constexpr std::array<Color, 5> diverging{{{0.18f, 0.27f, 0.67f},
                                          {0.49f, 0.61f, 0.88f},
                                          {0.87f, 0.87f, 0.87f},
                                          {0.90f, 0.54f, 0.43f},
                                          {0.67f, 0.10f, 0.16f}}};

template <std::size_t Count>
Color along(const std::array<Color, Count>& stops, double t) {
    const double position = t * static_cast<double>(Count - 1);
    const std::size_t lower = std::min(static_cast<std::size_t>(position), Count - 2);
    const float part = static_cast<float>(position - static_cast<double>(lower));
    const Color& a = stops[lower];
    const Color& b = stops[lower + 1];
    return {a.red + part * (b.red - a.red), a.green + part * (b.green - a.green),
            a.blue + part * (b.blue - a.blue)};
}

} // namespace

const char* name(ColorMap map) {
    static constexpr const char* names[] = {"viridis", "cividis", "gray", "diverging", "rocket"};
    return names[static_cast<std::size_t>(map)];
}

Color colorAt(ColorMap map, double t) {
    t = std::clamp(t, 0.0, 1.0);
    if (map == ColorMap::Viridis)
        return along(viridis, t);
    if (map == ColorMap::Cividis)
        return along(cividis, t);
    if (map == ColorMap::Diverging)
        return along(diverging, t);
    if (map == ColorMap::Rocket)
        return along(rocket, t);
    const float gray = static_cast<float>(t);
    return {gray, gray, gray};
}

std::vector<Color> colorTable(ColorMap map, int entries) {
    std::vector<Color> table;
    table.reserve(static_cast<std::size_t>(entries));
    for (int i = 0; i < entries; ++i)
        table.push_back(colorAt(map, entries > 1 ? i / static_cast<double>(entries - 1) : 0));
    return table;
}

} // namespace systole
