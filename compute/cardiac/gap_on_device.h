// The motion of a ventricle over the cycle on a CUDA device, kept there, and the cycle closed: what
// cycle_gap.h does. Defined in builds with CUDA (cudaIsBuilt).
#pragma once

#include "compute/cardiac/measures.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <memory>
#include <span>

namespace systole::cardiac {

/// Displacements of the voxels of the wall, then of the cavity, in device memory: three planes,
/// voxels along the axes of the ventricle's grid.
using TissueMotion = Buffer<float>;

/// Where the voxels of a ventricle are. Fields lie on the device, on the ventricle's grid; work is
/// enqueued on the Compute stream of ctx.cuda, which all calls must have. The same bits in every
/// run; within the rounding of single precision those of the host.
class TissueOnDevice {
public:
    /// `ventricle` must outlive it. Throws OutOfMemory, as all calls do.
    TissueOnDevice(const Ventricle& ventricle, const ExecContext& ctx);

    /// Throws ComputeError if the sizes don't match.
    TissueMotion motionIn(const VectorField& field, const ExecContext& ctx) const;
    /// followed(): along fields that follow one another. `begun` empty: from its own place.
    TissueMotion followed(const TissueMotion& begun,
                          std::span<const std::shared_ptr<const VectorField>> steps,
                          const ExecContext& ctx) const;
    /// takeOff(), as a field that is set in the voxels of wall and cavity alone.
    VectorField closed(const TissueMotion& motion, const TissueMotion& gap, double part,
                       const ExecContext& ctx) const;
    /// Gap of the wall's voxels on the host, LPS mm. Waits for the result.
    Displacements ofWall(const TissueMotion& motion, const ExecContext& ctx) const;

private:
    void requireGrid(const VectorField& field) const;
    TissueMotion motion(const ExecContext& ctx) const;

    const Ventricle& ventricle_;
    Buffer<std::int32_t> at_; ///< offset of each voxel in the grid's memory
};

} // namespace systole::cardiac
