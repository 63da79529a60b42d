#include "compute/methods/clg/solver/half_cuda.cuh"
#include "compute/methods/clg/solver/jacobi_cuda.cuh"
#include "compute/methods/clg/solver/multigrid_cuda.cuh"

#include <optional>

namespace systole::clg {
namespace {

Planes<float> planesIn(Buffer<float>& buffer, std::size_t voxels) {
    return {buffer.data(), buffer.data() + voxels, buffer.data() + 2 * voxels};
}

Planes<const float> constant(const Planes<float>& planes) {
    return {planes.plane[0], planes.plane[1], planes.plane[2]};
}

__global__ void bringBack(const DeviceState* state, Planes<const float> from, Planes<float> to,
                          std::size_t voxels) {
    if (!state->away)
        return;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < voxels;
         i += std::size_t{blockDim.x} * gridDim.x)
        for (int k = 0; k < 3; ++k)
            to.plane[k][i] = from.plane[k][i];
}

} // namespace

struct DeviceSolver::Impl {
    Impl(CudaContext& cuda, Size3 extent, const DeviceSolveOptions& solveOptions)
        : size(extent), options(solveOptions) {
        if (options.halfTensor)
            halfStore.emplace(cuda, size);
        if (options.solver == ClgSolver::Jacobi)
            other = cuda.devicePool().acquire<float>(3 * size.voxels(), "solver, previous field");
        else if (options.solver == ClgSolver::RedBlack)
            redBlack.emplace(cuda, size, redBlackForm(cuda, size, options, options.sweeps),
                             options.withBeta, options.halfTensor);
        else
            multigrid.emplace(cuda, size, options);
    }

    void jacobi(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
                LaunchLog& log) {
        const SweepCourse course(system.state, options);
        const int maxCount = jacobiKernel(options.jacobi).sweepsPerLaunch;
        Planes<float> from = t, to = planesIn(other, size.voxels());
        bool away = false;
        course.begin(log);
        for (int sweep = 1; sweep <= options.sweeps;) {
            const int count = course.together(sweep, maxCount);
            sweep += count;
            away = !away;
            const SweepMark mark = course.mark(sweep - 1, true, away);
            launchSweeps({options.jacobi, system, half, constant(from), to, count, mark}, log);
            std::swap(from, to);
        }
        course.end(log, away);
        log.launch({"jacobi/bring back"}, bringBack, {dim3(1024), dim3(256)}, system.state,
                   constant(planesIn(other, size.voxels())), t, size.voxels());
    }

    Size3 size;
    DeviceSolveOptions options;
    Buffer<float> other; ///< second field for Jacobi
    std::optional<HalfStore> halfStore;
    std::optional<DeviceRedBlack> redBlack;
    std::optional<DeviceMultigrid> multigrid;
};

DeviceSolver::DeviceSolver(CudaContext& cuda, Size3 size, const DeviceSolveOptions& options)
    : impl_(std::make_unique<Impl>(cuda, size, options)) {}

DeviceSolver::~DeviceSolver() = default;

bool DeviceSolver::formsB() const { return impl_->redBlack && impl_->redBlack->formsB(); }

std::size_t DeviceSolver::scratchBytes(Size3 size, const DeviceSolveOptions& options) {
    const std::size_t half = options.halfTensor ? HalfStore::scratchBytes(size) : 0;
    if (options.solver == ClgSolver::Jacobi)
        return half + 3 * size.voxels() * sizeof(float);
    if (options.solver == ClgSolver::Multigrid)
        return half + DeviceMultigrid::scratchBytes(size);
    const bool inPlace =
        options.withBeta && (options.halfTensor || options.stencil == DivergenceStencil::Paper);
    const bool tiles = !options.withBeta && !options.halfTensor && worthTiles(size);
    return half + DeviceRedBlack::scratchBytes(size,
                                               inPlace ? RedBlackForm::InPlace
                                               : tiles ? RedBlackForm::Tiles
                                                       : RedBlackForm::Colors,
                                               options.withBeta, options.halfTensor);
}

void DeviceSolver::solve(const DeviceSystem& system, float* const (&t)[3], LaunchLog& log) {
    const Planes<float> field{t[0], t[1], t[2]};
    const HalfTensor half = impl_->halfStore ? impl_->halfStore->store(system, log) : HalfTensor{};
    if (impl_->redBlack)
        impl_->redBlack->solve(system, half, field, impl_->options, nullptr, log);
    else if (impl_->multigrid)
        impl_->multigrid->solve(system, half, field, impl_->options, log);
    else
        impl_->jacobi(system, half, field, log);
}

} // namespace systole::clg
