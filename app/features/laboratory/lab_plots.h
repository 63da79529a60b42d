// The laboratory's answer as plots: time, occupancy and roofline.
#pragma once

#include "compute/lab/laboratory.h"

#include <array>
#include <optional>

namespace systole {

/// The user's choices; unset: chosen to suit the answer.
enum class LabPlot { Times, Occupancy, Roofline };

struct LabPlotOptions {
    /// Models shown, in the order of performanceModels().
    std::optional<std::array<bool, 3>> models;
    std::optional<bool> logTime;
    /// The only plot, or the one next to the times, in an area without room for all three.
    LabPlot plot = LabPlot::Times;
};

/// Number of plots that have room in an area of this size, in pixels: 3, 2 or 1.
int labPlotsIn(float width, float height);

/// Default: all models for a few kernels, or for kernels of several tasks over block sizes. For
/// variants of one task: measurements, plus our model where some are missing.
std::array<bool, 3> shownModels(const lab::LabAnswer& answer, const LabPlotOptions& options);
bool logarithmicTime(const lab::LabAnswer& answer, const LabPlotOptions& options);

/// Fills the current ImGui window from the cursor: question, source, plots. Where not all plots
/// have room, the user chooses among them.
void drawLabPlots(const lab::LabAnswer& answer, LabPlotOptions& options);
/// Full page with the plots and a summary below them.
void drawLabPage(const lab::LabAnswer& answer);

} // namespace systole
