#include "app/kit/imgui_layer.h"

#include "app/kit/panel_style.h"
#include "app/session/session.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace systole {
namespace {

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
    {EditKey::Y, ImGuiKey_Y},
    {EditKey::Z, ImGuiKey_Z},
};

/// Something is drawn left of the column and above the wide area.
bool reachesOver(const ImDrawData& data, float left, float top) {
    for (int i = 0; i < data.CmdListsCount; ++i)
        for (const ImDrawVert& vertex : data.CmdLists[i]->VtxBuffer)
            if (vertex.pos.x < left - 1 && vertex.pos.y < top - 1)
                return true;
    return false;
}

constexpr ImGuiWindowFlags placeFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus;

void nextPlace(int x, int y, int width, int height) {
    ImGui::SetNextWindowPos({static_cast<float>(x), static_cast<float>(y)});
    ImGui::SetNextWindowSize({static_cast<float>(width), static_cast<float>(height)});
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
    applyPanelStyle();
}

ImGuiLayer::~ImGuiLayer() { ImGui::DestroyContext(context_); }

void ImGuiLayer::makeCurrent() const { ImGui::SetCurrentContext(context_); }

void ImGuiLayer::initialize() {
    makeCurrent();
    if (!ImGui_ImplOpenGL3_Init("#version 450 core"))
        throw std::runtime_error("The panels can't load OpenGL functions from libGL.so.1.");
    initialized_ = true;
    fontRatio_ = 0;
}

void ImGuiLayer::release() {
    if (!initialized_)
        return;
    makeCurrent();
    for (const auto& panel : panels_)
        panel->release();
    ImGui_ImplOpenGL3_Shutdown();
    initialized_ = false;
}

void ImGuiLayer::rasterizeFont(double pixelRatio) {
    ImGuiIO& io = ImGui::GetIO();
    io.Fonts->Clear();
    addPanelFont(static_cast<float>(pixelRatio));
    io.FontGlobalScale = static_cast<float>(1 / pixelRatio);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
    fontRatio_ = pixelRatio;
}

void ImGuiLayer::prepare(int width, int height, double pixelRatio) {
    makeCurrent();
    if (pixelRatio != fontRatio_)
        rasterizeFont(pixelRatio);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    const auto ratio = static_cast<float>(pixelRatio);
    io.DisplayFramebufferScale = {ratio, ratio};
    ImGui_ImplOpenGL3_NewFrame();
}

void ImGuiLayer::begin(double seconds) {
    ImGui::GetIO().DeltaTime = std::max(static_cast<float>(seconds), 1e-4f); // must be positive
    ImGui::NewFrame();
    if (std::exchange(closeLists_, false)) // Escape does it only with Dear ImGui's own key control
        ImGui::ClosePopupsOverWindow(nullptr, false);
}

void ImGuiLayer::draw(Session& session, int width, int height, double pixelRatio, double seconds) {
    prepare(width, height, pixelRatio);
    // All input that is waiting, in as many frames as it needs; the last one is drawn.
    for (;;) {
        takeInput();
        begin(seconds);
        seconds = 0;
        if (input_.empty())
            break;
        layOut(session);
        ImGui::EndFrame();
    }
    // Panels that open or close while being drawn change the layout of the next draw.
    const int top = height - occupiedHeight(height);
    layOut(session);
    session.kernelTimesWanted = kernelTimesWanted(panels_);
    ImGui::Render();
    ImDrawData* data = ImGui::GetDrawData();
    overScene_ =
        reachesOver(*data, static_cast<float>(width - occupiedWidth()), static_cast<float>(top));
    ImGui_ImplOpenGL3_RenderDrawData(data);
}

bool ImGuiLayer::settle(Session& session) {
    if (!initialized_ || fontRatio_ == 0 || !wantsDraw())
        return false;
    makeCurrent();
    while (wantsDraw()) {
        takeInput();
        begin(0);
        layOut(session);
        ImGui::EndFrame();
    }
    return true;
}

