// A CLG system without beta in the layout of red-black sweeps: the voxels of even and of odd x + y
// + z separate, each color's rows contiguous, the 3×3 block of every voxel inverted in advance. A
// half-sweep then streams nine coefficients and the field once, all in whole vectors.
#pragma once

#include "compute/methods/clg/solver/system.h"

namespace systole {

class ColorSystem {
public:
    ColorSystem(Size3 size, const ExecContext& ctx);

    /// Reads the coefficients of `system` (its beta must be 0), which may change afterwards.
    void setSystem(const ClgSystem& system, const ExecContext& ctx);
    void load(FieldView<const float> t, const ExecContext& ctx);
    void store(FieldView<float> t, const ExecContext& ctx) const;
    /// Sweeps both colors once. Returns the largest change if `measure`, else 0.
    double sweep(float omega, bool measure, const ExecContext& ctx);

    /// Bytes that it takes from the pool.
    static std::size_t bytes(Size3 size);
    /// Bytes read and written by one sweep, each array once per color that needs it.
    static double sweepBytes(Size3 size);
    static double sweepFlops(Size3 size);

private:
    std::size_t rowStart(int y, int z) const;
    float* systemRow(int color, int k, int y, int z);
    float* fieldRow(int color, int k, int y, int z) const;

    Size3 size_;
    int stride_ = 0;
    std::size_t plane_ = 0; ///< number of values of one color of one volume
    std::array<float, 3> weights_{};
    Buffer<float> system_;
    mutable Buffer<float> field_;
    Buffer<float> zeros_;
};

} // namespace systole
