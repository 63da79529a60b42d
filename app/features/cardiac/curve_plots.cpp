// Curves over the cycle with their marks, and tables.
#include "app/features/cardiac/cardiac_plots.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr ImU32 wholeColor = IM_COL32(245, 245, 245, 255),
                systoleColor = IM_COL32(255, 176, 64, 255),
                diastoleColor = IM_COL32(110, 190, 255, 255),
                nowColor = IM_COL32(255, 255, 255, 110), chosenColor = IM_COL32(255, 214, 64, 255);
constexpr float grabPixels = 7; ///< distance from the line of end systole
constexpr float aroundName = 6; ///< room above and below the name of a mark, pixels

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

/// Places on the time axis of the frames of a table that was read: their own times, or, if the
/// table or the sequence has none, the places of the frames with the same numbers; NaN: none.
std::vector<double> placesOf(const StrainCurves& table, const StrainOutcome& outcome) {
    const TimeAxis time(outcome);
    const bool timed =
        std::ranges::any_of(table.milliseconds, [](double t) { return std::isfinite(t); });
    if (time.known && timed)
        return table.milliseconds;
    std::vector<double> places;
    for (const double frame : table.frame) {
        const auto& frames = outcome.motion.frame;
        const auto found = std::ranges::find(frames, static_cast<int>(std::lround(frame)));
        places.push_back(found == frames.end()
                             ? std::numeric_limits<double>::quiet_NaN()
                             : time.values[static_cast<std::size_t>(found - frames.begin())]);
    }
    return places;
}

/// "segments.csv", and that it is drawn by frames, or isn't drawn, where that is so.
std::string nameOfTable(const StrainCurves& table, const StrainOutcome& outcome) {
    const std::vector<double> places = placesOf(table, outcome);
    if (std::ranges::none_of(places, [](double place) { return std::isfinite(place); }))
        return table.name + " (no frame of these)";
    const bool timed =
        std::ranges::any_of(table.milliseconds, [](double t) { return std::isfinite(t); });
    return TimeAxis(outcome).known && !timed ? table.name + " (by frame: it has no times)"
                                             : table.name;
}

/// The column of the tables that were read, dotted: of a segment, or, 0, of the whole ventricle.
void addRead(const CardiacShown& shown, const char* column, int segment, ImU32 color,
             std::vector<Curve>& curves) {
    for (const StrainCurves& table : shown.read) {
        const auto found = table.of.find(column);
        if (table.ofSegments != (segment > 0) || found == table.of.end() ||
            found->second.size() < static_cast<std::size_t>(std::max(segment, 1)))
            continue;
        const std::vector<double> x = placesOf(table, shown.outcome);
        const std::vector<double>& y =
            found->second[static_cast<std::size_t>(std::max(segment - 1, 0))];
        Curve curve{{}, {.color = color, .stroke = Stroke::Dotted, .width = 2.5f}};
        for (std::size_t t = 0; t < x.size(); ++t)
            curve.points.push_back({x[t], y[t]});
        curves.push_back(std::move(curve));
    }
}

void addReadNames(const CardiacShown& shown, bool ofSegments, std::vector<LegendEntry>& legend) {
    for (const StrainCurves& table : shown.read)
        if (!table.ofSegments || ofSegments)
            legend.push_back({nameOfTable(table, shown.outcome),
                              {.color = wholeColor, .stroke = Stroke::Dotted}});
}

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

/// A drag from the line of end systole takes it along; any other press goes to the frame there, and
/// one at that line only once, so that a drag leaves the frame.
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
    if (!kept->GetBool(dragsSystole) || ImGui::IsItemActivated())
        return {there, {}};
    const int systole = outcome.motion.frame[static_cast<std::size_t>(outcome.summary.endSystole)];
    return there != systole && ImGui::IsMouseDragging(ImGuiMouseButton_Left) ? CurveClick{{}, there}
                                                                             : CurveClick{};
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
              PlotAxis(time.values.front(), time.values.back(), time.steps()), y,
              {frame.title, time.known ? "ms since ED" : "frame"}, legend);
    for (const Curve& curve : curves)
        plot.curve(curve.points, curve.style);
    addMarks(plot, shown, time, y.high());
    return clickIn(plot, shown, time, frame);
}

/// Columns of values are as wide as what stands in them; the names have the rest.
template <class Rows, class Cells>
void drawTable(const char* id, float width, const std::vector<std::string>& heads, const Rows& rows,
               const Cells& cells) {
    std::vector<std::vector<std::string>> all{heads};
    for (const auto& row : rows) {
        all.push_back(cells(row));
        all.back().insert(all.back().begin(),
                          row.unit.empty() ? row.name : row.name + ", " + row.unit);
    }
    if (!ImGui::BeginTable(id, static_cast<int>(heads.size()),
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_NoPadOuterX, {width, 0}))
        return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    for (std::size_t i = 1; i < heads.size(); ++i) {
        float widest = 0;
        for (const std::vector<std::string>& row : all)
            widest = std::max(widest, ImGui::CalcTextSize(row[i].c_str()).x);
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, std::ceil(widest));
    }
    for (const std::vector<std::string>& row : all) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextColored(dimColor(), "%s", row.front().c_str());
        for (std::size_t i = 1; i < row.size(); ++i) {
            ImGui::TableNextColumn();
            textRight(row[i], &row == &all.front() ? dimColor() : plainColor());
        }
    }
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
    for (int segment = 1; segment <= cardiac::ahaSegments(shown.model); ++segment)
        if (shown.segment == 0)
            addRead(shown, quantity.column, segment, levelColor(segment, shown.model), curves);
    if (shown.segment > 0) { // the highlighted curve covers the others
        curves.push_back(curves[static_cast<std::size_t>(shown.segment - 1)]);
        curves.back().style = {.color = chosenColor, .width = 3};
        addRead(shown, quantity.column, shown.segment, wholeColor, curves);
    }
    const PlotStyle whole{.color = wholeColor, .stroke = Stroke::Dashed, .width = 2};
    curves.push_back(
        {curveOver(outcome, [&](std::size_t t) { return wholeWall(quantity, outcome, t); }),
         whole});
    addRead(shown, quantity.wholeColumn, 0, wholeColor, curves);
    std::vector<LegendEntry> legend;
    for (const auto& [name, segment] : {std::pair{"basal", 1}, {"mid", 7}, {"apical", 13}})
        legend.push_back({name, {.color = levelColor(segment, shown.model)}});
    if (shown.model == cardiac::AhaModel::Seventeen)
        legend.push_back({"apex", {.color = levelColor(17, shown.model)}});
    legend.push_back({quantity.direction < 0 ? "twist" : "global", whole});
    if (shown.segment > 0)
        legend.push_back({fmt::format("segment {}", shown.segment), {.color = chosenColor}});
    addReadNames(shown, true, legend);
    return drawCurves(
        shown,
        {"segment curves", fmt::format("{}, {}", quantity.title, quantity.unit), {width, height}},
        curves, legend);
}

CurveClick drawVolumeCurve(const CardiacShown& shown, float width, float height) {
    const StrainOutcome& outcome = shown.outcome;
    std::vector<Curve> curves{
        {curveOver(outcome,
                   [&](std::size_t t) { return outcome.measures.frames[t].cavity.midWall; }),
         {.color = plotColor(0), .mark = Mark::Dot}}};
    addRead(shown, "cavity_midwall_ml", 0, wholeColor, curves);
    std::vector<LegendEntry> legend;
    addReadNames(shown, false, legend);
    return drawCurves(shown, {"volume curve", "volume of the cavity, ml", {width, height}}, curves,
                      legend);
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
