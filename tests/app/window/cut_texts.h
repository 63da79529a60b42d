// Texts of panels that can't be read, found in what ImGui has drawn.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace systole::testing {

/// Letters of the current context's last frame that something opaque covers, or that the edge of
/// their area cuts: a sentence each, with the letter and its place.
std::vector<std::string> cutTexts(const ImDrawData& drawn);

} // namespace systole::testing
