// The bull's-eye, the curves and the tables of a left ventricle, drawn into the current ImGui
// window: in the panel, and on the page that is saved as a picture.
#pragma once

#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/strain_curves.h"
#include "app/features/cardiac/strain_figures.h"

#include <optional>
#include <span>
#include <string>

namespace systole {

/// Data of all plots.
struct CardiacShown {
    const StrainOutcome& outcome;
    cardiac::AhaModel model;
    const BullsEyeQuantity& quantity;
    std::size_t place = 0; ///< index of the frame shown, in the outcome's list
    int segment = 0;       ///< highlighted; 0: none
    /// Curves of other tables, which are dotted; of the same time axis, or they aren't drawn.
    std::span<const StrainCurves> read{};
};

/// Draws the bull's-eye with its bar of colors, `width` wide. Returns the number of the segment
/// that was clicked, 0 for a click next to all; none: no click.
std::optional<int> drawBullsEye(const CardiacShown& shown, const std::string& title, float width);

/// A click of the user in a plot over time.
struct CurveClick {
    std::optional<int> frame;      ///< go there
    std::optional<int> endSystole; ///< mark it there
};
/// Curves of the segments and, dashed, that of the whole wall, with lines at end diastole, end
/// systole and the frame shown.
CurveClick drawSegmentCurves(const CardiacShown& shown, float width, float height);
CurveClick drawVolumeCurve(const CardiacShown& shown, float width, float height);

void drawFrameFigures(const CardiacShown& shown, float width);
void drawCycleFigures(const CardiacShown& shown, float width);

} // namespace systole
