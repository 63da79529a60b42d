#include "app/kit/kernel_view.h"

#include "app/base/units.h"
#include "app/kit/roofline.h"
#include "app/kit/tool_widgets.h"
#include "compute/model/prediction.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace systole {
namespace {

constexpr ImU32 barColor = IM_COL32(52, 92, 138, 255), limitColor = IM_COL32(176, 92, 20, 255),
                measuredColor = IM_COL32(24, 128, 92, 255), barText = IM_COL32(232, 235, 240, 255);
constexpr int shownKernels = 7;
constexpr float labelWidth = 112;

/// A labeled bar over the rest of the line.
void bar(const char* label, double part, ImU32 color, const std::string& text) {
    ImGui::TextDisabled("%s", label);
    ImGui::SameLine(labelWidth);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight() + 2;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, {corner.x + width, corner.y + height}, darkGround);
    const auto shown = static_cast<float>(std::clamp(part, 0.0, 1.0));
    list->AddRectFilled(corner, {corner.x + width * shown, corner.y + height}, color);
    list->AddText({corner.x + 5, corner.y + 1}, barText, text.c_str());
    ImGui::Dummy({width, height});
}

void line(const char* label, const std::string& value) {
    ImGui::TextDisabled("%s", label);
    ImGui::SameLine(labelWidth);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(value.c_str());
    ImGui::PopTextWrapPos();
}

void drawShape(const KernelFigures& kernel) {
    if (kernel.side > 0)
        line("over", fmt::format("a cube of {}³ voxels", kernel.side));
    line("block", extentText(kernel.span.block) + " threads");
    line("grid", extentText(kernel.span.grid) + " blocks");
    if (kernel.waves.whole > 0) {
        line("waves", fmt::format("{}, last wave {:.0f} % filled", figureText(kernel.waves.count),
                                  100 * kernel.waves.lastFilled));
        line("efficiency", fmt::format("{:.0f} % over the waves", 100 * kernel.waves.efficiency));
    }
    line("registers", fmt::format("{} per thread", kernel.span.registers));
    line("shared, local", fmt::format("{} B per block, {} B per thread", kernel.span.sharedBytes,
                                      kernel.span.localBytes));
}

/// Draws the number of blocks of this kernel per multiprocessor that each resource allows.
void drawLimits(const KernelFigures& kernel, const model::GpuMachine& machine) {
    const model::Occupancy& occupancy = kernel.occupancy;
    const std::pair<model::LimitingResource, int> limits[] = {
        {model::LimitingResource::Warps, occupancy.byWarps},
        {model::LimitingResource::Registers, occupancy.byRegisters},
        {model::LimitingResource::SharedMemory, occupancy.bySharedMemory},
        {model::LimitingResource::Blocks, occupancy.byBlocks}};
    ImGui::TextDisabled("blocks per multiprocessor, by");
    for (const auto& [resource, blocks] : limits) {
        const bool limiting = resource == occupancy.limit;
        bar(model::name(resource), blocks / static_cast<double>(machine.limits().maxBlocks),
            limiting ? limitColor : barColor,
            fmt::format("{}{}", blocks, limiting ? ", the limit" : ""));
    }
    bar("occupancy", occupancy.fraction, barColor,
        fmt::format("{:.0f} %: {} of {} warps", 100 * occupancy.fraction, occupancy.activeWarps,
                    machine.limits().maxWarps));
    if (kernel.span.activeBlocks == 0)
        return;
    if (kernel.span.activeBlocks == occupancy.activeBlocks)
        line("CUDA's count", fmt::format("{} blocks, same as the model", kernel.span.activeBlocks));
    else
        wrappedText(fmt::format("CUDA counts {} blocks, the model {}", kernel.span.activeBlocks,
                                occupancy.activeBlocks),
                    warningColor);
}

void drawReached(const KernelFigures& kernel, const model::GpuMachine& machine) {
    const double bandwidth = kernel.bytesPerSecond() / machine.memoryBandwidth;
    bar("GB/s", bandwidth, bandwidth > 1 ? limitColor : barColor,
        fmt::format("{:.0f}, {:.0f} % of memory", 1e-9 * kernel.bytesPerSecond(), 100 * bandwidth));
    if (bandwidth > 1)
        tooltip("More than the memory bandwidth: caches keep data from one launch to the "
                "next.");
    const double peak = kernel.flopsPerSecond() / machine.peakFlops();
    bar("GFLOP/s", peak, barColor,
        fmt::format("{:.0f}, {:.1f} % of peak", 1e-9 * kernel.flopsPerSecond(), 100 * peak));
    const double roof = rooflineFlops(machine, kernel.intensity());
    if (roof > 0)
        bar("of roofline", kernel.flopsPerSecond() / roof, barColor,
            fmt::format("{:.0f} % at {:.2f} FLOP/B", 100 * kernel.flopsPerSecond() / roof,
                        kernel.intensity()));
}

