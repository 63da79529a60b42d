// Sliders and lists whose texts can be read: the number beside the knob, a long choice shortened.
#pragma once

#include <imgui.h>

#include <string>

namespace systole {

/// Left edge of a text that stands in the middle of a frame, or next to a knob that would cover it,
/// on the side with more room; in the middle if neither side has enough. All positions along x, in
/// pixels.
float besideKnob(ImVec2 frame, ImVec2 knob, float text);

/// ImGui::SliderScalar() with its number at besideKnob(). `shown`: in place of the number; null:
/// the number by `format`, as in printf. Many parameters because ImGui's slider has them.
bool numberSlider(const char* id, ImGuiDataType type, void* number, const void* low,
                  const void* high, const char* format, ImGuiSliderFlags flags = 0,
                  const char* shown = nullptr);

/// ImGui::BeginCombo() that shows as much of a text as fits, where necessary over the space of the
/// arrow; the rest while the pointer is over it.
bool beginChoice(const std::string& id, const std::string& shown, ImGuiComboFlags flags = 0);

} // namespace systole
