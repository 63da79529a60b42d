#include "app/features/laboratory/lab_plots.h"

#include "app/features/laboratory/lab_curves.h"
#include "app/features/laboratory/summary.h"
#include "app/kit/tool_widgets.h"
#include "app/kit/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

using lab::LabAnswer;
using lab::LabCurve;

constexpr float twoColumnsMinWidth = 620, threeColumnsMinWidth = 980, twoRowsMinHeight = 310,
                gap = 14;

std::string titleOf(const LabAnswer& answer) {
    std::string kernels;
    for (const LabCurve& curve : answer.curves)
        kernels += (kernels.empty() ? "" : ", ") + curve.kernel;
    return fmt::format("{} on {}, {}", kernels, answer.machine.name,
                       conditionsText(answer.question));
}

void drawPlot(LabPlot plot, const LabAnswer& answer, const LabPlotOptions& options, ImVec2 corner,
              ImVec2 size) {
    switch (plot) {
    case LabPlot::Times:
        return drawTimes(answer, options, corner, size);
    case LabPlot::Occupancy:
        return drawOccupancy(answer, corner, size);
    case LabPlot::Roofline:
        return drawLabRoofline(answer, corner, size);
    }
}

/// The plot that stands next to the times in an area for two.
LabPlot besideTimes(LabPlot chosen) {
    return chosen == LabPlot::Times ? LabPlot::Occupancy : chosen;
}

/// Draws as many plots as the area has room for.
void drawPlots(const LabAnswer& answer, const LabPlotOptions& options, ImVec2 corner, ImVec2 size) {
    const int places = labPlotsIn(size.x, size.y);
    const bool rows = size.y >= twoRowsMinHeight;
    if (places == 1) {
        drawPlot(options.plot, answer, options, corner, size);
    } else {
        const bool three = places == 3 && !rows;
        const float left = std::floor((three ? 0.4f : 0.56f) * size.x);
        drawTimes(answer, options, corner, {left, size.y});
        const ImVec2 beside{corner.x + left + gap, corner.y};
        const float width = size.x - left - gap;
        if (places == 2) {
            drawPlot(besideTimes(options.plot), answer, options, beside, {width, size.y});
        } else if (rows) {
            const float upper = std::floor(0.5f * (size.y - gap / 2)), below = upper + gap / 2;
            drawOccupancy(answer, beside, {width, upper});
            drawLabRoofline(answer, {beside.x, beside.y + below}, {width, size.y - below});
        } else {
            const float half = std::floor(0.5f * (width - gap)), right = half + gap;
            drawOccupancy(answer, beside, {half, size.y});
            drawLabRoofline(answer, {beside.x + right, beside.y}, {half, size.y});
        }
    }
    ImGui::Dummy(size);
}

/// Question and source of the figures; in a low area shortened to one line, with the whole text in
/// a tooltip.
void drawHeading(const LabAnswer& answer, bool low) {
    const ImVec4 sourceColor = anyMeasured(answer) ? dimColor() : warningColor;
    if (!low) {
        wrappedText(titleOf(answer), plainColor());
        return wrappedText(answer.source, sourceColor);
    }
    const std::string text = titleOf(answer) + ". " + answer.source;
    ImGui::TextColored(sourceColor, "%s",
                       shortened(text, ImGui::GetContentRegionAvail().x).c_str());
    tooltip(text);
}

void choosePlot(LabPlotOptions& options, int places) {
    if (places == 3)
        return;
    const bool beside = places == 2;
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", beside ? "beside the times" : "plot");
    constexpr std::pair<LabPlot, const char*> plots[] = {{LabPlot::Times, "times"},
                                                         {LabPlot::Occupancy, "occupancy"},
                                                         {LabPlot::Roofline, "roofline"}};
    const LabPlot shown = beside ? besideTimes(options.plot) : options.plot;
    for (const auto& [plot, label] : plots) {
        if (beside && plot == LabPlot::Times)
            continue;
        ImGui::SameLine();
        if (ImGui::RadioButton(label, shown == plot))
            options.plot = plot;
    }
    tooltip("A larger window, or one without the column of panels (F9), has room for all three.");
}

} // namespace

int labPlotsIn(float width, float height) {
    if (width < twoColumnsMinWidth)
        return 1;
    return height >= twoRowsMinHeight || width >= threeColumnsMinWidth ? 3 : 2;
}

void drawLabPlots(const LabAnswer& answer, LabPlotOptions& options) {
    constexpr float low = 400;
    const float height = ImGui::GetContentRegionAvail().y;
    drawHeading(answer, height < low);
    const ImVec2 before = ImGui::GetContentRegionAvail();
    choosePlot(options, labPlotsIn(before.x, before.y));
    const ImVec2 room = ImGui::GetContentRegionAvail();
    drawPlots(answer, options, ImGui::GetCursorScreenPos(), {room.x, std::max(room.y, 60.0f)});
}

void drawLabPage(const LabAnswer& answer) {
    const float wrap = ImGui::GetContentRegionAvail().x;
    std::vector<std::string> lines;
    for (const LabCurve& curve : answer.curves) {
        std::string line = answer.curves.size() > 1 ? curve.kernel + ": " : std::string{};
        for (const std::string& part : summaryOf(answer, curve))
            line += (line.empty() || line.back() == ' ' ? "" : "; ") + part;
        lines.push_back(linesOf(line + ".", wrap));
    }
    for (const std::string& note : answer.notes)
        lines.push_back(linesOf("Note: " + note, wrap));
    float height = 0;
    for (const std::string& line : lines)
        height += ImGui::CalcTextSize(line.c_str()).y + ImGui::GetStyle().ItemSpacing.y;
    const float room = ImGui::GetContentRegionAvail().y;
    // The plots keep the larger part for any number of kernels.
    height = std::min(height + 8, 0.4f * room);
    ImGui::BeginChild("plots", {0, room - height});
    LabPlotOptions usual;
    drawLabPlots(answer, usual);
    ImGui::EndChild();
    for (const std::string& line : lines)
        ImGui::TextUnformatted(line.c_str());
}

} // namespace systole