void ImGuiLayer::drawPage(int width, int height, double pixelRatio,
                          const std::function<void()>& content) {
    prepare(width, height, pixelRatio);
    begin(0);
    nextPlace(0, 0, width, height);
    ImGui::Begin("Page", nullptr, placeFlags);
    content();
    ImGui::End();
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void ImGuiLayer::drawNotice() const {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const auto width = size.x - static_cast<float>(occupiedWidth());
    const auto height = size.y - static_cast<float>(occupiedHeight(static_cast<int>(size.y)));
    if (alone_)
        ImGui::GetBackgroundDrawList()->AddRectFilled({0, 0}, {width, height}, IM_COL32_BLACK);
    ImGui::SetNextWindowPos({0.5f * width, 0.5f * height}, 0, {0.5f, 0.5f});
    ImGui::Begin("Notice", nullptr,
                 placeFlags | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs);
    ImGui::TextUnformatted(notice_.c_str());
    ImGui::End();
}

void ImGuiLayer::layOut(Session& session) {
    if (!notice_.empty())
        drawNotice();
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const int width = static_cast<int>(size.x), height = static_cast<int>(size.y);
    const int column = occupiedWidth(), lower = occupiedHeight(height);
    Panel* const wide = widePanel(panels_);
    if (column > 0)
        drawColumn(session, width, height);
    if (!wide || lower <= 0)
        return;
    nextPlace(0, height - lower, std::max(1, width - column), lower);
    ImGui::Begin("Wide", nullptr, placeFlags);
    wide->drawWide(session);
    ImGui::End();
}

void ImGuiLayer::drawColumn(Session& session, int width, int height) {
    nextPlace(width - columnWidth, 0, columnWidth, height);
    ImGui::Begin("Panels", nullptr, placeFlags & ~ImGuiWindowFlags_NoScrollbar);
    std::optional<PanelGroup> group;
    const Panel* const before = std::exchange(inSight_, nullptr);
    for (const auto& panel : panels_) {
        if (!panel->shown)
            continue;
        if (std::exchange(group, panel->group()) != panel->group())
            ImGui::TextDisabled("%s", name(panel->group()));
        drawPanel(*panel, session);
    }
    ImGui::End();
    if (inSight_ && inSight_ != before) // it is scrolled to in the next frame
        settling_ = std::max(settling_, 2);
}

void ImGuiLayer::drawPanel(Panel& panel, Session& session) {
    ImGui::PushID(panel.title());
    ImGui::SetNextItemOpen(panel.open);
    const bool wasOpen = panel.open;
    panel.open = ImGui::CollapsingHeader(panel.title());
    if (panel.open && !wasOpen)
        panel.opened = ++openings_;
    // Repeated at each draw: the panels above and below grow as figures come in.
    if (panel.keepInSight) {
        ImGui::SetScrollHereY(0); // scrolls to the last item, the heading
        inSight_ = &panel;
    }
    if (panel.open) {
        panel.draw(session);
        if (ImGui::SmallButton("Copy as text"))
            copy(panel.text(session));
        ImGui::Dummy({0, 4});
    }
    ImGui::PopID();
}

int ImGuiLayer::occupiedHeight(int height) const {
    constexpr int lowest = 464, sceneKeeps = 160; // a lower window has the wide area of `lowest`
    const Panel* const wide = widePanel(panels_);
    const double wanted = (wide ? wide->wideShare() : 0) * std::max(height, lowest);
    return std::clamp(static_cast<int>(std::lround(wanted)), 0, std::max(0, height - sceneKeeps));
}

int ImGuiLayer::occupiedWidth() const {
    const bool any = std::ranges::any_of(panels_, [](const auto& panel) { return panel->shown; });
    return any && columnShown ? columnWidth : 0;
}

} // namespace systole
