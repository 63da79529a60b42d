#include "app/kit/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

constexpr ImU32 groundColor = IM_COL32(20, 21, 25, 255), gridColor = IM_COL32(52, 55, 62, 255),
                frameColor = IM_COL32(92, 96, 105, 255), tickColor = IM_COL32(168, 172, 180, 255),
                titleColor = IM_COL32(225, 228, 232, 255);
constexpr float sampleWidth = 30, legendGap = 14, nearPixels = 26;

/// Dash pattern: pixels drawn and skipped, alternating.
std::span<const float> patternOf(Stroke stroke) {
    static constexpr std::array<float, 2> dashed{8, 5}, dotted{2, 4};
    static constexpr std::array<float, 4> dashDotted{9, 4, 2, 4};
    switch (stroke) {
    case Stroke::Dashed:
        return dashed;
    case Stroke::Dotted:
        return dotted;
    case Stroke::DashDotted:
        return dashDotted;
    case Stroke::Solid:
        break;
    }
    return {};
}

/// Continues its dash pattern from segment to segment.
class StrokePainter {
public:
    StrokePainter(ImDrawList* list, const PlotStyle& style)
        : list_(list), style_(style), pattern_(patternOf(style.stroke)) {}

    void segment(ImVec2 a, ImVec2 b) {
        if (pattern_.empty()) {
            list_->AddLine(a, b, style_.color, style_.width);
            return;
        }
        const float length = std::hypot(b.x - a.x, b.y - a.y);
        // Steep segments far outside the area are drawn without dashes.
        constexpr float longest = 20000;
        for (float at = 0; at < std::min(length, longest);) {
            const float part = std::min(left_, length - at);
            if (index_ % 2 == 0) {
                const auto along = [&](float distance) {
                    const float t = distance / length;
                    return ImVec2(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y));
                };
                list_->AddLine(along(at), along(at + part), style_.color, style_.width);
            }
            at += part;
            left_ -= part;
            if (left_ <= 0.01f) {
                index_ = (index_ + 1) % pattern_.size();
                left_ = pattern_[index_];
            }
        }
    }

private:
    ImDrawList* list_;
    const PlotStyle& style_;
    std::span<const float> pattern_;
    std::size_t index_ = 0;
    float left_ = pattern_.empty() ? 0 : pattern_[0];
};

void drawMark(ImDrawList* list, ImVec2 at, Mark mark, ImU32 color, float r) {
    switch (mark) {
    case Mark::Dot:
        list->AddCircleFilled(at, r, color);
        break;
    case Mark::Square:
        list->AddRectFilled({at.x - r, at.y - r}, {at.x + r, at.y + r}, color);
        break;
    case Mark::Triangle:
        list->AddTriangleFilled({at.x, at.y - 1.2f * r}, {at.x + 1.1f * r, at.y + r},
                                {at.x - 1.1f * r, at.y + r}, color);
        break;
    case Mark::Diamond:
        list->AddQuadFilled({at.x, at.y - 1.3f * r}, {at.x + 1.3f * r, at.y},
                            {at.x, at.y + 1.3f * r}, {at.x - 1.3f * r, at.y}, color);
        break;
    case Mark::Ring:
        list->AddCircle(at, r, color, 24, 2);
        break;
    case Mark::None:
        break;
    }
}

float widthOf(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

float widestLabel(const std::vector<PlotTick>& ticks) {
    float width = 0;
    for (const PlotTick& tick : ticks)
        width = std::max(width, widthOf(tick.label));
    return width;
}

bool finite(PlotPoint point) { return std::isfinite(point.x) && std::isfinite(point.y); }

} // namespace

ImU32 plotColor(std::size_t index) {
    static constexpr std::array<ImU32, plotColors> colors{
        IM_COL32(86, 180, 233, 255), IM_COL32(230, 159, 0, 255),  IM_COL32(0, 178, 130, 255),
        IM_COL32(240, 228, 66, 255), IM_COL32(226, 110, 40, 255), IM_COL32(214, 132, 178, 255),
        IM_COL32(190, 194, 202, 255)};
    return colors[index % colors.size()];
}

ImU32 faded(ImU32 color, float opacity) {
    const ImU32 alpha = (color & IM_COL32_A_MASK) >> IM_COL32_A_SHIFT;
    const auto less = static_cast<ImU32>(static_cast<float>(alpha) * opacity);
    return (color & ~IM_COL32_A_MASK) | (less << IM_COL32_A_SHIFT);
}

int labelsAcross(float pixels) { return std::max(2, static_cast<int>(pixels / 56)); }
int labelsDown(float pixels) { return std::max(2, static_cast<int>(pixels / 34)); }

float drawLegend(ImVec2 corner, float width, std::span<const LegendEntry> entries, bool draw) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = ImGui::GetTextLineHeight() + 2;
    float x = corner.x, y = corner.y;
    for (const LegendEntry& entry : entries) {
        const bool stroked = entry.style.width > 0;
        const float sample = stroked ? sampleWidth : 14;
        const float extent = sample + 5 + widthOf(entry.text) + legendGap;
        if (x > corner.x && x + extent - legendGap > corner.x + width) {
            x = corner.x;
            y += line;
        }
        if (draw) {
            const float middle = y + 0.5f * ImGui::GetTextLineHeight() + 1;
            if (stroked)
                StrokePainter(list, entry.style).segment({x, middle}, {x + sample, middle});
            drawMark(list, {x + 0.5f * sample, middle}, entry.style.mark, entry.style.color, 3.5f);
            list->AddText({x + sample + 5, y}, tickColor, entry.text.c_str());
        }
        x += extent;
    }
    return entries.empty() ? 0 : y + line - corner.y;
}

