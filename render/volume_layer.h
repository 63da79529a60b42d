// VTK's volume ray caster, drawing a texture that we own.
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
    /// Pixels per ray along a side (1: one ray per pixel, 2: every second pixel), and mm between
    /// samples.
    void setSampling(double pixelsPerRay, double millimetersPerSample);
    double smallestSpacing() const;
    void setVisible(bool visible);
    /// Shows only the side of the plane that `normal` points to; no normal: everything.
    void setCut(Vec3 point, std::optional<Vec3> normal);

    /// Needs the context current, before rendering: sets the 3D texture to show, of the geometry's
    /// size.
    void show(unsigned texture, vtkRenderer* renderer);
    /// Needs the context current: frees VTK's OpenGL objects of this layer, but not the shown
    /// texture.
    void release(vtkRenderer* renderer);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
