// Texts of panels that can't be read, found in what ImGui has drawn.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace systole::testing {

/// Of the current context's last frame, the letters that something opaque was drawn over, or that
/// the edge of their area cuts: a sentence each, with the letter and its place.
std::vector<std::string> cutTexts(const ImDrawData& drawn);

} // namespace systole::testing
