// Brackets our own OpenGL calls inside a VTK render pass.
#pragma once

#include <vtkOpenGLState.h>

#include <array>
#include <vector>

class vtkOpenGLRenderWindow;
class vtkViewport;

namespace systole {

/// VTK tracks OpenGL's state itself: vtkOpenGLState tracks enables, depth and blending, the shader
/// cache the current program, the texture unit manager the units. Calls that bypass these would be
/// undone or would break what VTK relies on. For its lifetime this scope sets the needed state
/// through them, and then restores it.
class GlScope {
public:
    enum class Depth { TestAndWrite, Test, Ignore };
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
