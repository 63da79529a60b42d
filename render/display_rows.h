// The options of the display as data: one row each, from which the View panel, the View menu, its
// keys, the options of snapshot and view, and the copied text follow. displayRows() in
// render/overlays/rows.h lists all rows, including those of the overlays.
#pragma once

#include "compute/core/params.h"
#include "render/display_options.h"

#include <string>
#include <variant>
#include <vector>

namespace systole {

/// Headings over the switches of the panel, in their order.
inline constexpr const char* switchSections[] = {"3D view", "Motion", "Surface and landmarks",
                                                 "Colors and labels"};

struct DisplayRow {
    ParamRow param; ///< its id is the name on the command line
    /// Its id in earlier versions, which saved pictures and scripts may have; empty: the same.
    std::string former{};
    /// Label in the user interface. In the menu, & precedes the letter that chooses the row.
    std::string label{};
    std::string section{};             ///< one of switchSections: heading of a switch in the panel
    char key = 0;                      ///< capital letter that turns a switch on and off; 0: none
    bool extra = false;                ///< a switch that --overlay names
    bool automatic = false;            ///< a number for which 0 means automatic
    bool grayValue = false;            ///< a number whose range is that of the sequence
    bool menu = false;                 ///< a choice that has a submenu of the View menu
    bool setsWindow = false;           ///< a choice that also resets window and level to its own
    std::string group{};               ///< heading under which the panel folds it; empty: none
    double sliderMaximum = 0;          ///< maximum of the panel's slider; 0: that of the row
    std::vector<std::string> titles{}; ///< display names of the choices; empty: the choices
    /// The member that holds the value; none: DisplayOptions::overlays holds it, under the id.
    using Place = std::variant<std::monostate, bool DisplayOptions::*, double DisplayOptions::*,
                               std::string DisplayOptions::*, Layout DisplayOptions::*,
                               ViewKind DisplayOptions::*, ColorMap DisplayOptions::*,
                               LegendCorner DisplayOptions::*, CutPlane DisplayOptions::*>;
    Place place{};

    bool isNamed(const std::string& id) const {
        return id == param.id || (!former.empty() && id == former);
    }
    bool isSwitch() const { return param.type == ParamType::Switch; }
    ParamValue value(const DisplayOptions& display) const;
    bool isOn(const DisplayOptions& display) const;   ///< value of a switch
    double real(const DisplayOptions& display) const; ///< value of a number
    std::string text(const DisplayOptions& display) const;
    /// Throws ComputeError when the value isn't valid for the row.
    void set(DisplayOptions& display, ParamValue value) const;
    /// A value as it is written on the command line. Throws ComputeError.
    ParamValue valueOf(const std::string& text) const;
    std::string plainLabel() const; ///< label without &
    /// Display name of a choice.
    const std::string& title(const std::string& choice) const;
    /// The choices that suit a modality (an id of volumePresets(), or empty): all but window
    /// presets of other modalities.
    std::vector<std::string> choicesFor(const std::string& modality) const;
};

/// The rows of the scene itself: layout, volume, slices, colors, labels.
const std::vector<DisplayRow>& sceneRows();

} // namespace systole
