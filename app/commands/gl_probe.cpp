#include "app/commands/gl_probe.h"

#include "render/error.h"
#include "render/gl/headless_egl.h"
#include "render/scene.h"

#include <EGL/egl.h>
#include <GL/gl.h>

namespace systole {

GlProbe probeOpenGl() {
    try {
        HeadlessEgl context;
        // Requested through EGL, which owns this context, regardless of what else is linked.
        using GetString = const GLubyte* (*)(GLenum);
        const auto getString = reinterpret_cast<GetString>(eglGetProcAddress("glGetString"));
        const auto text = [&](GLenum what) -> std::string {
            const GLubyte* found = getString ? getString(what) : nullptr;
            return found ? reinterpret_cast<const char*>(found) : "unknown";
        };
        GlProbe probe;
        probe.renderer = text(GL_RENDERER);
        probe.version = text(GL_VERSION);
        Scene scene;
        scene.initialize(context.hooks());
        probe.interopDevice = scene.interopDevice();
        probe.noInterop = scene.uploadReason();
        scene.release();
        return probe;
    } catch (const RenderError& error) {
        GlProbe probe;
        probe.problem = error.what();
        return probe;
    }
}

} // namespace systole
