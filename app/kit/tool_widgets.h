// Widgets of the tools' panels: rows with a label on the left, and curves.
#pragma once

#include "app/kit/parameter_widget.h"
#include "app/kit/plot.h"
#include "app/kit/widgets.h"
#include "compute/core/params.h"

#include <imgui.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace systole {

struct Session;

/// A value of a curve that isn't there.
inline constexpr double curveGap = std::numeric_limits<double>::quiet_NaN();

/// Tooltip of the last item, shown while the pointer rests on it, even if it is disabled.
void tooltip(const std::string& text);

/// True when pressed.
bool button(const char* label, const std::string& help = {}, bool enabled = true, float width = 0);
/// One that says why it can do nothing now; empty: it can.
bool actionButton(const char* label, const std::string& help, const std::string& whyNot);
/// One that looks pressed while `on`.
bool toggleButton(const char* label, bool on, const std::string& help, float width = 0);

/// True when changed; `format` as in printf.
bool slider(const char* label, double& value, double low, double high, const char* format,
            const std::string& help = {});
bool slider(const char* label, int& value, int low, int high, const char* format = "%d");
bool checkbox(const char* label, bool& value, const std::string& help = {});

/// A bar of 0 to 1, as wide as ImGui's; with percent where it has no text, which is shortened to
/// it.
void progressBar(double fraction, float width = -1, const std::string& text = {});

/// A choice of a list: `text(choice)` names one, `choose(choice)` takes what the user chose, maybe
/// again what is shown.
template <typename Choices, typename Text, typename Choose>
void choiceRow(const char* label, const std::string& shown, const Choices& choices,
               const Text& text, const Choose& choose, float labelWidth = usualLabelWidth) {
    panelLabel(label, labelWidth);
    if (!beginChoice(std::string("##") + label, shown, ImGuiComboFlags_HeightLarge))
        return;
    for (const auto& choice : choices) {
        const std::string name = text(choice);
        if (ImGui::Selectable(name.c_str(), name == shown))
            choose(choice);
    }
    ImGui::EndCombo();
}

/// A row; true when the user changed the value. `shown`: as editParameter()'s.
bool parameterRow(const ParamRow& row, ParamValue& value, const std::string& help,
                  float labelWidth = usualLabelWidth, const char* shown = nullptr);
/// The labels of a table, those of CUDA only where it is used.
std::vector<std::string> labelsOf(const ParamTable& table, bool withCuda = true);
/// All rows of a set, which takes what the user changes.
void parameterRows(ParamSet& values);
/// The rows of a set, those of CUDA only where it is used, in a branch that opens.
template <typename Set>
void parameterTree(const ParamSet& values, bool withCuda, const Set& set) {
    if (!ImGui::TreeNode("Parameters"))
        return;
    const float width = labelColumn(labelsOf(values.table(), withCuda));
    for (const ParamRow& row : values.table().rows()) {
        ParamValue value = values.value(row.id);
        if ((withCuda || !row.cudaOnly) &&
            parameterRow(row, value, row.labelWithId() + ": " + helpInWords(values.table(), row),
                         width))
            set(row.id, std::move(value));
    }
    ImGui::TreePop();
}

/// A curve over the width of the panel, of frames or iterations.
struct PanelCurve {
    const char* title;
    const char* across; ///< "frame", "iteration"
    std::vector<PlotPoint> points{};
    double low = curveGap, high = curveGap; ///< not finite: those of the points
    double now = curveGap; ///< position of a vertical line; not finite: there is none
    PlotAxis::Steps steps = PlotAxis::Steps::Decimal; ///< steps of the horizontal axis
    std::size_t color = 0;
    Mark mark = Mark::None;
    float height = 104;
    std::vector<LegendEntry> legend{};
};
/// `more(plot, high)`, where it is set, draws more into it.
void drawCurve(const PanelCurve& curve, const std::function<void(Plot&, double high)>& more = {});
/// Position of a frame on the horizontal axis of such a curve: its time in ms if the file has
/// times, otherwise its number; then the name of the axis and its ticks.
double placeOfFrame(const Session& session, double frame);
const char* frameAxisName(const Session& session);
PlotAxis::Steps frameAxisSteps(const Session& session);
/// Points whose x are frames, there.
std::vector<PlotPoint> placedByFrame(const Session& session, std::vector<PlotPoint> points);
/// The lowest and highest finite value; low > high: there is none.
struct CurveRange {
    double low, high;
};
CurveRange rangeOf(const std::vector<PlotPoint>& points);

} // namespace systole
