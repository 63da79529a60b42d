#include "render/slice_layer.h"

#include "render/gl/gl_scope.h"

#include <fmt/format.h>
#include <vtkObjectFactory.h>
#include <vtk_glew.h>

#include <algorithm>
#include <cmath>

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
    const double window = std::max(look_.window, 1e-6);
    setUniform(program_, "worldToClip", worldToClip(viewport));
    setUniform(program_, "worldToTexture", look_.worldToTexture);
    setUniform(program_, "origin", look_.origin);
    setUniform(program_, "right", look_.right);
    setUniform(program_, "up", look_.up);
    setUniform(program_, "windowLow", static_cast<float>(look_.level - window / 2));
    setUniform(program_, "windowWidth", static_cast<float>(window));
    setUniform(program_, "darkest", static_cast<float>(look_.darkest));
    setUniform(program_, "darkFade", static_cast<float>(std::max(look_.darkFade, 1e-6)));
    setUniform(program_, "frame", scope.bindTexture(look_.frame));
    for (std::size_t i = 0; i < look_.maps.size(); ++i)
        setMap(scope, look_.maps[i], fmt::format("[{}]", i));
    setComparison(scope);
    glUseProgram(program_.id());
    glBindVertexArray(corners_.id());
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return 1;
}

/// `which` is that of the shader's arrays.
void SliceLayer::setMap(GlScope& scope, const SliceMap& map, const std::string& which) {
    const bool shown = map.texture != 0 && map.opacity > 0;
    const auto set = [&](const char* name, auto value) {
        setUniform(program_, (name + which).c_str(), value);
    };
    set("mapOpacity", shown ? static_cast<float>(map.opacity) : 0.0f);
    set("mapLow", static_cast<float>(map.low));
    set("mapHigh",
        static_cast<float>(std::abs(map.high - map.low) > 1e-6 ? map.high : map.low + 1e-6));
    set("mapNeutral", static_cast<float>(map.neutral));
    set("mapRest", static_cast<float>(map.rest));
    set("maps", scope.bindTexture(shown ? map.texture : look_.frame));
    setUniform(program_, ("mapColors" + which).c_str(), scope.bindTexture(map.colorMap));
}

void SliceLayer::setComparison(GlScope& scope) {
    const SliceComparison& compared = look_.compared;
    FrameComparison mode = compared.mode;
    if (!compared.first || !compared.second)
        mode = FrameComparison::None;
    const bool shown = mode != FrameComparison::None;
    const double width = length(compared.right), height = length(compared.up);
    double size = mode == FrameComparison::Curtain ? compared.curtain * width : compared.square;
    if (mode == FrameComparison::Flicker && !compared.showsSecond) { // a curtain that is all open
        mode = FrameComparison::Curtain;
        size = 2 * width;
    }
    setUniform(program_, "compare", static_cast<int>(mode));
    setUniform(program_, "compareOpacity", static_cast<float>(compared.opacity));
    setUniform(program_, "compareSize", static_cast<float>(std::max(size, 1e-6)));
    setUniform(program_, "compareOrigin", compared.origin);
    setUniform(program_, "compareRight", (1 / std::max(width, 1e-6)) * compared.right);
    setUniform(program_, "compareUp", (1 / std::max(height, 1e-6)) * compared.up);
    setUniform(program_, "first", scope.bindTexture(shown ? compared.first : look_.frame));
    setUniform(program_, "second", scope.bindTexture(shown ? compared.second : look_.frame));
}

void SliceLayer::ReleaseGraphicsResources(vtkWindow*) {
    program_.reset();
    corners_.reset();
}

} // namespace systole
