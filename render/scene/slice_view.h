// One anatomical slice view: its camera, what is in it, and where a pixel lies in the patient.
#pragma once

#include "render/color_bar.h"
#include "render/flat_layer.h"
#include "render/overlays.h"
#include "render/scene_state.h"
#include "render/slice_layer.h"

#include <vtkNew.h>

#include <memory>

class vtkRenderer;

namespace systole {

class SliceView {
public:
    /// `overlays` are those of its side, and outlive it.
    SliceView(ViewKind kind, Overlays& overlays);
    ~SliceView();
    /// Zoom and pan are those of the other from now on.
    void linkTo(const SliceView& other) { lens_ = other.lens_; }

    ViewKind kind() const { return kind_; }
    vtkRenderer* renderer() const { return renderer_; }
    const ViewPlane& plane() const { return plane_; }

    /// Shows the whole volume again.
    void resetCamera() { *lens_ = {}; }
    /// Framebuffer pixels.
    void pan(double dx, double dy, const SceneState& state);
    void zoomBy(double factor);

    void setArea(const ViewArea& area) { area_ = area; }
    const ViewArea& area() const { return area_; }
    /// Brings camera, slice, overlays and labels in line with the state. Returns bytes to be moved
    /// to OpenGL.
    std::size_t update(const SceneState& state, bool withColorBar);

    /// Framebuffer pixels from the top left of the view; the position lies in the shown plane.
    Vec3 positionAt(double x, double y, const SceneState& state) const;
    ScenePoint project(Vec3 position, const SceneState& state) const;

private:
    double millimetresPerPixel(const SceneState& state) const;
    Vec3 viewCentre(const SceneState& state) const;
    void updateCamera(const SceneState& state);
    void updateSlice(const SceneState& state);
    std::size_t updateOverlays(const SceneState& state);
    void updateLabels(const SceneState& state, bool withColorBar);

    ViewKind kind_;
    ViewPlane plane_;
    ViewArea area_;
    Overlays& overlays_;
    struct Lens {
        double zoom = 1;
        Vec3 pan; ///< mm that the view's centre lies off the volume's
    };
    std::shared_ptr<Lens> lens_ = std::make_shared<Lens>();

    vtkNew<vtkRenderer> renderer_;
    vtkNew<SliceLayer> slice_;
    vtkNew<FlatLayer> shapes_;
    TextLayer texts_;
};

/// The name of a view, and under it the lines of the state's label.
void drawTitle(const SceneState& state, const std::string& title, ViewKind kind, int height,
               vtkRenderer* renderer, TextLayer& texts);

/// The bar of what the view shows.
ColorBar colorBar(const SceneState& state);

/// A square around a pixel (from the bottom left): full, or faint when what it marks lies in
/// another plane.
void drawMarker(double x, double y, bool faint, double unit, FlatLayer& shapes);

/// Colour of what belongs to a slice view, here and as its line in the other views.
Color viewColor(ViewKind kind);

/// The look of the slice through the crosshair over the whole volume; shared with the 3D view.
SliceLook sliceLook(const SceneState& state, const ViewPlane& plane, const Overlays& overlays);

/// The dark ground of every view.
void setBackground(vtkRenderer* renderer);

} // namespace systole
