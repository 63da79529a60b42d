// Red-black relaxation on the device: the iteration of solveClgReference, implemented in four
// ways.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/methods/clg/solver/convergence_cuda.cuh"
#include "compute/methods/clg/solver/red_black.h"
#include "compute/methods/clg/solver/system_cuda.cuh"

#include <memory>

namespace systole::clg {

/// The first in the order of redBlackVariants; the laboratory doesn't have Spread, which fills the
/// device.
enum class RedBlackForm {
    InPlace,  ///< over the grid in its own layout: any system, and the lowest setup cost
    Colors,   ///< colors separate, blocks inverted in advance; streams the least data
    Resident, ///< one launch, blocks in registers; for levels that a cluster holds
    Spread    ///< the same for levels that the device holds; not beta
};

/// Selects the fastest for this level and this number of sweeps. DivergenceStencil::Paper with beta
/// has InPlace alone; beta with 16 bits has no Colors.
RedBlackForm redBlackForm(const CudaContext& cuda, Size3 size, const DeviceSolveOptions& options,
                          int sweeps);

std::vector<CompiledCost> compiledRedBlackCosts();

/// Runs all sweeps of solves of one size; owns their scratch memory.
class DeviceRedBlack {
public:
    DeviceRedBlack(CudaContext& cuda, Size3 size, RedBlackForm form, bool withBeta,
                   bool halfTensor);
    ~DeviceRedBlack();
    DeviceRedBlack(DeviceRedBlack&&) noexcept;
    static std::size_t scratchBytes(Size3 size, RedBlackForm form, bool withBeta, bool halfTensor);
    bool formsB() const; ///< as DeviceSolver

    /// options.solver is ignored. `stop`: in device memory, not 0 to do nothing; may be null.
    void solve(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
               const SolveOptions& options, const int* stop, LaunchLog& log);

private:
    struct Forms;
    std::unique_ptr<Forms> forms_;
};

/// Implementation InPlace: one sweep, one launch per color.
void relaxInPlace(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
                  float omega, int sweep, const SweepCourse& course, LaunchLog& log);

/// Implementation Colors: the voxels of even and of odd x + y + z separate, with beta also rows of
/// even and of odd y, so that each color's rows are contiguous; as ColorSystem on the CPU. The 3×3
/// blocks are inverted in advance, except in 16 bits: their rounding would affect smoothness, that
/// of J only J.
class DeviceColors {
public:
    /// `withBeta`: systems may have beta > 0.
    DeviceColors(CudaContext& cuda, Size3 size, bool withBeta, bool halfTensor);
    static std::size_t scratchBytes(Size3 size, bool withBeta, bool halfTensor);

    /// Not a system with beta in 16 bits.
    void load(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
              LaunchLog& log);
    void sweep(float omega, int sweep, const SweepCourse& course, LaunchLog& log);
    void store(const Planes<float>& t, LaunchLog& log);

    static CompiledCost compiledCost();

private:
    void sweepWithDivergence(float omega, int sweep, const SweepCourse& course, LaunchLog& log);
    bool systemIsStreamed() const; ///< too large for the L2 cache

    Size3 size_;
    bool half_;
    Buffer<float> field_;
    Buffer<float> weight_; ///< on beta
    bool weighted_ = false;
    Buffer<unsigned char> system_;
    const float* units_ = nullptr;
    float beta_ = 0;
    std::array<float, 3> scale_{};
};

/// Implementation Resident: all sweeps of a solve in one launch. One cluster of blocks holds the
/// level, the field in their shared memory, the inverted blocks in registers.
class ResidentRelaxation {
public:
    /// Whether a cluster holds a level of this size.
    static bool fits(const CudaContext& cuda, Size3 size);

    ResidentRelaxation(CudaContext& cuda, Size3 size);
    void solve(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
               const SolveOptions& options, const int* stop, LaunchLog& log);

    static CompiledCost compiledCost();

private:
    static int depthFor(const CudaContext& cuda, Size3 size);

    Size3 size_;
    int depth_; ///< planes per block; 0: doesn't fit
};

/// Implementation Spread: all sweeps of a solve in one cooperative launch over the device. A thread
/// keeps four voxels of each color, with their inverted blocks, in registers; neighbors are read
/// through the L2 cache, in the layout of DeviceColors.
class SpreadRelaxation {
public:
    /// Whether the device holds a level of this size.
    static bool fits(const CudaContext& cuda, Size3 size);

    SpreadRelaxation(CudaContext& cuda, Size3 size);
    static std::size_t scratchBytes(Size3 size);
    /// Not a system with beta.
    void solve(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
               const SolveOptions& options, const int* stop, LaunchLog& log);

private:
    static int threadsFor(const CudaContext& cuda, Size3 size);

    Size3 size_;
    int threads_; ///< per block
    Buffer<float> field_;
};

} // namespace systole::clg
