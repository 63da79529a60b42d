// Small shapes that the panels share.
#pragma once

#include <imgui.h>

#include <string>

namespace systole {

inline const ImVec4 warningColor{1.0f, 0.75f, 0.3f, 1};
inline ImVec4 plainColor() { return ImGui::GetStyleColorVec4(ImGuiCol_Text); }
inline ImVec4 dimColor() { return ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled); }

/// A label in the left column; the next widget takes the rest of the line.
inline void panelLabel(const char* text) {
    constexpr float labelWidth = 104;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(labelWidth);
    ImGui::SetNextItemWidth(-1);
}

/// Broken into lines at the edge of the column.
inline void wrappedText(const std::string& text, const ImVec4& color) {
    ImGui::PushTextWrapPos(0);
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
}

/// Ends at the right edge of its place, so that digits stand under one another.
inline void textRight(const std::string& text, const ImVec4& color) {
    const float free = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (free > 0)
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
    ImGui::TextColored(color, "%s", text.c_str());
}

} // namespace systole
