// Instanced arrows of a displacement field.
#pragma once

#include "render/gl/gl_objects.h"
#include "render/glyph_sampling.h"
#include "render/motion_source.h"

#include <vtkProp.h>

#include <vector>

namespace systole {

struct GlyphLook {
    double scale = 1;         ///< drawn mm per mm
    double thickness = 1;     ///< maximum width of a head, mm
    double minimumLength = 0; ///< mm; shorter arrows are drawn this long, or would be dots
    double rim = 1;           ///< width of the outline, framebuffer pixels
    double colorMaximum = 1;  ///< mm
    double opacity = 1;
    unsigned colorMap = 0;
    bool colored = true;        ///< false: white, e.g. over a map that already shows the magnitude
    Vec3 towardsLight{0, 0, 1}; ///< direction of the light on solid arrows
    /// Normal of the slice that contains flat arrows: unlit, drawn over everything. Zero: solid
    /// arrows, lit, hidden by what is in front of them.
    Vec3 facing{0, 0, 0};
    /// Arrows that start outside are left out.
    PhysicalBox kept{{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
};

class GlyphLayer : public vtkProp {
public:
    static GlyphLayer* New();
    vtkTypeMacro(GlyphLayer, vtkProp)

    /// Sets the arrows of a motion on a lattice. Needs the context current. On the device they are
    /// available after the interop's next flush(), written in place: the host never gets their
    /// number.
    void setArrows(const MotionSource& motion, const GlyphLattice& lattice, GlyphRules rules);
    /// Bytes that the next draw transfers over the bus.
    std::size_t pendingBytes() const;
    void setLook(const GlyphLook& look) { look_ = look; }
    int RenderOpaqueGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

private:
    void makeObjects();
    void reserve(std::size_t glyphs);
    void upload();
    void drawPass(bool outline) const;
    bool flat() const { return dot(look_.facing, look_.facing) > 0; }

    std::vector<Glyph> glyphs_; ///< arrows from the host; empty when CUDA writes them
    bool changed_ = false;
    std::size_t count_ = 0; ///< number of arrows to draw
    GlyphLook look_;

    GlProgram program_;
    GlVertexArray arrows_;
    GlBuffer mesh_, instances_;
    std::shared_ptr<InteropObject> interop_;   ///< registration of instances_: released first
    std::size_t capacity_ = 0;                 ///< number of glyphs that fit into instances_
    int solidVertices_ = 0, flatVertices_ = 0; ///< stored consecutively in mesh_
};

} // namespace systole
