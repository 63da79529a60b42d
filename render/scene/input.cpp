// Crosshair, cameras and pointer of the scene.
#include "compute/core/points.h"
#include "render/scene/impl.h"
#include "render/standard_error.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double degreesPerPixel = 0.45;
constexpr double zoomPerPixel = 1.006;
constexpr double zoomPerNotch = 1.12;
constexpr double windowPerPixel = 1 / 350.0; ///< fraction of the sequence's range

} // namespace

SliceView* Scene::Impl::sliceView(ViewKind kind, ViewSide side) {
    for (SliceView& view : viewsOf(side).slices)
        if (view.kind() == kind)
            return &view;
    return nullptr;
}

const SliceView* Scene::Impl::sliceView(ViewKind kind, ViewSide side) const {
    return const_cast<Impl*>(this)->sliceView(kind, side);
}

const ViewArea* Scene::Impl::areaAt(double x, double y) const {
    const double px = x * state.pixelRatio, py = y * state.pixelRatio;
    for (const ViewArea& area : areas)
        if (px >= area.x && px < area.x + area.width && py >= area.y && py < area.y + area.height)
            return &area;
    return nullptr;
}

bool Scene::Impl::legendAt(const ViewArea& area, double x, double y) const {
    const SliceView* slice = sliceView(area.kind, area.side);
    const Views& side = views[static_cast<std::size_t>(area.side)];
    const std::optional<LegendPlace>& legend = slice ? slice->legend() : side.volume.legend();
    return legend && legend->contains(x * state.pixelRatio - area.x,
                                      area.height - (y * state.pixelRatio - area.y));
}

/// The legend goes to the corner of its view that the pointer is nearest to.
void Scene::Impl::dragLegend(double x, double y) {
    for (const ViewArea& area : areas) {
        if (area.kind != drag->view || area.side != drag->side)
            continue;
        const LegendCorner corner = cornerAt(
            x * state.pixelRatio - area.x, y * state.pixelRatio - area.y, area.width, area.height);
        if (corner != state.display.legend && legendDragged)
            legendDragged(corner);
    }
}

void Scene::Impl::setCrosshair(Vec3 position) {
    if (!state.geometry)
        return;
    for (int axis = 0; axis < 3; ++axis)
        position[axis] = std::isfinite(position[axis])
                             ? std::clamp(position[axis], state.box.low[axis], state.box.high[axis])
                             : state.crosshair[axis];
    if (position == state.crosshair)
        return;
    state.crosshair = position;
    dirty = true;
}

void Scene::Impl::dragWindow(double dx, double dy) {
    const double range = static_cast<double>(state.high - state.low);
    const WindowLevel& now = state.windowLevel;
    if (windowLevelDragged)
        windowLevelDragged({std::max(now.window + dx * windowPerPixel * range, 0.002 * range),
                            now.level + dy * windowPerPixel * range});
}

/// `slice` null: in the 3D view.
void Scene::Impl::dragView(SliceView* slice, PointerButton button, double dx, double dy) {
    const double panX = dx * state.pixelRatio, panY = dy * state.pixelRatio;
    const double zoom = std::pow(zoomPerPixel, -dy);
    if (slice && button == PointerButton::Left)
        return dragWindow(dx, dy);
    if (button == PointerButton::Left)
        view3D.rotate(-dx * degreesPerPixel, dy * degreesPerPixel);
    else if (button == PointerButton::Middle)
        slice ? slice->pan(panX, panY, state) : view3D.pan(panX, panY);
    else if (button == PointerButton::Right)
        slice ? slice->zoomBy(zoom) : view3D.zoomBy(zoom);
    dirty = true;
}

Vec3 Scene::crosshair() const { return impl_->state.crosshair; }
void Scene::setCrosshair(Vec3 position) { impl_->setCrosshair(position); }

void Scene::stepSlice(ViewKind view, int steps) {
    Impl& m = *impl_;
    if (!m.state.geometry || view == ViewKind::Volume3D)
        return;
    const int axis = viewPlane(view).axis;
    Vec3 position = m.state.crosshair;
    position[axis] = steppedPosition(*m.state.geometry, position, axis, steps);
    m.setCrosshair(position);
}

void Scene::setStandardView(StandardView view) {
    impl_->view3D.setStandardView(view, impl_->state);
    impl_->dirty = true;
}

void Scene::resetCameras() {
    impl_->view3D.resetCamera(impl_->state);
    for (SliceView& view : impl_->views[0].slices) // linked to those of the other sides
        view.resetCamera();
    impl_->dirty = true;
}

