// Two Jacobi sweeps per launch: the parts that both kernels of the fused variant share.
#pragma once

#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {

/// Cost of one voxel of the tile in both sweeps.
KernelCost fusedCost(const SweepCase& which);
/// The note that a launch declares: its tiles overlap, and a thread marches over its column of the
/// tile, on average over both sweeps three planes more than `march`.
inline KernelNote fusedNote(const SweepJob& job, int march) {
    return noteOf(job, static_cast<double>(march + 3) * fusedCost(caseOf(job)));
}

/// Both sweeps of a system without beta, where the divergence couples no diagonal neighbors and
/// Jacobi needs no damping: job.count must be 2 and the system's beta 0.
void sweepTwiceWithoutBeta(const SweepJob& job, LaunchLog& log);

} // namespace systole::clg