void drawTimes(const KernelFigures& kernel) {
    ImGui::TextDisabled("%s", kernel.runLaunches == 1
                                  ? "time of one launch"
                                  : fmt::format("time of {} launches", kernel.runLaunches).c_str());
    double longest = kernel.seconds;
    for (const double seconds : kernel.predicted)
        longest = std::max(longest, seconds);
    if (longest <= 0)
        longest = 1;
    bar("measured", kernel.seconds / longest, measuredColor,
        kernel.seconds > 0 ? secondsText(kernel.seconds) : "not measured yet");
    for (std::size_t m = 0; m < kernel.predicted.size(); ++m) {
        const double seconds = kernel.predicted[m];
        std::string text = secondsText(seconds);
        if (seconds > 0 && kernel.seconds > 0)
            text += fmt::format(", {:+.0f} %", 100 * (seconds / kernel.seconds - 1));
        bar(model::performanceModels()[m].shortName, seconds / longest, barColor, text);
        tooltip(fmt::format("{}: {}", model::performanceModels()[m].name,
                            seconds > 0 ? "bound by " + kernel.boundBy[m]
                                        : "no prediction: " + kernel.boundBy[m]));
    }
}

} // namespace

void drawKernelList(const std::vector<KernelFigures>& kernels, std::size_t& chosen) {
    const int rows = std::min(shownKernels, static_cast<int>(kernels.size()));
    const float rowHeight = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY |
                                  ImGuiTableFlags_RowBg | ImGuiTableFlags_NoPadOuterX;
    if (!ImGui::BeginTable("kernels", 3, flags, {0, rowHeight * static_cast<float>(rows + 1) + 4}))
        return;
    const bool parts =
        std::ranges::any_of(kernels, [](const KernelFigures& kernel) { return kernel.share > 0; });
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("kernel", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("launches", ImGuiTableColumnFlags_WidthFixed, 68);
    ImGui::TableSetupColumn(parts ? "part" : "time", ImGuiTableColumnFlags_WidthFixed, 62);
    ImGui::TableNextRow();
    for (int column = 0; column < 3; ++column) {
        ImGui::TableNextColumn();
        ImGui::TextDisabled("%s", column == 0 ? "kernel" : column == 1 ? "launches" : "total");
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const KernelFigures& kernel = kernels[i];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushID(static_cast<int>(i));
        if (ImGui::Selectable(kernel.span.kernel.c_str(), i == chosen,
                              ImGuiSelectableFlags_SpanAllColumns))
            chosen = i;
        ImGui::PopID();
        if (!kernel.stage.empty())
            tooltip(fmt::format("{}, stage {}", kernel.span.kernel, kernel.stage));
        ImGui::TableNextColumn();
        textRight(fmt::format("{} ×", kernel.span.launches), dimColor());
        ImGui::TableNextColumn();
        textRight(secondsText(kernel.span.seconds), plainColor());
    }
    ImGui::EndTable();
}

void drawKernel(const KernelFigures& kernel, const model::GpuMachine& machine) {
    ImGui::Separator();
    ImGui::TextUnformatted(kernel.span.kernel.c_str());
    drawShape(kernel);
    ImGui::Dummy({0, 2});
    drawLimits(kernel, machine);
    ImGui::Dummy({0, 2});
    drawTimes(kernel);
    if (kernel.seconds > 0) {
        ImGui::Dummy({0, 2});
        drawReached(kernel, machine);
    }
}

void drawUnderRoofline(const std::vector<KernelFigures>& kernels, std::size_t chosen,
                       const model::GpuMachine& machine) {
    constexpr float height = 176;
    std::vector<RooflinePoint> points;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        points.push_back({kernels[i].intensity(), kernels[i].flopsPerSecond(),
                          i == chosen ? kernels[i].span.kernel : std::string(),
                          plotColor(i == chosen ? 1 : 0)});
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, height};
    const std::optional<std::size_t> under = drawRoofline(machine, points, corner, size);
    ImGui::SetCursorScreenPos(corner);
    ImGui::Dummy(size);
    if (under)
        wrappedTooltip(
            fmt::format("{}\n{:.0f} GFLOP/s at {:.2f} FLOP per byte", kernels[*under].span.kernel,
                        1e-9 * kernels[*under].flopsPerSecond(), kernels[*under].intensity()));
}

} // namespace systole
