// What the owner of an OpenGL context does for those who draw in it.
#pragma once

#include <functional>

namespace systole {

/// What VTK asks of whoever owns the context. makeCurrent must not bind a framebuffer.
struct ContextHooks {
    std::function<void()> makeCurrent;
    std::function<bool()> isCurrent;
};

} // namespace systole
