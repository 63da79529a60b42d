// Motion of a volume that is too large for the available memory: estimated in overlapping slabs
// along z, blended linearly in the overlap.
#pragma once

#include "compute/core/motion_estimator.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace systole {

class CudaContext;

/// Slab k has the planes [k · stride, min(k · stride + planes, size.z)); no plane is in more
/// than two.
struct SlabPlan {
    int count = 1;
    int planes = 0; ///< planes per slab; the last one may have fewer
    /// Planes shared by neighbors. A slab doesn't know the voxels beyond its ends: its outer
    /// quarter of the overlap has weight 0; between the outer quarters the weights change linearly.
    int overlap = 0;
    int stride() const { return planes - overlap; }
    int begin(int slab) const { return slab * stride(); }
    int end(int slab, int planesOfAll) const {
        return slab + 1 < count ? begin(slab) + planes : planesOfAll;
    }
};

/// The minimum number of slabs that each need at most `budgetBytes`, computed by `bytesFor` from
/// their size; one if the whole volume fits. Strides are multiples of 8, so that the pyramids of
/// slabs of one thickness have the same voxels where they overlap. Throws OutOfMemory, with the
/// numbers, if even slabs of twice the overlap need more. `overlap`: the estimator's reach.
SlabPlan planSlabs(Size3 size, std::size_t budgetBytes, int overlap,
                   const std::function<std::size_t(Size3)>& bytesFor);

/// Bytes that an estimator may take on this device now: what the pool can still provide, less a
/// tenth for other needs. Returns idle blocks to the device first.
std::size_t slabBudget(CudaContext& cuda);

/// Estimates with `inner`, the whole volume if it fits, else in slabs. With slabs, frames and field
/// are on the host, and scratch for one more field is taken from ctx.pool. If no slab's field
/// folds, neither does what they are blended to (removeFolds()).
class SlabEstimator : public MotionEstimator {
public:
    /// `budgetBytes`: maximum memory of `inner` for a slab, by its own estimate.
    SlabEstimator(std::unique_ptr<MotionEstimator> inner, std::size_t budgetBytes);

    SlabPlan plan(Size3 size, Vec3 spacing) const;
    /// Memory of the largest slab.
    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override;
    int reach() const override { return inner_->reach(); }

protected:
    bool checksValues() const override { return true; } // `inner` checks them
    /// The report's levels combine those of the slabs if all have equally many: iterations and
    /// figures are the maximum over slabs, energies add up (planes of the overlap count twice).
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override;

private:
    std::unique_ptr<MotionEstimator> inner_;
    std::size_t budgetBytes_;
};

} // namespace systole
