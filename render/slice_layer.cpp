#include "render/slice_layer.h"

#include "render/gl/gl_scope.h"

#include <vtkObjectFactory.h>
#include <vtk_glew.h>

#include <algorithm>

namespace systole {

vtkStandardNewMacro(SliceLayer)

int SliceLayer::RenderOpaqueGeometry(vtkViewport* viewport) {
    if (!look_.frame)
        return 0;
    if (!program_) {
        program_ = makeProgram("slice.vert", "slice.frag");
        corners_ = makeVertexArray();
    }

    GlScope scope(viewport, GlScope::Depth::TestAndWrite);
    const bool map = look_.magnitude != 0 && look_.mapOpacity > 0 && !look_.colored;
    const double window = std::max(look_.window, 1e-6);
    setUniform(program_, "worldToClip", worldToClip(viewport));
    setUniform(program_, "worldToTexture", look_.worldToTexture);
    setUniform(program_, "origin", look_.origin);
    setUniform(program_, "right", look_.right);
    setUniform(program_, "up", look_.up);
    setUniform(program_, "windowLow", static_cast<float>(look_.level - window / 2));
    setUniform(program_, "windowWidth", static_cast<float>(window));
    setUniform(program_, "colored", look_.colored ? 1.0f : 0.0f);
    setUniform(program_, "mapOpacity", map ? static_cast<float>(look_.mapOpacity) : 0.0f);
    setUniform(program_, "mapMaximum", static_cast<float>(std::max(look_.mapMaximum, 1e-6)));
    setUniform(program_, "mapRest", static_cast<float>(look_.mapRest));
    setUniform(program_, "darkest", static_cast<float>(look_.darkest));
    setUniform(program_, "darkFade", static_cast<float>(std::max(look_.darkFade, 1e-6)));
    setUniform(program_, "frame", scope.bindTexture(look_.frame));
    setUniform(program_, "magnitude", scope.bindTexture(map ? look_.magnitude : look_.frame));
    setUniform(program_, "colorMap", scope.bindTexture(look_.colorMap));
    glUseProgram(program_.id());
    glBindVertexArray(corners_.id());
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return 1;
}

void SliceLayer::ReleaseGraphicsResources(vtkWindow*) {
    program_.reset();
    corners_.reset();
}

} // namespace systole
