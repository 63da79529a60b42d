// Two Jacobi sweeps in one launch: what both kernels of the fused variant have.
#pragma once

#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {

/// A voxel of the tile in both sweeps.
KernelCost fusedCost(const SweepCase& which);
/// What a launch says of itself: its tiles overlap, and a thread marches over its column of the
/// tile, three planes more than `march` in the mean of both sweeps.
inline KernelNote fusedNote(const SweepJob& job, int march) {
    return noteOf(job, static_cast<double>(march + 3) * fusedCost(caseOf(job)));
}

/// Without beta, where the divergence couples no diagonal neighbours: job.count is 2 and the
/// system's beta 0, with which Jacobi needs no damping.
void sweepTwiceWithoutBeta(const SweepJob& job, LaunchLog& log);

} // namespace systole::clg
