// One anatomical slice view: its camera, its content, and the patient position of a pixel.
#pragma once

#include "render/flat_layer.h"
#include "render/legend.h"
#include "render/overlays.h"
#include "render/scene.h"
#include "render/scene_state.h"
#include "render/slice_layer.h"

#include <vtkNew.h>

#include <memory>
#include <optional>

class vtkRenderer;

namespace systole {

class SliceView {
public:
    /// `overlays` are those of its side, and outlive the view.
    SliceView(ViewKind kind, Overlays& overlays);
    ~SliceView();
    /// Shares zoom and pan with the other view from now on.
    void linkTo(const SliceView& other) { lens_ = other.lens_; }

    ViewKind kind() const { return kind_; }
    vtkRenderer* renderer() const { return renderer_; }
    const ViewPlane& plane() const { return plane_; }

    /// Shows the whole volume again.
    void resetCamera() { *lens_ = {}; }
    /// Pixels are framebuffer pixels.
    void pan(double dx, double dy, const SceneState& state);
    void zoomBy(double factor);

    void setArea(const ViewArea& area) { area_ = area; }
    const ViewArea& area() const { return area_; }
    /// Updates camera, slice, overlays and labels to the state. Returns the bytes to transfer to
    /// OpenGL.
    std::size_t update(const SceneState& state, bool withLegend);
    /// Where the last update put the legend.
    const std::optional<LegendPlace>& legend() const { return legend_; }

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
    ViewArea area_;
    Overlays& overlays_;
    std::shared_ptr<Lens> lens_ = std::make_shared<Lens>();

    vtkNew<vtkRenderer> renderer_;
    vtkNew<SliceLayer> slice_;
    vtkNew<FlatLayer> shapes_;
    TextLayer texts_;
    std::optional<LegendPlace> legend_;
};

/// Height of what drawTitle() and drawNote() draw, framebuffer pixels.
double titleHeight(const SceneState& state);

/// Draws the name of a view, and below it the lines of the state's label.
void drawTitle(const SceneState& state, const std::string& title, ViewKind kind, int height,
               vtkRenderer* renderer, TextLayer& texts);

/// Draws the legends of a view's content: that of the motion, and of colors of another meaning in
/// the corner beside it. `linesBelow`: lines of text in its lower left corner. Returns the place
/// of the first; none: there was no room.
std::optional<LegendPlace> drawLegends(const SceneState& state, double millimetersPerPixel,
                                       int linesBelow, const ViewArea& area, vtkRenderer* renderer,
                                       FlatLayer& shapes, TextLayer& texts);

/// Draws the state's note about its motion, below the title and the lines of the label.
void drawNote(const SceneState& state, int width, int height, vtkRenderer* renderer,
              TextLayer& texts);

/// True if a view of this size has room for its name and letters, and they are on.
bool showsAnnotations(const SceneState& state, int width, int height);

/// Draws a square around a pixel (from the bottom left): full, or faint if the marked position lies
/// in another plane.
void drawMarker(double x, double y, bool faint, double unit, FlatLayer& shapes);

/// Color of a slice view's elements, here and for its line in the other views.
Color viewColor(ViewKind kind);

/// The look of the slice through the crosshair over a box, the whole volume's or less; shared with
/// the 3D view.
SliceLook sliceLook(const SceneState& state, const ViewPlane& plane, const PhysicalBox& box,
                    const Overlays& overlays);

/// The dark background of every view.
void setBackground(vtkRenderer* renderer);

} // namespace systole
