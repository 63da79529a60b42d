// The bull's-eye and its bar of colors.
#include "app/features/cardiac/cardiac_plots.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

constexpr ImU32 unknownColor = IM_COL32(70, 72, 80, 255), lineColor = IM_COL32(20, 21, 24, 255),
                chosenColor = IM_COL32(255, 214, 64, 255),
                labelColor = IM_COL32(200, 203, 210, 255);
constexpr float barHeight = 9;

ImU32 packed(Color c) { return ImGui::ColorConvertFloat4ToU32({c.red, c.green, c.blue, 1}); }

ImU32 textOn(Color c) { return isDark(c) ? IM_COL32(255, 255, 255, 255) : IM_COL32(0, 0, 0, 255); }

void centered(ImDrawList& list, ImVec2 at, const std::string& text, ImU32 color) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list.AddText({std::round(at.x - size.x / 2), std::round(at.y - size.y / 2)}, color,
                 text.c_str());
}

/// The disc, of which `center` and `radius` are in pixels.
class Disc {
public:
    Disc(const CardiacShown& shown, ImVec2 center, float radius)
        : shown_(shown)
        , list_(*ImGui::GetWindowDrawList())
        , center_(center)
        , radius_(radius)
        , range_(rangeOf(shown.quantity, shown.outcome)) {}

    void draw() {
        const std::vector<BullsEyeSector> sectors = bullsEyeSectors(shown_.model);
        // Soft edges would show where the pieces of a sector meet.
        const ImDrawListFlags flags = list_.Flags;
        list_.Flags &= ~ImDrawListFlags_AntiAliasedFill;
        for (const BullsEyeSector& sector : sectors)
            fill(sector);
        list_.Flags = flags;
        for (const BullsEyeSector& sector : sectors) {
            if (isHatched(shown_.quantity, shown_.outcome, shown_.place, sector))
                hatch(sector);
            outline(sector, lineColor, 1.5f);
        }
        for (const BullsEyeSector& sector : sectors)
            number(sector);
        if (shown_.segment > 0)
            outline(sectors[static_cast<std::size_t>(shown_.segment - 1)], chosenColor, 3);
    }
    int segmentAt(ImVec2 pixel) const {
        return bullsEyeSegmentAt(shown_.model, {double{pixel.x - center_.x} / double{radius_},
                                                double{center_.y - pixel.y} / double{radius_}});
    }

private:
    ImVec2 pixel(BullsEyePoint p) const {
        return {center_.x + radius_ * static_cast<float>(p.x),
                center_.y - radius_ * static_cast<float>(p.y)};
    }
    std::vector<ImVec2> polygon(const BullsEyeSector& sector) const {
        std::vector<ImVec2> points;
        for (const BullsEyePoint& p : sector.outline())
            points.push_back(pixel(p));
        return points;
    }
    void fill(const BullsEyeSector& sector) {
        const double place = placeOf(sector);
        const ImU32 ground =
            std::isnan(place) ? unknownColor : packed(colorOf(shown_.quantity, place));
        // A ring's sector isn't convex: its outline's outer half and inner half run side by side.
        const std::vector<ImVec2> points = polygon(sector);
        if (sector.inner == 0)
            list_.AddConvexPolyFilled(points.data(), static_cast<int>(points.size()), ground);
        else
            for (std::size_t i = 0; i + 1 < points.size() / 2; ++i)
                list_.AddQuadFilled(points[i], points[i + 1], points[points.size() - 2 - i],
                                    points[points.size() - 1 - i], ground);
    }
    double placeOf(const BullsEyeSector& sector) const {
        return colorPlace(shown_.quantity, range_, valueOf(sector));
    }
    double valueOf(const BullsEyeSector& sector) const {
        return shown_.quantity.value(shown_.outcome, shown_.place,
                                     static_cast<std::size_t>(sector.segment - 1));
    }
    std::string textOf(const BullsEyeSector& sector) const {
        return figureText(valueOf(sector), shown_.quantity.decimals);
    }
    void number(const BullsEyeSector& sector) {
        const double place = placeOf(sector);
        centered(list_, pixel(sector.middle()), textOf(sector),
                 std::isnan(place) ? labelColor : textOn(colorOf(shown_.quantity, place)));
    }
    /// Lines over the sector, but for the ground of its number.
    void hatch(const BullsEyeSector& sector) {
        const ImVec2 size = ImGui::CalcTextSize(textOf(sector).c_str());
        const BullsEyePoint number{double{size.x / 2 + 2} / double{radius_},
                                   double{size.y / 2} / double{radius_}};
        for (const auto& [from, to] : sector.hatching(number))
            list_.AddLine(pixel(from), pixel(to), lineColor);
    }
    void outline(const BullsEyeSector& sector, ImU32 color, float width) {
        const std::vector<ImVec2> points = polygon(sector);
        list_.AddPolyline(points.data(), static_cast<int>(points.size()), color, ImDrawFlags_Closed,
                          width);
    }

