// What OpenGL this machine offers without a window, for doctor.
#pragma once

#include <string>

namespace systole {

struct GlProbe {
    std::string renderer, version; ///< empty when there is none
    std::string problem;           ///< why there is none; empty when there is
};

/// Makes a context as snapshot does and lets it go. Never throws.
GlProbe probeOpenGl();

} // namespace systole
