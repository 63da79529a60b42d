#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/multigrid_cuda.cuh"
#include "compute/methods/clg/solver/multigrid_math.h"

namespace systole::clg {
namespace {

/// Cost of a coarse voxel in `planes` planes: up to 27 taps, each a load, its weight, two sums.
KernelCost restrictionCost(const std::array<int, 3>& factor, int planes) {
    constexpr KernelCost tap{
        .add = 1, .multiply = 2, .fusedMultiplyAdd = 1, .integer = 10, .globalLoads = 1};
    constexpr KernelCost plane{.divide = 1, .integer = 20, .globalStores = 1};
    double taps = 1;
    for (const int f : factor)
        taps *= f > 1 ? 3 : 1;
    return static_cast<double>(planes) * (taps * tap + plane);
}

/// Cost of a fine voxel's three components: of the eight corners only those with a weight, 27/64 of
/// them on average over all positions.
constexpr KernelCost correctionCost{.add = 6,
                                    .multiply = 12,
                                    .fusedMultiplyAdd = 3 * 8.0 * 27 / 64,
                                    .integer = 400,
                                    .globalLoads = 3 + 3 * 8.0 * 27 / 64,
                                    .globalStores = 3};

/// Launches one thread per voxel, each of this cost.
template <typename... Parameters, typename... Arguments>
void launchOver(Size3 size, LaunchLog& log, KernelNote note, void (*kernel)(Parameters...),
                Arguments&&... arguments) {
    const LaunchShape shape = gpu::columnsOver(size, 1, log, note.kernel);
    note.cost = gpu::perThread(shape, static_cast<double>(size.voxels()), note.cost);
    log.launch(note, kernel, shape, std::forward<Arguments>(arguments)...);
}

__device__ inline Voxel ownVoxel() {
    return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), static_cast<int>(blockIdx.z)};
}

__device__ inline bool inside(Size3 size, Voxel p) { return p.x < size.x && p.y < size.y; }

/// Derives the next grid's state from this one's: smoothness, a quarter along doubled axes.
__global__ void coarsenState(const DeviceState* fine, DeviceState* coarse,
                             std::array<int, 3> factor) {
    *coarse = *fine;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float step = 1.0f / static_cast<float>(factor[axis]);
        coarse->smoothness[axis] = fine->smoothness[axis] * step * step;
    }
}

struct Restriction {
    const float* from;
    float* to;
};
template <int Count>
struct Restrictions {
    Restriction plane[Count];
};

template <int Count>
__global__ void restrictPlanes(Restrictions<Count> planes, Size3 fine, Size3 coarse,
                               std::array<int, 3> factor, const int* stop) {
    const Voxel p = ownVoxel();
    if (!inside(coarse, p) || (stop && *stop))
        return;
    for (const Restriction& r : planes.plane)
        r.to[offset(coarse, p)] =
            fullWeighting(fine, factor, p, [&](Voxel q) { return r.from[offset(fine, q)]; });
}

template <typename View>
__global__ void findResidual(const View view, Planes<const float> t, Planes<float> residual,
                             const int* stop) {
    const View s = view.loaded();
    const Voxel p = ownVoxel();
    if (!inside(s.size(), p) || *stop)
        return;
    const GlobalField<Load::Cached> field{t};
    const std::size_t i = offset(s.size(), p);
    for (int k = 0; k < 3; ++k) {
        const Equation e = equation(s, field, p, k);
        residual.plane[k][i] = e.rest - e.diagonal * t.plane[k][i];
    }
}

__global__ void addCorrection(Planes<const float> correction, Size3 coarse, Planes<float> t,
                              Size3 fine, std::array<int, 3> factor, const int* stop) {
    const Voxel p = ownVoxel();
    if (!inside(fine, p) || *stop)
        return;
    for (int k = 0; k < 3; ++k) {
        const VolumeView<const float> c(correction.plane[k], coarse);
        t.plane[k][offset(fine, p)] += prolonged(coarse, factor, p, c);
    }
}

/// Tests a cycle's convergence by the change in its last smoothing sweep.
__global__ void concludeCycle(DeviceState* state, const DeviceState* finest, double tolerance) {
    if (state->done)
        return;
    state->sweepsOfSolve += 2 * smoothingSweeps;
    state->sweeps += 2 * smoothingSweeps;
    state->changeBefore = state->change;
    state->change = finest->change;
    state->done = tolerance > 0 && state->change < tolerance;
}

Planes<float> correctionOf(Buffer<float>& storage, std::size_t voxels) {
    return {storage.data() + 9 * voxels, storage.data() + 10 * voxels,
            storage.data() + 11 * voxels};
}

Planes<const float> constant(const Planes<float>& p) {
    return {p.plane[0], p.plane[1], p.plane[2]};
}

} // namespace

DeviceMultigrid::DeviceMultigrid(CudaContext& cuda, Size3 size, const DeviceSolveOptions& options)
    : residual_(cuda.devicePool().acquire<float>(3 * size.voxels(), "multigrid, residual")) {
    for (const Size3 s : gridSizes(size)) {
        Buffer<float> storage;
        if (!grids_.empty())
            storage = cuda.devicePool().acquire<float>(13 * s.voxels(), "multigrid");
        const RedBlackForm form = redBlackForm(cuda, s, options, smoothingSweeps);
        grids_.push_back({s,
                          coarseningOf(s),
                          std::move(storage),
                          {},
                          DeviceRedBlack(cuda, s, form, options.withBeta, false)});
    }
    states_ = cuda.devicePool().acquire<DeviceState>(grids_.size(), "multigrid, states");
}

