// The 3D view: volume rendering, slices as planes, overlays, and a camera that turns about the
// heart.
#pragma once

#include "render/overlays/overlay_kinds.h"
#include "render/scene/annotated_view.h"
#include "render/slice_layer.h"
#include "render/volume_layer.h"

#include <vtkNew.h>

#include <array>
#include <memory>
#include <optional>

class vtkActor;
class vtkPolyDataMapper;

namespace systole {

class View3D : public AnnotatedView {
public:
    /// `overlays` are those of its side, and outlive the view.
    explicit View3D(Overlays& overlays);
    ~View3D();

    /// Shares one camera with the other view from now on.
    void linkTo(const View3D& other);

    /// Needs the context current: makes a new volume layer and outline for the state's geometry.
    void setGeometry(const SceneState& state);
    void setTransfer(const VolumeTransfer& transfer, double opacityFactor);
    /// pixelsPerRay ≥ 1; at 1 every pixel has a ray and samples are half a voxel apart.
    void setSampling(double pixelsPerRay);

    void resetCamera(const SceneState& state);
    void setStandardView(StandardView view, const SceneState& state);
    /// Turntable: superior stays up.
    void rotate(double azimuthDegrees, double elevationDegrees);
    void pan(double dx, double dy); ///< framebuffer pixels, downwards positive
    void zoomBy(double factor);

    struct Pose {
        Vec3 eye, focus, up; ///< LPS mm
    };
    Pose pose() const;
    void setPose(const Pose& pose);

    std::size_t update(const SceneState& state, bool withLegend);
    /// Needs the context current.
    void release();

    ScenePoint project(Vec3 position) const; ///< pixels from the top left of the view

private:
    void placeCamera(Vec3 towardsObserver, Vec3 up, const SceneState& state);
    Vec3 towardsObserver() const;
    void updateVolume(const SceneState& state, bool ready);
    void updateOutline(const SceneState& state);
    void updateLabels(const SceneState& state, bool withLegend);
    double millimetersPerPixel() const;

    Overlays& overlays_;
    std::unique_ptr<VolumeLayer> volume_;
    std::array<vtkNew<SliceLayer>, 3> slices_;
    vtkNew<vtkPolyDataMapper> outlineMapper_;
    vtkNew<vtkActor> outline_;

    /// The box that cutting and cropping leave of the volume; none: all of it.
    std::optional<PhysicalBox> kept_;
};

} // namespace systole
