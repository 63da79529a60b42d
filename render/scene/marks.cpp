#include "render/scene/marks.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double pointRadius = 5; // logical pixels
constexpr double faintOpacity = 0.4;

void drawPoint(const SceneMark& mark, ScenePoint at, bool faint, const SceneState& state,
               vtkRenderer* renderer, FlatLayer& shapes, TextLayer& texts) {
    const double unit = state.pixelRatio, opacity = faint ? faintOpacity : 1;
    // A dark rim keeps it readable over bright tissue.
    shapes.addCircle(at.x, at.y, (pointRadius + 2) * unit, 2 * unit, {0, 0, 0}, opacity);
    shapes.addCircle(at.x, at.y, pointRadius * unit, 2 * unit, mark.color, opacity);
    shapes.addCircle(at.x, at.y, 1.5 * unit, 1.5 * unit, mark.color, opacity);
    if (!faint && !mark.text.empty() && state.display.annotations)
        texts.add(renderer, mark.text, at.x + (pointRadius + 5) * unit, at.y,
                  TextAnchor::CenterLeft, mark.color, 12);
}

void drawLine(const SceneMark& mark, const MarkPlace& place, bool faint, const SceneState& state,
              vtkRenderer* renderer, FlatLayer& shapes, TextLayer& texts) {
    const ScenePoint a = place(mark.position), b = place(*mark.to);
    const double unit = state.pixelRatio, dx = b.x - a.x, dy = b.y - a.y;
    const double length = std::max(std::hypot(dx, dy), 1e-6);
    const auto stroke = [&](double thickness, Color color, double opacity) {
        const double x = 0.5 * thickness * dy / length, y = -0.5 * thickness * dx / length;
        shapes.addTriangle(a.x + x, a.y + y, b.x + x, b.y + y, b.x - x, b.y - y, color, opacity);
        shapes.addTriangle(a.x + x, a.y + y, b.x - x, b.y - y, a.x - x, a.y - y, color, opacity);
    };
    const double opacity = faint ? faintOpacity : 1;
    stroke(4 * unit, {0, 0, 0}, 0.5 * opacity);
    stroke(2 * unit, mark.color, opacity);
    SceneMark end = mark;
    end.text.clear();
    drawPoint(end, a, faint, state, renderer, shapes, texts);
    drawPoint(end, b, faint, state, renderer, shapes, texts);
    if (!faint && !mark.text.empty() && state.display.annotations)
        texts.add(renderer, mark.text, 0.5 * (a.x + b.x) + 8 * unit, 0.5 * (a.y + b.y) + 8 * unit,
                  TextAnchor::CenterLeft, mark.color, 13);
}

} // namespace

void drawMarks(const SceneState& state, const ViewPlane& plane, double scale,
               const MarkPlace& place, vtkRenderer* renderer, FlatLayer& shapes, TextLayer& texts) {
    if (!state.geometry)
        return;
    const double unit = state.pixelRatio;
    for (const SceneMark& mark : state.marks) {
        const double off = std::abs(mark.position[plane.axis] - state.crosshair[plane.axis]);
        const auto isOff = [&](Vec3 p) {
            return std::abs(p[plane.axis] - state.crosshair[plane.axis]) >
                   sliceSpacing(*state.geometry, plane.axis);
        };
        if (mark.to) {
            drawLine(mark, place, isOff(mark.position) || isOff(*mark.to), state, renderer, shapes,
                     texts);
            continue;
        }
        if (!(mark.radius > 0)) {
            drawPoint(mark, place(mark.position), isOff(mark.position), state, renderer, shapes,
                      texts);
            continue;
        }
        if ((mark.axis >= 0 && mark.axis != plane.axis) || off >= mark.radius)
            continue;
        const ScenePoint at = place(mark.position);
        const double radius =
            std::max(std::sqrt(mark.radius * mark.radius - off * off) / scale, unit);
        shapes.addCircle(at.x, at.y, radius + unit, 3 * unit, {0, 0, 0}, 0.5);
        shapes.addCircle(at.x, at.y, radius, std::max(1.0, unit), mark.color, 1);
    }
}

void drawMarks(const SceneState& state, const MarkPlace& place, vtkRenderer* renderer,
               FlatLayer& shapes, TextLayer& texts) {
    if (!state.geometry)
        return;
    for (const SceneMark& mark : state.marks)
        if (mark.to)
            drawLine(mark, place, false, state, renderer, shapes, texts);
        else if (!(mark.radius > 0))
            drawPoint(mark, place(mark.position), false, state, renderer, shapes, texts);
}

} // namespace systole
