#include "app/kit/parameter_widget.h"

#include "app/kit/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace systole {
namespace {

/// Ranges over several decades get a logarithmic slider.
ImGuiSliderFlags sliderFlags(const ParamRow& row) {
    const double least = row.type == ParamType::Integer ? 5 : 1e-3;
    return row.sliderMaximum() > 200 * std::max(row.sliderMinimum(), least)
               ? ImGuiSliderFlags_Logarithmic
               : ImGuiSliderFlags_None;
}

/// The slider has the usual range; typed values may go as far as the row.
template <typename Number>
bool slide(const ParamRow& row, ImGuiDataType type, Number& number, const std::string& digits,
           const char* shown) {
    const auto low = static_cast<Number>(row.sliderMinimum()),
               high = static_cast<Number>(row.sliderMaximum());
    const std::string format = row.unit.empty() ? digits : digits + " " + row.unit;
    const bool edited = numberSlider("##value", type, &number, &low, &high, format.c_str(),
                                     sliderFlags(row), shown);
    number = std::clamp(number, static_cast<Number>(row.minimum), static_cast<Number>(row.maximum));
    return edited;
}

} // namespace

bool editParameter(const ParamRow& row, ParamValue& value, const char* shown) {
    switch (row.type) {
    case ParamType::Real: {
        double& number = std::get<double>(value);
        return slide(row, ImGuiDataType_Double, number, std::abs(number) < 1000 ? "%.4g" : "%.0f",
                     shown);
    }
    case ParamType::Integer:
        return slide(row, ImGuiDataType_S32, std::get<int>(value), "%d", shown);
    case ParamType::Switch:
        return ImGui::Checkbox("##value", &std::get<bool>(value));
    case ParamType::Choice: {
        std::string& chosen = std::get<std::string>(value);
        bool changed = false;
        if (beginChoice("##value", chosen)) {
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

std::string helpInWords(const ParamTable& table, const ParamRow& row) {
    constexpr std::string_view idCharacters = "abcdefghijklmnopqrstuvwxyz-0123456789";
    std::string words;
    std::string_view rest = row.help;
    for (std::size_t at = rest.find("--"); at != rest.npos; at = rest.find("--")) {
        const std::string_view tail = rest.substr(at + 2);
        const std::string_view id = tail.substr(0, tail.find_first_not_of(idCharacters));
        const auto named = std::ranges::find(table.rows(), id, &ParamRow::id);
        words += rest.substr(0, at);
        words += named == table.rows().end() ? fmt::format("--{}", id)
                                             : fmt::format("'{}'", named->label());
        rest = tail.substr(id.size());
    }
    return words.append(rest);
}

ImVec2 tooltipPlace(ImVec2 size, ImVec2 item, float panel, ImVec2 display) {
    constexpr float gap = 8;
    const float top = std::max(0.0f, std::min(item.y, display.y - size.y));
    if (panel >= size.x + gap)
        return {panel - size.x - gap, top};
    const float left = std::max(0.0f, std::min(item.x, display.x - size.x));
    return {left, std::max(0.0f, item.y - size.y - gap)};
}

void wrappedTooltip(const std::string& text, float width) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(linesOf(text, width).c_str());
    ImGui::EndTooltip();
}

void itemTooltip(const std::string& text) {
    constexpr float width = 280;
    const ImVec2 padding = ImGui::GetStyle().WindowPadding,
                 size = ImGui::CalcTextSize(linesOf(text, width).c_str());
    ImGui::SetNextWindowPos(tooltipPlace({size.x + 2 * padding.x, size.y + 2 * padding.y},
                                         ImGui::GetItemRectMin(), ImGui::GetWindowPos().x,
                                         ImGui::GetIO().DisplaySize));
    wrappedTooltip(text, width);
}

} // namespace systole
