#include "app/kit/parts.h"

#include "app/kit/tool_widgets.h"

#include <algorithm>

namespace systole {

void drawStrip(const std::vector<Part>& parts, double whole) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    constexpr float height = 20;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, {corner.x + width, corner.y + height}, darkGround);
    float x = corner.x;
    for (const Part& part : parts) {
        const float extent = width * static_cast<float>(part.amount / whole);
        const ImVec2 from{x, corner.y}, to{x + extent, corner.y + height};
        list->AddRectFilled(from, to, part.color);
        if (!part.detail.empty() && ImGui::IsWindowHovered() &&
            ImGui::IsMouseHoveringRect(from, to))
            wrappedTooltip(part.detail);
        x += extent;
    }
    ImGui::Dummy({width, height});
}

void drawParts(const char* id, const std::vector<Part>& parts) {
    const bool shares =
        std::ranges::any_of(parts, [](const Part& part) { return !part.share.empty(); });
    if (!ImGui::BeginTable(id, shares ? 4 : 3,
                           ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX))
        return;
    ImGui::TableSetupColumn("color");
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("amount", ImGuiTableColumnFlags_WidthFixed, 76);
    if (shares)
        ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, 44);
    for (const Part& part : parts) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const ImVec2 corner = ImGui::GetCursorScreenPos();
        const float side = ImGui::GetTextLineHeight();
        ImGui::GetWindowDrawList()->AddRectFilled(
            {corner.x, corner.y + 2}, {corner.x + side - 4, corner.y + side - 2}, part.color);
        ImGui::Dummy({side, side});
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(part.name.c_str());
        tooltip(part.detail);
        ImGui::TableNextColumn();
        textRight(part.text, plainColor());
        if (shares) {
            ImGui::TableNextColumn();
            textRight(part.share, dimColor());
        }
    }
    ImGui::EndTable();
}

} // namespace systole
