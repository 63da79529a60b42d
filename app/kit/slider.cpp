#include "app/kit/slider.h"

#include "app/kit/parameter_widget.h"
#include "app/kit/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cfloat>

namespace systole {
namespace {

/// Center of the knob that ImGui drew: known only from the vertices of `list`.
ImVec2 knobIn(const ImDrawList& list, int firstVertex, ImU32 color) {
    ImVec2 knob{FLT_MAX, -FLT_MAX};
    for (int i = firstVertex; i < list.VtxBuffer.Size; ++i)
        if (const ImDrawVert& vertex = list.VtxBuffer[i]; vertex.col == color)
            knob = {std::min(knob.x, vertex.pos.x), std::max(knob.y, vertex.pos.x)};
    return knob;
}

} // namespace

float besideKnob(ImVec2 frame, ImVec2 knob, float text) {
    constexpr float gap = 3;
    const float middle = (frame.x + frame.y - text) / 2;
    if (middle > knob.y + gap || middle + text < knob.x - gap)
        return middle;
    const float before = knob.x - frame.x, behind = frame.y - knob.y;
    if (std::max(before, behind) < text + 2 * gap)
        return middle;
    return before > behind ? knob.x - gap - text : knob.y + gap;
}

/// Many parameters because ImGui's slider has them.
bool numberSlider(const char* id, ImGuiDataType type, void* number, const void* low,
                  const void* high, const char* format, ImGuiSliderFlags flags, const char* shown) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImGuiID own = ImGui::GetID(id);
    const bool typed = ImGui::TempInputIsActive(own);
    const int first = list.VtxBuffer.Size;
    if (!typed)
        ImGui::PushStyleColor(ImGuiCol_Text, {0, 0, 0, 0});
    const bool changed = ImGui::SliderScalar(id, type, number, low, high, format, flags);
    if (!typed)
        ImGui::PopStyleColor();
    if (typed || ImGui::TempInputIsActive(own) || !ImGui::IsItemVisible())
        return changed;
    const ImU32 color =
        ImGui::GetColorU32(ImGui::IsItemActive() ? ImGuiCol_SliderGrabActive : ImGuiCol_SliderGrab);
    std::array<char, 64> text{};
    if (!shown)
        ImGui::DataTypeFormatString(text.data(), static_cast<int>(text.size()), type, number,
                                    format);
    const std::string words = shown ? shown : text.data();
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax(),
                 size = ImGui::CalcTextSize(words.c_str());
    const float x = besideKnob({from.x, to.x}, knobIn(list, first, color), size.x);
    list.PushClipRect(from, to, true);
    list.AddText({x, (from.y + to.y - size.y) / 2}, ImGui::GetColorU32(ImGuiCol_Text),
                 words.c_str());
    list.PopClipRect();
    return changed;
}

bool beginChoice(const std::string& id, const std::string& shown, ImGuiComboFlags flags) {
    const float width = ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x;
    const float text = ImGui::CalcTextSize(shown.c_str()).x;
    // A long text uses the space of the arrow.
    if (text > width - ImGui::GetFrameHeight())
        flags |= ImGuiComboFlags_NoArrowButton;
    const bool cut = text > width;
    const bool opened =
        ImGui::BeginCombo(id.c_str(), cut ? shortened(shown, width).c_str() : shown.c_str(), flags);
    if (cut && !opened && ImGui::IsItemHovered())
        itemTooltip(shown);
    return opened;
}

} // namespace systole
