// Small widgets shared by the panels.
#pragma once

#include "app/kit/line_breaks.h"
#include "app/kit/slider.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace systole {

inline constexpr ImU32 darkGround = IM_COL32(24, 25, 29, 255); ///< background of bars and curves
inline const ImVec4 warningColor{1.0f, 0.75f, 0.3f, 1};
inline ImVec4 plainColor() { return ImGui::GetStyleColorVec4(ImGuiCol_Text); }
inline ImVec4 dimColor() { return ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled); }

/// Column of labels, logical pixels from the window's left edge.
inline constexpr float usualLabelWidth = 104;

/// Width of a column of labels, at least `least`, from the window's left edge, if the next widget
/// is one of its rows. Pixels.
inline float labelColumn(const auto& labels, float least = usualLabelWidth) {
    const float from = ImGui::GetCursorPosX() + ImGui::GetStyle().ItemSpacing.x;
    for (const std::string& label : labels)
        least = std::max(least, from + ImGui::CalcTextSize(label.c_str()).x);
    return least;
}

/// A label on the left; the next widget fills the rest of the line, from `labelWidth` or where a
/// longer label ends. True while the pointer is over the label.
inline bool panelLabel(const char* text, float labelWidth = usualLabelWidth) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    const bool hovered = ImGui::IsItemHovered();
    const float end = ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x;
    ImGui::SameLine(labelWidth);
    if (const float lacking = end - ImGui::GetCursorScreenPos().x; lacking > 0)
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + lacking);
    ImGui::SetNextItemWidth(-1);
    return hovered;
}

/// The text broken into lines of this width.
inline std::string linesOf(const std::string& text, float width) {
    return brokenLines(text, width, [](std::string_view part) {
        return ImGui::CalcTextSize(part.data(), part.data() + part.size()).x;
    });
}

/// Room of so many rows of controls and lines of text, whatever is drawn in it while it lasts: what
/// is below stays where it is.
class KeptRoom {
public:
    explicit KeptRoom(int lines, int rows = 0)
        : end_(ImGui::GetCursorPosY() + static_cast<float>(lines) * ImGui::GetTextLineHeight() +
               static_cast<float>(rows) * ImGui::GetFrameHeightWithSpacing() +
               (lines > 0 ? ImGui::GetStyle().ItemSpacing.y : 0)) {}
    KeptRoom(const KeptRoom&) = delete;
    KeptRoom& operator=(const KeptRoom&) = delete;
    ~KeptRoom() {
        const float lacking = end_ - ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y;
        if (lacking > 0)
            ImGui::Dummy({0, lacking});
    }

private:
    float end_;
};

/// Draws the text broken at the edge of the column.
inline void wrappedText(const std::string& text, const ImVec4& color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(linesOf(text, ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopStyleColor();
}

/// The text, shortened with an ellipsis to fit the width; empty when not even one letter fits.
inline std::string shortened(std::string text, float width) {
    const auto fits = [&](const std::string& part) {
        return ImGui::CalcTextSize(part.c_str()).x <= width;
    };
    if (fits(text))
        return text;
    while (!text.empty()) {
        // Removes whole UTF-8 characters.
        while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
            text.pop_back();
        text.pop_back();
        while (!text.empty() && (text.back() == ' ' || text.back() == ','))
            text.pop_back();
        if (!text.empty() && fits(text + "…"))
            return text + "…";
    }
    return text;
}

/// A list of items by their names; `preview` is shown while it is closed, `current` is marked in
/// it. Fills the rest of the line. Returns the chosen item, or null.
template <typename Items, typename Name>
auto combo(const char* id, const std::string& preview, const std::string& current,
           const Items& items, const Name& nameOf) -> const typename Items::value_type* {
    const typename Items::value_type* chosen = nullptr;
    ImGui::SetNextItemWidth(-1);
    if (beginChoice(id, preview)) {
        for (const auto& item : items) {
            const std::string text = nameOf(item);
            if (ImGui::Selectable(text.c_str(), text == current))
                chosen = &item;
        }
        ImGui::EndCombo();
    }
    return chosen;
}
template <typename Items, typename Name>
auto combo(const char* id, const std::string& current, const Items& items, const Name& nameOf) {
    return combo(id, current, current, items, nameOf);
}

/// Right-aligned in the available region, so that digits line up.
inline void textRight(const std::string& text, const ImVec4& color) {
    const float free = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (free > 0)
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
    ImGui::TextColored(color, "%s", text.c_str());
}

} // namespace systole
