// A roofline plot: FLOP/s allowed by memory and arithmetic over intensity, with kernels as points
// (Williams, Waterman and Patterson, CACM 2009).
#pragma once

#include "compute/model/machine.h"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace systole {

struct RooflinePoint {
    double intensity = 0; ///< FLOP per byte
    double flops = 0;     ///< FLOP per second; 0: not drawn
    std::string label;    ///< empty: drawn as a small faint point
    ImU32 color = IM_COL32_WHITE;
    bool measured = true; ///< false: predicted, drawn hollow
};

/// Draws into the current ImGui window. Returns the index of the point under the pointer.
std::optional<std::size_t> drawRoofline(const model::GpuMachine& machine,
                                        std::span<const RooflinePoint> points, ImVec2 corner,
                                        ImVec2 size, const char* title = "roofline");

} // namespace systole
