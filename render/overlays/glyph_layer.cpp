#include "render/overlays/glyph_layer.h"

#include "render/device_motion.h"
#include "render/gl/gl_scope.h"

#include <vtkObjectFactory.h>
#include <vtk_glew.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace systole {
namespace {

struct MeshVertex {
    float position[3];
    float normal[3];
};

/// Radii, and where the head begins, as in glyph.vert.
constexpr float shaft = 0.17f, head = 0.5f, neck = 0.64f;

/// Shaft and head as surfaces of revolution about z: z from 0 to 1, head width 1. Few sides: arrows
/// are small and many, and software OpenGL is slow per vertex.
std::vector<MeshVertex> makeSolidArrow() {
    constexpr int sides = 6;
    struct Ring {
        float z, radius;
    };
    static constexpr std::pair<Ring, Ring> bands[] = {
        {{0, shaft}, {neck, shaft}}, {{neck, shaft}, {neck, head}}, {{neck, head}, {1, 0}}};
    std::vector<MeshVertex> mesh;
    for (const auto& [from, to] : bands) {
        const float norm = std::hypot(to.z - from.z, from.radius - to.radius);
        const float outwards = (to.z - from.z) / norm, along = (from.radius - to.radius) / norm;
        const auto vertex = [&](const Ring& ring, int side) {
            const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(side) / sides;
            const float c = std::cos(angle), s = std::sin(angle);
            return MeshVertex{{ring.radius * c, ring.radius * s, ring.z},
                              {outwards * c, outwards * s, along}};
        };
        for (int side = 0; side < sides; ++side)
            mesh.insert(mesh.end(),
                        {vertex(from, side), vertex(from, side + 1), vertex(to, side + 1),
                         vertex(from, side), vertex(to, side + 1), vertex(to, side)});
    }
    return mesh;
}

/// The arrow's outline as two triangles and one, in the xz plane. The normals point outwards in it,
/// as far as a rim of width 1 reaches.
std::vector<MeshVertex> makeFlatArrow() {
    const auto vertex = [](float x, float z, float outX, float outZ) {
        return MeshVertex{{x, 0, z}, {outX, 0, outZ}};
    };
    const MeshVertex tailLeft = vertex(-shaft, 0, -1, -1), tailRight = vertex(shaft, 0, 1, -1);
    const MeshVertex neckLeft = vertex(-shaft, neck, -1, 0), neckRight = vertex(shaft, neck, 1, 0);
    return {tailLeft,
            tailRight,
            neckRight,
            tailLeft,
            neckRight,
            neckLeft,
            vertex(-head, neck, -1.4f, -1),
            vertex(head, neck, 1.4f, -1),
            vertex(0, 1, 0, 2)};
}

constexpr unsigned meshBinding = 0, instanceBinding = 1;

} // namespace

vtkStandardNewMacro(GlyphLayer)

void GlyphLayer::setArrows(const MotionSource& motion, const GlyphLattice& lattice,
                           GlyphRules rules) {
    if (!program_)
        makeObjects();
    if (!motion.onDevice()) {
        rules.image = motion.fixed.get();
        glyphs_ = sampleGlyphs(*motion.field, lattice, rules);
        count_ = glyphs_.size();
        changed_ = true;
        return;
    }
    glyphs_.clear();
    changed_ = false;
    count_ = std::visit([](const auto& places) { return places.places(); }, lattice);
    reserve(count_);
    if (!interop_)
        interop_ = motion.interop->buffer(instances_.id());
    motion.interop->write(interop_,
                          glyphsToBuffer(motion.deviceField, motion.deviceFixed, lattice, rules));
}

std::size_t GlyphLayer::pendingBytes() const {
    return changed_ ? glyphs_.size() * sizeof(Glyph) : 0;
}

