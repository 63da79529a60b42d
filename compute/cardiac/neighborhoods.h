// Which voxels around one belong to its tissue, too: what a fit at its center depends on alone, so
// that voxels with the same neighbors share it.
#pragma once

#include "compute/cardiac/local_fit.h"
#include "compute/cardiac/tissue.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::cardiac {

constexpr int stencilSide = LocalFit::width;
constexpr int stencilPlane = stencilSide * stencilSide;
constexpr int stencilSize = stencilPlane * stencilSide;

/// Which of the voxels around one are there: a plane each, the bits x fastest.
struct Neighborhood {
    std::array<std::uint32_t, stencilSide> planes{};

    static Neighborhood whole();
    bool has(int number) const {
        return (planes[static_cast<std::size_t>(number / stencilPlane)] >> (number % stencilPlane) &
                1u) != 0;
    }
    bool operator==(const Neighborhood&) const = default;
};

/// How far each of the voxels around one lies from it in the grid's memory, x fastest.
std::array<std::ptrdiff_t, stencilSize> stencilOf(Size3 size);

/// The neighborhoods of a tissue. Kind 0 is that of all neighbors, whether it occurs or not; the
/// others come in the order of their first voxels.
struct NeighborhoodKinds {
    explicit NeighborhoodKinds(const TissueVoxels& voxels);
    /// Voxels by kind, within each kind in their own order.
    std::vector<std::size_t> voxelsByKind() const;

    std::vector<Neighborhood> kinds;
    std::vector<std::uint32_t> ofVoxel;
    std::vector<std::size_t> firstVoxel; ///< first voxel of each kind but kind 0
};

} // namespace systole::cardiac
