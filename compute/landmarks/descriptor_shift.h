// How far a place lies from a descriptor's own, below a voxel: a Gauss–Newton step.
//
// Near its place p a landmark's descriptor changes as a(p + t) ≈ a(p) + J t, J from the descriptors
// of the six neighbors by central differences. If a descriptor b was found at a voxel of another
// frame, the landmark lies (JᵀJ)⁻¹ Jᵀ (a − b) from that voxel. Unlike the vertex of a parabola
// through distances this is exactly 0 where both are equal, whatever the shape of the minimum.
#pragma once

#include "compute/landmarks/place_search.h"

#include <optional>
#include <span>
#include <vector>

namespace systole::sest {

class DescriptorShifts {
public:
    /// Takes the slopes at places of this frame at its finest level; axes of one voxel, and
    /// directions along which a descriptor hardly changes, have no shift.
    void prepare(const FrameLevels& frame, Size3 patch, std::span<const Voxel> places,
                 const ExecContext& ctx);

    /// The shift in voxels for the place's descriptor `own` and the one found; none if it exceeds
    /// a voxel, where the linear step means nothing.
    std::optional<Vec3> shift(std::size_t place, const float* own, const float* found) const;

private:
    std::vector<float> inverse_; ///< (JᵀJ)⁻¹ Jᵀ by place: three rows of 224
};

} // namespace systole::sest
