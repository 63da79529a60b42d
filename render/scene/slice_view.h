// One anatomical slice view: its camera, its content, and the patient position of a pixel.
#pragma once

#include "render/overlays/overlay_kinds.h"
#include "render/scene/annotated_view.h"
#include "render/scene/scene.h"
#include "render/slice_layer.h"

#include <vtkNew.h>

#include <memory>

namespace systole {

class SliceView : public AnnotatedView {
public:
    /// `overlays` are those of its side, and outlive the view.
    SliceView(ViewKind kind, Overlays& overlays);
    ~SliceView();
    /// Shares zoom and pan with the other view from now on.
    void linkTo(const SliceView& other) { lens_ = other.lens_; }

    ViewKind kind() const { return kind_; }

    /// Shows the whole volume again.
    void resetCamera() { *lens_ = {}; }
    /// Pixels are framebuffer pixels.
    void pan(double dx, double dy, const SceneState& state);
    void zoomBy(double factor);

    /// Updates camera, slice, overlays and labels to the state. Returns the bytes to transfer to
    /// OpenGL.
    std::size_t update(const SceneState& state, bool withLegend);

    /// Takes framebuffer pixels from the top left of the view; the position lies in the shown
    /// plane.
    Vec3 positionAt(double x, double y, const SceneState& state) const;
    ScenePoint project(Vec3 position, const SceneState& state) const;

    using Lens = SceneCamera::Slice;
    const Lens& lens() const { return *lens_; }
    void setLens(const Lens& lens) { *lens_ = lens; }

private:
    double millimetersPerPixel(const SceneState& state) const;
    Vec3 viewCenter(const SceneState& state) const;
    void updateCamera(const SceneState& state);
    void updateSlice(const SceneState& state);
    std::size_t updateOverlays(const SceneState& state);
    void updateLabels(const SceneState& state, bool withLegend);
    void addCrosshair(const SceneState& state);
    void addWindow(const SceneState& state);

    ViewKind kind_;
    ViewPlane plane_;
    Overlays& overlays_;
    std::shared_ptr<Lens> lens_ = std::make_shared<Lens>();

    vtkNew<SliceLayer> slice_;
};

/// The look of the slice through the crosshair over a box, the whole volume's or less; shared with
/// the 3D view.
SliceLook sliceLook(const SceneState& state, const ViewPlane& plane, const PhysicalBox& box,
                    const Overlays& overlays);

} // namespace systole
