#include "render/window_presets.h"

#include "render/base/error.h"

#include <algorithm>

namespace systole {
namespace {

/// The 1st percentile of a CT: air or lung, perhaps with the padding of a scanner around it.
constexpr float darkestCt = -3100, brightestAir = -700;
/// Min 99th percentile of a CT, which shows something denser than air.
constexpr float darkestTissue = -200;

} // namespace

std::string modalityOf(const std::string& named, float low, float high) {
    if (named == "CT")
        return "ct";
    if (named == "MR")
        return "mr";
    if (named == "US")
        return "echo";
    const bool air = low >= darkestCt && low <= brightestAir;
    return named.empty() && air && high >= darkestTissue ? "ct" : "";
}

const std::vector<WindowPreset>& windowPresets() {
    static const std::vector<WindowPreset> presets{
        {"auto", "Range of the file", false, 1, 0.5},
        {"soft-tissue", "CT soft tissue", true, 400, 40},
        {"lung", "CT lung", true, 1500, -600},
        {"bone", "CT bone", true, 2000, 400},
        {"angiography", "CT angiography", true, 700, 250},
        {"wide", "Wide: no glare", false, 1.5, 0.65},
        {"contrast", "High contrast", false, 0.6, 0.5},
        {"dark", "Dark tissue", false, 0.5, 0.25},
        {"bright", "Bright tissue, blood", false, 0.6, 0.75},
    };
    return presets;
}

const WindowPreset& windowPreset(const std::string& id) {
    const auto& presets = windowPresets();
    const auto found = std::ranges::find(presets, id, &WindowPreset::id);
    if (found != presets.end())
        return *found;
    std::string ids;
    for (const WindowPreset& preset : presets)
        ids += (ids.empty() ? "" : ", ") + preset.id;
    throw RenderError("no window preset is named '" + id + "'; there are " + ids);
}

bool suits(const WindowPreset& preset, const std::string& modality) {
    return preset.id == "auto" || preset.hounsfield == (modality == "ct");
}

WindowLevel windowOf(const WindowPreset& preset, float low, float high) {
    if (preset.hounsfield)
        return {preset.window, preset.level};
    const double range = static_cast<double>(high - low);
    return {preset.window * range, static_cast<double>(low) + preset.level * range};
}

} // namespace systole
