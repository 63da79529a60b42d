// The gradient of a scalar in a tissue, again and again at points near each other, as on a line
// across the wall.
#pragma once

#include "compute/cardiac/local_fit.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace systole::cardiac {

/// applied(LocalFit(voxels, 2).at(index), values).gradient but for rounding: the polynomial is
/// solved for its slope alone, without weights of voxels, and what is around a voxel is kept for
/// the next point. For one thread.
class LocalSlope {
public:
    /// All must outlive it. `fit`, of second order, serves where the voxels determine no polynomial
    /// of second order or hardly.
    LocalSlope(const TissueVoxels& voxels, const LocalFit& fit, std::span<const double> values)
        : voxels_(voxels), fit_(fit), values_(values) {}

    /// Slope, per mm, at a point in voxels of the grid.
    Vec3 at(Vec3 index);

private:
    static constexpr std::size_t width = LocalFit::width, rows = width * width;

    /// The neighborhood of a voxel; rows by y, then z.
    struct Around {
        std::array<int, 3> center{};
        std::size_t count = 0; ///< number of voxels that are there
        /// Voxels of each row that are there, as bits along x.
        std::array<std::uint8_t, rows> mask;
        std::array<std::array<double, rows>, width> value; ///< [x][row]; 0: none is there
    };
    void gather(const std::array<int, 3>& center);
    std::optional<Vec3> quadratic(const std::array<double, 3>& offset) const;

    const TissueVoxels& voxels_;
    const LocalFit& fit_;
    std::span<const double> values_;
    std::optional<Around> around_;
};

} // namespace systole::cardiac