void Scene::rotate(double azimuth, double elevation) {
    impl_->view3D.rotate(azimuth, elevation);
    impl_->dirty = true;
}

bool Scene::pointerPressed(PointerButton button, double x, double y, bool shift) {
    Impl& m = *impl_;
    const ViewArea* area = m.areaAt(x, y);
    if (!area || button == PointerButton::None)
        return false;
    if (shift && m.sliceView(area->kind)) {
        pointerMoved(x, y, true);
        return true;
    }
    const bool legend = button == PointerButton::Left && m.legendAt(*area, x, y);
    m.drag = Impl::Drag{area->kind, area->side, button, x, y, legend};
    return true;
}

bool Scene::pointerMoved(double x, double y, bool shift) {
    Impl& m = *impl_;
    if (m.drag) {
        const double dx = x - m.drag->x, dy = y - m.drag->y;
        m.drag->x = x;
        m.drag->y = y;
        if (m.drag->legend)
            m.dragLegend(x, y);
        else
            m.dragView(m.sliceView(m.drag->view, m.drag->side), m.drag->button, dx, dy);
        return true;
    }
    if (!shift)
        return false;
    const std::optional<Probe> under = probe(x, y);
    if (!under)
        return false;
    m.setCrosshair(under->position);
    return true;
}

bool Scene::pointerReleased(PointerButton button, double, double) {
    Impl& m = *impl_;
    if (!m.drag || m.drag->button != button)
        return false;
    m.drag.reset();
    return true;
}

bool Scene::wheel(double notches, double x, double y) {
    Impl& m = *impl_;
    const ViewArea* area = m.areaAt(x, y);
    if (!area || !std::isfinite(notches))
        return false;
    if (area->kind == ViewKind::Volume3D) {
        m.view3D.zoomBy(std::pow(zoomPerNotch, notches));
        m.dirty = true;
        return true;
    }
    m.wheelRest += notches;
    const int whole = static_cast<int>(std::clamp(m.wheelRest, -1000.0, 1000.0));
    m.wheelRest -= whole;
    if (whole != 0)
        stepSlice(area->kind, whole);
    return true;
}

std::optional<ViewKind> Scene::viewAt(double x, double y) const {
    const ViewArea* area = impl_->areaAt(x, y);
    return area ? std::optional(area->kind) : std::nullopt;
}

std::optional<Probe> Scene::probe(double x, double y) const {
    Impl& m = *impl_;
    const ViewArea* area = m.areaAt(x, y);
    const SliceView* view = area ? m.sliceView(area->kind, area->side) : nullptr;
    if (!view || !m.state.geometry)
        return std::nullopt;
    Probe result;
    result.view = area->kind;
    result.side = area->side;
    result.position = view->positionAt(x * m.state.pixelRatio - area->x,
                                       y * m.state.pixelRatio - area->y, m.state);
    result.inside =
        isInside(m.state.geometry->physicalToIndex(result.position), m.state.geometry->size());
    result.value = m.valueUnder(m.state.frame, m.frameOnDevice(), result.position);
    if (const ValueMap& map = m.state.values)
        if (const auto number = m.valueUnder(map.values, m.valuesOnDevice(), result.position))
            result.meaning = map.colors->text(static_cast<double>(*number));
    if (area->side != ViewSide::Difference)
        result.displacement = m.displacementUnder(
            area->side == ViewSide::Left ? m.state.motion : m.rightMotion, result.position);
    if (area->side == ViewSide::Left && result.displacement && m.state.result &&
        m.state.result->standardError)
        result.standardError = standardErrorAt(*m.state.result->standardError, result.position);
    if (area->side == ViewSide::Difference && m.sides.difference)
        result.difference = valueAt(*m.sides.difference, result.position);
    if (result.difference && static_cast<double>(*result.difference) < m.state.scale.rounding)
        result.difference = 0.0f;
    return result;
}

std::optional<ScenePoint> Scene::project(ViewKind kind, Vec3 position, ViewSide side) const {
    Impl& m = *impl_;
    if (!m.state.geometry)
        return std::nullopt;
    for (const ViewArea& area : m.areas) {
        if (area.kind != kind || area.side != side)
            continue;
        const SliceView* view = m.sliceView(kind, side);
        const ScenePoint p =
            view ? view->project(position, m.state) : m.viewsOf(side).volume.project(position);
        return ScenePoint{(p.x + area.x) / m.state.pixelRatio, (p.y + area.y) / m.state.pixelRatio};
    }
    return std::nullopt;
}

} // namespace systole
