#include "app/kit/panel_style.h"

#include "app/base/assets.h"

#include <imgui.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace systole {
namespace {

constexpr float fontSize = 14;

/// Fonts with tabular digits on common distributions; without any, ImGui's built-in font is used.
constexpr const char* fontFiles[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
};

/// Latin-1, and the symbols used in our texts.
constexpr ImWchar glyphRanges[] = {0x20,   0xff,   0x2010, 0x2027, 0x2070, 0x208e, 0x2190, 0x2193,
                                   0x2208, 0x2208, 0x2248, 0x2248, 0x2264, 0x2265, 0};

/// Empty when no font file is found.
std::string fontFile() {
    if (const std::optional<std::filesystem::path> bundled = findAsset(fontName))
        return bundled->string();
    std::error_code ignored;
    for (const char* path : fontFiles)
        if (std::filesystem::is_regular_file(path, ignored))
            return path;
    return {};
}

} // namespace

void applyPanelStyle() {
    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 0;
    style.FrameRounding = 3;
    style.GrabRounding = 3;
    style.WindowBorderSize = 0;
    style.WindowPadding = {8, 6};
    style.WindowMinSize = {8, 8};
    style.FramePadding = {5, 2};
    style.ItemSpacing = {6, 4};
    style.ScrollbarSize = 10;
    style.GrabMinSize = 8;
    auto color = [&](ImGuiCol index, float r, float g, float b) {
        style.Colors[index] = {r, g, b, 1};
    };
    color(ImGuiCol_WindowBg, 0.105f, 0.11f, 0.125f);
    color(ImGuiCol_PopupBg, 0.08f, 0.08f, 0.08f); // lists lie over other rows
    color(ImGuiCol_FrameBg, 0.17f, 0.18f, 0.20f);
    color(ImGuiCol_FrameBgHovered, 0.22f, 0.24f, 0.27f);
    color(ImGuiCol_FrameBgActive, 0.26f, 0.29f, 0.33f);
    color(ImGuiCol_Header, 0.17f, 0.20f, 0.25f);
    color(ImGuiCol_HeaderHovered, 0.22f, 0.27f, 0.34f);
    color(ImGuiCol_HeaderActive, 0.25f, 0.31f, 0.40f);
    color(ImGuiCol_Button, 0.20f, 0.24f, 0.30f);
    color(ImGuiCol_ButtonHovered, 0.26f, 0.33f, 0.43f);
    color(ImGuiCol_ButtonActive, 0.29f, 0.38f, 0.51f);
    // Knobs that the number of their slider is read through.
    style.Colors[ImGuiCol_SliderGrab] = {0.36f, 0.56f, 0.80f, 0.50f};
    style.Colors[ImGuiCol_SliderGrabActive] = {0.45f, 0.66f, 0.92f, 0.62f};
    color(ImGuiCol_CheckMark, 0.50f, 0.72f, 0.95f);
    color(ImGuiCol_PlotHistogram, 0.17f, 0.34f, 0.54f); // bars, with words over them
    color(ImGuiCol_Text, 0.88f, 0.89f, 0.91f);
    color(ImGuiCol_TextDisabled, 0.56f, 0.58f, 0.62f);
}

void addPanelFont(float pixelRatio) {
    ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
    const std::string file = fontFile();
    ImFontConfig config;
    config.SizePixels = std::round(fontSize * pixelRatio);
    if (file.empty() ||
        !fonts.AddFontFromFileTTF(file.c_str(), config.SizePixels, nullptr, glyphRanges))
        fonts.AddFontDefault(&config);
}

} // namespace systole
