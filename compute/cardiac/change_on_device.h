// The changes of a ventricle's frames on a CUDA device: what frame_change.h and wall_sums.h do,
// from a field that lies there, so that of it only sums and the lines across the wall come back.
// Defined in builds with CUDA (cudaIsBuilt).
#pragma once

#include "compute/cardiac/wall_sums.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <memory>
#include <vector>

namespace systole::cardiac {

/// A frame since the labels, of each voxel of the wall: displacement in LPS mm, J, squared stretch
/// by direction; seven planes.
class FrameOnDevice {
public:
    Buffer<float> planes;
};

/// VentricleFits in the memory of a device.
class FitsOnDevice {
public:
    /// Copies what the fits hold; they must outlive it. Enqueued on the Compute stream of ctx.cuda,
    /// which all calls must have. Throws OutOfMemory.
    FitsOnDevice(const VentricleFits& fits, const ExecContext& ctx);

    /// VentricleFits::change() of a field on the device, voxels, on the ventricle's grid; within
    /// the rounding of single precision. The same bits in every run. Waits for the field and for
    /// the result. Throws ComputeError if the sizes don't match or the field isn't finite in the
    /// heart.
    FrameChange change(const VectorField& motion, const ExecContext& ctx) const;
    FrameChange atRest(const ExecContext& ctx) const; ///< change() of no motion

private:
    struct Tissue {
        int count = 0;
        std::size_t entries = 0;
        Buffer<std::int32_t> at;         ///< offset of each voxel in the grid's memory
        Buffer<TissueFits::Range> range; ///< range of each voxel's fit
        Buffer<std::uint8_t> neighbor;
        Buffer<float> weight; ///< three planes: per voxel along the grid's axes
    };
    static Tissue tissueOnDevice(const TissueVoxels& voxels, const TissueFits& fits,
                                 CudaContext& cuda);

    const VentricleFits& fits_;
    Tissue wall_, cavity_;
    Buffer<float> axes_;           ///< longitudinal, radial, along the grid's axes: six planes
    Buffer<std::int32_t> stencil_; ///< stencilOf()
    // Fits at the points of the lines across the wall.
    Buffer<TissueFits::Range> pointRange_;
    Buffer<std::int32_t> pointAt_; ///< offset of each of their voxels in the grid's memory
    Buffer<float> pointWeight_;
    // GroupedVoxels: the wall by bands, and the cavity as one group.
    Buffer<std::int32_t> bandVoxel_, cavityVoxel_;
    Buffer<GroupedVoxels::Chunk> bandChunk_, cavityChunk_;
};

/// The order of sums over the wall, and where its voxels are.
class WallOrderOnDevice {
public:
    /// Uploads the order of `how`, which has none on a device yet.
    WallOrderOnDevice(const WallSumming& how, const ExecContext& ctx);

    Buffer<std::int32_t> voxel;
    Buffer<GroupedVoxels::Chunk> chunks;
    Buffer<float> still; ///< places relative to the middle of their level, LPS mm, three planes
};

/// wallSumsOf() of frames on the device. The same bits in every run. Waits for the result.
WallSums wallSumsOnDevice(const WallSumming& how, const FrameChange& diastole,
                          const FrameChange& now, const ExecContext& ctx);

} // namespace systole::cardiac
