#include "app/live/resets.h"
#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/parameter_widget.h"
#include "app/panels/widgets.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>

namespace systole {
namespace {

/// The program's choice for an automatic option; empty: none.
std::string chosen(const DisplayRow& row, const Session& session) {
    if (row.param.id == "preset" && row.text(session.display) == "auto")
        return session.figures.activePreset;
    if (row.param.id == "color-maximum" && !(row.real(session.display) > 0))
        return fmt::format("{:g}", session.figures.colorMaximum);
    return {};
}

/// True for the rows that the panel draws separately.
bool isLayout(const DisplayRow& row) {
    return row.param.id == "layout" || row.param.id == "side-view";
}

bool editChoice(const DisplayRow& row, std::string& choice, const std::string& note) {
    const auto& choices = row.param.choices;
    const auto& shown = row.titles.empty() ? choices : row.titles;
    const auto found = std::ranges::find(choices, choice);
    const std::string current =
        found != choices.end() ? shown[static_cast<std::size_t>(found - choices.begin())] : choice;
    bool changed = false;
    if (ImGui::BeginCombo("##value",
                          (note.empty() ? current : current + " (" + note + ")").c_str())) {
        for (std::size_t i = 0; i < choices.size(); ++i)
            if (ImGui::Selectable(shown[i].c_str(), choices[i] == choice)) {
                choice = choices[i];
                changed = true;
            }
        ImGui::EndCombo();
    }
    return changed;
}

struct Range {
    double low = 0, high = 1;
};

bool editReal(const DisplayRow& row, double& value, Range range) {
    const std::string number = row.grayValue            ? "%.4g"
                               : row.param.unit.empty() ? "%.2f"
                                                        : "%.2f " + row.param.unit;
    const bool automatic = row.automatic && !(value > 0);
    return ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &range.low, &range.high,
                               automatic ? "auto" : number.c_str(), ImGuiSliderFlags_AlwaysClamp);
}

class ViewPanel : public Panel {
public:
    const char* title() const override { return "View"; }

    void draw(Session& session) override {
        drawLayout(session.display);
        drawSwitches(session.display);
        for (const DisplayRow& row : displayRows())
            if (!row.isSwitch() && !isLayout(row) && !(row.grayValue && !session.opened))
                drawOption(row, session);
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
        choice("Four-up", Layout::FourUp);
        choice("Side by side:", Layout::SideBySide);
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-1);
        if (ImGui::BeginCombo("##sideView", name(display.sideView))) {
            for (const ViewKind kind : viewKinds)
                if (ImGui::Selectable(name(kind), kind == display.sideView)) {
                    display.sideView = kind;
                    display.layout = Layout::SideBySide;
                }
            ImGui::EndCombo();
        }
    }

    /// Draws two switches per line.
    static void drawSwitches(DisplayOptions& display) {
        bool left = true;
        for (const DisplayRow& row : displayRows()) {
            if (!row.isSwitch())
                continue;
            if (!left)
                ImGui::SameLine(148);
            left = !left;
            const std::string key = row.key ? fmt::format(" ({})", row.key) : "";
            bool on = row.isOn(display);
            if (ImGui::Checkbox((row.plainLabel() + key).c_str(), &on))
                row.set(display, on);
            if (ImGui::IsItemHovered())
                wrappedTooltip(row.param.help);
        }
    }

    static void drawOption(const DisplayRow& row, Session& session) {
        panelLabel(row.label.c_str());
        ImGui::PushID(row.param.id.c_str());
        ParamValue value = row.value(session.display);
        const bool changed =
            row.param.type == ParamType::Choice
                ? editChoice(row, std::get<std::string>(value), chosen(row, session))
                : editReal(row, std::get<double>(value), rangeOf(row, session));
        if (changed)
            row.set(session.display, std::move(value));
        if (ImGui::IsItemHovered())
            wrappedTooltip(row.param.help);
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
