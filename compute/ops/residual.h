// Whether a motion brings two frames closer: the mean squared difference before and after.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/frame_result.h"
#include "compute/core/volume.h"

namespace systole {

/// Which voxels of the frames are known, 1 or 0; without data: all are. `warped`: `moving`
/// displaced by the motion.
struct KnownFrames {
    VolumeView<const float> fixed, moving, warped;

    /// Whether voxel i counts. A partly known value is mixed with what isn't.
    constexpr bool at(std::size_t i) const {
        return !(fixed.data && fixed.data[i] < 1) && !(moving.data && moving.data[i] < 1) &&
               !(warped.data && warped.data[i] < 1);
    }
};

/// Weights of voxels are their insideWeight (compute/ops/sample.h); 0 where they aren't known. All
/// of one size and on the host; `warped` is the moving frame displaced by `field` (voxels). One
/// pass. Bitwise equal for any number of threads.
ResidualChange residualChange(VolumeView<const float> fixed, VolumeView<const float> moving,
                              VolumeView<const float> warped, FieldView<const float> field,
                              const KnownFrames& known, const ExecContext& ctx);

/// Overload with all data on the device of ctx.cuda, in the stage "warp"; waits for the result.
/// Bitwise equal in every run. Defined in builds with CUDA (cudaIsBuilt).
ResidualChange residualChangeOnDevice(VolumeView<const float> fixed, VolumeView<const float> moving,
                                      VolumeView<const float> warped, FieldView<const float> field,
                                      const KnownFrames& known, const ExecContext& ctx);

/// Sums over voxels of their weight, of the weighted gray values of both frames less an origin,
/// of their squares, and of the squared differences before and after.
template <typename T>
struct ResidualSumsIn {
    T inside = 0, fixed = 0, moving = 0, fixedSquared = 0, movingSquared = 0, before = 0, after = 0;

    template <typename U>
    void operator+=(const ResidualSumsIn<U>& other) {
        inside += static_cast<T>(other.inside);
        fixed += static_cast<T>(other.fixed);
        moving += static_cast<T>(other.moving);
        fixedSquared += static_cast<T>(other.fixedSquared);
        movingSquared += static_cast<T>(other.movingSquared);
        before += static_cast<T>(other.before);
        after += static_cast<T>(other.after);
    }
};
using ResidualSums = ResidualSumsIn<double>;
ResidualChange changeOf(const ResidualSums& sums);

/// Both are false where the residual doesn't tell. Whether the gray values of the frames run
/// opposite to one another: correlated below −0.3.
bool contrastIsInverted(const ResidualChange& change);

/// Whether the motion failed to bring the frames closer although they differ: by more than 1/50 of
/// the gray range (root mean square), of which the motion removed less than this share (mean
/// square).
bool residualStays(const ResidualChange& change, double grayRange, double minRemoved = 0.02);

} // namespace systole
