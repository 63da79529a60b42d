#include "app/panels/lab_plots.h"

#include "app/lab/summary.h"
#include "app/panels/lab_curves.h"
#include "app/panels/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
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

/// Time, occupancy and roofline as far as there is room; the roofline is left out first, then the
/// occupancy.
void drawPlots(const LabAnswer& answer, const LabPlotOptions& options, ImVec2 corner, ImVec2 size) {
    const bool rows = size.y >= twoRowsMinHeight;
    const bool three = !rows && size.x >= threeColumnsMinWidth;
    if (size.x < twoColumnsMinWidth) {
        drawTimes(answer, options, corner, size);
    } else {
        const float left = std::floor((three ? 0.4f : 0.56f) * size.x);
        drawTimes(answer, options, corner, {left, size.y});
        const ImVec2 beside{corner.x + left + gap, corner.y};
        const float width = size.x - left - gap;
        if (rows) {
            const float upper = std::floor(0.5f * (size.y - gap / 2)), below = upper + gap / 2;
            drawOccupancy(answer, beside, {width, upper});
            drawLabRoofline(answer, {beside.x, beside.y + below}, {width, size.y - below});
        } else if (three) {
            const float half = std::floor(0.5f * (width - gap)), right = half + gap;
            drawOccupancy(answer, beside, {half, size.y});
            drawLabRoofline(answer, {beside.x + right, beside.y}, {half, size.y});
        } else {
            drawOccupancy(answer, beside, {width, size.y});
        }
    }
    ImGui::Dummy(size);
}

} // namespace

void drawLabPlots(const LabAnswer& answer, const LabPlotOptions& options) {
    wrappedText(titleOf(answer), plainColor());
    wrappedText(answer.source, anyMeasured(answer) ? dimColor() : warningColor);
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
    drawLabPlots(answer, {});
    ImGui::EndChild();
    for (const std::string& line : lines)
        ImGui::TextUnformatted(line.c_str());
}

} // namespace systole
