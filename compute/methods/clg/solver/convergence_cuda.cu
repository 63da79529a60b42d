#include "compute/methods/clg/solver/convergence_cuda.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

__global__ void beginSolve(DeviceState* state, const int* stop) {
    state->done = stop && *stop;
    state->sweepsOfSolve = state->away = 0;
    state->change = state->changeBefore = 0;
    state->gathered = 0;
    state->blocksFinished = 0;
}

__global__ void endSolve(DeviceState* state, int sweeps, bool away) {
    if (!state->done) {
        state->sweepsOfSolve = sweeps;
        state->away = away;
    }
    state->sweeps += state->sweepsOfSolve;
}

} // namespace

int SweepCourse::together(int sweep, int maxCount) const {
    const int left = sweeps_ - sweep + 1;
    const ConvergenceTest test(tolerance_);
    for (int count = 1; count < std::min(maxCount, left); ++count)
        if (test.wants(sweep + count - 1))
            return count;
    return std::min(maxCount, left);
}

SweepMark SweepCourse::mark(int sweep, bool concludes, bool away) const {
    const bool gathers = sweep == sweeps_ || ConvergenceTest(tolerance_).wants(sweep);
    return {state_, tolerance_, sweep, gathers, concludes, away};
}

void SweepCourse::begin(LaunchLog& log, const int* stop) const {
    log.launch({"solver/begin"}, beginSolve, {1, 1}, state_, stop);
}

void SweepCourse::end(LaunchLog& log, bool away) const {
    log.launch({"solver/end"}, endSolve, {1, 1}, state_, sweeps_, away);
}

} // namespace systole::clg
