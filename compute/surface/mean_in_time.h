// Denoising in time: the patches of neighboring frames take part, carried into the frame by the
// motion.
//
// For a frame t and neighbors s, psi_s(x) = phi_s(x + u_ts(x)) is the signed distance of frame s
// carried into t. The patches around the same place x are compared as in eq. 15 of Yang et al.,
//     D_s(x) = ‖phi[x] − psi_s[x]‖²,
//     phi(x) ← (phi(x) + Σ_s w_s psi_s(x)) / (1 + Σ_s w_s),
//     w_s(x) = q^|s−t| exp(−max(0, D_s − D0) / (n h²)),
// with n numbers in a patch. D0 is what noise alone makes of D_s, so that it doesn't decide; a
// patch that lies h off its place beyond noise weighs 1/e (Buades, Coll & Morel, Int. J. Comput.
// Vis. 76, 2008, without their search: a neighbor is sought along the motion, not by likeness, for
// a frame's own most similar patches share its offset, and keep it). Patches of the frame itself
// are compared afterwards (nonlocal_means.h).
//
// phi in mm on one grid for all frames; elements are the voxels of the band |phi| ≤ delta of the
// frame as it was, beyond it phi stays. Bitwise equal for any number of threads.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <vector>

namespace systole {

struct MeanInTimeParameters {
    int frames = 0;      ///< neighbors on either side; 0: none take part
    double weight = 0.8; ///< q: weight of a frame next to it
    double offset = 1;   ///< h, mean voxel sides
    double delta = 5;    ///< half the band's width, mean voxel sides
    int patchRadius = 2; ///< voxels; 1 or 2
};

/// The mean of one frame, to which carried neighbors are added one after the other.
class MeanInTime {
public:
    /// phi is read by add() and finish(). spacing: mm. Throws ComputeError as narrowBand() does.
    MeanInTime(VolumeView<const float> phi, Vec3 spacing, const MeanInTimeParameters& parameters,
               const ExecContext& ctx);

    /// psi of phi's size, `away` frames from it, at least 1. Throws ComputeError if its size
    /// differs.
    void add(VolumeView<const float> psi, int away, const ExecContext& ctx);

    /// Writes the mean to the band's voxels of `out`, which may be phi.
    void finish(VolumeView<float> out, const ExecContext& ctx) const;

    /// D0: the median over the band of what a patch has beside its constant and linear parts, in
    /// both patches of a pair, mm².
    double noiseDistance() const { return noise_; }
    /// Mean over the band of Σ_s w_s: how many neighbors took part.
    double meanWeight() const;

private:
    VolumeView<const float> phi_;
    MeanInTimeParameters parameters_;
    Buffer<int> band_;
    double noise_ = 0, scale_ = 0;
    std::vector<float> sums_, weights_; ///< Σ w_s psi_s and Σ w_s of each element
};

/// The distance of another frame carried into this one: out(x) = phi(x + motion(x)), motion in
/// voxels from this frame to the other; at the grid's border the nearest voxel.
void carryDistance(VolumeView<const float> phi, FieldView<const float> motion,
                   VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
