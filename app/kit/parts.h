// Parts of a whole: a strip of colors, and its legend with their amounts.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace systole {

struct Part {
    std::string name;
    double amount = 0; ///< amount in the unit of the whole
    ImU32 color = 0;
    std::string text;     ///< the amount with its unit
    std::string share{};  ///< text next to `text` in the legend, dimmed; empty in all parts: the
                          ///< legend has no such column
    std::string detail{}; ///< shown while the pointer is over it; empty: nothing is
};

/// Side by side over the rest of the line; what is left of the whole stays dark.
void drawStrip(const std::vector<Part>& parts, double whole);
/// A line each.
void drawParts(const char* id, const std::vector<Part>& parts);

} // namespace systole
