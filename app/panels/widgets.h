// Small shapes that the panels share.
#pragma once

#include "app/panels/line_breaks.h"

#include <imgui.h>

#include <string>
#include <string_view>

namespace systole {

inline const ImVec4 warningColor{1.0f, 0.75f, 0.3f, 1};
inline ImVec4 plainColor() { return ImGui::GetStyleColorVec4(ImGuiCol_Text); }
inline ImVec4 dimColor() { return ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled); }

/// A label in the left column; the next widget takes the rest of the line.
inline void panelLabel(const char* text, float labelWidth = 104) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(labelWidth);
    ImGui::SetNextItemWidth(-1);
}

/// Broken into lines of this width, numbers and their units whole.
inline std::string linesOf(const std::string& text, float width) {
    return brokenLines(text, width, [](std::string_view part) {
        return ImGui::CalcTextSize(part.data(), part.data() + part.size()).x;
    });
}

/// Broken into lines at the edge of the column.
inline void wrappedText(const std::string& text, const ImVec4& color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(linesOf(text, ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopStyleColor();
}

/// The text, or as much of it as the width has room for and an ellipsis; empty: not even a letter
/// has.
inline std::string shortened(std::string text, float width) {
    const auto fits = [&](const std::string& part) {
        return ImGui::CalcTextSize(part.c_str()).x <= width;
    };
    if (fits(text))
        return text;
    while (!text.empty()) {
        // A letter of UTF-8 goes whole.
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

/// Ends at the right edge of its place, so that digits stand under one another.
inline void textRight(const std::string& text, const ImVec4& color) {
    const float free = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (free > 0)
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
    ImGui::TextColored(color, "%s", text.c_str());
}

} // namespace systole
