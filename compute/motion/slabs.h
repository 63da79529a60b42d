// Motion of a volume that is too large for the memory at hand: estimated in slabs along z that
// overlap, blended linearly where they do.
#pragma once

#include "compute/core/motion_estimator.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace systole {

class CudaContext;

/// Slab k holds the planes [k · stride, min(k · stride + planes, size.z)); no plane lies in more
/// than two.
struct SlabPlan {
    int count = 1;
    int planes = 0; ///< of a slab; the last one may have fewer
    /// Planes that neighbors share. What lies beyond a slab's end has no part in its motion: the
    /// outer quarter of the overlap at either end counts for nothing, between them the weights
    /// cross.
    int overlap = 0;
    int stride() const { return planes - overlap; }
    int begin(int slab) const { return slab * stride(); }
    int end(int slab, int planesOfAll) const {
        return slab + 1 < count ? begin(slab) + planes : planesOfAll;
    }
};

/// The fewest slabs whose need, `bytesFor` of their size, is within `budgetBytes`; one when the
/// whole is. Strides are multiples of 8, so that the pyramids of the slabs and of the whole meet on
/// the same voxels. Throws OutOfMemory, with the numbers, when even slabs of twice the overlap need
/// more. `overlap`: the estimator's reach.
SlabPlan planSlabs(Size3 size, std::size_t budgetBytes, int overlap,
                   const std::function<std::size_t(Size3)>& bytesFor);

/// What an estimator may take on this device now: what its pool could still hand out, less a tenth
/// for what comes besides. Gives idle blocks back first.
std::size_t slabBudget(CudaContext& cuda);

/// Estimates with `inner`, whole where that fits and in slabs where it doesn't. Frames and field in
/// slabs lie on the host; scratch of one field more is taken from ctx.pool.
class SlabEstimator : public MotionEstimator {
public:
    /// `budgetBytes`: what `inner` may take for a slab by its own estimate.
    SlabEstimator(std::unique_ptr<MotionEstimator> inner, std::size_t budgetBytes);

    SlabPlan plan(Size3 size) const;
    /// What the largest slab takes.
    std::size_t memoryEstimate(Size3 size) const override;
    int reach() const override { return inner_->reach(); }

protected:
    bool checksValues() const override { return true; } // `inner` does
    /// The report's levels sum up those of the slabs where they have equally many: iterations and
    /// figures are the largest of a slab, energies add up (planes of the overlap count twice).
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override;

private:
    std::unique_ptr<MotionEstimator> inner_;
    std::size_t budgetBytes_;
};

} // namespace systole
