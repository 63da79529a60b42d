#include "app/kit/panels.h"
#include "app/kit/tool_widgets.h"
#include "app/session/resets.h"
#include "app/session/session.h"
#include "render/display_scale.h"
#include "render/overlays/rows.h"
#include "render/window_presets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

const char* const unknownModality = "unknown: choose";
const char* const changedByHand = "changed by hand";

/// The program's choice for an automatic option; empty: none.
std::string chosen(const DisplayRow& row, const Session& session) {
    const DisplayFigures& figures = session.figures;
    const std::string& id = row.param.id;
    const bool automatic = row.param.type == ParamType::Choice
                               ? row.text(session.display) == "auto"
                               : row.automatic && !(row.real(session.display) > 0);
    if (id == "window-preset" && session.opened) {
        const IntensityScale range = session.opened->scale;
        const WindowLevel own =
            windowOf(windowPreset(session.display.windowPreset), range.low, range.high);
        const bool same = own == WindowLevel{session.display.window, session.display.level};
        return same || !(session.display.window > 0) ? "" : changedByHand;
    }
    if (!automatic)
        return {};
    if (id == "preset")
        return figures.activePreset;
    if (id == "modality")
        return figures.modality.empty() ? unknownModality : row.title(figures.modality);
    if (id == "color-maximum")
        return fmt::format("{:g}", figures.colorMaximum);
    if (id == "difference-maximum")
        return fmt::format("{:g}", figures.differenceMaximum);
    if (id == "arrow-scale")
        return fmt::format("{:g}", figures.arrowScale);
    if (id == "grid-scale")
        return fmt::format("{:g}", DisplayScale{.arrows = figures.arrowScale}.grid());
    return {};
}

/// True for the rows that the panel draws separately.
bool isLayout(const DisplayRow& row) {
    return row.param.id == "layout" || row.param.id == "side-view";
}

/// Labels of all rows that have one on the left.
std::vector<std::string> labelsOfRows() {
    std::vector<std::string> labels;
    for (const DisplayRow& row : displayRows())
        if (!row.isSwitch() && !isLayout(row))
            labels.push_back(row.label);
    return labels;
}

bool editChoice(const DisplayRow& row, std::string& choice, const Session& session) {
    const std::string note = chosen(row, session);
    const std::string shown = note == unknownModality || note == changedByHand ? note
                              : note.empty()                                   ? row.title(choice)
                                             : row.title(choice) + " (" + note + ")";
    bool changed = false;
    if (beginChoice("##value", shown)) {
        for (const std::string& each : row.choicesFor(session.figures.modality))
            if (ImGui::Selectable(row.title(each).c_str(), each == choice)) {
                choice = each;
                changed = true;
            }
        ImGui::EndCombo();
    }
    return changed;
}

struct Range {
    double low = 0, high = 1;
};

bool editReal(const DisplayRow& row, double& value, Range range, const std::string& note) {
    const std::string number = row.grayValue            ? "%.4g"
                               : row.param.unit.empty() ? "%.2f"
                               : row.param.unit == "%"  ? "%.0f %%"
                                                        : "%.2f " + row.param.unit;
    const bool automatic = row.automatic && !(value > 0);
    const std::string chosenNumber = "auto " + note;
    return numberSlider("##value", ImGuiDataType_Double, &value, &range.low, &range.high,
                        number.c_str(), ImGuiSliderFlags_AlwaysClamp,
                        automatic ? chosenNumber.c_str() : nullptr);
}

class ViewPanel : public Panel {
public:
    ViewPanel() { open = true; }
    const char* title() const override { return "View"; }
    PanelGroup group() const override { return PanelGroup::Display; }

