// The V-cycles of multigrid.cpp on the device: the same grids, operators and smoothing sweeps.
#pragma once

#include "compute/methods/clg/solver/red_black_cuda.cuh"

#include <array>
#include <vector>

namespace systole::clg {

class DeviceMultigrid {
public:
    DeviceMultigrid(CudaContext& cuda, Size3 size, const DeviceSolveOptions& options);
    static std::size_t scratchBytes(Size3 size);

    void solve(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
               const SolveOptions& options, LaunchLog& log);

private:
    struct Grid {
        Size3 size;
        std::array<int, 3> factor; ///< coarsening factor to the next coarser grid
        Buffer<float> storage;     ///< nine coefficients, the correction, the volume weight
        DeviceSystem
            system; ///< the grid's system; the finest is the caller's with a state of its own
        DeviceRedBlack smoother;
    };
    void coarsen(LaunchLog& log);
    void cycle(std::size_t level, const HalfTensor& half, const Planes<float>& t, const int* stop,
               LaunchLog& log);

    std::vector<Grid> grids_; ///< finest first
    Buffer<DeviceState> states_;
    Buffer<float> residual_;
};

} // namespace systole::clg
