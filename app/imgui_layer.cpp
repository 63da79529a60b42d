#include "app/imgui_layer.h"

#include "app/assets.h"
#include "app/session.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace systole {
namespace {

constexpr float fontSize = 14;

/// Fonts with even digits that Debian and its kin install; without any ImGui's own one serves.
constexpr const char* fontFiles[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
};

constexpr std::pair<EditKey, ImGuiKey> editKeys[] = {
    {EditKey::Left, ImGuiKey_LeftArrow},
    {EditKey::Right, ImGuiKey_RightArrow},
    {EditKey::Home, ImGuiKey_Home},
    {EditKey::End, ImGuiKey_End},
    {EditKey::Backspace, ImGuiKey_Backspace},
    {EditKey::Delete, ImGuiKey_Delete},
    {EditKey::Enter, ImGuiKey_Enter},
    {EditKey::Escape, ImGuiKey_Escape},
    {EditKey::Tab, ImGuiKey_Tab},
    {EditKey::A, ImGuiKey_A},
    {EditKey::C, ImGuiKey_C},
    {EditKey::V, ImGuiKey_V},
    {EditKey::X, ImGuiKey_X},
};

/// Empty when there is none.
std::string fontFile() {
    if (const std::optional<std::filesystem::path> bundled = findAsset(fontName))
        return bundled->string();
    std::error_code ignored;
    for (const char* path : fontFiles)
        if (std::filesystem::is_regular_file(path, ignored))
            return path;
    return {};
}

void darkStyle() {
    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 0;
    style.FrameRounding = 3;
    style.GrabRounding = 3;
    style.WindowBorderSize = 0;
    style.WindowPadding = {8, 6};
    style.FramePadding = {5, 2};
    style.ItemSpacing = {6, 4};
    style.ScrollbarSize = 10;
    auto color = [&](ImGuiCol index, float r, float g, float b) {
        style.Colors[index] = {r, g, b, 1};
    };
    color(ImGuiCol_WindowBg, 0.105f, 0.11f, 0.125f);
    color(ImGuiCol_FrameBg, 0.17f, 0.18f, 0.20f);
    color(ImGuiCol_FrameBgHovered, 0.22f, 0.24f, 0.27f);
    color(ImGuiCol_FrameBgActive, 0.26f, 0.29f, 0.33f);
    color(ImGuiCol_Header, 0.17f, 0.20f, 0.25f);
    color(ImGuiCol_HeaderHovered, 0.22f, 0.27f, 0.34f);
    color(ImGuiCol_HeaderActive, 0.25f, 0.31f, 0.40f);
    color(ImGuiCol_Button, 0.20f, 0.24f, 0.30f);
    color(ImGuiCol_ButtonHovered, 0.26f, 0.33f, 0.43f);
    color(ImGuiCol_ButtonActive, 0.29f, 0.38f, 0.51f);
    color(ImGuiCol_SliderGrab, 0.36f, 0.52f, 0.72f);
    color(ImGuiCol_SliderGrabActive, 0.45f, 0.64f, 0.88f);
    color(ImGuiCol_CheckMark, 0.50f, 0.72f, 0.95f);
    color(ImGuiCol_Text, 0.88f, 0.89f, 0.91f);
    color(ImGuiCol_TextDisabled, 0.56f, 0.58f, 0.62f);
}

bool leavesColumn(const ImDrawData& data, float left) {
    for (int i = 0; i < data.CmdListsCount; ++i)
        for (const ImDrawVert& vertex : data.CmdLists[i]->VtxBuffer)
            if (vertex.pos.x < left - 1)
                return true;
    return false;
}

} // namespace

ImGuiLayer::ImGuiLayer(Panels& panels) : panels_(panels), context_(ImGui::CreateContext()) {
    makeCurrent();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr; // nothing is written into the working directory
    io.LogFilename = nullptr;
    for (const auto& [ours, theirs] : editKeys)
        io.KeyMap[theirs] = static_cast<int>(ours);
    io.MousePos = {-FLT_MAX, -FLT_MAX};
    darkStyle();
}

ImGuiLayer::~ImGuiLayer() { ImGui::DestroyContext(context_); }

void ImGuiLayer::makeCurrent() const { ImGui::SetCurrentContext(context_); }

void ImGuiLayer::initialize() {
    makeCurrent();
    if (!ImGui_ImplOpenGL3_Init("#version 450 core"))
        throw std::runtime_error("The panels found no OpenGL functions in libGL.so.1.");
    initialized_ = true;
    fontRatio_ = 0;
}

void ImGuiLayer::release() {
    if (!initialized_)
        return;
    makeCurrent();
    ImGui_ImplOpenGL3_Shutdown();
    initialized_ = false;
}

