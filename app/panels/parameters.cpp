#include "app/panels/parameters.h"

#include "app/panels/widgets.h"
#include "app/session.h"
#include "compute/core/error.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::string defaultText(const ParamRow& row, const ParamSet& reference) {
    std::string text = reference.text(row.id);
    if (!row.unit.empty())
        text += " " + row.unit;
    return text;
}

std::string tooltip(const ParamRow& row, const ParamSet& reference) {
    std::string text = row.help;
    if (row.type == ParamType::Real || row.type == ParamType::Integer)
        text += fmt::format("\nFrom {:g} to {:g}{}{}.", row.minimum, row.maximum,
                            row.unit.empty() ? "" : " ", row.unit);
    return text + fmt::format("\nPreset: {}.", defaultText(row, reference));
}

/// A range over decades is better walked in ratios.
bool spansDecades(const ParamRow& row) {
    return row.maximum > 200 * std::max(row.minimum, 1e-3) && row.type == ParamType::Real;
}

/// The widget of one row; the new value when the user changed it.
bool edit(const ParamRow& row, ParamValue& value) {
    switch (row.type) {
    case ParamType::Real: {
        double& number = std::get<double>(value);
        const ImGuiSliderFlags flags =
            ImGuiSliderFlags_AlwaysClamp |
            (spansDecades(row) ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
        const std::string format = row.unit.empty() ? "%.4g" : "%.4g " + row.unit;
        return ImGui::SliderScalar("##value", ImGuiDataType_Double, &number, &row.minimum,
                                   &row.maximum, format.c_str(), flags);
    }
    case ParamType::Integer: {
        const std::string format = row.unit.empty() ? "%d" : "%d " + row.unit;
        return ImGui::SliderInt("##value", &std::get<int>(value), static_cast<int>(row.minimum),
                                static_cast<int>(row.maximum), format.c_str(),
                                ImGuiSliderFlags_AlwaysClamp);
    }
    case ParamType::Switch:
        return ImGui::Checkbox("##value", &std::get<bool>(value));
    case ParamType::Choice: {
        std::string& chosen = std::get<std::string>(value);
        bool changed = false;
        if (ImGui::BeginCombo("##value", chosen.c_str())) {
            for (const std::string& choice : row.choices)
                if (ImGui::Selectable(choice.c_str(), choice == chosen)) {
                    chosen = choice;
                    changed = true;
                }
            ImGui::EndCombo();
        }
        return changed;
    }
    }
    return false;
}

class ParametersPanel : public Panel {
public:
    const char* title() const override { return "Motion parameters"; }

    void draw(Session& session) override {
        MotionChoice& motion = session.motion;
        ImGui::Checkbox("Estimate motion", &motion.enabled);
        drawMethod(motion);
        drawPreset(motion);
        drawBackend(motion);
        ImGui::Separator();
        try {
            drawRows(motion);
        } catch (const ComputeError& error) {
            session.message = error.what();
        }
        if (ImGui::SmallButton("Reset to preset"))
            motion.choosePreset(motion.preset);
        ImGui::SameLine();
    }

    std::string text(const Session& session) const override {
        const MotionChoice& motion = session.motion;
        std::string text =
            fmt::format("--method {} --backend {}", motion.method->name, name(motion.backend));
        if (!motion.preset.empty())
            text += " --preset " + motion.preset;
        const ParamSet reference(*motion.method->parameters, motion.preset);
        for (const ParamRow& row : motion.method->parameters->rows())
            if (motion.parameters.value(row.id) != reference.value(row.id))
                text += fmt::format(" --{} {}", row.id, motion.parameters.text(row.id));
        text += "\n";
        for (const ParamRow& row : motion.method->parameters->rows())
            text += fmt::format("{}\t{}\t{}\n", row.id, motion.parameters.text(row.id), row.unit);
        return text;
    }

private:
    static void drawMethod(MotionChoice& motion) {
        panelLabel("method");
        const MotionMethod* chosen = nullptr;
        if (ImGui::BeginCombo("##method", motion.method->title.c_str())) {
            for (const MotionMethod& method : motionMethods())
                if (ImGui::Selectable(method.title.c_str(), motion.method == &method))
                    chosen = &method;
            ImGui::EndCombo();
        }
        if (chosen)
            motion.choose(*chosen);
    }

    static void drawPreset(MotionChoice& motion) {
        panelLabel("preset");
        const std::vector<std::string> presets = motion.method->parameters->presets();
        if (ImGui::BeginCombo("##preset", motion.preset.c_str())) {
            for (const std::string& preset : presets)
                if (ImGui::Selectable(preset.c_str(), motion.preset == preset))
                    motion.choosePreset(preset);
            ImGui::EndCombo();
        }
    }

    static void drawBackend(MotionChoice& motion) {
        panelLabel("backend");
        if (ImGui::BeginCombo("##backend", name(motion.backend))) {
            for (const Backend backend : motion.method->backends)
                if (ImGui::Selectable(name(backend), motion.backend == backend))
                    motion.setBackend(backend);
            ImGui::EndCombo();
        }
    }

    static void drawRows(MotionChoice& motion) {
        const ParamSet reference(*motion.method->parameters, motion.preset);
        for (const ParamRow& row : motion.method->parameters->rows()) {
            ImGui::PushID(row.id.c_str());
            ParamValue value = motion.parameters.value(row.id);
            const bool changedByUser = value != reference.value(row.id);
            if (changedByUser)
                ImGui::PushStyleColor(ImGuiCol_Text, {0.55f, 0.80f, 1, 1});
            panelLabel(row.id.c_str());
            const bool edited = edit(row, value);
            if (changedByUser)
                ImGui::PopStyleColor();
            if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
                drawTooltip(tooltip(row, reference));
            if (edited)
                motion.set(row.id, std::move(value));
            ImGui::PopID();
        }
    }

    static void drawTooltip(const std::string& text) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(280);
        ImGui::TextUnformatted(text.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
};

} // namespace

std::unique_ptr<Panel> makeParametersPanel() { return std::make_unique<ParametersPanel>(); }

} // namespace systole
