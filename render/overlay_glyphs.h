// Instanced arrows of a displacement field.
#pragma once

#include "render/gl_objects.h"
#include "render/glyph_sampling.h"

#include <vtkProp.h>

#include <vector>

namespace systole {

struct GlyphLook {
    double scale = 1;        ///< drawn mm per mm
    double thickness = 1;    ///< greatest width of a head, mm
    double colorMaximum = 1; ///< mm
    double opacity = 1;
    unsigned colorMap = 0;
    bool flat = false; ///< in a slice: unlit, outlined, over everything
    Vec3 towardsLight{0, 0, 1};
};

class GlyphLayer : public vtkProp {
public:
    static GlyphLayer* New();
    vtkTypeMacro(GlyphLayer, vtkProp)

    void setGlyphs(std::vector<Glyph> glyphs);
    /// Bytes that the next draw moves to OpenGL.
    std::size_t pendingBytes() const;
    void setLook(const GlyphLook& look) { look_ = look; }
    int RenderOpaqueGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

private:
    void makeObjects();
    void upload();
    void drawPass(double scale, double thickness, double brightness) const;

    std::vector<Glyph> glyphs_;
    bool changed_ = false;
    GlyphLook look_;

    GlProgram program_;
    GlVertexArray arrows_;
    GlBuffer mesh_, instances_;
    std::size_t capacity_ = 0; ///< glyphs that fit into instances_
    int meshVertices_ = 0;
};

} // namespace systole
