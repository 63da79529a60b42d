#include "render/overlays/surface_layer.h"

#include "render/gl/gl_scope.h"

#include <vtkObjectFactory.h>
#include <vtk_glew.h>

#include <algorithm>

namespace systole {
namespace {

enum Faces { Both, Away, Towards };

} // namespace

vtkStandardNewMacro(SurfaceLayer)

const GlProgram& SurfaceLayer::program() {
    GlProgram& program = look_.lines ? lines_ : contour() ? contours_ : surfaces_;
    if (!program)
        program = makeProgram("surface.vert", "surface.frag",
                              look_.lines ? "line.geom"
                              : contour() ? "contour.geom"
                                          : "");
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
    setUniform(used, "shading", contour() || look_.flat || look_.lines ? 0.0f : 1.0f);
    setUniform(used, "rim", look_.ghost && !contour() ? 1.0f : 0.0f);
    setUniform(used, "towardsLight", look_.towardsLight);
    setUniform(used, "keptLow", look_.kept.low);
    setUniform(used, "keptHigh", look_.kept.high);
    if (contour()) {
        setUniform(used, "planeNormal", look_.facing);
        setUniform(used, "planeOffset", number(look_.offset));
    }
    if (contour() || look_.lines) {
        const int* const pixels = viewport->GetSize();
        setUniform(used, "viewSize", static_cast<float>(pixels[0]), static_cast<float>(pixels[1]));
        setUniform(used, "width", number(look_.width));
    }
    if (look_.lines)
        drawOutline(viewport, used);
    glUseProgram(used.id());
    // Back faces of a translucent surface are drawn first, as they lie behind.
    const bool twice = !contour() && !look_.lines && (look_.ghost || look_.opacity < 1);
    for (const Faces faces : {twice ? Away : Both, Towards}) {
        setUniform(used, "faces", faces);
        buffers_->draw();
        if (!twice)
            break;
    }
    return 1;
}

/// Leaves no depth: the outlines of lines must not hide lines.
void SurfaceLayer::drawOutline(vtkViewport* viewport, const GlProgram& used) {
    const GlScope scope(viewport, look_.flat ? GlScope::Depth::Ignore : GlScope::Depth::Test);
    setUniform(used, "outline", 1);
    setUniform(used, "width", static_cast<float>(look_.width + 2 * look_.rim));
    glUseProgram(used.id());
    buffers_->draw();
    setUniform(used, "outline", 0);
    setUniform(used, "width", static_cast<float>(look_.width));
}

void SurfaceLayer::ReleaseGraphicsResources(vtkWindow*) {
    surfaces_.reset();
    contours_.reset();
    lines_.reset();
    if (buffers_)
        buffers_->release();
}

} // namespace systole
