// What OpenGL this machine offers without a window, for doctor.
#pragma once

#include <optional>
#include <string>

namespace systole {

struct GlProbe {
    std::string renderer, version;    ///< empty when there is none
    std::string problem;              ///< why there is none; empty when there is
    std::optional<int> interopDevice; ///< the CUDA device that draws, which voxels can come from
    std::string noInterop;            ///< why none does
};

/// Makes a context as snapshot does and lets it go. Never throws.
GlProbe probeOpenGl();

} // namespace systole
