#include "render/flow_lines.h"

#include "compute/core/points.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace systole {
namespace {

/// The motion that a line can follow at a position; nothing where it ends.
class Flow {
public:
    Flow(const sampling::ArrowSource& source, int axis) : source_(source), axis_(axis) {}

    struct There {
        Vec3 direction;
        double magnitude = 0; ///< length of the whole motion, mm
    };
    std::optional<There> at(Vec3 position) const {
        const sampling::Cell cell = sampling::cellAt(source_.grid, position);
        if (!cell.inside)
            return std::nullopt;
        Vec3 motion = sampling::interpolate(source_.grid, source_.field, cell);
        const double magnitude = sampling::norm(motion);
        if (axis_ >= 0)
            motion[axis_] = 0;
        const double length = sampling::norm(motion);
        if (!(length > 0 && length >= source_.smallestMagnitude))
            return std::nullopt;
        return There{(1 / length) * motion, magnitude};
    }

    /// The position a step further, of a point where the motion is `first`.
    std::optional<Vec3> advanced(Vec3 from, Vec3 first, double step) const {
        const auto second = at(from + 0.5 * step * first);
        const auto third = second ? at(from + 0.5 * step * second->direction) : std::nullopt;
        const auto fourth = third ? at(from + step * third->direction) : std::nullopt;
        if (!fourth)
            return std::nullopt;
        return from +
               step / 6 *
                   (first + 2 * second->direction + 2 * third->direction + fourth->direction);
    }

private:
    const sampling::ArrowSource& source_;
    int axis_;
};

} // namespace

std::vector<FlowLine> deformedLine(const sampling::ArrowSource& source, Vec3 from, Vec3 to,
                                   int steps, double scale) {
    std::vector<FlowLine> pieces;
    bool goesOn = false;
    for (int i = 0; i <= steps; ++i) {
        const Vec3 at = from + static_cast<double>(i) / steps * (to - from);
        const sampling::Cell cell = sampling::cellAt(source.grid, at);
        if (cell.inside) {
            if (!goesOn)
                pieces.emplace_back();
            const Vec3 motion = sampling::interpolate(source.grid, source.field, cell);
            const double magnitude = sampling::norm(motion);
            pieces.back().push_back(
                {at + scale * motion, magnitude,
                 magnitude < source.smallestMagnitude || sampling::tooDark(source, at)});
        }
        goesOn = cell.inside;
    }
    return pieces;
}

FlowLine pathline(std::span<const sampling::ArrowSource> steps, Vec3 from) {
    FlowLine line{{from, 0}};
    for (const sampling::ArrowSource& step : steps) {
        const sampling::Cell cell = sampling::cellAt(step.grid, line.back().position);
        const Vec3 motion =
            cell.inside ? sampling::interpolate(step.grid, step.field, cell) : Vec3{};
        const double length = sampling::norm(motion);
        if (!cell.inside || !std::isfinite(length))
            break;
        line.push_back({line.back().position + motion, length});
    }
    return line;
}

FlowLine pathlineSinceFirst(std::span<const sampling::ArrowSource> fields, Vec3 from) {
    FlowLine line{{from, 0}};
    for (const sampling::ArrowSource& field : fields) {
        const FlowLine step = pathline({&field, 1}, from);
        if (step.size() < 2)
            break;
        line.push_back(step.back());
    }
    return line;
}

FlowLine closedPathline(FlowLine line) {
    if (line.size() < 2)
        return line;
    const Vec3 gap = line.back().position - line.front().position;
    for (std::size_t i = 1; i < line.size(); ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(line.size() - 1);
        line[i].position = line[i].position - part * gap;
    }
    return line;
}

FlowLine streamline(const sampling::ArrowSource& source, Vec3 through,
                    const StreamlineRules& rules) {
    const Flow flow(source, rules.axis);
    FlowLine line;
    const int steps = static_cast<int>(std::floor(0.5 * rules.length / rules.step));
    for (const double step : {-rules.step, rules.step}) {
        std::optional<Vec3> at = through;
        for (int i = 0; at && i <= steps; ++i) {
            const auto there = flow.at(*at);
            if (!there || sampling::tooDark(source, *at))
                break;
            if (step < 0 || i > 0) // the line has its first point already
                line.push_back({*at, there->magnitude});
            at = flow.advanced(*at, there->direction, step);
        }
        if (step < 0)
            std::ranges::reverse(line);
    }
    return line;
}

std::vector<FlowLine> arrowhead(const FlowLine& line, double length, int across) {
    constexpr double angle = 0.42; // radians: between line and barb
    if (line.size() < 2)
        return {};
    const FlowPoint& end = line.back();
    const Vec3 step = end.position - line[line.size() - 2].position;
    const double size = sampling::norm(step);
    if (!(size > 0))
        return {};
    const Vec3 ahead = (1 / size) * step;
    // The barbs lie across `across`, or else across the axis of the direction's smallest component.
    int axis = across;
    if (axis < 0) {
        axis = 0;
        for (int i = 1; i < 3; ++i)
            if (std::abs(ahead[i]) < std::abs(ahead[axis]))
                axis = i;
    }
    Vec3 normal{};
    normal[axis] = 1;
    const Vec3 sideways = cross(normal, ahead);
    const double width = sampling::norm(sideways);
    if (!(width > 0))
        return {};
    std::vector<Vec3> sides{(1 / width) * sideways, (-1 / width) * sideways};
    if (across < 0) {
        const Vec3 other = cross(ahead, sides[0]);
        sides.insert(sides.end(), {other, -1 * other});
    }
    std::vector<FlowLine> barbs;
    for (const Vec3& side : sides) {
        const Vec3 back = length * (std::sin(angle) * side - std::cos(angle) * ahead);
        barbs.push_back({{end.position + back, end.magnitude}, end});
    }
    return barbs;
}

} // namespace systole
