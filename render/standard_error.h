// The standard error of a motion as a number per voxel: plain mathematics, no OpenGL.
#pragma once

#include "compute/core/volume.h"

#include <optional>
#include <string>

namespace systole {

/// An axis of the grid, or the largest of the three.
struct ErrorComponent {
    const char* name;  ///< "x"
    const char* title; ///< "std. error, x"
    int axis;          ///< 0 to 2; −1: the largest
};
inline constexpr ErrorComponent errorComponents[] = {{"largest", "largest error", -1},
                                                     {"x", "std. error, x", 0},
                                                     {"y", "std. error, y", 1},
                                                     {"z", "std. error, z", 2}};

/// Throws std::out_of_range for an unknown name.
const ErrorComponent& errorComponent(const std::string& name);

/// mm, of a voxel by its place in the arrays; `error` in voxels along the axes of its grid.
float standardErrorAt(const VectorField& error, const ErrorComponent& component, std::size_t voxel);

/// mm along the axes of the grid, trilinear; empty: outside.
std::optional<Vec3> standardErrorAt(const VectorField& error, Vec3 lpsMillimeters);

} // namespace systole
