#include "app/gl_probe.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <fmt/format.h>

#include <string_view>

namespace systole {
namespace {

/// A display that needs no screen: Mesa's surfaceless platform, else the first device.
EGLDisplay openDisplay() {
    const char* listed = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const std::string_view extensions = listed ? listed : "";
    const auto getDisplay = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
        eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (getDisplay && extensions.find("EGL_EXT_platform_device") != std::string_view::npos) {
        const auto queryDevices =
            reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
        EGLDeviceEXT device = nullptr;
        EGLint count = 0;
        if (queryDevices && queryDevices(1, &device, &count) && count > 0)
            if (EGLDisplay display = getDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
                display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr))
                return display;
    }
    if (getDisplay && extensions.find("EGL_MESA_platform_surfaceless") != std::string_view::npos)
        if (EGLDisplay display =
                getDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
            display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr))
            return display;
    return EGL_NO_DISPLAY;
}

std::string glText(GLenum what) {
    // Fetched through EGL: this file asks the context that EGL made, whatever else is linked.
    using GetString = const GLubyte* (*)(GLenum);
    const auto getString = reinterpret_cast<GetString>(eglGetProcAddress("glGetString"));
    const GLubyte* text = getString ? getString(what) : nullptr;
    return text ? reinterpret_cast<const char*>(text) : "unknown";
}

GlProbe probeOn(EGLDisplay display) {
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 2,
                                 EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        count == 0)
        return {{}, {}, "EGL offers no desktop OpenGL"};
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT)
        return {{}, {}, fmt::format("OpenGL 3.2 can't be had, EGL error {:#x}", eglGetError())};
    GlProbe probe;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        probe = {glText(GL_RENDERER), glText(GL_VERSION), {}};
    else
        probe.problem = fmt::format("a context without a surface can't be used, EGL error {:#x}",
                                    eglGetError());
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    return probe;
}

} // namespace

GlProbe probeOpenGl() {
    EGLDisplay display = openDisplay();
    if (display == EGL_NO_DISPLAY)
        return {{}, {}, "EGL finds no driver that works without a screen"};
    const GlProbe probe = probeOn(display);
    eglTerminate(display);
    return probe;
}

} // namespace systole
