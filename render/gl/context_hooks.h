// Functions that the owner of an OpenGL context provides to code that draws in it.
#pragma once

#include <functional>

namespace systole {

/// The callbacks that VTK needs from the context's owner. makeCurrent must not bind a framebuffer.
struct ContextHooks {
    std::function<void()> makeCurrent;
    std::function<bool()> isCurrent;
};

} // namespace systole
