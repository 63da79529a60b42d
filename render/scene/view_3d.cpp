#include "render/scene/view_3d.h"

#include "render/cut.h"
#include "render/scene/slice_view.h"

#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkMatrix4x4.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTransform.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace systole {
namespace {

constexpr ViewKind sliceKinds[] = {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal};
constexpr double viewAngle = 28; ///< degrees
/// Left anterior oblique, slightly from above: the ventricles side by side.
constexpr double startAzimuth = 55, startElevation = 12;

} // namespace

View3D::View3D(Overlays& overlays) : overlays_(overlays) {
    for (auto& slice : slices_)
        renderer_->AddViewProp(slice);
    overlays_.attach(ViewKind::Volume3D, renderer_);
    outline_->SetMapper(outlineMapper_);
    outline_->GetProperty()->SetColor(0.34, 0.38, 0.46);
    outline_->GetProperty()->LightingOff();
    outline_->VisibilityOff();
    renderer_->AddViewProp(outline_);
    renderer_->AddViewProp(shapes_);
    renderer_->GetActiveCamera()->SetViewAngle(viewAngle);
}

View3D::~View3D() = default;

void View3D::linkTo(const View3D& other) {
    renderer_->SetActiveCamera(other.renderer_->GetActiveCamera());
}

void View3D::setGeometry(const SceneState& state) {
    if (volume_) {
        volume_->release(renderer_);
        renderer_->RemoveViewProp(volume_->prop());
    }
    volume_ = std::make_unique<VolumeLayer>(*state.geometry);
    renderer_->AddViewProp(volume_->prop());
    updateOutline(state);
}

void View3D::updateOutline(const SceneState& state) {
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> lines;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p = cornerOf(*state.geometry, corner);
        points->InsertNextPoint(p.x, p.y, p.z);
        for (int axis = 0; axis < 3; ++axis)
            if (!((corner >> axis) & 1)) {
                const vtkIdType ends[] = {corner, corner | (1 << axis)};
                lines->InsertNextCell(2, ends);
            }
    }
    vtkNew<vtkPolyData> box;
    box->SetPoints(points);
    box->SetLines(lines);
    outlineMapper_->SetInputData(box);
}

void View3D::setTransfer(const VolumeTransfer& transfer, double opacityFactor) {
    if (volume_)
        volume_->setTransfer(transfer, opacityFactor);
}

void View3D::setSampling(double pixelsPerRay) {
    if (volume_)
        volume_->setSampling(pixelsPerRay, volume_->smallestSpacing() *
                                               std::clamp(0.4 + 0.4 * pixelsPerRay, 0.8, 1.6));
}

void View3D::placeCamera(Vec3 towardsObserver, Vec3 up, const SceneState& state) {
    const double radius = 0.5 * length(state.box.extent());
    const double distance = 0.97 * radius / std::sin(0.5 * viewAngle * std::numbers::pi / 180);
    const Vec3 center = state.box.center();
    setPose({center + distance * towardsObserver, center, up});
}

void View3D::resetCamera(const SceneState& state) {
    placeCamera({0, -1, 0}, {0, 0, 1}, state);
    rotate(startAzimuth, startElevation);
}

void View3D::setStandardView(StandardView view, const SceneState& state) {
    static constexpr Vec3 towards[] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    const Vec3 up = view == StandardView::Superior ? Vec3{0, -1, 0} : Vec3{0, 0, 1};
    placeCamera(towards[static_cast<std::size_t>(view)], up, state);
}

Vec3 View3D::towardsObserver() const {
    double forward[3];
    renderer_->GetActiveCamera()->GetDirectionOfProjection(forward);
    return {-forward[0], -forward[1], -forward[2]};
}

void View3D::rotate(double azimuthDegrees, double elevationDegrees) {
    vtkCamera* camera = renderer_->GetActiveCamera();
    camera->OrthogonalizeViewUp();
    const double* up = camera->GetViewUp();
    const Vec3 towards = towardsObserver();
    // Angle above the horizon, beyond 90 degrees when upside down; clamped below that.
    const double above = std::atan2(towards.z, up[2]) * 180 / std::numbers::pi;
    const double elevation = std::clamp(above + elevationDegrees, -89.9, 89.9) - above;
    const Vec3 right = cross({up[0], up[1], up[2]}, towards);

    vtkNew<vtkTransform> turn;
    turn->RotateWXYZ(azimuthDegrees, 0, 0, 1);
    turn->RotateWXYZ(-elevation, right.x, right.y, right.z);
    double eye[3], focus[3], offset[3], newUp[3];
    camera->GetPosition(eye);
    camera->GetFocalPoint(focus);
    for (int axis = 0; axis < 3; ++axis)
        offset[axis] = eye[axis] - focus[axis];
    turn->TransformVector(offset, offset);
    turn->TransformVector(up, newUp);
    camera->SetPosition(focus[0] + offset[0], focus[1] + offset[1], focus[2] + offset[2]);
    camera->SetViewUp(newUp);
}

/// Scale at the distance of the focal point.
double View3D::millimetersPerPixel() const {
    return 2 * renderer_->GetActiveCamera()->GetDistance() *
           std::tan(0.5 * viewAngle * std::numbers::pi / 180) /
           std::max(std::min(area_.fitWidth, area_.fitHeight), 1);
}

