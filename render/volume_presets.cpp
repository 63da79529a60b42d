#include "render/volume_presets.h"

#include "render/base/error.h"
#include "render/display_options.h"

#include <algorithm>

namespace systole {
namespace {

struct PresetPoint {
    double position; ///< 0 at the 1st, 1 at the 99th percentile; Hounsfield units for CT
    Color color;
    double opacity;
};

// Speckle is everywhere: only clearly bright tissue may hide what is behind it.
const std::vector<PresetPoint> echo{{0.10, {0.05f, 0.03f, 0.02f}, 0.0},
                                    {0.28, {0.36f, 0.20f, 0.11f}, 0.0},
                                    {0.45, {0.66f, 0.42f, 0.25f}, 0.10},
                                    {0.70, {0.90f, 0.72f, 0.52f}, 0.35},
                                    {1.05, {1.00f, 0.95f, 0.86f}, 0.75}};
// Balanced steady-state MR: blood bright, muscle dark gray, air darkest.
const std::vector<PresetPoint> mr{
    {0.20, {0.20f, 0.05f, 0.05f}, 0.0},  {0.40, {0.62f, 0.20f, 0.16f}, 0.04},
    {0.55, {0.80f, 0.36f, 0.27f}, 0.22}, {0.75, {0.92f, 0.58f, 0.42f}, 0.40},
    {0.95, {0.98f, 0.85f, 0.70f}, 0.16}, {1.20, {1.00f, 0.95f, 0.88f}, 0.06}};
const std::vector<PresetPoint> ct{
    {-150, {0.35f, 0.12f, 0.08f}, 0.0}, {20, {0.55f, 0.22f, 0.16f}, 0.02},
    {110, {0.78f, 0.32f, 0.24f}, 0.10}, {250, {0.95f, 0.62f, 0.42f}, 0.35},
    {450, {1.00f, 0.90f, 0.76f}, 0.70}, {1500, {1.00f, 1.00f, 0.98f}, 0.90}};

} // namespace

const std::vector<VolumePreset>& volumePresets() {
    static const std::vector<VolumePreset> presets{
        {"auto", "Automatic"}, {"echo", "Echo"}, {"ct", "CT"}, {"mr", "MR"}};
    return presets;
}

std::string lookOf(const Volume& frame) {
    const auto voxels = frame.voxels.span();
    const float darkest = *std::ranges::min_element(voxels);
    const auto dark = std::ranges::count(voxels, darkest);
    return 2 * dark > std::ssize(voxels) ? "echo" : "mr";
}

VolumeTransfer volumeTransfer(const std::string& preset, float low, float high,
                              double extentMillimeters) {
    const bool hounsfield = preset == "ct";
    const std::vector<PresetPoint>* points = hounsfield         ? &ct
                                             : preset == "echo" ? &echo
                                             : preset == "mr"   ? &mr
                                                                : nullptr;
    if (!points)
        throw RenderError("no volume preset is named '" + preset +
                          "'; there are auto, echo, ct and mr");
    const double range = std::max(static_cast<double>(high) - static_cast<double>(low), 1e-6);
    VolumeTransfer transfer;
    for (const PresetPoint& point : *points) {
        const double value =
            hounsfield ? point.position : static_cast<double>(low) + range * point.position;
        transfer.colors.push_back({value, point.color});
        transfer.opacities.push_back({value, point.opacity});
    }
    transfer.unitMillimeters = std::max(extentMillimeters / 60, 1e-3);
    return transfer;
}

} // namespace systole
