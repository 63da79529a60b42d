// Rotation of a left ventricle about its long axis.
#pragma once

#include "compute/cardiac/frame_change.h"
#include "compute/cardiac/measures.h"
#include "compute/cardiac/wall_sums.h"

#include <array>
#include <vector>

namespace systole::cardiac {

/// The levels of the wall (AHA's bands of the long axis, the cap one of its own or of the apical
/// level, by model), and rotation about their middles before and after: φ = atan2(Σ sin φᵢ,
/// Σ cos φᵢ), φᵢ from p to q about the direction from base to apex, with p and q the positions
/// across it from these middles.
class WallLevels {
public:
    WallLevels(const VentricleFits& fits, AhaModel model);

    /// Level of a segment, from 0.
    std::size_t levelOf(std::size_t segment) const { return levelOfSegment_[segment]; }
    std::size_t levelOfBand(std::size_t band) const {
        return hasCap_ || band != static_cast<std::size_t>(Level::Cap)
                   ? band
                   : static_cast<std::size_t>(Level::Apical);
    }
    Vec3 middle(std::size_t level) const { return middle_[level]; } ///< place in the labels, LPS mm
    /// Displacement of the middle of each level since the labels, LPS mm.
    BandSums shift(const FrameChange& change) const;
    Vec3 towardsApex() const { return towardsApex_; } ///< unit vector

    /// Sets `rotation` of the frame and of its segments.
    void addRotation(const WallSums& sums, FrameMeasures& frame) const;

private:
    std::vector<std::size_t> levelOfSegment_;
    bool hasCap_ = false;
    Vec3 towardsApex_;
    BandSums middle_{};
    std::array<double, bands> count_{}, height_{}, radius_{}; ///< voxels; mm, means
};

} // namespace systole::cardiac
