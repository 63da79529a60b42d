#include "render/scene/slice_view.h"

#include <fmt/format.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double margin = 1.16; ///< size of the view relative to the volume
constexpr double valuesOpacity = 0.7;

/// The map of values alone, over dark voxels, too: what was moved there tells as much.
void addValues(const SceneState& state, SliceLook& look) {
    const ValueColors& colors = *state.values.colors;
    look.maps = {};
    SliceMap& map = look.maps[0];
    map.texture = state.valueTexture;
    map.colorMap = state.valueColorTexture;
    map.opacity = valuesOpacity;
    map.low = colors.low;
    map.high = colors.high;
    map.neutral = colors.scale.map == ColorMap::Diverging ? 0.5 : 0;
    const double range = std::max(static_cast<double>(state.high - state.low), 1.0);
    look.darkest = static_cast<double>(state.low) - 1e4 * range;
    look.darkFade = range;
}

} // namespace

SliceLook sliceLook(const SceneState& state, const ViewPlane& plane, const PhysicalBox& box,
                    const Overlays& overlays) {
    SliceLook look;
    const Vec3 extent = box.extent();
    const double rightLength = std::abs(dot(extent, plane.right));
    const double upLength = std::abs(dot(extent, plane.up));
    look.right = rightLength * plane.right;
    look.up = upLength * plane.up;
    look.origin = box.center() - 0.5 * look.right - 0.5 * look.up;
    look.origin[plane.axis] = state.crosshair[plane.axis];
    look.worldToTexture = physicalToTexture(*state.geometry);
    look.frame = state.frameTexture;
    look.window = state.windowLevel.window;
    look.level = state.windowLevel.level;
    const Vec3 whole = state.box.extent();
    look.compared.right = std::abs(dot(whole, plane.right)) * plane.right;
    look.compared.up = std::abs(dot(whole, plane.up)) * plane.up;
    look.compared.origin = state.box.center() - 0.5 * look.compared.right - 0.5 * look.compared.up;
    overlays.shade(state, look);
    if (state.valueTexture)
        addValues(state, look);
    return look;
}

SliceView::SliceView(ViewKind kind, Overlays& overlays)
    : kind_(kind), plane_(viewPlane(kind)), overlays_(overlays) {
    renderer_->GradientBackgroundOff();
    renderer_->AddViewProp(slice_);
    overlays_.attach(kind, renderer_);
    renderer_->AddViewProp(shapes_);
    renderer_->GetActiveCamera()->ParallelProjectionOn();
}

SliceView::~SliceView() = default;

double SliceView::millimetersPerPixel(const SceneState& state) const {
    const Vec3 extent = state.box.extent();
    const double across = std::abs(dot(extent, plane_.right)) / std::max(area_.fitWidth, 1);
    const double down = std::abs(dot(extent, plane_.up)) / std::max(area_.fitHeight, 1);
    return std::max({across, down, 1e-6}) * margin / lens_->zoom;
}

Vec3 SliceView::viewCenter(const SceneState& state) const {
    Vec3 center = state.box.center() + lens_->pan;
    center[plane_.axis] = state.crosshair[plane_.axis];
    return center;
}

void SliceView::pan(double dx, double dy, const SceneState& state) {
    const double scale = millimetersPerPixel(state);
    lens_->pan = lens_->pan - (dx * scale) * plane_.right + (dy * scale) * plane_.up;
}

void SliceView::zoomBy(double factor) { lens_->zoom = std::clamp(lens_->zoom * factor, 0.2, 50.0); }

Vec3 SliceView::positionAt(double x, double y, const SceneState& state) const {
    const double scale = millimetersPerPixel(state);
    return viewCenter(state) + ((x - 0.5 * area_.width) * scale) * plane_.right -
           ((y - 0.5 * area_.height) * scale) * plane_.up;
}

ScenePoint SliceView::project(Vec3 position, const SceneState& state) const {
    const double scale = millimetersPerPixel(state);
    const Vec3 offset = position - viewCenter(state);
    return {0.5 * area_.width + dot(offset, plane_.right) / scale,
            0.5 * area_.height - dot(offset, plane_.up) / scale};
}

void SliceView::updateCamera(const SceneState& state) {
    const Vec3 center = viewCenter(state);
    const double distance = 2 * length(state.box.extent()) + 1;
    const Vec3 eye = center + distance * plane_.towardsObserver;
    vtkCamera* camera = renderer_->GetActiveCamera();
    camera->SetFocalPoint(center.x, center.y, center.z);
    camera->SetPosition(eye.x, eye.y, eye.z);
    camera->SetViewUp(plane_.up.x, plane_.up.y, plane_.up.z);
    camera->SetParallelScale(0.5 * area_.height * millimetersPerPixel(state));
    camera->SetClippingRange(0.01 * distance, 2 * distance);
}

