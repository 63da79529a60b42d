// VTK calls glewInit() for each new context. Debian's libGLEW is built for GLX: it loads every
// OpenGL function, which serves any context, and then reports failure when the context came from
// EGL. VTK would leave its setup half done. Nothing here uses the GLX entry points, so this failure
// is harmless: the definition below takes precedence over the library's own and hides it.
#include "render/gl/headless_egl.h"

#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) unsigned glewInit() {
    constexpr unsigned ok = 0, noGlxDisplay = 4;
    using Init = unsigned (*)();
    static const auto original = reinterpret_cast<Init>(dlsym(RTLD_NEXT, "glewInit"));
    const unsigned status = original ? original() : noGlxDisplay;
    return status == noGlxDisplay && original ? ok : status;
}

namespace systole {

void useGlewWithoutGlx() {}

} // namespace systole
