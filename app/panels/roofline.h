// A roofline: what memory and multiprocessors allow at each intensity, and where kernels are
// (Williams, Waterman and Patterson, CACM 2009).
#pragma once

#include "compute/model/machine.h"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace systole {

struct RooflinePoint {
    double intensity = 0; ///< FLOP a byte
    double flops = 0;     ///< a second; 0: isn't drawn
    std::string label;    ///< empty: a small faint point
    ImU32 color = IM_COL32_WHITE;
    bool measured = true; ///< else predicted: hollow
};

/// Within the window that is begun. Returns the point under the pointer.
std::optional<std::size_t> drawRoofline(const model::GpuMachine& machine,
                                        std::span<const RooflinePoint> points, ImVec2 corner,
                                        ImVec2 size, const char* title = "roofline");

} // namespace systole
