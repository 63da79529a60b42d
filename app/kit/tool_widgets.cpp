#include "app/kit/tool_widgets.h"

#include "app/session/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {

void tooltip(const std::string& text) {
    if (!text.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) &&
        !ImGui::IsItemActive())
        itemTooltip(text);
}

bool button(const char* label, const std::string& help, bool enabled, float width) {
    ImGui::BeginDisabled(!enabled);
    const bool pressed = ImGui::Button(label, {width, 0});
    ImGui::EndDisabled();
    tooltip(help);
    return pressed;
}

bool actionButton(const char* label, const std::string& help, const std::string& whyNot) {
    return button(label, whyNot.empty() ? help : "Not now: " + whyNot + ".", whyNot.empty());
}

bool toggleButton(const char* label, bool on, const std::string& help, float width) {
    if (on)
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
    const bool pressed = ImGui::Button(label, {width, 0});
    if (on)
        ImGui::PopStyleColor();
    tooltip(help);
    return pressed;
}

bool slider(const char* label, double& value, double low, double high, const char* format,
            const std::string& help) {
    panelLabel(label);
    const bool changed = numberSlider((std::string("##") + label).c_str(), ImGuiDataType_Double,
                                      &value, &low, &high, format, ImGuiSliderFlags_AlwaysClamp);
    tooltip(help);
    return changed;
}

bool slider(const char* label, int& value, int low, int high, const char* format) {
    panelLabel(label);
    return numberSlider((std::string("##") + label).c_str(), ImGuiDataType_S32, &value, &low, &high,
                        format, ImGuiSliderFlags_AlwaysClamp);
}

bool checkbox(const char* label, bool& value, const std::string& help) {
    panelLabel(label);
    const bool changed = ImGui::Checkbox((std::string("##") + label).c_str(), &value);
    tooltip(help);
    return changed;
}

bool parameterRow(const ParamRow& row, ParamValue& value, const std::string& help, float labelWidth,
                  const char* shown) {
    ImGui::PushID(row.id.c_str());
    const bool overLabel = panelLabel(row.label().c_str(), labelWidth);
    const bool edited = editParameter(row, value, shown);
    if (overLabel)
        itemTooltip(help);
    tooltip(help);
    ImGui::PopID();
    return edited;
}

std::vector<std::string> labelsOf(const ParamTable& table, bool withCuda) {
    std::vector<std::string> labels;
    for (const ParamRow& row : table.rows())
        if (withCuda || !row.cudaOnly)
            labels.push_back(row.label());
    return labels;
}

void parameterRows(ParamSet& values) {
    const float labelWidth = labelColumn(labelsOf(values.table()));
    for (const ParamRow& row : values.table().rows()) {
        ParamValue value = values.value(row.id);
        if (parameterRow(row, value, helpInWords(values.table(), row), labelWidth))
            values.set(row.id, std::move(value));
    }
}

CurveRange rangeOf(const std::vector<PlotPoint>& points) {
    CurveRange range{std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};
    for (const PlotPoint& point : points)
        if (std::isfinite(point.y))
            range = {std::min(range.low, point.y), std::max(range.high, point.y)};
    return range;
}

void progressBar(double fraction, float width, const std::string& text) {
    const float room = width < 0 ? ImGui::GetContentRegionAvail().x + width : width;
    const std::string fitting = shortened(text, room - 2 * ImGui::GetStyle().ItemInnerSpacing.x);
    ImGui::ProgressBar(static_cast<float>(fraction), {width, 0},
                       text.empty() ? nullptr : fitting.c_str());
}

double placeOfFrame(const Session& session, double frame) {
    if (!session.opened || !session.opened->sequence.timeKnown())
        return frame;
    return 1000 * session.opened->sequence.timeOf(static_cast<int>(frame));
}

const char* frameAxisName(const Session& session) {
    return session.opened && session.opened->sequence.timeKnown() ? "time, ms" : "frame";
}

PlotAxis::Steps frameAxisSteps(const Session& session) {
    return session.opened && session.opened->sequence.timeKnown() ? PlotAxis::Steps::Decimal
                                                                  : PlotAxis::Steps::Whole;
}

std::vector<PlotPoint> placedByFrame(const Session& session, std::vector<PlotPoint> points) {
    for (PlotPoint& point : points)
        point.x = placeOfFrame(session, point.x);
    return points;
}

void drawCurve(const PanelCurve& curve, const std::function<void(Plot&, double high)>& more) {
    const CurveRange range = rangeOf(curve.points);
    const double low = std::isfinite(curve.low) ? curve.low : range.low;
    const double high = std::isfinite(curve.high) ? curve.high : range.high;
    const ImVec2 size{ImGui::GetContentRegionAvail().x, curve.height};
    {
        Plot plot(ImGui::GetCursorScreenPos(), size,
                  PlotAxis(curve.points.front().x, curve.points.back().x, curve.steps),
                  PlotAxis(low, high, PlotAxis::Steps::Decimal), {curve.title, curve.across},
                  curve.legend);
        plot.curve(curve.points, {.color = plotColor(curve.color), .mark = curve.mark});
        if (more)
            more(plot, high);
        if (std::isfinite(curve.now))
            plot.verticalLine(curve.now, faded(plotColor(curve.color), 0.6f));
    }
    ImGui::Dummy(size);
}

} // namespace systole
