#include "render/scene/annotated_view.h"

#include <vtkCullerCollection.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr double pointRadius = 5; // logical pixels
constexpr double faintOpacity = 0.4;
constexpr int linesAtLowerLeft = 3; ///< text of a slice that the legend leaves free

/// The legend of the motion, without its surroundings.
Legend legendOf(const SceneState& state, double millimetersPerPixel) {
    Legend legend;
    legend.map = state.display.colorMap;
    legend.maximum = state.colorMaximum;
    legend.caption = state.colorCaption;
    legend.arrowScale = state.arrowScale;
    legend.millimetersPerPixel = millimetersPerPixel;
    legend.pixelRatio = state.pixelRatio;
    legend.corner = state.display.legend;
    return legend;
}

/// `a`, `b`: two opposite corners of a slice's picture.
void leavePictureFree(Legend& legend, ScenePoint a, ScenePoint b, const ViewArea& area) {
    const bool right = isRight(legend.corner), top = isTop(legend.corner);
    legend.freeBeside = right ? area.width - std::max(a.x, b.x) : std::min(a.x, b.x);
    legend.freeAlong = top ? area.height - std::max(a.y, b.y) : std::min(a.y, b.y);
}

/// Lines of a text.
double linesOf(const std::string& text) {
    return text.empty() ? 0 : static_cast<double>(1 + std::ranges::count(text, '\n'));
}

} // namespace

Color viewColor(ViewKind kind) {
    static constexpr Color colors[] = {
        {0.62f, 0.74f, 0.95f}, {0.95f, 0.42f, 0.36f}, {0.45f, 0.80f, 0.45f}, {0.95f, 0.80f, 0.35f}};
    return colors[static_cast<std::size_t>(kind)];
}

AnnotatedView::AnnotatedView() {
    renderer_->GradientBackgroundOn();
    renderer_->SetBackground(0.035, 0.040, 0.055);
    renderer_->SetBackground2(0.085, 0.100, 0.135);
    renderer_->SetBackgroundAlpha(1);
    // The layers draw themselves; culling isn't worth its cost.
    renderer_->GetCullers()->RemoveAllItems();
}

AnnotatedView::~AnnotatedView() = default;

void AnnotatedView::clearAnnotations() {
    shapes_->clear();
    shapes_->setViewSize(area_.width, area_.height);
    texts_.begin();
}

void AnnotatedView::addContent(const SceneState& state, const Frame& frame) {
    if (state.marker && state.geometry) {
        const int axis = frame.plane ? frame.plane->axis : 0;
        const double off = std::abs((*state.marker)[axis] - state.crosshair[axis]);
        addMarker(frame.place(*state.marker),
                  frame.plane && off > 0.5 * sliceSpacing(*state.geometry, axis), state.pixelRatio);
    }
    legends_ = frame.withLegend ? placedLegends(state, frame) : std::vector<PlacedLegend>{};
    if (state.geometry)
        addMarks(state, frame);
    for (const auto& [legend, place] : legends_)
        if (place)
            drawLegend(legend, *place, renderer_, *shapes_, texts_);
    addNote(state);
}

bool AnnotatedView::showsAnnotations(const SceneState& state) const {
    const double smallest = 90 * state.pixelRatio;
    return state.display.annotations && state.geometry && area_.width > smallest &&
           area_.height > smallest;
}

double AnnotatedView::titleHeight(const SceneState& state) {
    return (20 + 16 * (linesOf(state.label) + linesOf(state.note))) * state.pixelRatio;
}

double AnnotatedView::addTitle(const SceneState& state, const std::string& title, ViewKind kind) {
    const double unit = state.pixelRatio, inset = 8 * unit;
    constexpr int points = 13;
    const TextSize size =
        texts_.sizeOf(renderer_, title, TextAnchor::TopLeft, viewColor(kind), points);
    texts_.add(renderer_, title, inset, area_.height - inset, TextAnchor::TopLeft, viewColor(kind));
    if (!state.label.empty()) // the lines begin below the letter in the middle of the border
        addLines(state.label, area_.height - inset - 22 * unit, {0.88f, 0.90f, 0.94f}, 12, unit);
    return inset + size.width;
}

