// Small shapes that the panels share.
#pragma once

#include <imgui.h>

namespace systole {

/// A label in the left column; the next widget takes the rest of the line.
inline void panelLabel(const char* text) {
    constexpr float labelWidth = 104;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(labelWidth);
    ImGui::SetNextItemWidth(-1);
}

} // namespace systole
