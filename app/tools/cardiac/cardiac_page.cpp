#include "app/tools/cardiac/cardiac_page.h"

#include "app/panels/imgui_layer.h"
#include "app/panels/tool_widgets.h"
#include "render/gl/offscreen.h"
#include "render/gl/released.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

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
    const auto pixels = [&](int logical) {
        return std::max(1, static_cast<int>(std::lround(logical * pixelRatio)));
    };
    const OffscreenFramebuffer framebuffer(pixels(cardiacPageWidth), pixels(cardiacPageHeight));
    Panels none;
    ImGuiLayer layer(none);
    const Released released(layer);
    layer.initialize();
    framebuffer.bind();
    // ImGui knows the content region of a window from the second frame on.
    for (int i = 0; i < 2; ++i)
        layer.drawPage(cardiacPageWidth, cardiacPageHeight, pixelRatio,
                       [&] { drawPage(shown, heading); });
    return framebuffer.read();
}

} // namespace systole
