#include "app/features/cardiac/cardiac_page.h"

#include "app/kit/page_picture.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

namespace systole {
namespace {

constexpr float gap = 12, tableWidth = 400;

/// All at end systole, the strains side by side.
void drawPage(const CardiacShown& shown, const std::string& heading) {
    wrappedText(heading, plainColor());
    CardiacShown systole = shown;
    systole.place = static_cast<std::size_t>(shown.outcome.summary.endSystole);
    const float left = ImGui::GetContentRegionAvail().x - tableWidth - gap,
                third = (left - 2 * gap) / 3;
    const float top = ImGui::GetCursorPosY();
    ImGui::BeginGroup();
    for (int direction = 0; direction < 3; ++direction) {
        const BullsEyeQuantity& quantity =
            bullsEyeQuantities()[static_cast<std::size_t>(direction)];
        if (direction > 0)
            ImGui::SameLine(0, gap);
        drawBullsEye({shown.outcome, shown.model, quantity, systole.place, shown.segment},
                     fmt::format("{} at ES, {}", quantity.title, quantity.unit), third);
    }
    const float rest = ImGui::GetContentRegionAvail().y - ImGui::GetTextLineHeight() - 2 * gap;
    drawSegmentCurves(systole, left, std::floor(0.58f * rest));
    drawVolumeCurve(systole, left, std::floor(0.42f * rest));
    ImGui::EndGroup();
    ImGui::SetCursorPos({left + 2 * gap, top});
    ImGui::BeginGroup();
    drawFrameFigures(systole, tableWidth - gap);
    ImGui::Dummy({0, gap});
    drawCycleFigures(systole, tableWidth - gap);
    ImGui::Dummy({0, gap});
    ImGui::TextColored(warningColor, "%s", researchOnly);
    ImGui::EndGroup();
}

} // namespace

RgbaImage drawCardiacPage(const CardiacShown& shown, const std::string& heading,
                          double pixelRatio) {
    return pagePicture(cardiacPageWidth, cardiacPageHeight, pixelRatio,
                       [&] { drawPage(shown, heading); });
}

} // namespace systole
