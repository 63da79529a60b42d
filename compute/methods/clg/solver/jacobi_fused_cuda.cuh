// Two Jacobi sweeps in one launch, without beta: what the fused variant runs where the divergence
// couples no diagonal neighbours.
#pragma once

#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {

/// job.count is 2 and the system's beta 0, with which Jacobi needs no damping.
void sweepTwiceWithoutBeta(const SweepJob& job, const KernelNote& note, LaunchLog& log);

} // namespace systole::clg