void ImGuiLayer::rasterizeFont(double pixelRatio) {
    ImGuiIO& io = ImGui::GetIO();
    io.Fonts->Clear();
    const float pixels = std::round(fontSize * static_cast<float>(pixelRatio));
    const std::string file = fontFile();
    ImFontConfig config;
    config.SizePixels = pixels;
    if (file.empty() || !io.Fonts->AddFontFromFileTTF(file.c_str(), pixels))
        io.Fonts->AddFontDefault(&config);
    io.FontGlobalScale = static_cast<float>(1 / pixelRatio);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
    fontRatio_ = pixelRatio;
}

void ImGuiLayer::takeInput() {
    // ImGui 1.86 sees only the state at a draw: a press and its release between two draws would be
    // lost, so that each button changes once a draw.
    ImGuiIO& io = ImGui::GetIO();
    std::array<bool, 3> changed{};
    while (!buttons_.empty() && !changed[static_cast<std::size_t>(buttons_.front().index)]) {
        const ButtonEvent event = buttons_.front();
        buttons_.pop_front();
        io.MouseDown[event.index] = event.down;
        changed[static_cast<std::size_t>(event.index)] = true;
    }
    settling_ = std::max(0, settling_ - 1);
}

void ImGuiLayer::draw(Session& session, int width, int height, double pixelRatio, double seconds) {
    makeCurrent();
    if (pixelRatio != fontRatio_)
        rasterizeFont(pixelRatio);
    takeInput();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    const auto ratio = static_cast<float>(pixelRatio);
    io.DisplayFramebufferScale = {ratio, ratio};
    io.DeltaTime = std::max(static_cast<float>(seconds), 1e-4f); // must be positive
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    layOut(session, width, height);
    session.kernelTimesWanted = kernelTimesWanted(panels_);
    ImGui::Render();
    ImDrawData* data = ImGui::GetDrawData();
    beyondColumn_ = leavesColumn(*data, static_cast<float>(width - columnWidth));
    ImGui_ImplOpenGL3_RenderDrawData(data);
}

void ImGuiLayer::layOut(Session& session, int width, int height) {
    if (occupiedWidth() == 0)
        return;
    ImGui::SetNextWindowPos({static_cast<float>(width - columnWidth), 0});
    ImGui::SetNextWindowSize({static_cast<float>(columnWidth), static_cast<float>(height)});
    ImGui::Begin("Panels", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
    for (const auto& panel : panels_) {
        if (!panel->shown)
            continue;
        ImGui::PushID(panel->title());
        ImGui::SetNextItemOpen(panel->open);
        panel->open = ImGui::CollapsingHeader(panel->title());
        if (panel->open) {
            panel->draw(session);
            if (ImGui::SmallButton("Copy as text"))
                session.clipboard = panel->text(session);
            ImGui::Dummy({0, 4});
        }
        ImGui::PopID();
    }
    ImGui::End();
}

int ImGuiLayer::occupiedWidth() const {
    const bool any =
        std::any_of(panels_.begin(), panels_.end(), [](const auto& panel) { return panel->shown; });
    return any ? columnWidth : 0;
}

void ImGuiLayer::pointerMoved(double x, double y) {
    makeCurrent();
    const bool wanted = wantsPointer();
    ImGui::GetIO().MousePos = {static_cast<float>(x), static_cast<float>(y)};
    const bool over = occupiedWidth() > 0 && x >= ImGui::GetIO().DisplaySize.x - columnWidth;
    if (wanted || over)
        settling_ = 2;
}

void ImGuiLayer::pointerLeft() {
    makeCurrent();
    if (wantsPointer())
        settling_ = 2;
    ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
}

void ImGuiLayer::button(int index, bool down) {
    buttons_.push_back({index, down});
    settling_ = 3;
}

void ImGuiLayer::modifiers(bool control, bool shift) {
    makeCurrent();
    ImGui::GetIO().KeyCtrl = control;
    ImGui::GetIO().KeyShift = shift;
}

void ImGuiLayer::wheel(double x, double y) {
    makeCurrent();
    ImGui::GetIO().MouseWheelH += static_cast<float>(x);
    ImGui::GetIO().MouseWheel += static_cast<float>(y);
    settling_ = 2;
}

void ImGuiLayer::characters(const std::string& utf8) {
    makeCurrent();
    ImGui::GetIO().AddInputCharactersUTF8(utf8.c_str());
    settling_ = 2;
}

void ImGuiLayer::key(EditKey key, bool down) {
    makeCurrent();
    ImGui::GetIO().KeysDown[static_cast<int>(key)] = down;
    settling_ = 2;
}

bool ImGuiLayer::wantsPointer() const {
    makeCurrent();
    return occupiedWidth() > 0 && ImGui::GetIO().WantCaptureMouse;
}

bool ImGuiLayer::wantsText() const {
    makeCurrent();
    return occupiedWidth() > 0 && ImGui::GetIO().WantTextInput;
}

} // namespace systole