/// Adds lines at the left border, on a dark ground: bright tissue or arrows may lie there.
void AnnotatedView::addLines(const std::string& text, double top, Color color, int points,
                             double unit) {
    const double left = 8 * unit, around = 3 * unit;
    const TextSize size = texts_.sizeOf(renderer_, text, TextAnchor::TopLeft, color, points);
    shapes_->addRectangle(left - around, top - size.height - around, size.width + 2 * around,
                          size.height + 2 * around, {0.02f, 0.025f, 0.035f}, 0.6);
    texts_.add(renderer_, text, left, top, TextAnchor::TopLeft, color, points);
}

/// A square around a pixel: faint if the marked position lies in another plane.
void AnnotatedView::addMarker(ScenePoint at, bool faint, double unit) {
    const double half = 8 * unit, line = std::max(1.0, std::round(1.5 * unit));
    const auto frame = [&](double reach, double thickness, Color color, double opacity) {
        shapes_->addRectangle(at.x - reach, at.y - reach, 2 * reach, thickness, color, opacity);
        shapes_->addRectangle(at.x - reach, at.y + reach - thickness, 2 * reach, thickness, color,
                              opacity);
        shapes_->addRectangle(at.x - reach, at.y - reach, thickness, 2 * reach, color, opacity);
        shapes_->addRectangle(at.x + reach - thickness, at.y - reach, thickness, 2 * reach, color,
                              opacity);
    };
    // A dark rim keeps it readable over bright tissue.
    frame(half + line, 3 * line, {0, 0, 0}, faint ? 0.3 : 1);
    frame(half, line, {1.0f, 0.30f, 0.75f}, faint ? 0.7 : 1);
}

void AnnotatedView::addPoint(const SceneMark& mark, ScenePoint at, bool faint,
                             const SceneState& state) {
    const double unit = state.pixelRatio, opacity = faint ? faintOpacity : 1;
    // A dark rim keeps it readable over bright tissue.
    shapes_->addCircle(at.x, at.y, (pointRadius + 2) * unit, 2 * unit, {0, 0, 0}, opacity);
    shapes_->addCircle(at.x, at.y, pointRadius * unit, 2 * unit, mark.color, opacity);
    shapes_->addCircle(at.x, at.y, 1.5 * unit, 1.5 * unit, mark.color, opacity);
    if (!faint && !mark.text.empty() && state.display.annotations)
        addName(mark, at, unit);
}

/// Right of the point, or left of it where a legend stands on the right, or nowhere.
void AnnotatedView::addName(const SceneMark& mark, ScenePoint at, double unit) {
    constexpr int points = 12;
    const double gap = (pointRadius + 5) * unit;
    for (const auto& [anchor, side] :
         {std::pair(TextAnchor::CenterLeft, 1), {TextAnchor::CenterRight, -1}}) {
        const TextSize size = texts_.sizeOf(renderer_, mark.text, anchor, mark.color, points);
        const double near = at.x + side * gap, far = near + side * size.width;
        const bool covers = std::ranges::any_of(legends_, [&](const PlacedLegend& legend) {
            const auto& place = legend.place;
            return place && std::min(near, far) < place->x + place->width &&
                   std::max(near, far) > place->x &&
                   std::abs(at.y - place->y - place->height / 2) <
                       (size.height + place->height) / 2;
        });
        if (covers)
            continue;
        texts_.add(renderer_, mark.text, near, at.y, anchor, mark.color, points);
        return;
    }
}

