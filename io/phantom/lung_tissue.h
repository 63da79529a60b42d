// Tissue of the lung phantom's chest when breathed in.
#pragma once

#include "io/phantom/lattice_noise.h"
#include "io/phantom/lung_motion.h"

#include <cstdint>

namespace systole {

/// Hounsfield units by position, in the coordinates of LungMotion. Vessels are the curves on which
/// two smooth random numbers are both zero, drawn as tubes: a coarse net and a fine one.
class LungTissue {
public:
    LungTissue(const LungShape& shape, std::uint64_t seed);

    /// `growth`: how many times its volume the tissue at p has now.
    float hounsfield(Vec3 p, double growth = 1) const;
    /// 0 to 1: how much a point of a lung is one where vessels of both nets meet.
    float meeting(Vec3 p) const;

private:
    float coarseVessels(Vec3 p) const;
    float fineVessels(Vec3 p) const;
    float wall(Vec3 p) const;

    const LungShape& shape_;
    LatticeNoise coarseA_, coarseB_, fineA_, fineB_, texture_, soft_;
};

} // namespace systole
