// VTK's volume ray caster, shown a texture that we own.
#pragma once

#include "compute/core/geometry.h"
#include "render/volume_presets.h"

#include <memory>
#include <optional>

class vtkRenderer;
class vtkProp;

namespace systole {

/// One layer serves one geometry: a sequence of another geometry gets a new layer.
class VolumeLayer {
public:
    explicit VolumeLayer(const Geometry& geometry);
    ~VolumeLayer();
    VolumeLayer(const VolumeLayer&) = delete;
    VolumeLayer& operator=(const VolumeLayer&) = delete;

    vtkProp* prop() const;

    void setTransfer(const VolumeTransfer& transfer, double opacityFactor);
    /// Rays per pixel along a side (1: one per pixel, 2: every second), and mm between their
    /// samples.
    void setSampling(double pixelsPerRay, double millimetresPerSample);
    double smallestSpacing() const;
    void setVisible(bool visible);
    /// Shows only what lies on the side of the plane that `normal` points to; no normal:
    /// everything.
    void setCut(Vec3 point, std::optional<Vec3> normal);

    /// Context current, before rendering: the 3D texture to show, of the geometry's size.
    void show(unsigned texture, vtkRenderer* renderer);
    /// Context current: what VTK has in OpenGL for this layer; the texture shown is not touched.
    void release(vtkRenderer* renderer);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