/// Adds a line, with its length or name next to its middle.
void AnnotatedView::addLine(const SceneMark& mark, ScenePoint a, ScenePoint b, bool faint,
                            const SceneState& state) {
    const double unit = state.pixelRatio, opacity = faint ? faintOpacity : 1;
    const double dx = b.x - a.x, dy = b.y - a.y, length = std::max(std::hypot(dx, dy), 1e-6);
    const auto stroke = [&](double thickness, Color color, double opaque) {
        const double x = 0.5 * thickness * dy / length, y = -0.5 * thickness * dx / length;
        const ScenePoint from{a.x + x, a.y + y}, to{b.x - x, b.y - y};
        shapes_->addTriangle({from, {b.x + x, b.y + y}, to}, color, opaque);
        shapes_->addTriangle({from, to, {a.x - x, a.y - y}}, color, opaque);
    };
    stroke(4 * unit, {0, 0, 0}, 0.5 * opacity);
    stroke(2 * unit, mark.color, opacity);
    SceneMark end = mark;
    end.text.clear();
    addPoint(end, a, faint, state);
    addPoint(end, b, faint, state);
    if (faint || mark.text.empty() || !state.display.annotations)
        return;
    // The offset is just large enough that the whole text lies off the line, to the right.
    constexpr int points = 13;
    const TextSize size =
        texts_.sizeOf(renderer_, mark.text, TextAnchor::CenterLeft, mark.color, points);
    double across = -dy / length, up = dx / length;
    if (across < 0 || (across == 0 && up < 0)) {
        across = -across;
        up = -up;
    }
    const double away =
        0.5 * (across * size.width + std::abs(up) * size.height) + (pointRadius + 3) * unit;
    texts_.add(renderer_, mark.text, 0.5 * (a.x + b.x) + away * across - 0.5 * size.width,
               0.5 * (a.y + b.y) + away * up, TextAnchor::CenterLeft, mark.color, points);
}

/// The 3D view shows only points and lines.
void AnnotatedView::addMarks(const SceneState& state, const Frame& frame) {
    const double unit = state.pixelRatio;
    const int axis = frame.plane ? frame.plane->axis : 0;
    for (const SceneMark& mark : state.marks) {
        const double off = std::abs(mark.position[axis] - state.crosshair[axis]);
        const ScenePoint at = frame.place(mark.position);
        const auto isOff = [&](Vec3 p) {
            return frame.plane &&
                   std::abs(p[axis] - state.crosshair[axis]) > sliceSpacing(*state.geometry, axis);
        };
        if (mark.to) {
            addLine(mark, at, frame.place(*mark.to), isOff(mark.position) || isOff(*mark.to),
                    state);
            continue;
        }
        if (!(mark.radius > 0)) {
            addPoint(mark, at, isOff(mark.position), state);
            continue;
        }
        if (!frame.plane || (mark.axis >= 0 && mark.axis != axis) || off >= mark.radius)
            continue;
        const double radius = std::max(
            std::sqrt(mark.radius * mark.radius - off * off) / frame.millimetersPerPixel, unit);
        shapes_->addCircle(at.x, at.y, radius + unit, 3 * unit, {0, 0, 0}, 0.5);
        shapes_->addCircle(at.x, at.y, radius, std::max(1.0, unit), mark.color, 1);
    }
}

/// Legend of the motion, and legends of other colors in the corners next to and across from it.
std::vector<AnnotatedView::PlacedLegend> AnnotatedView::placedLegends(const SceneState& state,
                                                                      const Frame& frame) {
    const TextWidth widthOf = legendTextWidth(renderer_, texts_);
    std::vector<PlacedLegend> legends;
    if (state.motionColored || state.difference || state.ownScales.empty())
        legends.push_back({legendOf(state, frame.millimetersPerPixel), {}});
    for (const ColorScale& scale : state.ownScales) {
        Legend own = legendOf(state, frame.millimetersPerPixel);
        own.scale = scale;
        own.arrowScale = 0;
        if (legends.size() >= 2)
            own.corner = acrossFrom(own.corner);
        if (legends.size() % 2 == 1)
            own.corner = besideOf(own.corner);
        legends.push_back({own, {}});
    }
    for (auto& [legend, place] : legends) {
        if (state.display.annotations) {
            legend.above = titleHeight(state);
            if (legend.corner == LegendCorner::BottomLeft && frame.plane)
                legend.below = 16 * linesAtLowerLeft * state.pixelRatio;
        }
        if (frame.plane)
            leavePictureFree(legend, frame.place(state.box.low), frame.place(state.box.high),
                             area_);
        place = placeLegend(legend, area_.width, area_.height, widthOf);
    }
    return legends;
}

/// Adds the note below the title and the lines of the label.
void AnnotatedView::addNote(const SceneState& state) {
    if (state.note.empty() || !state.geometry)
        return;
    const double unit = state.pixelRatio, inset = 8 * unit, lineHeight = 15.5 * unit;
    double top = area_.height - inset;
    if (showsAnnotations(state)) {
        top -= 22 * unit;
        top -= lineHeight * linesOf(state.label);
    }
    addLines(state.note, top, {1.0f, 0.76f, 0.30f}, 13, unit);
}

} // namespace systole
