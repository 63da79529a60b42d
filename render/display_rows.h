// The options of the display as data: a row each, from which the View panel, the View menu, its
// keys, the options of snapshot and view, and the text that can be copied follow. The list of all
// rows, those of the overlays among them, is displayRows() in
// render/overlays/rows.h.
#pragma once

#include "compute/core/params.h"
#include "render/display_options.h"

#include <string>
#include <variant>
#include <vector>

namespace systole {

struct DisplayRow {
    ParamRow param; ///< the id is that of the command line
    /// For people. In the menu, & stands before the letter that chooses it.
    std::string label{};
    char key = 0;                      ///< capital letter that turns a switch on and off; 0: none
    bool extra = false;                ///< a switch that --overlay names
    bool automatic = false;            ///< a number for which 0 means: chosen by the program
    bool greyValue = false;            ///< a number whose range is the sequence's
    double sliderMaximum = 0;          ///< of the panel; 0: that of the row
    std::vector<std::string> titles{}; ///< of the choices, for people; empty: the choices
    /// The member that holds the value; none: DisplayOptions::overlays does, under the id.
    using Place = std::variant<std::monostate, bool DisplayOptions::*, double DisplayOptions::*,
                               std::string DisplayOptions::*, Layout DisplayOptions::*,
                               ViewKind DisplayOptions::*, ColorMap DisplayOptions::*>;
    Place place{};

    bool isSwitch() const { return param.type == ParamType::Switch; }
    ParamValue value(const DisplayOptions& display) const;
    bool isOn(const DisplayOptions& display) const;   ///< of a switch
    double real(const DisplayOptions& display) const; ///< of a number
    std::string text(const DisplayOptions& display) const;
    /// Throws ComputeError when the value isn't one of the row's.
    void set(DisplayOptions& display, ParamValue value) const;
    std::string plainLabel() const; ///< without &
};

/// The rows of the scene itself: layout, volume, slices, colors, labels.
const std::vector<DisplayRow>& sceneRows();

} // namespace systole
