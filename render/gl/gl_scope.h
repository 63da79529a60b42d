// Brackets OpenGL calls of our own inside a render pass of VTK.
#pragma once

#include <vtkOpenGLState.h>

#include <array>
#include <vector>

class vtkOpenGLRenderWindow;
class vtkViewport;

namespace systole {

/// VTK keeps its own idea of OpenGL's state: vtkOpenGLState of enables, depth and blending, the
/// shader cache of the program in use, the texture unit manager of the units. Calls of ours that
/// went past these would be undone, or would undo what VTK counts on. For its lifetime this scope
/// sets what we need through them and puts it back.
class GlScope {
public:
    enum class Depth { TestAndWrite, Ignore };
    GlScope(vtkViewport* viewport, Depth depth);
    ~GlScope();
    GlScope(const GlScope&) = delete;
    GlScope& operator=(const GlScope&) = delete;

    /// Binds the texture until the end of the scope; returns the unit for the sampler uniform.
    int bindTexture(unsigned texture);

private:
    vtkOpenGLState* state_;
    vtkOpenGLState::ScopedglEnableDisable depthTest_;
    vtkOpenGLState::ScopedglEnableDisable blend_;
    vtkOpenGLState::ScopedglEnableDisable cullFace_;
    vtkOpenGLState::ScopedglDepthMask depthMask_;
    vtkOpenGLState::ScopedglBlendFuncSeparate blendFunction_;
    std::vector<int> textureUnits_;
};

/// World (LPS mm) to clip coordinates of the viewport's camera, column-major.
std::array<float, 16> worldToClip(vtkViewport* viewport);

vtkOpenGLRenderWindow* windowOf(vtkViewport* viewport);

} // namespace systole