void View3D::pan(double dx, double dy) {
    const auto [eye, focus, up] = pose();
    const Vec3 right = cross(-1 * towardsObserver(), up);
    const Vec3 shift = millimetersPerPixel() * (dy * up - dx * right);
    const Vec3 newFocus = focus + shift, newEye = eye + shift;
    vtkCamera* camera = renderer_->GetActiveCamera();
    camera->SetFocalPoint(newFocus.x, newFocus.y, newFocus.z);
    camera->SetPosition(newEye.x, newEye.y, newEye.z);
}

void View3D::zoomBy(double factor) {
    renderer_->GetActiveCamera()->Dolly(std::clamp(factor, 0.2, 5.0));
}

View3D::Pose View3D::pose() const {
    vtkCamera* camera = renderer_->GetActiveCamera();
    const auto vec = [](const double* v) { return Vec3{v[0], v[1], v[2]}; };
    return {vec(camera->GetPosition()), vec(camera->GetFocalPoint()), vec(camera->GetViewUp())};
}

void View3D::setPose(const Pose& pose) {
    vtkCamera* camera = renderer_->GetActiveCamera();
    camera->SetFocalPoint(pose.focus.x, pose.focus.y, pose.focus.z);
    camera->SetPosition(pose.eye.x, pose.eye.y, pose.eye.z);
    camera->SetViewUp(pose.up.x, pose.up.y, pose.up.z);
}

void View3D::updateLabels(const SceneState& state, bool withLegend) {
    clearAnnotations();
    addContent(state, {nullptr, millimetersPerPixel(), withLegend, [&](Vec3 position) {
                           const ScenePoint at = project(position);
                           return ScenePoint{at.x, area_.height - at.y};
                       }});
    if (showsAnnotations(state)) {
        addTitle(state, state.display.volume ? "3D  volume" : "3D", ViewKind::Volume3D);
        const Color color{0.72f, 0.76f, 0.84f};
        const Vec3 center = state.box.center(), extent = state.box.extent();
        for (int axis = 0; axis < 3; ++axis)
            for (const int sign : {-1, 1}) {
                // A letter in front of the heart, or behind it, is useless.
                if (std::abs(towardsObserver()[axis]) > 0.7)
                    continue;
                Vec3 at = center;
                at[axis] += sign * 0.56 * extent[axis];
                const ScenePoint p = project(at);
                texts_.add(renderer_, std::string(1, directionLetter(axis, sign)), p.x,
                           area_.height - p.y, TextAnchor::Center, color, 14);
            }
    }
    texts_.end();
}

void View3D::updateVolume(const SceneState& state, bool ready) {
    kept_ = ready ? keptBox(state.display, state.box, state.crosshair, towardsObserver())
                  : std::nullopt;
    if (volume_) {
        const bool visible = ready && state.display.volume && state.display.volumeOpacity > 0;
        volume_->setVisible(visible);
        volume_->setKept(state.box, kept_.value_or(state.box));
        if (visible)
            volume_->show(state.frameTexture, renderer_);
    }
    const PhysicalBox& box = kept_ ? *kept_ : state.box;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
        const ViewPlane plane = viewPlane(sliceKinds[i]);
        const double at = state.crosshair[plane.axis];
        slices_[i]->SetVisibility(ready && state.display.slicesIn3D && at >= box.low[plane.axis] &&
                                  at <= box.high[plane.axis]);
        if (ready)
            slices_[i]->setLook(sliceLook(state, plane, box, overlays_));
    }
}

std::size_t View3D::update(const SceneState& state, bool withLegend) {
    const bool ready = state.geometry && state.frameTexture;
    // The angle applies to the shorter side, so that a narrow view also shows the whole heart.
    renderer_->GetActiveCamera()->SetUseHorizontalViewAngle(area_.fitWidth < area_.fitHeight);
    outline_->SetVisibility(state.geometry.has_value());
    updateVolume(state, ready);
    const std::size_t bytes = overlays_.update(
        state, {ViewKind::Volume3D, towardsObserver(), millimetersPerPixel(), kept_});
    if (state.geometry) {
        // The clipping range reaches from the camera to behind the box and the longest arrows,
        // regardless of VTK's bounds.
        vtkCamera* camera = renderer_->GetActiveCamera();
        const Vec3 c = state.box.center();
        double eye[3];
        camera->GetPosition(eye);
        const double radius = 0.75 * length(state.box.extent()) + 1e-3;
        const double distance = length(Vec3{eye[0] - c.x, eye[1] - c.y, eye[2] - c.z});
        camera->SetClippingRange(std::max(distance - radius, 0.01 * radius), distance + radius);
    }
    updateLabels(state, withLegend);
    return bytes;
}

ScenePoint View3D::project(Vec3 position) const {
    const double aspect = area_.width / static_cast<double>(std::max(area_.height, 1));
    vtkMatrix4x4* matrix =
        renderer_->GetActiveCamera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1);
    double p[4] = {position.x, position.y, position.z, 1};
    matrix->MultiplyPoint(p, p);
    const double w = std::abs(p[3]) > 1e-12 ? p[3] : 1e-12;
    return {0.5 * (p[0] / w + 1) * area_.width, 0.5 * (1 - p[1] / w) * area_.height};
}

void View3D::release() {
    if (volume_)
        volume_->release(renderer_);
}

} // namespace systole
