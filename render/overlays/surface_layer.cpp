#include "render/overlays/surface_layer.h"

#include "render/gl/gl_scope.h"

#include <vtkObjectFactory.h>
#include <vtk_glew.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

constexpr unsigned pointLocation = 0, normalLocation = 1, colorLocation = 2;
enum Faces { Both, Away, Towards };

} // namespace

void SurfaceBuffers::setMesh(std::shared_ptr<const TriangleMesh> mesh) {
    if (mesh == mesh_)
        return;
    mesh_ = std::move(mesh);
    meshChanged_ = true;
}

void SurfaceBuffers::setColors(std::vector<float> parts) {
    parts_ = std::move(parts);
    colorsChanged_ = true;
}

std::size_t SurfaceBuffers::pendingBytes() const {
    std::size_t bytes = 0;
    if (mesh_ && meshChanged_)
        bytes += (mesh_->points.size() + mesh_->normals.size() + mesh_->triangles.size()) *
                 sizeof(mesh_->points[0]);
    return bytes + (colorsChanged_ ? parts_.size() * sizeof(float) : 0);
}

bool SurfaceBuffers::Storage::write(const void* data, std::size_t bytes) {
    const bool another = bytes > capacity;
    if (another) {
        capacity = bytes + bytes / 4;
        buffer = makeBuffer(capacity, nullptr);
    }
    if (bytes > 0)
        glNamedBufferSubData(buffer.id(), 0, static_cast<GLsizeiptr>(bytes), data);
    return another;
}

void SurfaceBuffers::upload() {
    if (!array_)
        array_ = makeVertexArray();
    const auto attribute = [&](unsigned location, Storage& storage, const auto& values,
                               int components) {
        // Where there are no values all points have the constant of the draw.
        if (values.empty()) {
            glDisableVertexArrayAttrib(array_.id(), location);
            return;
        }
        storage.write(values.data(), values.size() * sizeof(values[0]));
        glVertexArrayVertexBuffer(array_.id(), location, storage.buffer.id(), 0,
                                  static_cast<GLsizei>(sizeof(values[0])));
        addAttribute(array_, location, location, components, 0);
    };
    if (meshChanged_) {
        attribute(pointLocation, points_, mesh_->points, 3);
        attribute(normalLocation, normals_, mesh_->normals, 3);
        const auto& triangles = mesh_->triangles;
        indices_.write(triangles.data(), triangles.size() * sizeof(triangles[0]));
        glVertexArrayElementBuffer(array_.id(), indices_.buffer.id());
    }
    if (meshChanged_ || colorsChanged_)
        attribute(colorLocation, colors_, parts_, 1);
    meshChanged_ = colorsChanged_ = false;
}

void SurfaceBuffers::draw() {
    if (meshChanged_ || colorsChanged_ || !array_)
        upload();
    glBindVertexArray(array_.id());
    glVertexAttrib3f(normalLocation, 0, 0, 0);
    glVertexAttrib1f(colorLocation, -1);
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(3 * mesh_->triangles.size()), GL_UNSIGNED_INT,
                   nullptr);
}

void SurfaceBuffers::release() {
    array_.reset();
    for (Storage* storage : {&points_, &normals_, &colors_, &indices_}) {
        storage->buffer.reset();
        storage->capacity = 0;
    }
    meshChanged_ = mesh_ != nullptr;
}

vtkStandardNewMacro(SurfaceLayer)

const GlProgram& SurfaceLayer::program() {
    GlProgram& program = contour() ? contours_ : surfaces_;
    if (!program)
        program = contour() ? makeProgram("surface.vert", "surface.frag", "contour.geom")
                            : makeProgram("surface.vert", "surface.frag");
    return program;
}

int SurfaceLayer::RenderOpaqueGeometry(vtkViewport* viewport) {
    // Ghosts are drawn here, too, after what they lie over: VTK's own pass for what is translucent
    // wants shaders that write to several targets.
    if (!buffers_ || buffers_->empty() || !(look_.opacity > 0))
        return 0;
    const GlProgram& used = program();
    GlScope scope(viewport, contour() || look_.flat ? GlScope::Depth::Ignore
                            : look_.ghost           ? GlScope::Depth::Test
                                                    : GlScope::Depth::TestAndWrite);
    const auto number = [](double value) { return static_cast<float>(value); };
    const bool colored = buffers_->colored() && look_.colorMap != 0;
    setUniform(used, "worldToClip", worldToClip(viewport));
    setUniform(used, "colored", colored ? 1 : 0);
    setUniform(used, "colorMap", colored ? scope.bindTexture(look_.colorMap) : 0);
    setUniform(used, "plain", Vec3{look_.plain.red, look_.plain.green, look_.plain.blue});
    setUniform(used, "opacity", number(std::clamp(look_.opacity, 0.0, 1.0)));
    setUniform(used, "shading", contour() || look_.flat ? 0.0f : 1.0f);
    setUniform(used, "rim", look_.ghost && !contour() ? 1.0f : 0.0f);
    setUniform(used, "towardsLight", look_.towardsLight);
    setUniform(used, "keptLow", look_.kept.low);
    setUniform(used, "keptHigh", look_.kept.high);
    if (contour()) {
        setUniform(used, "planeNormal", look_.facing);
        setUniform(used, "planeOffset", number(look_.offset));
        const int* const pixels = viewport->GetSize();
        setUniform(used, "viewSize", static_cast<float>(pixels[0]), static_cast<float>(pixels[1]));
        setUniform(used, "width", number(look_.width));
    }
    glUseProgram(used.id());
    // Of a translucent surface what lies behind is drawn first.
    const bool twice = !contour() && (look_.ghost || look_.opacity < 1);
    for (const Faces faces : {twice ? Away : Both, Towards}) {
        setUniform(used, "faces", faces);
        buffers_->draw();
        if (!twice)
            break;
    }
    return 1;
}

void SurfaceLayer::ReleaseGraphicsResources(vtkWindow*) {
    surfaces_.reset();
    contours_.reset();
    if (buffers_)
        buffers_->release();
}

} // namespace systole
