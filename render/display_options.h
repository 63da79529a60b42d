// The vocabulary of the scene as plain data: layouts and views, what they show and how, and what
// lies under the pointer. Positions are LPS millimeters.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/params.h"
#include "render/base/colormaps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {

enum class Layout { Single3D, ThreeSlices, FourUp, SideBySide };
enum class ViewKind { Volume3D, Axial, Coronal, Sagittal };
/// Side whose motion a view shows. Every view is Left in all layouts but SideBySide.
enum class ViewSide { Left, Right, Difference };
inline constexpr Layout layouts[] = {Layout::Single3D, Layout::ThreeSlices, Layout::FourUp,
                                     Layout::SideBySide};
inline constexpr ViewKind viewKinds[] = {ViewKind::Volume3D, ViewKind::Axial, ViewKind::Coronal,
                                         ViewKind::Sagittal};
const char* name(Layout layout); ///< "single", "three", "four", "side"
const char* name(ViewKind view); ///< "3D", "Axial", "Coronal", "Sagittal"

/// Corner of a view where the legend of the colors stands.
enum class LegendCorner { BottomRight, BottomLeft, TopRight, TopLeft };
inline constexpr LegendCorner legendCorners[] = {LegendCorner::BottomRight,
                                                 LegendCorner::BottomLeft, LegendCorner::TopRight,
                                                 LegendCorner::TopLeft};
const char* name(LegendCorner corner); ///< "bottom-right", "bottom-left", "top-right", "top-left"

/// The plane through the crosshair at which the volume is cut open.
enum class CutPlane { Facing, Axial, Coronal, Sagittal };
inline constexpr CutPlane cutPlanes[] = {CutPlane::Facing, CutPlane::Axial, CutPlane::Coronal,
                                         CutPlane::Sagittal};
const char* name(CutPlane plane); ///< "facing", "axial", "coronal", "sagittal"

enum class StandardView { Anterior, Left, Superior }; ///< view from this side: keys 1, 3, 7

/// A preset of the volume rendering. "auto" follows the modality, else the gray values.
struct VolumePreset {
    std::string id;    ///< "auto", "echo", "ct", "mr"
    std::string title; ///< title in the user interface
};
const std::vector<VolumePreset>& volumePresets();

/// Options of the display as plain data: copy, change, set.
struct DisplayOptions {
    Layout layout = Layout::FourUp;
    ViewKind sideView = ViewKind::Axial; ///< kind of the three views of SideBySide

    /// "auto" (as the file says, else as its values show), "ct", "mr" or "echo"
    std::string modality = "auto";

    bool volume = true;
    std::string volumePreset = "auto";
    double volumeOpacity = 1; ///< factor on the preset's opacity, 0–4
    /// Another factor on it while arrows are shown, so that those inside the volume are seen, 0–1.
    double volumeOpacityWithArrows = 0.5;
    bool slicesIn3D = false; ///< the three slices as planes in the 3D view
    /// Removes what lies between the observer and a plane through the crosshair.
    bool cutAway = false;
    CutPlane cutPlane = CutPlane::Facing; ///< Facing: the one that faces the observer most
    /// Removed from each side of the volume in the 3D view, in percent of its extent, 0–95.
    double cropRight = 0, cropLeft = 0, cropAnterior = 0, cropPosterior = 0, cropInferior = 0,
           cropSuperior = 0;

    std::string windowPreset = "auto"; ///< id of a row of windowPresets() (window_presets.h)
    double window = 0, level = 0;      ///< gray values; window 0: those of the preset

    ColorMap colorMap = ColorMap::Viridis; ///< color map of glyphs and magnitude map
    double colorMaximum = 0;               ///< mm at the upper end; 0: automatic (DisplayScale)
    /// Upper end of the difference's colors, mm; 0: automatic.
    double differenceMaximum = 0;
    bool roundingDifferences = false; ///< differences that come from rounding are shown
    /// Color maximum and scale of the arrows stay when another sequence is opened: the owner of the
    /// options replaces automatic ones by their numbers.
    bool lockScale = false;

    LegendCorner legend = LegendCorner::BottomRight;
    bool crosshair = true;
    bool annotations = true; ///< orientation letters, the line that names each view, window, level
    /// Motion of another frame, or of earlier parameters, is shown faded; off: hidden.
    bool outdatedMotion = true;
    bool caption = true; ///< caption below saved pictures; not part of the scene itself

    /// Switches and options of the overlays by the ids of their rows (render/overlays/rows.h);
    /// missing ids have their row's default.
    std::map<std::string, ParamValue> overlays;

    bool operator==(const DisplayOptions&) const = default;
};

/// Window and level in gray values: the width from black to white, and its middle.
struct WindowLevel {
    double window = 1, level = 0.5;
    bool operator==(const WindowLevel&) const = default;
};

/// The point under the pointer in a slice view, for the status bar.
struct Probe {
    ViewKind view = ViewKind::Axial;
    ViewSide side = ViewSide::Left;
    Vec3 position;              ///< LPS mm
    bool inside = false;        ///< the position lies in a voxel of the image
    std::optional<float> value; ///< gray value of the shown frame, if inside
    /// Meaning of the value in the map over the slices; empty: no map.
    std::string meaning;
    std::optional<Vec3> displacement; ///< LPS mm, if a result is shown and the position is inside
    /// Standard error of the displacement, mm along the axes of the grid; empty: unknown.
    std::optional<Vec3> standardError;
    std::optional<float> difference; ///< mm, in the view of the difference; rounding is 0
};

/// A position in a view, in logical pixels from the top left of the scene.
struct ScenePoint {
    double x = 0, y = 0;
};

} // namespace systole
