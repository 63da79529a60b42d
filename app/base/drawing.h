// A picture of lines, areas and words as plain data: web_page.h makes SVG of it.
#pragma once

#include <string>
#include <vector>

namespace systole {

/// Pixels, y downwards.
struct DrawingPoint {
    double x = 0, y = 0;
};

struct DrawnLine {
    std::vector<DrawingPoint> points;
    std::string color; ///< "#rrggbb"
    double width = 1;
    bool dashed = false;
    std::string name{}; ///< shown where the mouse points at it
};
struct DrawnArea {
    std::vector<DrawingPoint> outline;
    std::string color;            ///< color of the interior
    std::string edge = "#ffffff"; ///< color of the outline
    std::string name{};
};
enum class WordsAnchor { Start, Middle, End };
struct DrawnText {
    DrawingPoint at; ///< point of the baseline that `anchor` selects
    std::string text;
    std::string color;
    WordsAnchor anchor = WordsAnchor::Start;
    double size = 12; ///< pixels
};

struct Drawing {
    double width = 0, height = 0;
    std::string title;
    // Drawn in this order.
    std::vector<DrawnArea> areas;
    std::vector<DrawnLine> lines;
    std::vector<DrawnText> texts;
};

} // namespace systole
