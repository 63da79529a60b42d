// A CLG system in the layout of red-black sweeps: the voxels of even and of odd x + y + z separate,
// each one's rows contiguous, the 3×3 block of every voxel inverted in advance. A sweep then
// streams nine coefficients once and the field once per color, all in whole vectors.
//
// With beta (DivergenceStencil::Energy) a row of either array still has one color (colorOf), so
// that the layout stays: each of the four colors has every second row of both.
#pragma once

#include "compute/methods/clg/solver/divergence_rows.h"
#include "compute/methods/clg/solver/sweep_order.h"
#include "compute/methods/clg/solver/system.h"

#include <vector>

namespace systole {

class ColorSystem {
public:
    /// Rows are whole vectors of the widest instruction set; x-neighbors may be read one vector
    /// before the first row and after the last, and are masked out.
    static constexpr int margin = 16;

    /// Reads the divergence term alone.
    ColorSystem(const ClgSystem& system, const ExecContext& ctx);

    /// Reads the coefficients of the system, which may change afterwards; not its field.
    void setSystem(const ClgSystem& system, const ExecContext& ctx);
    void load(FieldView<const float> t, const ExecContext& ctx);
    void store(FieldView<float> t, const ExecContext& ctx) const;
    /// Sweeps all colors `count` times. Returns the largest change of each sweep.
    std::vector<double> sweep(int count, float omega, const ExecContext& ctx);
    /// system.coefficient[6..8] += beta·G·t, t as loaded.
    void addDivergenceTo(const ClgSystem& system, const ExecContext& ctx) const;

    /// Maximum bytes that it takes from the pool; `withBeta`: the system has beta > 0, perhaps with
    /// a weight.
    static std::size_t bytes(Size3 size, bool withBeta);
    /// Maximum bytes that products alone take from the pool, without setSystem().
    static std::size_t productBytes(Size3 size, bool withBeta);

private:
    /// `parity`: that of x + y + z, which selects the array.
    std::size_t rowStart(int y, int z) const;
    /// Start of a row. With beta, rows of even y come first in a plane, so that a color streams
    /// whole parts of it.
    float* systemRow(int parity, int k, int y, int z) const;
    float* fieldRow(int parity, int k, int y, int z) const;
    float* weightRow(int parity, int y, int z) const;
    void clearGaps(Buffer<float>& volumes) const;
    void setDivergence(const ClgSystem& system, const ExecContext& ctx);
    /// The row's view for a sweep, or for a product (see DivergenceRow).
    rows::DivergenceRow divergenceRow(int parity, int y, int z, bool product) const;
    /// Both return the largest change.
    float sweepRows(const SweepPart& part, int parity, float omega) const;
    float sweepRowsWithDivergence(const SweepPart& part, int color, float omega) const;

    Size3 size_;
    int stride_ = 0;
    std::size_t plane_ = 0, volume_ = 0; ///< values from one to the next
    std::array<float, 3> weights_{};
    std::array<float, 3> scale_{};
    float beta_ = 0;
    mutable Buffer<float> system_;
    mutable Buffer<float> field_;
    mutable Buffer<float> weight_; ///< factor on beta per voxel; empty: 1
    Buffer<float> zeros_;
};

} // namespace systole
