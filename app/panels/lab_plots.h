// The laboratory's answer as plots: time, occupancy and roofline.
#pragma once

#include "compute/lab/laboratory.h"

#include <array>
#include <optional>

namespace systole {

/// The user's choices; unset: chosen to suit the answer.
struct LabPlotOptions {
    /// Models shown, in the order of performanceModels().
    std::optional<std::array<bool, 3>> models;
    std::optional<bool> logTime;
};

/// Default: all models for a few kernels, or for kernels of several tasks over block sizes. For
/// variants of one task: measurements, plus our model where some are missing.
std::array<bool, 3> shownModels(const lab::LabAnswer& answer, const LabPlotOptions& options);
bool logarithmicTime(const lab::LabAnswer& answer, const LabPlotOptions& options);

/// Fills the current ImGui window from the cursor: question, source, plots.
void drawLabPlots(const lab::LabAnswer& answer, const LabPlotOptions& options);
/// The same as a full page, with the summary below.
void drawLabPage(const lab::LabAnswer& answer);

} // namespace systole