    void draw(Session& session) override {
        drawLayout(session.display);
        drawSwitches(session.display);
        const float labels = labelColumn(labelsOfRows());
        std::string group;
        bool unfolded = true;
        for (const DisplayRow& row : displayRows()) {
            if (row.isSwitch() || isLayout(row) || (row.grayValue && !session.opened))
                continue;
            if (row.group != group) {
                group = row.group;
                unfolded = group.empty() ||
                           ImGui::TreeNodeEx(group.c_str(), ImGuiTreeNodeFlags_NoTreePushOnOpen |
                                                                ImGuiTreeNodeFlags_SpanAvailWidth);
            }
            if (unfolded)
                drawOption(row, session, labels);
        }
        if (ImGui::SmallButton("Reset display options"))
            resetDisplay(session);
        ImGui::SameLine();
    }

    std::string text(const Session& session) const override {
        std::string text;
        for (const DisplayRow& row : displayRows()) {
            const std::string note = chosen(row, session);
            text += fmt::format("{}{}{}\t{}{}\n", row.param.id, row.param.unit.empty() ? "" : " ",
                                row.param.unit, row.text(session.display),
                                note.empty() ? "" : " (" + note + ")");
        }
        return text;
    }

private:
    static void drawLayout(DisplayOptions& display) {
        const auto choice = [&](const char* text, Layout layout) {
            if (ImGui::RadioButton(text, display.layout == layout))
                display.layout = layout;
        };
        choice("3D", Layout::Single3D);
        ImGui::SameLine();
        choice("Three slices", Layout::ThreeSlices);
        ImGui::SameLine();
        choice("Four views", Layout::FourUp);
        choice("Side by side:", Layout::SideBySide);
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-1);
        if (beginChoice("##sideView", name(display.sideView))) {
            for (const ViewKind kind : viewKinds)
                if (ImGui::Selectable(name(kind), kind == display.sideView)) {
                    display.sideView = kind;
                    display.layout = Layout::SideBySide;
                }
            ImGui::EndCombo();
        }
    }

    static void drawSwitches(DisplayOptions& display) {
        for (const char* const section : switchSections) {
            ImGui::TextDisabled("%s", section);
            drawSection(display, section);
        }
        ImGui::Separator();
    }

    /// Draws two switches per line.
    static void drawSection(DisplayOptions& display, const std::string& section) {
        bool left = true;
        for (const DisplayRow& row : displayRows()) {
            if (!row.isSwitch() || row.section != section)
                continue;
            if (!left)
                ImGui::SameLine(138);
            left = !left;
            const std::string key = row.key ? fmt::format(" ({})", row.key) : "";
            bool on = row.isOn(display);
            if (ImGui::Checkbox((row.plainLabel() + key).c_str(), &on))
                row.set(display, on);
            tooltip(row.param.help);
        }
    }

    static void drawOption(const DisplayRow& row, Session& session, float labels) {
        const bool overLabel = panelLabel(row.label.c_str(), labels);
        ImGui::PushID(row.param.id.c_str());
        ParamValue value = row.value(session.display);
        const bool changed = row.param.type == ParamType::Choice
                                 ? editChoice(row, std::get<std::string>(value), session)
                                 : editReal(row, std::get<double>(value), rangeOf(row, session),
                                            chosen(row, session));
        if (changed)
            row.set(session.display, std::move(value));
        if (overLabel || ImGui::IsItemHovered())
            itemTooltip(row.param.help);
        ImGui::PopID();
    }

    static Range rangeOf(const DisplayRow& row, const Session& session) {
        if (!row.grayValue)
            return {row.param.minimum,
                    row.sliderMaximum > 0 ? row.sliderMaximum : row.param.maximum};
        const IntensityScale scale = session.opened->scale;
        const double low = scale.low, high = scale.high, range = high - low;
        // A width can't be negative.
        if (row.param.minimum >= 0)
            return {0.01 * range, 2 * range};
        return {low - 0.5 * range, high + 0.5 * range};
    }
};

} // namespace

std::unique_ptr<Panel> makeViewPanel() { return std::make_unique<ViewPanel>(); }

} // namespace systole
