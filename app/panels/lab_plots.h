// The laboratory's answer as plots: time, occupancy and roofline.
#pragma once

#include "compute/lab/laboratory.h"

#include <array>
#include <optional>

namespace systole {

/// What the user wants to see; unset: as suits the answer.
struct LabPlotOptions {
    std::optional<std::array<bool, 3>> models; ///< whose curves, in the order of the models
    std::optional<bool> logTime;
};

/// Few kernels, or some of several tasks over block sizes: all models. Variants of a task: what was
/// measured, and ours where something wasn't.
std::array<bool, 3> shownModels(const lab::LabAnswer& answer, const LabPlotOptions& options);
bool logarithmicTime(const lab::LabAnswer& answer, const LabPlotOptions& options);

/// Fills the window that is begun, from the cursor: what was asked, the source, the plots.
void drawLabPlots(const lab::LabAnswer& answer, const LabPlotOptions& options);
/// The same with the summary below: a page of its own.
void drawLabPage(const lab::LabAnswer& answer);

} // namespace systole
