// Curves over the cycle with their marks, and tables.
#include "app/panels/tool_widgets.h"
#include "app/tools/cardiac/cardiac_plots.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr ImU32 wholeColor = IM_COL32(245, 245, 245, 255),
                systoleColor = IM_COL32(255, 176, 64, 255),
                diastoleColor = IM_COL32(110, 190, 255, 255),
                nowColor = IM_COL32(255, 255, 255, 110), chosenColor = IM_COL32(255, 214, 64, 255);
constexpr float grabPixels = 7; ///< from the line of end systole
constexpr float aroundName = 6; ///< above and below the name of a mark, pixels

template <class Value>
std::vector<PlotPoint> curveOver(const StrainOutcome& outcome, const Value& value) {
    std::vector<PlotPoint> points;
    const TimeAxis time(outcome);
    for (std::size_t t = 0; t < time.values.size(); ++t)
        points.push_back({time.values[t], value(t)});
    return points;
}

struct Curve {
    std::vector<PlotPoint> points;
    PlotStyle style;
};

/// A color per level of the wall, none of them that of the chosen segment.
ImU32 levelColor(int segment, cardiac::AhaModel model) {
    switch (cardiac::levelOfSegment(segment, model)) {
    case cardiac::Level::Basal:
        return plotColor(0);
    case cardiac::Level::Mid:
        return plotColor(2);
    case cardiac::Level::Apical:
        return plotColor(4);
    case cardiac::Level::Cap:
        break;
    }
    return plotColor(5);
}

void addMarks(Plot& plot, const CardiacShown& shown, const TimeAxis& time, double high) {
    const auto es = static_cast<std::size_t>(shown.outcome.summary.endSystole);
    const double diastole = time.values.front(), systole = time.values[es];
    plot.verticalLine(time.values[shown.place], nowColor);
    plot.verticalLine(diastole, diastoleColor);
    plot.verticalLine(systole, systoleColor);
    plot.text({diastole, high}, "ED", diastoleColor);
    plot.text({systole, high}, "ES", systoleColor);
}

struct PlotFrame {
    const char* id;
    std::string title;
    ImVec2 size;
};

/// A press at the line of end systole takes it along; elsewhere it goes to the frame there.
CurveClick clickIn(const Plot& plot, const CardiacShown& shown, const TimeAxis& time,
                   const PlotFrame& frame) {
    ImGui::InvisibleButton(frame.id, frame.size);
    const StrainOutcome& outcome = shown.outcome;
    const float pointer = ImGui::GetIO().MousePos.x;
    const auto away = [&](std::size_t t) {
        return std::abs(plot.pixel({time.values[t], 0}).x - pointer);
    };
    ImGuiStorage* const kept = ImGui::GetStateStorage();
    const ImGuiID dragsSystole = ImGui::GetID(frame.id);
    if (ImGui::IsItemActivated())
        kept->SetBool(dragsSystole,
                      away(static_cast<std::size_t>(outcome.summary.endSystole)) < grabPixels);
    tooltip("Click: go to that frame. Drag the line ES: mark end systole.");
    if (!ImGui::IsItemActive())
        return {};
    std::size_t nearest = 0;
    for (std::size_t t = 1; t < outcome.motion.frame.size(); ++t)
        if (away(t) < away(nearest))
            nearest = t;
    const int there = outcome.motion.frame[nearest];
    return kept->GetBool(dragsSystole) ? CurveClick{{}, there} : CurveClick{there, {}};
}

/// 0 and all values, with room below and above, where the names of the marks stand; `height` of
/// the plot's area.
PlotAxis axisOf(const std::vector<Curve>& curves, float height) {
    double low = 0, high = 0;
    for (const Curve& curve : curves)
        if (const CurveRange range = rangeOf(curve.points); range.low <= range.high) {
            low = std::min(low, range.low);
            high = std::max(high, range.high);
        }
    const double range = std::max(high - low, 1e-3), below = low < 0 ? 0.1 * range : 0;
    const float name = ImGui::GetTextLineHeight() + aroundName;
    const double above = (range + below) * double{name / std::max(height - name, name)};
    return {low - below, high + above, PlotAxis::Steps::Decimal};
}

CurveClick drawCurves(const CardiacShown& shown, const PlotFrame& frame,
                      const std::vector<Curve>& curves, const std::vector<LegendEntry>& legend) {
    const TimeAxis time(shown.outcome);
    const PlotAxis y = axisOf(curves, Plot::areaHeight(frame.size, legend));
    Plot plot(ImGui::GetCursorScreenPos(), frame.size,
              PlotAxis(time.values.front(), time.values.back(), PlotAxis::Steps::Decimal), y,
              {frame.title, time.known ? "ms since ED" : "frame"}, legend);
    for (const Curve& curve : curves)
        plot.curve(curve.points, curve.style);
    addMarks(plot, shown, time, y.high());
    return clickIn(plot, shown, time, frame);
}

