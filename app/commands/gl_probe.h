// The OpenGL that this machine offers without a window, for doctor.
#pragma once

#include <optional>
#include <string>

namespace systole {

struct GlProbe {
    std::string renderer, version;    ///< empty if there is no OpenGL
    std::string problem;              ///< why there is no OpenGL; empty if there is
    std::optional<int> interopDevice; ///< the CUDA device that draws and can supply voxels
    std::string noInterop;            ///< why there is no such device
};

/// Makes a context as snapshot does, then releases it. Never throws.
GlProbe probeOpenGl();

} // namespace systole
