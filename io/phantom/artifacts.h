// Artifacts of real images: the gain drifts, sensitivity differs from place to place, an echo probe
// sees a sector only, and parts of the wall fade.
#pragma once

#include "compute/core/geometry.h"
#include "io/phantom/phantom.h"

#include <array>
#include <vector>

namespace systole {

/// The factor on all intensities of a frame: gainDrift^(t / (frames − 1)), in dB a straight line.
double phantomGain(const PhantomOptions& options, int frame);

/// The factor on the intensity at each place: 1 + bias · (c_x + c_y + c_z) / 3 with
/// c = cos(2π p / 120 mm + φ + 2π t / frames) along each axis. φ is random, one per axis. The field
/// belongs to the scanner: it drifts, closed over the cycle, and doesn't follow the tissue.
class PhantomBias {
public:
    static constexpr double wavelengthMillimeters = 120;

    /// `geometry` has its axes along LPS.
    PhantomBias(const PhantomOptions& options, const Geometry& geometry, int frame);

    float at(int x, int y, int z) const {
        return 1 + waves_[0][static_cast<std::size_t>(x)] + waves_[1][static_cast<std::size_t>(y)] +
               waves_[2][static_cast<std::size_t>(z)];
    }

private:
    std::array<std::vector<float>, 3> waves_; ///< bias / 3 times the cosine, per index
};

/// True inside the pyramid that the probe sees, and everywhere without a sector. Its apex lies
/// at `probe`, it opens downwards by sectorDegrees in x and in y, and it never moves.
bool inSector(const PhantomOptions& options, Vec3 lpsMillimeters);

/// Position of the probe, LPS mm: 30 mm above the base of the usual heart at end diastole and 12 mm
/// next to its long axis. It looks along -z.
inline constexpr Vec3 probe{12, 0, 71};

/// The factor on the envelope behind two things that block the probe's rays, as ribs do: the
/// product over both of 1 − shadow · exp(−a² / (2 · (4 degrees)²)), a being the angle to the ray
/// through its middle. They lie 25 to 55 mm before the probe and stand still; behind, the shadow
/// begins within 3 mm.
class PhantomShadow {
public:
    explicit PhantomShadow(const PhantomOptions& options);
    float amplitude(Vec3 lpsMillimeters) const;

private:
    struct Obstacle {
        Vec3 towards; ///< unit vector
        double depth; ///< mm along it
    };
    double loss_;
    std::array<Obstacle, 2> obstacles_;
};

/// The factor on the amplitude of a material point: the product over four regions of
/// 1 − dropout · s · exp(−d² / (2 · (10 mm)²)). d is the distance from the region's middle, which
/// lies in the middle of the wall. s = cos²(π (t / frames − k / 4)) for region k: each fades in
/// other frames.
class PhantomDropout {
public:
    static constexpr double sigmaMillimeters = 10;
    static constexpr int regions = 4;

    PhantomDropout(const PhantomOptions& options, int frame);

    /// `material`: position at end diastole in the heart's frame, mm.
    float amplitude(Vec3 material) const;
    /// The middle of region k, mm in the heart's frame, and the part of the amplitude lost there.
    Vec3 middle(int k) const { return places_[static_cast<std::size_t>(k)]; }
    double loss(int k) const { return losses_[static_cast<std::size_t>(k)]; }

private:
    std::array<Vec3, regions> places_;
    std::array<double, regions> losses_;
};

} // namespace systole
