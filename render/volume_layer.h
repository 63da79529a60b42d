// VTK's volume ray caster, drawing a texture that we own.
#pragma once

#include "compute/core/geometry.h"
#include "render/view_plane.h"
#include "render/volume_presets.h"

#include <memory>

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
    /// Shows only what lies in the box `kept`, a part of the box `whole` around the volume; LPS mm.
    void setKept(const PhysicalBox& whole, const PhysicalBox& kept);

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
