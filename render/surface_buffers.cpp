#include "render/surface_buffers.h"

#include <vtk_glew.h>

#include <utility>

namespace systole {
namespace {

using At = SurfaceAttributes;

} // namespace

bool SurfaceBuffers::setMesh(std::shared_ptr<const TriangleMesh> mesh,
                             std::shared_ptr<const DeviceMesh> onDevice, CudaInterop* interop) {
    if (mesh == mesh_)
        return false;
    mesh_ = std::move(mesh);
    const bool reached = mesh_ && onDevice && interop && !onDevice->triangles.empty() &&
                         interop->reaches(onDevice->points.data());
    meshChanged_ = !reached;
    if (reached)
        copyOnDevice(*interop, onDevice);
    return reached;
}

void SurfaceBuffers::setColors(std::vector<float> parts) {
    colorParts_ = std::move(parts);
    colorsChanged_ = true;
}

std::size_t SurfaceBuffers::pendingBytes() const {
    std::size_t bytes = 0;
    if (mesh_ && meshChanged_)
        bytes += (mesh_->points.size() + mesh_->normals.size() + mesh_->triangles.size()) *
                 sizeof(mesh_->points[0]);
    return bytes + (colorsChanged_ ? colorParts_.size() * sizeof(float) : 0);
}

void SurfaceBuffers::Storage::reserve(std::size_t bytes) {
    if (bytes <= capacity)
        return;
    capacity = bytes + bytes / 4;
    object.reset();
    buffer = makeBuffer(capacity, nullptr);
}

void SurfaceBuffers::Storage::release() {
    object.reset();
    buffer.reset();
    capacity = 0;
}

void SurfaceBuffers::bind(unsigned location, const Storage& storage, std::size_t offset,
                          int components) {
    glVertexArrayVertexBuffer(array_.id(), location, storage.buffer.id(),
                              static_cast<GLintptr>(offset),
                              components * static_cast<GLsizei>(sizeof(float)));
    addAttribute(array_, location, location, components, 0);
}

/// Makes room for the mesh's parts and tells the draw where they lie.
void SurfaceBuffers::reserve(const Parts& parts) {
    if (!array_)
        array_ = makeVertexArray();
    parts_ = parts;
    surface_.reserve(parts.all());
    bind(At::point, surface_, 0, 3);
    // A mesh without normals has the constant normal of the draw at all points.
    if (parts.normals > 0)
        bind(At::normal, surface_, parts.normalsAt(), 3);
    else
        glDisableVertexArrayAttrib(array_.id(), At::normal);
    glVertexArrayElementBuffer(array_.id(), surface_.buffer.id());
}

void SurfaceBuffers::copyOnDevice(CudaInterop& interop,
                                  const std::shared_ptr<const DeviceMesh>& mesh) {
    const auto bytesOf = [](const auto& values) { return values.size() * sizeof *values.data(); };
    reserve({bytesOf(mesh->points), bytesOf(mesh->normals), bytesOf(mesh->triangles)});
    if (!surface_.object)
        surface_.object = interop.buffer(surface_.buffer.id());
    const auto copy = [&](const void* from, std::size_t offset, std::size_t bytes) {
        interop.write(surface_.object, copyToBuffer(from, offset, bytes, mesh->ready, mesh));
    };
    copy(mesh->points.data(), 0, parts_.points);
    copy(mesh->normals.data(), parts_.normalsAt(), parts_.normals);
    copy(mesh->triangles.data(), parts_.trianglesAt(), parts_.triangles);
}

void SurfaceBuffers::uploadMesh() {
    const auto bytesOf = [](const auto& values) { return values.size() * sizeof(values[0]); };
    reserve({bytesOf(mesh_->points), bytesOf(mesh_->normals), bytesOf(mesh_->triangles)});
    const auto write = [&](std::size_t offset, const auto& values) {
        if (!values.empty())
            glNamedBufferSubData(surface_.buffer.id(), static_cast<GLintptr>(offset),
                                 static_cast<GLsizeiptr>(bytesOf(values)), values.data());
    };
    write(0, mesh_->points);
    write(parts_.normalsAt(), mesh_->normals);
    write(parts_.trianglesAt(), mesh_->triangles);
    meshChanged_ = false;
}

void SurfaceBuffers::uploadColors() {
    colorsChanged_ = false;
    if (colorParts_.empty()) {
        glDisableVertexArrayAttrib(array_.id(), At::color);
        return;
    }
    const std::size_t bytes = colorParts_.size() * sizeof(float);
    colors_.reserve(bytes);
    glNamedBufferSubData(colors_.buffer.id(), 0, static_cast<GLsizeiptr>(bytes),
                         colorParts_.data());
    bind(At::color, colors_, 0, 1);
}

void SurfaceBuffers::draw() {
    if (meshChanged_)
        uploadMesh();
    if (colorsChanged_)
        uploadColors();
    glBindVertexArray(array_.id());
    glVertexAttrib3f(At::normal, 0, 0, 0);
    glVertexAttrib1f(At::color, -1);
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(3 * mesh_->triangles.size()), GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(parts_.trianglesAt()));
}

void SurfaceBuffers::release() {
    array_.reset();
    surface_.release();
    colors_.release();
    meshChanged_ = mesh_ != nullptr;
    colorsChanged_ = true; // the next array knows nothing of them
}

} // namespace systole
