#include "app/panels/parameter_widget.h"

#include "app/panels/widgets.h"

#include <imgui.h>

#include <algorithm>

namespace systole {
namespace {

/// Ranges over several decades get a logarithmic slider.
ImGuiSliderFlags sliderFlags(const ParamRow& row) {
    const double least = row.type == ParamType::Integer ? 5 : 1e-3;
    return ImGuiSliderFlags_AlwaysClamp |
           (row.maximum > 200 * std::max(row.minimum, least) ? ImGuiSliderFlags_Logarithmic
                                                             : ImGuiSliderFlags_None);
}

} // namespace

bool editParameter(const ParamRow& row, ParamValue& value) {
    switch (row.type) {
    case ParamType::Real: {
        double& number = std::get<double>(value);
        const std::string format = row.unit.empty() ? "%.4g" : "%.4g " + row.unit;
        return ImGui::SliderScalar("##value", ImGuiDataType_Double, &number, &row.minimum,
                                   &row.maximum, format.c_str(), sliderFlags(row));
    }
    case ParamType::Integer: {
        const std::string format = row.unit.empty() ? "%d" : "%d " + row.unit;
        return ImGui::SliderInt("##value", &std::get<int>(value), static_cast<int>(row.minimum),
                                static_cast<int>(row.maximum), format.c_str(), sliderFlags(row));
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

void wrappedTooltip(const std::string& text, float width) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(linesOf(text, width).c_str());
    ImGui::EndTooltip();
}

} // namespace systole
