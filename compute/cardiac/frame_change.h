// How a ventricle has changed from the labels to one frame, and what of the labels alone that
// takes.
#pragma once

#include "compute/cardiac/grouped_voxels.h"
#include "compute/cardiac/shell.h"
#include "compute/cardiac/strain.h"
#include "compute/cardiac/tissue_fits.h"
#include "compute/cardiac/ventricle.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace systole::cardiac {

class FrameOnDevice;

/// Sums over the voxels of each band of the long axis, by Level.
inline constexpr std::size_t bands = 4;
using BandSums = std::array<Vec3, bands>;

/// Change of a ventricle since the labels, from which measures are made whichever frame is end
/// diastole.
struct FrameChange {
    CarriedShell shell;
    double cavityMilliliters = 0; ///< Σ J over its voxels
    BandSums moved;               ///< displacements of the wall's voxels, LPS mm
    // Change of each voxel of the wall: the first two on the host, or the third on a device.
    Displacements wall;
    std::vector<VoxelChange> voxels;
    std::shared_ptr<const FrameOnDevice> device;
};

/// Everything that the motion of any frame is measured with and that depends on the ventricle
/// alone: fits and lines across the wall (shell.h). Made once for the labels.
class VentricleFits {
public:
    /// `ventricle` must outlive it; `order` of the polynomials of motion. The same bits for any
    /// number of threads. Throws Cancelled, and what shellOf() throws.
    VentricleFits(const Ventricle& ventricle, int order, const ExecContext& ctx);

    /// Change by the displacements, LPS mm, of the voxels of wall and cavity. The same bits for any
    /// number of threads.
    FrameChange change(Displacements wall, const Displacements& cavity,
                       const ExecContext& ctx) const;
    /// change() of every frame, the same bits, but without `wall` and `voxels`, in less time than
    /// one after the other. Throws Cancelled.
    std::vector<FrameChange> carried(std::span<const Displacements> wall,
                                     std::span<const Displacements> cavity,
                                     const ExecContext& ctx) const;

    const Ventricle& ventricle() const { return ventricle_; }
    const Shell& shell() const { return shell_; }
    const TissueFits& wall() const { return wall_; }
    const TissueFits& cavity() const { return cavity_; }
    const std::vector<int>& bandOf() const { return band_; } ///< Level of each voxel of the wall
    const GroupedVoxels& byBand() const { return byBand_; }

private:
    CarriedShell carriedBy(const Displacements& wall, const ExecContext& ctx) const;
    /// A change of which only `shell` and `moved` are set.
    FrameChange shellAndBands(const Displacements& wall, const ExecContext& ctx) const;

    const Ventricle& ventricle_;
    Shell shell_;
    TissueFits wall_, cavity_;
    std::vector<int> band_;
    GroupedVoxels byBand_;
};

} // namespace systole::cardiac
