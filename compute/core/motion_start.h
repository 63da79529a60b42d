// The state in which an estimation begins: two frames of one grid, and no motion between them.
#pragma once

#include "compute/core/motion_estimator.h"

#include <algorithm>
#include <string>

namespace systole {

/// Two frames of one grid on the host; for others `space` is to be set.
inline MotionInput motionInput(const Volume& fixed, const Volume& moving, IntensityScale scale) {
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.spacing = fixed.geometry.spacing();
    input.scale = scale;
    return input;
}

/// No motion, of a field on the host.
inline void setToRest(VectorField& field) {
    std::fill_n(field.components.data(), field.components.size(), 0.0f);
}

inline VectorField fieldAtRest(const Geometry& grid, BufferPool& pool, const std::string& name) {
    VectorField field(grid, pool, name);
    setToRest(field);
    return field;
}

} // namespace systole
