#include "render/gl/headless_egl.h"

#include "render/base/error.h"
#include "render/gl/room_to_draw.h"

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>

namespace systole {
namespace {

template <typename Function>
Function eglFunction(const char* name) {
    return reinterpret_cast<Function>(eglGetProcAddress(name));
}

} // namespace

/// Leaves an OpenGL 4.5 core context current, or none.
bool HeadlessEgl::tryDisplay(void* display) {
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr))
        return false;
    static constexpr EGLint configWanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                                              EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static constexpr EGLint contextWanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                               4,
                                               EGL_CONTEXT_MINOR_VERSION,
                                               5,
                                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                               EGL_NONE};
    EGLConfig config = nullptr;
    EGLint configs = 0;
    if (eglBindAPI(EGL_OPENGL_API) &&
        eglChooseConfig(display, configWanted, &config, 1, &configs) && configs > 0) {
        EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, contextWanted);
        if (context != EGL_NO_CONTEXT) {
            if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
                display_ = display;
                context_ = context;
                return true;
            }
            eglDestroyContext(display, context);
        }
    }
    eglTerminate(display);
    return false;
}

HeadlessEgl::HeadlessEgl() {
    requireRoomToDraw();
    useGlewWithoutGlx();
    const auto getDisplay =
        eglFunction<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    const auto queryDevices = eglFunction<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    if (!getDisplay)
        throw RenderError(
            "drawing without a display needs EGL with platform displays, which is not "
            "there (on Debian: libegl1 and libgl1-mesa-dri)");

    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (queryDevices && queryDevices(static_cast<EGLint>(devices.size()), devices.data(), &count))
        for (EGLint i = 0; i < count && !context_; ++i)
            tryDisplay(
                getDisplay(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
    if (!context_ && !tryDisplay(getDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr)))
        throw RenderError(
            "drawing without a display needs OpenGL 4.5 through EGL, and no EGL device "
            "here offers it (on Debian: libegl1 and libgl1-mesa-dri)");
}

HeadlessEgl::~HeadlessEgl() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
}

void HeadlessEgl::makeCurrent() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_);
}

ContextHooks HeadlessEgl::hooks() {
    return {[this] { makeCurrent(); },
            [this] { return eglGetCurrentContext() == static_cast<EGLContext>(context_); }};
}

} // namespace systole
