// The single plots of a laboratory answer, drawn into the current ImGui window.
#pragma once

#include "app/features/laboratory/lab_plots.h"
#include "compute/lab/laboratory.h"

#include <imgui.h>

namespace systole {

bool anyMeasured(const lab::LabAnswer& answer);

void drawTimes(const lab::LabAnswer& answer, const LabPlotOptions& options, ImVec2 corner,
               ImVec2 size);
void drawOccupancy(const lab::LabAnswer& answer, ImVec2 corner, ImVec2 size);
void drawLabRoofline(const lab::LabAnswer& answer, ImVec2 corner, ImVec2 size);

} // namespace systole