std::size_t DeviceMultigrid::scratchBytes(Size3 size) {
    std::size_t floats = 3 * size.voxels();
    for (const Size3 s : gridSizes(size))
        if (!(s == size))
            floats += 13 * s.voxels();
    return floats * sizeof(float);
}

void DeviceMultigrid::coarsen(LaunchLog& log) {
    for (std::size_t level = 1; level < grids_.size(); ++level) {
        const Grid& fine = grids_[level - 1];
        Grid& grid = grids_[level];
        const std::size_t n = grid.size.voxels();
        grid.system = fine.system;
        grid.system.size = grid.size;
        grid.system.state = states_.data() + level;
        for (std::size_t k = 0; k < 9; ++k)
            grid.system.coefficient[k] = grid.storage.data() + k * n;
        for (std::size_t axis = 0; axis < 3; ++axis)
            grid.system.scale[axis] =
                fine.system.scale[axis] / static_cast<float>(fine.factor[axis]);
        log.launch({"multigrid/state"}, coarsenState, {1, 1}, fine.system.state, grid.system.state,
                   fine.factor);
        Restrictions<6> tensor{};
        for (std::size_t k = 0; k < 6; ++k)
            tensor.plane[k] = {fine.system.coefficient[k], grid.system.coefficient[k]};
        const double bytes = 24.0 * static_cast<double>(fine.size.voxels() + n);
        launchOver(grid.size, log, {"multigrid/tensor", bytes, 0, restrictionCost(fine.factor, 6)},
                   restrictPlanes<6>, tensor, fine.size, grid.size, fine.factor, nullptr);
        if (fine.system.incompressibility) {
            float* const weight = grid.storage.data() + 12 * n;
            const Restrictions<1> one{{{fine.system.incompressibility, weight}}};
            launchOver(grid.size, log,
                       {"multigrid/weight", bytes / 6, 0, restrictionCost(fine.factor, 1)},
                       restrictPlanes<1>, one, fine.size, grid.size, fine.factor, nullptr);
            grid.system.incompressibility = weight;
        }
    }
}

void DeviceMultigrid::cycle(std::size_t level, const HalfTensor& half, const Planes<float>& t,
                            const int* stop, LaunchLog& log) {
    Grid& grid = grids_[level];
    SolveOptions smoothing;
    smoothing.omega = 1;
    smoothing.sweeps = level + 1 == grids_.size() ? coarsestSweeps : smoothingSweeps;
    grid.smoother.solve(grid.system, half, t, smoothing, stop, log);
    if (level + 1 == grids_.size())
        return;
    Grid& coarse = grids_[level + 1];
    const std::size_t n = grid.size.voxels(), m = coarse.size.voxels();
    const Planes<float> residual{residual_.data(), residual_.data() + n, residual_.data() + 2 * n};
    const auto fineVoxels = static_cast<double>(n), coarseVoxels = static_cast<double>(m);
    constexpr KernelCost stores{.globalStores = 3};
    const KernelNote residualNote{
        "multigrid/residual", (coefficientBytes(half) + 24) * fineVoxels, 0,
        cost::equations(grid.system.stencil, grid.system.beta > 0) + stores};
    withSystem<Load::Cached>(grid.system, half, [&](auto view) {
        launchOver(grid.size, log, residualNote, findResidual<decltype(view)>, view, constant(t),
                   residual, stop);
    });
    Restrictions<3> b{};
    for (std::size_t k = 0; k < 3; ++k)
        b.plane[k] = {residual.plane[k], coarse.system.coefficient[6 + k]};
    launchOver(coarse.size, log,
               {"multigrid/restrict", 12 * (fineVoxels + coarseVoxels), 0,
                restrictionCost(grid.factor, 3)},
               restrictPlanes<3>, b, grid.size, coarse.size, grid.factor, stop);
    const Planes<float> correction = correctionOf(coarse.storage, m);
    cudaCheck(cudaMemsetAsync(correction.plane[0], 0, 3 * m * sizeof(float), log.stream()),
              "clearing a correction");
    cycle(level + 1, {}, correction, stop, log);
    launchOver(grid.size, log,
               {"multigrid/correct", 24 * fineVoxels + 12 * coarseVoxels, 0, correctionCost},
               addCorrection, constant(correction), coarse.size, t, grid.size, grid.factor, stop);
    grid.smoother.solve(grid.system, half, t, smoothing, stop, log);
}

void DeviceMultigrid::solve(const DeviceSystem& system, const HalfTensor& half,
                            const Planes<float>& t, const SolveOptions& options, LaunchLog& log) {
    const SweepCourse course(system.state, options);
    course.begin(log);
    grids_[0].system = system;
    grids_[0].system.state = states_.data();
    log.launch({"multigrid/state"}, coarsenState, {1, 1}, system.state, states_.data(),
               std::array{1, 1, 1});
    coarsen(log);
    for (int sweeps = 0; sweeps == 0 || sweeps < options.sweeps; sweeps += 2 * smoothingSweeps) {
        cycle(0, half, t, &system.state->done, log);
        log.launch({"multigrid/end"}, concludeCycle, {1, 1}, system.state, states_.data(),
                   options.tolerance);
    }
}

} // namespace systole::clg
