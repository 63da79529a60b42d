// Input of the panels by keys and pointer: it is queued until the next draw.
#include "app/kit/imgui_layer.h"

#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <utility>
#include <variant>

namespace systole {

void ImGuiLayer::takeInput() {
    ImGuiIO& io = ImGui::GetIO();
    for (const InputEvent& event : input_.takeFrame()) {
        if (const auto* pointer = std::get_if<PointerTo>(&event)) {
            io.MousePos = {static_cast<float>(pointer->x), static_cast<float>(pointer->y)};
        } else if (const auto* modifiers = std::get_if<ModifierKeys>(&event)) {
            io.KeyCtrl = modifiers->control;
            io.KeyShift = modifiers->shift;
        } else if (const auto* change = std::get_if<ButtonChange>(&event)) {
            io.MouseDown[change->index] = change->down;
        } else if (const auto* keyChange = std::get_if<KeyChange>(&event)) {
            io.KeysDown[static_cast<int>(keyChange->key)] = keyChange->down;
        } else if (const auto* text = std::get_if<TypedText>(&event)) {
            io.AddInputCharactersUTF8(text->utf8.c_str());
        } else if (const auto* turn = std::get_if<WheelTurn>(&event)) {
            io.MouseWheelH += static_cast<float>(turn->x);
            io.MouseWheel += static_cast<float>(turn->y);
        } else {
            io.AddFocusEvent(false);
        }
    }
    settling_ = std::max(0, settling_ - 1);
}

bool ImGuiLayer::covers(double x, double y) const {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (!occupiesAny())
        return false;
    return x >= size.x - static_cast<float>(occupiedWidth()) ||
           y >= static_cast<double>(size.y) - occupiedHeight(static_cast<int>(size.y));
}

void ImGuiLayer::add(InputEvent event, int frames) {
    input_.add(std::move(event));
    settling_ = std::max(settling_, frames);
}

void ImGuiLayer::pointerMoved(double x, double y) {
    makeCurrent();
    if (wantsDraw() || wantsPointer() || covers(x, y))
        add(PointerTo{x, y}, 2);
    else // no panel reacts: nothing to draw
        ImGui::GetIO().MousePos = {static_cast<float>(x), static_cast<float>(y)};
}

void ImGuiLayer::pointerLeft() { pointerMoved(-FLT_MAX, -FLT_MAX); }

void ImGuiLayer::letScroll() {
    for (const auto& panel : panels_)
        panel->keepInSight = false;
}

void ImGuiLayer::button(int index, bool down) {
    letScroll();
    add(ButtonChange{index, down}, 3);
}

void ImGuiLayer::modifiers(bool control, bool shift) { input_.add(ModifierKeys{control, shift}); }

void ImGuiLayer::wheel(double x, double y) {
    letScroll();
    add(WheelTurn{x, y}, 2);
}

void ImGuiLayer::characters(const std::string& utf8) { add(TypedText{utf8}, 2); }

void ImGuiLayer::key(EditKey key, bool down) { add(KeyChange{key, down}, 3); }

void ImGuiLayer::focusLost() { add(FocusLoss{}, 1); }

void ImGuiLayer::closeLists() {
    closeLists_ = true;
    settling_ = std::max(settling_, 2); // one to close them, one without them
}

bool ImGuiLayer::wantsPointer() const {
    makeCurrent();
    return occupiesAny() && ImGui::GetIO().WantCaptureMouse;
}

bool ImGuiLayer::wantsText() const {
    makeCurrent();
    return occupiesAny() && ImGui::GetIO().WantTextInput;
}

bool ImGuiLayer::listOpen() const {
    makeCurrent();
    return occupiesAny() && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
}

} // namespace systole
