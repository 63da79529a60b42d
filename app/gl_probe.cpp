#include "app/gl_probe.h"

#include "render/error.h"
#include "render/headless_egl.h"

#include <EGL/egl.h>
#include <GL/gl.h>

namespace systole {

GlProbe probeOpenGl() {
    try {
        const HeadlessEgl context;
        // Asked for through EGL, whose context this is, whatever else is linked.
        using GetString = const GLubyte* (*)(GLenum);
        const auto getString = reinterpret_cast<GetString>(eglGetProcAddress("glGetString"));
        const auto text = [&](GLenum what) -> std::string {
            const GLubyte* found = getString ? getString(what) : nullptr;
            return found ? reinterpret_cast<const char*>(found) : "unknown";
        };
        return {text(GL_RENDERER), text(GL_VERSION), {}};
    } catch (const RenderError& error) {
        return {{}, {}, error.what()};
    }
}

} // namespace systole
