// An OpenGL context without window system, display or surface.
#pragma once

#include "render/gl/context_hooks.h"

namespace systole {

/// Tries the EGL devices in their order (a GPU's own library comes first), then Mesa's surfaceless
/// platform. The context is current after construction.
class HeadlessEgl {
public:
    /// Throws RenderError when no such context is available.
    HeadlessEgl();
    ~HeadlessEgl(); ///< call after Scene::release()
    HeadlessEgl(const HeadlessEgl&) = delete;
    HeadlessEgl& operator=(const HeadlessEgl&) = delete;

    ContextHooks hooks();
    void makeCurrent();

private:
    bool tryDisplay(void* display);

    void* display_ = nullptr; ///< EGLDisplay
    void* context_ = nullptr; ///< EGLContext
};

/// Links glew_without_glx.cpp into any target that makes a headless context.
void useGlewWithoutGlx();

} // namespace systole
