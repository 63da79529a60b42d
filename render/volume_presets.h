// The mapping of gray values to color and opacity in volume rendering, as data.
#pragma once

#include "compute/core/sequence.h"
#include "render/base/colormaps.h"

#include <string>
#include <vector>

namespace systole {

struct VolumeTransfer {
    struct ColorPoint {
        double value; ///< gray value in the file
        Color color;
    };
    struct OpacityPoint {
        double value;
        double opacity; ///< opacity of `unitMillimeters` of such tissue
    };
    std::vector<ColorPoint> colors;      ///< ascending
    std::vector<OpacityPoint> opacities; ///< ascending
    double unitMillimeters = 1;
    double ambient = 0.3, diffuse = 0.7, specular = 0.2, specularPower = 15;

    double lowest() const { return opacities.front().value; }
    double highest() const { return opacities.back().value; }
};

/// The preset for a frame of unknown modality: "echo" if it is mostly of one minimum value, as
/// outside a sector, else "mr".
std::string lookOf(const Volume& frame);

/// low and high: 1st and 99th percentile of the sequence. `extentMillimeters`, the longest side of
/// the volume, sets the depth over which tissue becomes opaque. Throws RenderError naming the
/// available presets.
VolumeTransfer volumeTransfer(const std::string& preset, float low, float high,
                              double extentMillimeters);

} // namespace systole
