// A surface of triangles in a view: lit in the 3D view, as a contour in a slice.
#pragma once

#include "compute/core/triangle_mesh.h"
#include "render/colormaps.h"
#include "render/gl/gl_objects.h"
#include "render/view_plane.h"

#include <vtkProp.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace systole {

/// The OpenGL buffers of one surface, shared by the views of a side. Points and normals lie in
/// buffers of their own, three floats each, as TriangleMesh has them. What is set is uploaded when
/// it is next drawn; drawing and release() need the context current.
class SurfaceBuffers {
public:
    void setMesh(std::shared_ptr<const TriangleMesh> mesh); ///< null: nothing to draw
    /// Parts of the color map, 0–1, one per point; negative: the plain color. Empty: all plain.
    void setColors(std::vector<float> parts);
    bool empty() const { return !mesh_ || mesh_->triangles.empty(); }
    bool colored() const { return !parts_.empty(); }
    std::size_t pendingBytes() const;
    void draw();
    void release();

private:
    /// A buffer that grows.
    struct Storage {
        GlBuffer buffer;
        std::size_t capacity = 0;
        /// Returns true if the buffer is another one than before.
        bool write(const void* data, std::size_t bytes);
    };
    void upload();

    std::shared_ptr<const TriangleMesh> mesh_;
    std::vector<float> parts_;
    bool meshChanged_ = false, colorsChanged_ = false;
    GlVertexArray array_;
    Storage points_, normals_, colors_, indices_;
};

struct SurfaceLook {
    Color plain;           ///< where it isn't colored
    unsigned colorMap = 0; ///< texture of the colors
    double opacity = 1;
    bool flat = false;  ///< unlit, over everything: what lies in a slice
    bool ghost = false; ///< hides nothing, and is seen mostly where it turns away
    Vec3 towardsLight{0, 0, 1};
    /// What lies outside isn't drawn.
    PhysicalBox kept{{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
    /// Normal of the slice whose contour is drawn, unlit, over everything. Zero: the surface.
    Vec3 facing{0, 0, 0};
    double offset = 0; ///< of the slice along `facing`, mm
    double width = 2;  ///< of a contour, framebuffer pixels
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

    std::shared_ptr<SurfaceBuffers> buffers_;
    SurfaceLook look_;
    GlProgram surfaces_, contours_;
};

} // namespace systole