    const CardiacShown& shown_;
    ImDrawList& list_;
    ImVec2 center_;
    float radius_;
    BullsEyeRange range_;
};

void drawColorBar(const CardiacShown& shown, ImVec2 corner, float width) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const BullsEyeQuantity& quantity = shown.quantity;
    const BullsEyeRange range = rangeOf(quantity, shown.outcome);
    constexpr int steps = 64;
    const float step = width / steps;
    for (int i = 0; i < steps; ++i) {
        const double value = range.low + (i + 0.5) / steps * (range.high - range.low);
        const float x = corner.x + static_cast<float>(i) * step;
        list.AddRectFilled({x, corner.y}, {x + step + 1, corner.y + barHeight},
                           packed(colorOf(quantity, colorPlace(quantity, range, value))));
    }
    const float y = corner.y + barHeight + 2;
    const auto& [low, high] = endsOf(quantity, range);
    const std::string middle = figureText((range.low + range.high) / 2, 0);
    const auto widthOf = [](const std::string& text) {
        return ImGui::CalcTextSize(text.c_str()).x;
    };
    // The words of a small disc reach beyond its bar on both sides, rather than over each other.
    constexpr float gap = 8;
    const float ends = std::max(widthOf(low), widthOf(high)),
                beyond = std::max(0.0f, ends + gap + widthOf(middle) / 2 - width / 2);
    list.AddText({corner.x - beyond, y}, labelColor, low.c_str());
    list.AddText({corner.x + width / 2 - widthOf(middle) / 2, y}, labelColor, middle.c_str());
    list.AddText({corner.x + width + beyond - widthOf(high), y}, labelColor, high.c_str());
}

/// Explains hatching, with a sample of it.
void drawHatchingKey(const StrainOutcome& outcome, ImVec2 corner) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float line = ImGui::GetTextLineHeight(), width = 1.6f * line;
    list.AddRectFilled(corner, {corner.x + width, corner.y + line}, unknownColor);
    list.PushClipRect(corner, {corner.x + width, corner.y + line}, true);
    for (float x = -line; x < width; x += 5)
        list.AddLine({corner.x + x, corner.y + line}, {corner.x + x + line, corner.y}, lineColor);
    list.PopClipRect();
    list.AddText({corner.x + width + 6, corner.y}, labelColor,
                 fmt::format("standard error above {:.3g} %", outcome.errorBound).c_str());
}

std::string segmentText(const CardiacShown& shown, int segment) {
    const auto s = static_cast<std::size_t>(segment - 1);
    const StrainOutcome& outcome = shown.outcome;
    std::string text = fmt::format("{}  {}, {} voxels", segment, cardiac::ahaNames(shown.model)[s],
                                   outcome.measures.segmentVoxels[s]);
    for (const BullsEyeQuantity& quantity : bullsEyeQuantities())
        text += fmt::format("\n{} {} {}", quantity.title,
                            figureText(quantity.value(outcome, shown.place, s), 1), quantity.unit);
    if (!outcome.errors.empty()) {
        const cardiac::Directions& errors = outcome.errors[shown.place].segments[s];
        text += fmt::format(
            "\nstandard errors {}, {}, {} %", figureText(100 * errors.longitudinal, 1),
            figureText(100 * errors.circumferential, 1), figureText(100 * errors.radial, 1));
    }
    return text;
}

} // namespace

std::optional<int> drawBullsEye(const CardiacShown& shown, const std::string& title, float width) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    // Room for the names of the walls on each side.
    const float radius = width / 2 - line - 2;
    const ImVec2 center{corner.x + width / 2, corner.y + 2 * line + 8 + radius};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    centered(list, {center.x, corner.y + line / 2}, title, labelColor);
    centered(list, {center.x, center.y - radius - line / 2 - 2}, "anterior", labelColor);
    centered(list, {center.x, center.y + radius + line / 2 + 2}, "inferior", labelColor);
    Disc disc(shown, center, radius);
    disc.draw();
    const float left = center.x - radius, right = center.x + radius;
    list.AddText({corner.x, center.y + radius - line}, labelColor, "septal");
    const char* const lateral = "lateral";
    list.AddText({corner.x + width - ImGui::CalcTextSize(lateral).x, center.y + radius - line},
                 labelColor, lateral);
    const float bar = center.y + radius + line + 8;
    drawColorBar(shown, {left, bar}, right - left);
    float end = bar + barHeight + line + 4;
    if (!shown.outcome.errors.empty() && shown.quantity.direction >= 0) {
        drawHatchingKey(shown.outcome, {left, end});
        end += line + 4;
    }
    ImGui::InvisibleButton(title.c_str(), {width, end - corner.y});
    const int under = ImGui::IsItemHovered() ? disc.segmentAt(ImGui::GetIO().MousePos) : 0;
    if (under > 0)
        tooltip(segmentText(shown, under));
    if (!ImGui::IsItemClicked())
        return std::nullopt;
    return under;
}

} // namespace systole
