// Red-black relaxation on the device: the iteration of solveClgReference, implemented in five
// ways.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/methods/clg/solver/convergence_cuda.cuh"
#include "compute/methods/clg/solver/red_black.h"
#include "compute/methods/clg/solver/resident_share.h"
#include "compute/methods/clg/solver/system_cuda.cuh"

#include <memory>

namespace systole::clg {

/// The first in the order of redBlackVariants; the laboratory lacks Spread, which fills the device.
enum class RedBlackForm {
    InPlace,  ///< works on the grid's own layout: any system, and the lowest setup cost
    Colors,   ///< colors separate, blocks inverted in advance; streams the least data
    Resident, ///< one launch, blocks in registers; for levels that a cluster holds
    Tiles,    ///< layout of Colors, two sweeps per launch; not beta, not 16 bits
    Spread    ///< principle of Resident, for levels that the device holds; not beta
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
    /// `withBeta`: systems may have beta > 0. `tiled`: implementation Tiles.
    DeviceColors(CudaContext& cuda, Size3 size, bool withBeta, bool halfTensor, bool tiled = false);
    static std::size_t scratchBytes(Size3 size, bool withBeta, bool halfTensor, bool tiled = false);

    /// Not a system with beta in 16 bits.
    void load(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
              LaunchLog& log);
    /// Returns how many sweeps it has enqueued, from this one on.
    int sweep(float omega, int sweep, const SweepCourse& course, LaunchLog& log);
    /// Where it was loaded from, after the course's end.
    void store(LaunchLog& log);
    /// Whether what is enqueued leaves the field in the second buffer, if no sweep returns early.
    bool away() const { return away_; }

    static CompiledCost compiledCost();

private:
    void sweepWithDivergence(float omega, int sweep, const SweepCourse& course, LaunchLog& log);
    bool systemIsStreamed() const; ///< too large for the L2 cache
    float* field(bool away) { return away ? other_.data() : field_.data(); }

    Size3 size_;
    bool half_;
    Buffer<float> field_;
    Buffer<float> other_; ///< second field that two sweeps at once write in turn; else empty
    bool away_ = false;
    const DeviceState* state_ = nullptr;
    SolveStart start_{};   ///< start of the loaded solve
    Buffer<float> weight_; ///< factor on beta per voxel
    bool weighted_ = false;
    Buffer<unsigned char> system_;
    const float* units_ = nullptr;
    float beta_ = 0;
    std::array<float, 3> scale_{};
};

/// Two sweeps of DeviceColors, whose layout `system` and the fields have.
struct TwoSweeps {
    Size3 size;
    const float* system;
    const float* from;
    float* to;
    float omega;
    SweepMark mark; ///< mark of the second sweep
};
/// Implementation Tiles: one launch, with the bits of the two sweeps one after the other.
void relaxInTiles(const TwoSweeps& sweeps, LaunchLog& log);
/// Whether so many voxels gain by it: below, the halos of too few planes cost more than the
/// coefficients.
constexpr bool worthTiles(Size3 size) { return size.voxels() > std::size_t{150} * 150 * 150; }
/// Whether the device can do it.
bool hasTiles(const CudaContext& cuda);

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
    Size3 size_;
    ClusterLimits limits_;
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
