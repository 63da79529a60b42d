#include "app/kit/roofline.h"

#include "app/base/units.h"
#include "app/kit/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

constexpr ImU32 roofColor = IM_COL32(190, 194, 202, 255), wordColor = IM_COL32(150, 154, 162, 255);

std::string bandwidthText(double bytesPerSecond) {
    return bytesPerSecond >= 1e12 ? quantity(fmt::format("{:.1f}", 1e-12 * bytesPerSecond), "TB/s")
                                  : quantity(figureText(1e-9 * bytesPerSecond), "GB/s");
}

struct Roof {
    double bandwidth, peak;
    double at(double intensity) const { return std::min(bandwidth * intensity, peak); }
    double ridge() const { return peak / bandwidth; }
};

/// Labels next to their points, moved apart where they would overlap.
void drawNames(Plot& plot, std::span<const RooflinePoint> points,
               std::span<const PlotPoint> places) {
    struct Name {
        std::size_t point;
        ImVec2 at;
    };
    std::vector<Name> names;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!points[i].label.empty() && std::isfinite(places[i].y)) {
            const ImVec2 at = plot.pixel(places[i]);
            const float width = ImGui::CalcTextSize(points[i].label.c_str()).x;
            const bool room = at.x + 10 + width < plot.right();
            names.push_back(
                {i,
                 {room ? at.x + 10 : at.x - 10 - width, at.y - 0.5f * ImGui::GetTextLineHeight()}});
        }
    std::ranges::sort(names, [](const Name& a, const Name& b) { return a.at.y < b.at.y; });
    const float line = ImGui::GetTextLineHeight();
    for (std::size_t i = 1; i < names.size(); ++i)
        names[i].at.y = std::max(names[i].at.y, names[i - 1].at.y + line);
    float below = plot.bottom() - 2;
    for (std::size_t i = names.size(); i-- > 0; below = names[i].at.y)
        names[i].at.y = std::min(names[i].at.y, below - line);
    for (const Name& name : names)
        plot.textAt(name.at, points[name.point].label, points[name.point].color);
}

} // namespace

std::optional<std::size_t> drawRoofline(const model::GpuMachine& machine,
                                        std::span<const RooflinePoint> points, ImVec2 corner,
                                        ImVec2 size, const char* title) {
    const Roof memory{machine.memoryBandwidth, machine.peakFlops()};
    if (!(memory.bandwidth > 0 && memory.peak > 0))
        return std::nullopt;
    double left = 0.1 * memory.ridge(), right = 4 * memory.ridge(), low = memory.at(left);
    for (const RooflinePoint& point : points)
        if (point.flops > 0 && point.intensity > 0) {
            left = std::min(left, point.intensity / 3);
            right = std::max(right, 2 * point.intensity);
            low = std::min(low, point.flops / 3);
        }
    const bool tera = memory.peak >= 2e12;
    const double unit = tera ? 1e12 : 1e9;
    bool measured = true;
    for (const RooflinePoint& point : points)
        measured = measured && (point.measured || point.flops <= 0);
    const bool cached = machine.l2Bandwidth > memory.bandwidth;
    std::vector<LegendEntry> legend{
        {"memory " + bandwidthText(memory.bandwidth), {roofColor, Stroke::Solid}}};
    if (cached)
        legend.push_back({"L2 " + bandwidthText(machine.l2Bandwidth), {roofColor, Stroke::Dashed}});
    Plot plot(corner, size, PlotAxis(left, right, PlotAxis::Steps::Decades),
              PlotAxis(low / unit, 4 * memory.peak / unit, PlotAxis::Steps::Decades),
              {fmt::format("{}, {}{}", title, tera ? "TFLOP/s" : "GFLOP/s",
                           measured ? "" : " (hollow: our prediction)"),
               "FLOP per byte"},
              legend);
    const auto roof = [&](const Roof& over, Stroke stroke) {
        const double bend = std::clamp(over.ridge(), left, right);
        const std::vector<PlotPoint> line{{left, over.at(left) / unit},
                                          {bend, over.at(bend) / unit},
                                          {right, over.at(right) / unit}};
        plot.curve(line, {roofColor, stroke, Mark::None, 1.5f});
    };
    roof(memory, Stroke::Solid);
    if (cached)
        roof({machine.l2Bandwidth, memory.peak}, Stroke::Dashed);
    plot.text({right, 3.5 * memory.peak / unit},
              quantity(figureText(memory.peak / unit), tera ? "TFLOP/s" : "GFLOP/s"), wordColor, 1);
    std::vector<PlotPoint> places;
    for (const RooflinePoint& point : points) {
        const bool there = point.flops > 0 && point.intensity > 0;
        const double gap = std::numeric_limits<double>::quiet_NaN();
        places.push_back({there ? point.intensity : gap, there ? point.flops / unit : gap});
        const bool marked = !point.label.empty();
        if (marked)
            plot.mark(places.back(), point.measured ? Mark::Dot : Mark::Ring, point.color, 5);
        else
            plot.mark(places.back(), Mark::Dot, faded(point.color, 0.35f), point.measured ? 3 : 1);
    }
    drawNames(plot, points, places);
    return plot.nearest(places, false);
}

} // namespace systole
