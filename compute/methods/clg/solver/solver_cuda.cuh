// Data that CLG's CUDA implementation passes between kernels: one level's system in device memory,
// and the scalars that control the iteration, which stay on the device so that nothing waits for
// the host.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/methods/clg/solver/jacobi.h"
#include "compute/methods/clg/solver/system.h"

namespace systole::clg {

/// State in device memory, one per level. Written by kernels, read by kernels.
struct DeviceState {
    float smoothness[3];    ///< weights of ClgSystem: alpha · gain · (s_min / s_axis)²
    float gainAtStart;      ///< smoothnessGain of the field that the level began with
    float epsilon;          ///< added in the data term's normalization; negative: not divided
    float brightness;       ///< how far brightness has been matched, 0 to 1
    double matchedResidual; ///< squared residual that the match starts from
    float prefilterSigma;
    double residualSquared, residualCount; ///< sums for epsilon and for the noise estimate
    double noise;
    float channelEpsilon; ///< epsilon of self-similarity
    int described;        ///< 1 once the fixed frame's self-similarity is there
    float selfSimilarity; ///< its weight in the last warp
    // State of the solver; all but `sweeps` is reset by each solve.
    int done;          ///< the tolerance is reached: later sweeps of this solve return at once
    int sweepsOfSolve; ///< number of sweeps when it has ended
    int away;          ///< whether its last launch left the field in the solver's second buffer
    int sweeps;        ///< total over all solves of this level since the level began
    float change;      ///< largest change in the last sweep measured
    float changeBefore;
    unsigned gathered;       ///< largest change in the current sweep, as bits
    unsigned blocksFinished; ///< number of finished blocks of the current launch
    unsigned largest[3];     ///< `gathered` in turn, in a solve in one launch over the device
    // Values of the finest level's data term (gradient_constancy_math.h).
    float gradientEpsilon; ///< channelEpsilon() of gradients
    float typicalNorm;     ///< typicalNorm() of gray values
};

/// One warp's linear system on the device: float32, planar, x fastest.
struct DeviceSystem {
    float* coefficient[9]; ///< J11 J12 J13 J22 J23 J33 b1 b2 b3
    /// coefficient[6..8] are still J14 J24 J34, and b is J·t − them with the t that the solve
    /// starts from; afterwards they are b if `keepsB`, else undefined. Only if the solver formsB().
    bool withoutB = false, keepsB = false;
    /// Three planes that the unknown leaves out: the solve starts from t less them, and adds them
    /// to what it writes. Null: none. Only of a system withoutB.
    const float* trend[3] = {};
    float scale[3];
    float beta;
    DivergenceStencil stencil;
    const float* incompressibility; ///< null: 1
    Size3 size;
    DeviceState* state;

    std::size_t voxels() const { return size.voxels(); }
};

/// How the device solves, in addition to the options that all implementations share.
struct DeviceSolveOptions : SolveOptions {
    int jacobi = jacobiFamily.standardVariant(); ///< the variant of Jacobi's sweeps
    bool halfTensor = false;                     ///< J stored in 16 bits while it is solved
    bool withBeta = false;                       ///< systems may have beta > 0
    DivergenceStencil stencil = DivergenceStencil::Energy; ///< stencil of systems with beta
};

/// Solves for t (three planes of system.size voxels, the starting value on entry) on the log's
/// stream, inside a stage that the caller opened. Enqueues only: no host synchronization, so that
/// it can be captured into a graph. Holds its scratch memory (from the device pool) between calls.
class DeviceSolver {
public:
    /// smoothness of the system is read from state on the device.
    DeviceSolver(CudaContext& cuda, Size3 size, const DeviceSolveOptions& options);
    ~DeviceSolver();
    DeviceSolver(const DeviceSolver&) = delete;
    DeviceSolver& operator=(const DeviceSolver&) = delete;

    void solve(const DeviceSystem& system, float* const (&t)[3], LaunchLog& log);
    /// Whether systems without beta may be `withoutB`: a pass over the system that is made anyway
    /// forms it.
    bool formsB() const;
    /// Maximum memory that it holds.
    static std::size_t scratchBytes(Size3 size, const DeviceSolveOptions& options);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// b ← b + beta·G·w0 (addDivergenceOf).
void addDivergenceOf(const DeviceSystem& system, const float* const (&w0)[3], LaunchLog& log);
/// Writes the energy to *result, a double in device memory (clgEnergy).
void energy(const DeviceSystem& system, const float* const (&t)[3], double* result, LaunchLog& log);

} // namespace systole::clg
