// The lengths that a file may give. What lies beyond is damage or another unit, and no result that
// follows from it means anything.
#pragma once

#include "io/base/messages.h"

#include <string>

namespace systole {

struct LengthBounds {
    double min, max; ///< mm; of entries of a matrix, plain numbers
};
/// Coordinates, displacements, and the entries of affine maps.
inline constexpr LengthBounds coordinateBounds{-1e6, 1e6};
/// Accepted distances between neighboring voxels, mm.
inline constexpr LengthBounds spacingBounds{1e-4, 1e3};

/// The value. Throws FileError unless it is finite and within bounds: "path: WHAT is VALUE; ...".
template <typename... Values>
double requireWithin(const LengthBounds& bounds, const std::string& path, double value,
                     fmt::format_string<const Values&...> what, const Values&... values) {
    if (value >= bounds.min && value <= bounds.max) // NaN is not
        return value;
    throw fileError(path, "{} is {:g}; finite numbers from {:g} to {:g} are read (millimeters)",
                    fmt::format(what, values...), value, bounds.min, bounds.max);
}

} // namespace systole
