// The vocabulary of the scene as plain data: layouts and views, what is shown in them and how, and
// what lies under the pointer. Positions are LPS millimetres.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/params.h"
#include "render/colormaps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {

enum class Layout { Single3D, ThreeSlices, FourUp, SideBySide };
enum class ViewKind { Volume3D, Axial, Coronal, Sagittal };
/// Whose motion a view shows. The views of all layouts but SideBySide are Left.
enum class ViewSide { Left, Right, Difference };
inline constexpr Layout layouts[] = {Layout::Single3D, Layout::ThreeSlices, Layout::FourUp,
                                     Layout::SideBySide};
inline constexpr ViewKind viewKinds[] = {ViewKind::Volume3D, ViewKind::Axial, ViewKind::Coronal,
                                         ViewKind::Sagittal};
const char* name(Layout layout); ///< "single", "three", "four", "side"
const char* name(ViewKind view); ///< "3D", "Axial", "Coronal", "Sagittal"

enum class StandardView { Anterior, Left, Superior }; ///< where the observer stands: keys 1, 3, 7

/// How the volume is seen. "auto" goes by the sequence's modality, else by its grey values.
struct VolumePreset {
    std::string id;    ///< "auto", "echo", "ct", "mr"
    std::string title; ///< for people
};
const std::vector<VolumePreset>& volumePresets();

/// What is shown and how, as plain data: copy, change, set.
struct DisplayOptions {
    Layout layout = Layout::FourUp;
    ViewKind sideView = ViewKind::Axial; ///< what the three views of SideBySide are

    bool volume = true;
    std::string volumePreset = "auto";
    double volumeOpacity = 1; ///< factor of the preset's opacity, 0–4
    bool slicesIn3D = false;  ///< the three slices as planes in the 3D view
    /// Takes away what lies between the observer and the anatomical plane through the crosshair
    /// that faces him most, and shows that slice as the cut face.
    bool cutAway = false;

    double window = 0, level = 0; ///< grey values; a window of 0: the range of the sequence

    ColorMap colorMap = ColorMap::Viridis; ///< of glyphs and map
    double colorMaximum =
        0; ///< mm at the upper end; 0: chosen, growing with what was seen of one set of parameters

    bool crosshair = true;
    bool annotations = true; ///< orientation letters and the line that names each view

    /// Switches and options of the overlays by the ids of their rows (render/overlays/rows.h); what
    /// isn't here is as its row begins.
    std::map<std::string, ParamValue> overlays;

    bool operator==(const DisplayOptions&) const = default;
};

/// Grey values: the width from black to white, and the middle of it.
struct WindowLevel {
    double window = 1, level = 0.5;
};

/// For the status bar: what lies under the pointer of a slice view.
struct Probe {
    ViewKind view = ViewKind::Axial;
    ViewSide side = ViewSide::Left;
    Vec3 position;                    ///< LPS mm
    std::optional<float> value;       ///< grey value of the shown frame, when inside
    std::optional<Vec3> displacement; ///< LPS mm, when a result is shown and it is inside
    std::optional<float> difference;  ///< mm, in the view of the difference
};

/// A position in a view, logical pixels from the top left of the scene.
struct ScenePoint {
    double x = 0, y = 0;
};

} // namespace systole
