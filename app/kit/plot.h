// Plots on ImGui's draw list: frame, ticks, grid, curves, marks, and the point under the pointer.
// Pixels are ImGui's logical pixels.
#pragma once

#include "app/base/plot_axis.h"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace systole {

enum class Stroke { Solid, Dashed, Dotted, DashDotted };
enum class Mark { None, Dot, Square, Triangle, Diamond, Ring };

/// Appearance of a curve.
struct PlotStyle {
    ImU32 color = IM_COL32_WHITE;
    Stroke stroke = Stroke::Solid;
    Mark mark = Mark::None;
    float width = 1.8f;
};

/// Color-blind safe colors (after Okabe and Ito) for a dark background.
inline constexpr std::size_t plotColors = 7;
ImU32 plotColor(std::size_t index);
ImU32 faded(ImU32 color, float opacity);

struct PlotPoint {
    double x = 0, y = 0; ///< not finite: a gap
};

struct LegendEntry {
    std::string text;
    PlotStyle style;
};
/// Draws entries side by side from the corner, wrapped at the width; returns their height.
/// `draw` false: only measures.
float drawLegend(ImVec2 corner, float width, std::span<const LegendEntry> entries,
                 bool draw = true);

class Plot {
public:
    struct Labels {
        std::string title; ///< heading above the plot, with the quantity and unit of y
        std::string x;     ///< quantity and unit of x, below the plot
    };

    /// Draws title, legend, background, grid and ticks into the current ImGui window, and clips
    /// everything drawn during the plot's life to its area.
    Plot(ImVec2 corner, ImVec2 size, PlotAxis x, PlotAxis y, const Labels& labels,
         std::span<const LegendEntry> legend = {});
    ~Plot();
    /// Height of the area between title, legend and ticks, pixels.
    static float areaHeight(ImVec2 size, std::span<const LegendEntry> legend);
    Plot(const Plot&) = delete;
    Plot& operator=(const Plot&) = delete;

    ImVec2 pixel(PlotPoint point) const;
    float right() const { return to_.x; }
    float bottom() const { return to_.y; }
    void curve(std::span<const PlotPoint> points, const PlotStyle& style);
    void mark(PlotPoint point, Mark mark, ImU32 color, float radius);
    /// Text over the plot, moved inwards where it would be cut off; `align` 0: begins at the point,
    /// 1: ends there.
    void text(PlotPoint at, const std::string& text, ImU32 color, float align = 0);
    /// Text with its upper left corner in pixels.
    void textAt(ImVec2 corner, const std::string& text, ImU32 color);
    void verticalLine(double x, ImU32 color);

    /// Index of the point nearest to the pointer, if the pointer is in the plot and near enough;
    /// distance along x only, or along both axes.
    std::optional<std::size_t> nearest(std::span<const PlotPoint> points, bool byXAlone) const;

private:
    PlotAxis x_, y_;
    ImDrawList* list_;
    ImVec2 from_, to_; ///< corners of the area
};

/// Maximum number of labels on an axis of this length.
int labelsAcross(float pixels);
int labelsDown(float pixels);

} // namespace systole
