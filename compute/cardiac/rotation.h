// Rotation of a left ventricle about its long axis.
#pragma once

#include "compute/cardiac/measures.h"

#include <array>
#include <vector>

namespace systole::cardiac {

/// Of the wall's voxels, about the middle of their level (AHA's bands of the long axis, the cap one
/// of its own) before and after: φ = atan2(Σ sin φᵢ, Σ cos φᵢ), φᵢ from p to q about a, with p and
/// q the positions across the axis from these middles and a the direction from base to apex.
class RotationMeter {
public:
    RotationMeter(const Ventricle& ventricle, AhaModel model, const std::vector<int>& segments);

    /// From end diastole to a frame, both as displacements since the labels; into `rotation` of
    /// the frame and of its segments.
    void add(const Displacements& diastole, const Displacements& now, FrameMeasures& frame) const;

private:
    static constexpr std::size_t levels = 4; ///< of Level

    const Ventricle& ventricle_;
    const std::vector<int>& segments_;
    std::vector<Level> levelOfSegment_;
    std::array<Vec3, levels> middle_{};
    std::array<double, levels> count_{}, height_{}, radius_{}; ///< voxels; mm, means
};

} // namespace systole::cardiac
