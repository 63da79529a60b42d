// A surface of triangles in OpenGL's buffers.
#pragma once

#include "compute/core/device_mesh.h"
#include "compute/core/triangle_mesh.h"
#include "compute/cuda/interop.h"
#include "render/gl/gl_objects.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace systole {

/// Locations of the vertex shader's inputs from draw().
struct SurfaceAttributes {
    static constexpr unsigned point = 0, normal = 1, color = 2;
};

/// The OpenGL buffers of one surface, shared by the views of a side. Points, normals and triangles,
/// as TriangleMesh has them, lie behind one another in one buffer: CUDA maps it at once. What is
/// set from the host is uploaded when it is next drawn. All but the questions need the context
/// current.
class SurfaceBuffers {
public:
    /// Null: nothing to draw. `onDevice` is the same mesh, or null; if `interop` reaches it, it is
    /// copied on the device with the interop's next flush(). Returns whether it is.
    bool setMesh(std::shared_ptr<const TriangleMesh> mesh,
                 std::shared_ptr<const DeviceMesh> onDevice = nullptr,
                 CudaInterop* interop = nullptr);
    /// Parts of the color map, 0–1, one per point; negative: the plain color. Empty: all plain.
    void setColors(std::vector<float> parts);
    bool empty() const { return !mesh_ || mesh_->triangles.empty(); }
    bool colored() const { return !colorParts_.empty(); }
    std::size_t pendingBytes() const;
    void draw();
    void release();

private:
    /// A buffer that grows.
    struct Storage {
        GlBuffer buffer;
        std::shared_ptr<InteropObject> object; ///< its registration, if CUDA has written into it
        std::size_t capacity = 0;
        void reserve(std::size_t bytes);
        void release();
    };
    /// Bytes of the mesh's parts, in their order.
    struct Parts {
        std::size_t points = 0, normals = 0, triangles = 0;
        std::size_t normalsAt() const { return points; }
        std::size_t trianglesAt() const { return points + normals; }
        std::size_t all() const { return points + normals + triangles; }
    };
    void reserve(const Parts& parts);
    void uploadMesh();
    void uploadColors();
    void copyOnDevice(CudaInterop& interop, const std::shared_ptr<const DeviceMesh>& mesh);
    void bind(unsigned location, const Storage& storage, std::size_t offset, int components);

    std::shared_ptr<const TriangleMesh> mesh_;
    std::vector<float> colorParts_;
    bool meshChanged_ = false, colorsChanged_ = false;
    GlVertexArray array_;
    Storage surface_, colors_;
    Parts parts_; ///< layout of surface_
};

} // namespace systole
