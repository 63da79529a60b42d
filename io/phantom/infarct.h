// The parts of a heart's wall that move, and those that an infarct holds still: the sheet of all
// angles about the long axis and heights along it.
#pragma once

#include "io/phantom/heart.h"

namespace systole {

/// How active the wall is, 0 (still) to 1, by its angle θ about the long axis and its height z:
///     q(θ, z) = u(z) − h(θ) (u(z) − v(z)),
/// u and v being steps of height and h one of angle, all halves of cosines. Without an infarct q is
/// 1. With one the cap of the apex is still, and above it a sector up to a quarter of the half
/// length below the center; beyond its opening the activity rises over 50 degrees on either side.
class WallActivity {
public:
    static constexpr double borderDegrees = 50;

    explicit WallActivity(const HeartShape& shape);

    struct Value {
        double activity = 1, byAngle = 0, byHeight = 0; ///< q, ∂q/∂θ, ∂q/∂z (per mm)
        double rest = 0, restByAngle = 0; ///< ∫ (1 − q) dz from the apex up, mm; its ∂/∂θ
    };
    /// `share`: of the sector, 1 in the wall; in the blood it falls to 0 at the axis.
    Value at(double angle, double z, double share) const;

    bool hasInfarct() const { return hasInfarct_; }

private:
    bool hasInfarct_;
    double apex_, cap_, top_; ///< heights: of the apex, of the middles of u's and v's steps
    /// Angles of the sector: its middle, half its opening, its border.
    double middle_, half_, border_;
};

} // namespace systole