void SliceView::updateSlice(const SceneState& state) {
    slice_->SetVisibility(state.frameTexture != 0);
    slice_->setLook(sliceLook(state, plane_, state.box, overlays_));
}

std::size_t SliceView::updateOverlays(const SceneState& state) {
    return overlays_.update(
        state, {kind_, plane_.towardsObserver, millimetersPerPixel(state), std::nullopt});
}

void SliceView::addCrosshair(const SceneState& state) {
    const double unit = state.pixelRatio, height = area_.height;
    const ScenePoint at = project(state.crosshair, state);
    const double x = std::round(at.x), y = std::round(height - at.y);
    const double line = std::max(1.0, std::floor(unit)), gap = 7 * unit;
    // Each line is the plane of another view, in its color; the middle stays free.
    ViewKind vertical = ViewKind::Sagittal, horizontal = ViewKind::Axial;
    if (kind_ == ViewKind::Axial)
        horizontal = ViewKind::Coronal;
    if (kind_ == ViewKind::Sagittal)
        vertical = ViewKind::Coronal;
    const double half = std::floor(line / 2);
    const Color v = viewColor(vertical), h = viewColor(horizontal);
    // The line is as long as the volume is wide, so that the letters at the border stay readable.
    const ScenePoint low = project(state.box.low, state), high = project(state.box.high, state);
    const double left = std::min(low.x, high.x), right = std::max(low.x, high.x);
    const double bottom = height - std::max(low.y, high.y);
    const double top = height - std::min(low.y, high.y);
    const auto bar = [&](double x0, double y0, double x1, double y1, Color color) {
        if (x1 > x0 && y1 > y0)
            shapes_->addRectangle(x0, y0, x1 - x0, y1 - y0, color, 0.55);
    };
    bar(x - half, bottom, x - half + line, y - gap, v);
    bar(x - half, y + gap, x - half + line, top, v);
    bar(left, y - half, x - gap, y - half + line, h);
    bar(x + gap, y - half, right, y - half + line, h);
}

/// Window and level at the lower left, above the letter of the border where they would meet.
void SliceView::addWindow(const SceneState& state) {
    const auto number = [](double value) {
        return std::abs(value) < 20 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
    };
    std::string text = fmt::format("W {}  L {}", number(state.windowLevel.window),
                                   number(state.windowLevel.level));
    if (!state.windowName.empty())
        text = state.windowName + "\n" + text;
    const double unit = state.pixelRatio, inset = 8 * unit;
    const bool narrow = area_.width < 300 * unit;
    texts_.add(renderer_, text, inset, inset + (narrow ? 18 * unit : 0), TextAnchor::BottomLeft,
               {0.80f, 0.83f, 0.88f}, 12);
}

void SliceView::updateLabels(const SceneState& state, bool withLegend) {
    const double unit = state.pixelRatio;
    const double width = area_.width, height = area_.height;
    clearAnnotations();
    if (state.display.crosshair && state.geometry)
        addCrosshair(state);
    addContent(state, {&plane_, millimetersPerPixel(state), withLegend, [&](Vec3 position) {
                           const ScenePoint at = project(position, state);
                           return ScenePoint{at.x, height - at.y};
                       }});
    if (showsAnnotations(state)) {
        static constexpr char axisNames[] = {'x', 'y', 'z'};
        const double inset = 8 * unit;
        const double at = state.crosshair[plane_.axis];
        const std::string title =
            fmt::format("{}  {} = {:.1f} mm", name(kind_), axisNames[plane_.axis],
                        std::abs(at) < 0.05 ? 0 : at); // not -0.0
        const double titleEnd = addTitle(state, title, kind_);
        addWindow(state);
        const Color letters{0.86f, 0.88f, 0.92f};
        const auto text = borderLetters(plane_);
        const auto letter = [&](std::size_t i, double x, double y, TextAnchor anchor) {
            texts_.add(renderer_, std::string(1, text[i]), x, y, anchor, letters, 15);
        };
        letter(0, inset, 0.5 * height, TextAnchor::CenterLeft);
        letter(1, width - inset, 0.5 * height, TextAnchor::CenterRight);
        // Right of the middle where the title reaches to it: below the title it would lie on the
        // heart.
        letter(2, std::max(0.5 * width, titleEnd + 14 * unit), height - inset,
               TextAnchor::TopCenter);
        letter(3, 0.5 * width, inset, TextAnchor::BottomCenter);
    }
    texts_.end();
}

std::size_t SliceView::update(const SceneState& state, bool withLegend) {
    if (!state.geometry) {
        slice_->VisibilityOff();
        updateLabels(state, false);
        return updateOverlays(state);
    }
    updateCamera(state);
    updateSlice(state);
    const std::size_t bytes = updateOverlays(state);
    updateLabels(state, withLegend);
    return bytes;
}

} // namespace systole
