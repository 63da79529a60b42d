#include "compute/motion/clg_red_black_cuda.cuh"
#include "compute/motion/clg_sweep_variants.cuh"

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
    Impl(CudaContext& cuda, Size3 extent, const SolveOptions& solveOptions,
         const ClgVariants& clgVariants)
        : size(extent), options(solveOptions), variants(clgVariants) {
        if (options.solver == ClgSolver::Jacobi)
            other = cuda.devicePool().acquire<float>(3 * size.voxels(), "solver, previous field");
    }

    void jacobi(const DeviceSystem& system, const Planes<float>& t, LaunchLog& log) {
        const SweepCourse course(system.state, options);
        const SweepVariant& variant = sweepVariant(variants.sweep);
        const HalfTensor half;
        const auto voxels = static_cast<double>(size.voxels());
        const KernelNote note{variant.kernel, (coefficientBytes(half) + 24) * voxels};
        Planes<float> from = t, to = planesIn(other, size.voxels());
        bool away = false;
        course.begin(log);
        for (int sweep = 1; sweep <= options.sweeps;) {
            const int count = course.together(sweep, variant.most);
            sweep += count;
            away = !away;
            const SweepMark mark = course.mark(sweep - 1, true, away);
            variant.launch({system, half, constant(from), to, count, mark}, note, log);
            std::swap(from, to);
        }
        course.end(log, away);
        log.launch({"jacobi/bring back"}, bringBack, {dim3(1024), dim3(256)}, system.state,
                   constant(planesIn(other, size.voxels())), t, size.voxels());
    }

    void redBlack(const DeviceSystem& system, const Planes<float>& t, LaunchLog& log) {
        const SweepCourse course(system.state, options);
        const HalfTensor half;
        course.begin(log);
        for (int sweep = 1; sweep <= options.sweeps; ++sweep)
            relaxInPlace(system, half, t, static_cast<float>(options.omega), sweep, course, log);
        course.end(log);
    }

    Size3 size;
    SolveOptions options;
    ClgVariants variants;
    Buffer<float> other; ///< Jacobi's second field
};

DeviceSolver::DeviceSolver(CudaContext& cuda, Size3 size, const SolveOptions& options,
                           const ClgVariants& variants, bool)
    : impl_(std::make_unique<Impl>(cuda, size, options, variants)) {}

DeviceSolver::~DeviceSolver() = default;

std::size_t DeviceSolver::scratchBytes(Size3 size, const SolveOptions& options, const ClgVariants&,
                                       bool) {
    return options.solver == ClgSolver::Jacobi ? 3 * size.voxels() * sizeof(float) : 0;
}

void DeviceSolver::solve(const DeviceSystem& system, float* const (&t)[3], LaunchLog& log) {
    const Planes<float> field{t[0], t[1], t[2]};
    if (impl_->options.solver == ClgSolver::Jacobi)
        impl_->jacobi(system, field, log);
    else
        impl_->redBlack(system, field, log);
}

} // namespace systole::clg