template <class Rows, class Cells>
void drawTable(const char* id, float width, const std::vector<std::string>& heads, const Rows& rows,
               const Cells& cells) {
    const auto columns = static_cast<int>(heads.size());
    if (!ImGui::BeginTable(id, columns, ImGuiTableFlags_RowBg | ImGuiTableFlags_NoPadOuterX,
                           {width, 0}))
        return;
    for (int i = 0; i < columns; ++i)
        ImGui::TableSetupColumn(heads[static_cast<std::size_t>(i)].c_str(),
                                ImGuiTableColumnFlags_WidthStretch, i == 0 ? 2.3f : 1.0f);
    const auto addRow = [](const std::string& name, const std::vector<std::string>& values,
                           const ImVec4& color) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextColored(dimColor(), "%s", name.c_str());
        for (const std::string& value : values) {
            ImGui::TableNextColumn();
            textRight(value, color);
        }
    };
    addRow(heads.front(), {heads.begin() + 1, heads.end()}, dimColor());
    for (const auto& row : rows)
        addRow(row.unit.empty() ? row.name : row.name + ", " + row.unit, cells(row), plainColor());
    ImGui::EndTable();
}

} // namespace

CurveClick drawSegmentCurves(const CardiacShown& shown, float width, float height) {
    const StrainOutcome& outcome = shown.outcome;
    const BullsEyeQuantity& quantity = curveOf(shown.quantity);
    std::vector<Curve> curves;
    for (int segment = 1; segment <= cardiac::ahaSegments(shown.model); ++segment) {
        const bool faint = shown.segment > 0 && shown.segment != segment;
        curves.push_back({curveOver(outcome,
                                    [&](std::size_t t) {
                                        return quantity.value(
                                            outcome, t, static_cast<std::size_t>(segment - 1));
                                    }),
                          {.color = faded(levelColor(segment, shown.model), faint ? 0.25f : 0.9f),
                           .width = 1.2f}});
    }
    if (shown.segment > 0) { // over the others
        curves.push_back(curves[static_cast<std::size_t>(shown.segment - 1)]);
        curves.back().style = {.color = chosenColor, .width = 3};
    }
    curves.push_back(
        {curveOver(outcome, [&](std::size_t t) { return wholeWall(quantity, outcome, t); }),
         {.color = wholeColor, .stroke = Stroke::Dashed, .width = 2}});
    std::vector<LegendEntry> legend;
    for (const auto& [name, segment] : {std::pair{"basal", 1}, {"mid", 7}, {"apical", 13}})
        legend.push_back({name, {.color = levelColor(segment, shown.model)}});
    if (shown.model == cardiac::AhaModel::Seventeen)
        legend.push_back({"apex", {.color = levelColor(17, shown.model)}});
    legend.push_back({quantity.direction < 0 ? "twist" : "global", curves.back().style});
    if (shown.segment > 0)
        legend.push_back({fmt::format("segment {}", shown.segment), {.color = chosenColor}});
    return drawCurves(
        shown,
        {"segment curves", fmt::format("{}, {}", quantity.title, quantity.unit), {width, height}},
        curves, legend);
}

CurveClick drawVolumeCurve(const CardiacShown& shown, float width, float height) {
    const StrainOutcome& outcome = shown.outcome;
    const std::vector<Curve> curves{
        {curveOver(outcome,
                   [&](std::size_t t) { return outcome.measures.frames[t].cavity.midWall; }),
         {.color = plotColor(0), .mark = Mark::Dot}}};
    return drawCurves(shown, {"volume curve", "volume of the cavity, ml", {width, height}}, curves,
                      {});
}

void drawFrameFigures(const CardiacShown& shown, float width) {
    const std::vector<int>& frame = shown.outcome.motion.frame;
    drawTable("figures of frames", width,
              {"", "ED", "ES", fmt::format("frame {}", frame[shown.place])},
              frameFigures(shown.outcome, shown.place), [](const FrameFigure& row) {
                  return std::vector<std::string>{figureText(row.diastole, row.decimals),
                                                  figureText(row.systole, row.decimals),
                                                  figureText(row.now, row.decimals)};
              });
}

void drawCycleFigures(const CardiacShown& shown, float width) {
    drawTable("figures of the cycle", width, {"", "longit.", "circumf.", "radial"},
              cycleFigures(shown.outcome), [](const CycleFigure& row) {
                  std::vector<std::string> values;
                  for (const double value : row.value)
                      values.push_back(figureText(value, row.decimals));
                  return values;
              });
}

} // namespace systole