Plot::Plot(ImVec2 corner, ImVec2 size, PlotAxis x, PlotAxis y, const Labels& labels,
           std::span<const LegendEntry> legend)
    : x_(x), y_(y), list_(ImGui::GetWindowDrawList()) {
    const float line = ImGui::GetTextLineHeight();
    list_->AddText(corner, titleColor, labels.title.c_str());
    const float top = corner.y + line + 3;
    const float legendHeight = drawLegend({corner.x, top}, size.x, legend);
    from_.y = top + legendHeight + 5;
    to_.y = from_.y + areaHeight(size, legend);
    const std::vector<PlotTick> up = y_.ticks(labelsDown(to_.y - from_.y));
    from_.x = corner.x + widestLabel(up) + 8;
    to_.x = std::max(corner.x + size.x - 8, from_.x + 10);
    const std::vector<PlotTick> across = x_.ticks(labelsAcross(to_.x - from_.x));

    list_->AddRectFilled(from_, to_, groundColor);
    for (const PlotTick& tick : up) {
        const float at = pixel({x_.low(), tick.value}).y;
        list_->AddLine({from_.x, at}, {to_.x, at}, faded(gridColor, tick.label.empty() ? 0.5f : 1));
        list_->AddText({from_.x - 6 - widthOf(tick.label), at - 0.5f * line}, tickColor,
                       tick.label.c_str());
    }
    for (const PlotTick& tick : across) {
        const float at = pixel({tick.value, y_.low()}).x;
        list_->AddLine({at, from_.y}, {at, to_.y}, faded(gridColor, tick.label.empty() ? 0.5f : 1));
        const float width = widthOf(tick.label);
        list_->AddText({std::min(at - 0.5f * width, corner.x + size.x - width), to_.y + 3},
                       tickColor, tick.label.c_str());
    }
    list_->AddRect(from_, to_, frameColor);
    list_->AddText({to_.x - widthOf(labels.x), to_.y + line + 4}, tickColor, labels.x.c_str());
    list_->PushClipRect({from_.x, from_.y}, {to_.x, to_.y}, true);
}

float Plot::areaHeight(ImVec2 size, std::span<const LegendEntry> legend) {
    const float above = ImGui::GetTextLineHeight() + 3 + drawLegend({}, size.x, legend, false) + 5;
    return std::max(size.y - above - 2 * ImGui::GetTextLineHeight() - 6, 10.0f);
}

Plot::~Plot() { list_->PopClipRect(); }

ImVec2 Plot::pixel(PlotPoint point) const {
    // Clamped far outside the area, to keep floats small.
    const auto bounded = [](double position) {
        return static_cast<float>(std::clamp(position, -20.0, 20.0));
    };
    return {from_.x + bounded(x_.position(point.x)) * (to_.x - from_.x),
            to_.y - bounded(y_.position(point.y)) * (to_.y - from_.y)};
}

void Plot::curve(std::span<const PlotPoint> points, const PlotStyle& style) {
    StrokePainter painter(list_, style);
    const PlotPoint* before = nullptr;
    for (const PlotPoint& point : points) {
        if (!finite(point)) {
            before = nullptr;
            continue;
        }
        if (before && style.width > 0)
            painter.segment(pixel(*before), pixel(point));
        before = &point;
    }
    for (const PlotPoint& point : points)
        if (finite(point))
            drawMark(list_, pixel(point), style.mark, style.color, 3);
}

void Plot::mark(PlotPoint point, Mark mark, ImU32 color, float radius) {
    if (!finite(point))
        return;
    // Marks on the frame are drawn completely.
    list_->PushClipRect({from_.x - radius - 2, from_.y - radius - 2},
                        {to_.x + radius + 2, to_.y + radius + 2});
    drawMark(list_, pixel(point), mark, color, radius);
    list_->PopClipRect();
}

void Plot::text(PlotPoint at, const std::string& text, ImU32 color, float align) {
    const ImVec2 corner = pixel(at);
    textAt({corner.x - align * widthOf(text), corner.y}, text, color);
}

void Plot::textAt(ImVec2 corner, const std::string& text, ImU32 color) {
    const float width = widthOf(text), height = ImGui::GetTextLineHeight();
    corner.x = std::clamp(corner.x, from_.x + 4, std::max(from_.x + 4, to_.x - width - 4));
    corner.y = std::clamp(corner.y, from_.y + 2, std::max(from_.y + 2, to_.y - height - 2));
    list_->AddText(corner, color, text.c_str());
}

void Plot::verticalLine(double x, ImU32 color) {
    const float at = pixel({x, y_.low()}).x;
    list_->AddLine({at, from_.y}, {at, to_.y}, color);
}

std::optional<std::size_t> Plot::nearest(std::span<const PlotPoint> points, bool byXAlone) const {
    const ImVec2 pointer = ImGui::GetIO().MousePos;
    if (!ImGui::IsWindowHovered() || pointer.x < from_.x || pointer.x > to_.x ||
        pointer.y < from_.y || pointer.y > to_.y)
        return std::nullopt;
    std::optional<std::size_t> found;
    float least = nearPixels;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!finite(points[i]))
            continue;
        const ImVec2 at = pixel(points[i]);
        const float away =
            byXAlone ? std::abs(at.x - pointer.x) : std::hypot(at.x - pointer.x, at.y - pointer.y);
        if (away < least) {
            least = away;
            found = i;
        }
    }
    return found;
}

} // namespace systole
