// A surface of triangles in a view: lit in the 3D view, as a contour in a slice. Lines, too.
#pragma once

#include "render/base/colormaps.h"
#include "render/gl/gl_objects.h"
#include "render/surface_buffers.h"
#include "render/view_plane.h"

#include <vtkProp.h>

#include <memory>

namespace systole {

struct SurfaceLook {
    Color plain;           ///< color of points without a value
    unsigned colorMap = 0; ///< texture of the colors
    double opacity = 1;
    bool flat = false;  ///< unlit, over everything: what lies in a slice
    bool ghost = false; ///< hides nothing, and is seen mostly where it turns away
    Vec3 towardsLight{0, 0, 1};
    /// Box, LPS mm, outside which nothing is drawn.
    PhysicalBox kept{{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
    /// Normal of the slice whose contour is drawn, unlit, over everything. Zero: the surface.
    Vec3 facing{0, 0, 0};
    double offset = 0; ///< position of the slice along `facing`, LPS mm
    /// Each triangle is a line between its first two corners, unlit.
    bool lines = false;
    double width = 2; ///< width of lines and contours, framebuffer pixels
    double rim = 0;   ///< width of a line's outline on each side, framebuffer pixels
};

class SurfaceLayer : public vtkProp {
public:
    static SurfaceLayer* New();
    vtkTypeMacro(SurfaceLayer, vtkProp)

    void setBuffers(std::shared_ptr<SurfaceBuffers> buffers) { buffers_ = std::move(buffers); }
    void setLook(const SurfaceLook& look) { look_ = look; }
    int RenderOpaqueGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

private:
    bool contour() const { return dot(look_.facing, look_.facing) > 0; }
    const GlProgram& program();
    void drawOutline(vtkViewport* viewport, const GlProgram& used);

    std::shared_ptr<SurfaceBuffers> buffers_;
    SurfaceLook look_;
    GlProgram surfaces_, contours_, lines_;
};

} // namespace systole
