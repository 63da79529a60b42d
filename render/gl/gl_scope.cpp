#include "render/gl/gl_scope.h"

#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLShaderCache.h>
#include <vtkRenderer.h>
#include <vtkTextureUnitManager.h>
#include <vtk_glew.h>

#include <cstddef>

namespace systole {

GlScope::GlScope(vtkViewport* viewport, Depth depth)
    : state_(windowOf(viewport)->GetState())
    , depthTest_(state_, GL_DEPTH_TEST)
    , blend_(state_, GL_BLEND)
    , cullFace_(state_, GL_CULL_FACE)
    , depthMask_(state_)
    , blendFunction_(state_) {
    windowOf(viewport)->GetShaderCache()->ReleaseCurrentShader();
    state_->SetEnumState(GL_DEPTH_TEST, depth != Depth::Ignore);
    state_->vtkglDepthMask(depth == Depth::TestAndWrite ? GL_TRUE : GL_FALSE);
    state_->vtkglEnable(GL_BLEND);
    // Alpha stays one: the window's framebuffer may be blended with what lies behind it.
    state_->vtkglBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE,
                                   GL_ONE_MINUS_SRC_ALPHA);
    state_->vtkglDisable(GL_CULL_FACE);
}

GlScope::~GlScope() {
    glUseProgram(0);
    glBindVertexArray(0);
    for (const int unit : textureUnits_) {
        glBindTextureUnit(static_cast<GLuint>(unit), 0);
        state_->GetTextureUnitManager()->Free(unit);
    }
}

int GlScope::bindTexture(unsigned texture) {
    const int unit = state_->GetTextureUnitManager()->Allocate();
    textureUnits_.push_back(unit);
    glBindTextureUnit(static_cast<GLuint>(unit), texture);
    return unit;
}

std::array<float, 16> worldToClip(vtkViewport* viewport) {
    auto* renderer = vtkRenderer::SafeDownCast(viewport);
    vtkMatrix4x4* matrix = renderer->GetActiveCamera()->GetCompositeProjectionTransformMatrix(
        renderer->GetTiledAspectRatio(), -1, 1);
    std::array<float, 16> columns;
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t column = 0; column < 4; ++column)
            columns[column * 4 + row] = static_cast<float>(
                matrix->GetElement(static_cast<int>(row), static_cast<int>(column)));
    return columns;
}

vtkOpenGLRenderWindow* windowOf(vtkViewport* viewport) {
    return vtkOpenGLRenderWindow::SafeDownCast(viewport->GetVTKWindow());
}

} // namespace systole