void GlyphLayer::makeObjects() {
    program_ = makeProgram("glyph.vert", "glyph.frag");
    arrows_ = makeVertexArray();
    std::vector<MeshVertex> mesh = makeSolidArrow();
    const std::vector<MeshVertex> flatMesh = makeFlatArrow();
    solidVertices_ = static_cast<int>(mesh.size());
    flatVertices_ = static_cast<int>(flatMesh.size());
    mesh.insert(mesh.end(), flatMesh.begin(), flatMesh.end());
    mesh_ = makeBuffer(mesh.size() * sizeof(MeshVertex), mesh.data());
    glVertexArrayVertexBuffer(arrows_.id(), meshBinding, mesh_.id(), 0, sizeof(MeshVertex));
    glVertexArrayBindingDivisor(arrows_.id(), instanceBinding, 1);
    addAttribute(arrows_, 0, meshBinding, 3, offsetof(MeshVertex, position));
    addAttribute(arrows_, 1, meshBinding, 3, offsetof(MeshVertex, normal));
    addAttribute(arrows_, 2, instanceBinding, 4, offsetof(Glyph, x));
    addAttribute(arrows_, 3, instanceBinding, 4, offsetof(Glyph, dx));
    capacity_ = 0;
    changed_ = !glyphs_.empty();
}

void GlyphLayer::reserve(std::size_t glyphs) {
    if (glyphs <= capacity_)
        return;
    capacity_ = glyphs + glyphs / 2;
    interop_.reset();
    instances_ = makeBuffer(capacity_ * sizeof(Glyph), nullptr);
    glVertexArrayVertexBuffer(arrows_.id(), instanceBinding, instances_.id(), 0, sizeof(Glyph));
}

void GlyphLayer::upload() {
    reserve(glyphs_.size());
    glNamedBufferSubData(instances_.id(), 0,
                         static_cast<GLsizeiptr>(glyphs_.size() * sizeof(Glyph)), glyphs_.data());
    changed_ = false;
}

void GlyphLayer::drawPass(bool outline) const {
    setUniform(program_, "outline", outline ? 1 : 0);
    setUniform(program_, "rim", outline ? static_cast<float>(look_.rim) : 0.0f);
    glDrawArraysInstanced(GL_TRIANGLES, flat() ? solidVertices_ : 0,
                          flat() ? flatVertices_ : solidVertices_, static_cast<GLsizei>(count_));
}

int GlyphLayer::RenderOpaqueGeometry(vtkViewport* viewport) {
    if (count_ == 0 || !(look_.opacity > 0)) // invisible ones must not hide what is behind them
        return 0;
    if (!program_)
        makeObjects();
    if (changed_)
        upload();

    GlScope scope(viewport, flat() ? GlScope::Depth::Ignore : GlScope::Depth::TestAndWrite);
    setUniform(program_, "worldToClip", worldToClip(viewport));
    setUniform(program_, "colorMap", scope.bindTexture(look_.colorMap));
    setUniform(program_, "colorMaximum", static_cast<float>(std::max(look_.colorMaximum, 1e-6)));
    setUniform(program_, "opacity", static_cast<float>(std::clamp(look_.opacity, 0.0, 1.0)));
    setUniform(program_, "shading", flat() ? 0.0f : 1.0f);
    setUniform(program_, "colored", look_.colored ? 1 : 0);
    setUniform(program_, "facing", look_.facing);
    setUniform(program_, "keptLow", look_.kept.low);
    setUniform(program_, "keptHigh", look_.kept.high);
    setUniform(program_, "towardsLight", look_.towardsLight);
    setUniform(program_, "scale", static_cast<float>(look_.scale));
    setUniform(program_, "thickness", static_cast<float>(look_.thickness));
    setUniform(program_, "minimumLength", static_cast<float>(look_.minimumLength));
    const int* const pixels = viewport->GetSize();
    setUniform(program_, "viewSize", static_cast<float>(pixels[0]), static_cast<float>(pixels[1]));
    glUseProgram(program_.id());
    glBindVertexArray(arrows_.id());
    // An outline keeps an arrow readable over tissue of the same brightness.
    drawPass(true);
    drawPass(false);
    return 1;
}

void GlyphLayer::ReleaseGraphicsResources(vtkWindow*) {
    program_.reset();
    arrows_.reset();
    mesh_.reset();
    interop_.reset();
    instances_.reset();
    capacity_ = 0;
    count_ = glyphs_.size(); // replaces what CUDA wrote
}

} // namespace systole
