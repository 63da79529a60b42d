// Window and level under names, and what kind of image a sequence is.
#pragma once

#include "render/display_options.h"

#include <string>
#include <vector>

namespace systole {

/// The modality as an id of volumePresets(): "ct", "mr", "echo"; empty: unknown.
/// `named`: as the file says ("CT", "MR", "US", or empty). A file that says nothing is CT if its
/// values begin near −1000, the Hounsfield units of air and lung. low, high: 1st and 99th
/// percentile of the sequence.
std::string modalityOf(const std::string& named, float low, float high);

struct WindowPreset {
    std::string id;
    std::string title;
    /// Hounsfield units if `hounsfield`; else the middle and the width as fractions of the range of
    /// the sequence.
    bool hounsfield = false;
    double window = 1, level = 0.5;
};
/// "auto" first: the range of the sequence.
const std::vector<WindowPreset>& windowPresets();

/// Throws RenderError naming the presets.
const WindowPreset& windowPreset(const std::string& id);
/// Presets in Hounsfield units suit CT, the others everything but CT; "auto" suits all.
bool suits(const WindowPreset& preset, const std::string& modality);
/// Window and level of a preset, in gray values of a sequence with this range.
WindowLevel windowOf(const WindowPreset& preset, float low, float high);

} // namespace systole
