#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/red_black_cuda.cuh"

#include <optional>

namespace systole::clg {
namespace {

constexpr int inPlace = redBlackFamily.named("in-place");
constexpr int standardThreads = redBlackFamily.at(inPlace).standardThreads;

/// One thread per voxel of a color. No thread writes what another reads in the same launch: its
/// neighbors are of the other color, and beta's diagonal ones matter only for components whose turn
/// it isn't.
template <int Most, typename View>
__global__ void __launch_bounds__(Most)
    relaxColor(const View view, Planes<float> t, float omega, int color, int turn, SweepMark mark) {
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    const View s = view.loaded();
    const Size3 size = s.size();
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z);
    const int x =
        2 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + ((y + z + color) & 1);
    float largest = 0;
    if (x < size.x && y < size.y) {
        const GlobalField<Load::Cached> field{{{t.plane[0], t.plane[1], t.plane[2]}}};
        const Voxel p{x, y, z};
        const std::size_t i = offset(size, p);
        const auto relax = [&](float& value, float solved) {
            const float change = omega * (solved - value);
            value += change;
            largest = fmaxf(largest, fabsf(change));
        };
        if constexpr (View::divergence) {
#pragma unroll
            for (int k = 0; k < 3; ++k)
                if (k == turn) {
                    const Equation e = equation(s, field, p, k);
                    relax(t.plane[k][i], e.diagonal > 0 ? e.rest / e.diagonal : 0);
                }
        } else {
            const std::array<float, 3> solved = solveBlock<float>(s, field, p);
            for (int k = 0; k < 3; ++k)
                relax(t.plane[k][i], solved[static_cast<std::size_t>(k)]);
        }
    }
    takeChange(mark, largest, blockChange);
}

/// Cost of one voxel of a color in place; with beta of one of its components.
KernelCost inPlaceCost(DivergenceStencil stencil, bool beta, bool half) {
    const bool energy = stencil == DivergenceStencil::Energy;
    KernelCost c;
    if (beta) {
        // A row of J and its b; the component's neighbors, the voxel's other components, beta's
        // neighbors.
        c = (1.0 / 3) * cost::jacobiArithmetic(stencil, true);
        c.divide = 1;
        c.globalLoads = 4 + cost::jacobiReads(stencil, true) / 3 + 2;
        c.globalStores = 1;
        c.integer = energy ? 430 : 230;
    } else {
        c = cost::jacobiArithmetic(DivergenceStencil::Energy, false);
        c.add += 3;
        c.fusedMultiplyAdd += 2;
        c.globalLoads = 9 + 21 + 4;
        c.globalStores = 3;
        c.integer = 290;
    }
    return half ? c + cost::halfCoefficients : c;
}

} // namespace

void relaxInPlace(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
                  float omega, int sweep, const SweepCourse& course, LaunchLog& log) {
    const Size3 size = system.size;
    const int turns = system.beta > 0 ? 3 : 1;
    // Half the voxels: all coefficients (a turn's share), the field, and the components written.
    const double bytes =
        0.5 * static_cast<double>(system.voxels()) *
        (system.beta > 0 ? 5.0 / 9 * coefficientBytes(half) + 12 + 4 : coefficientBytes(half) + 24);
    KernelNote note{redBlackFamily.kernel(inPlace) + (system.beta > 0 ? " beta" : ""), bytes};
    const int threads = gpu::threadsOfBlock(log, note.kernel, standardThreads);
    const LaunchShape shape =
        gpu::columnsOver({(size.x + 1) / 2, size.y, size.z}, 1, threads / gpu::tileX);
    note.cost = gpu::perThread(shape, 0.5 * static_cast<double>(system.voxels()),
                               inPlaceCost(system.stencil, system.beta > 0, half.used()));
    gpu::withBound<standardThreads>(threads, [&](auto most) {
        withSystem<Load::Cached>(system, half, [&](auto view) {
            for (int color = 0; color < 2; ++color)
                for (int turn = 0; turn < turns; ++turn)
                    log.launch(note, relaxColor<decltype(most)::value, decltype(view)>, shape, view,
                               t, omega, color, turn,
                               course.mark(sweep, color == 1 && turn == turns - 1));
        });
    });
}

RedBlackForm redBlackForm(const CudaContext& cuda, Size3 size, bool withBeta, int sweeps) {
    // Splitting and merging the colors costs about three sweeps, and each sweep then takes half the
    // time; where launch overhead dominates, nothing is gained.
    constexpr int worthSplitting = 5;
    constexpr std::size_t launchBound = 40 * 40 * 40;
    return withBeta                                                  ? RedBlackForm::InPlace
           : ResidentRelaxation::fits(cuda, size)                    ? RedBlackForm::Resident
           : sweeps >= worthSplitting && size.voxels() > launchBound ? RedBlackForm::Colors
                                                                     : RedBlackForm::InPlace;
}

struct DeviceRedBlack::Forms {
    std::optional<DeviceColors> colors;
    std::optional<ResidentRelaxation> resident;
};

DeviceRedBlack::DeviceRedBlack(CudaContext& cuda, Size3 size, RedBlackForm form, bool halfTensor)
    : forms_(std::make_unique<Forms>()) {
    if (form == RedBlackForm::Colors)
        forms_->colors.emplace(cuda, size, halfTensor);
    if (form == RedBlackForm::Resident)
        forms_->resident.emplace(cuda, size);
}

DeviceRedBlack::~DeviceRedBlack() = default;
DeviceRedBlack::DeviceRedBlack(DeviceRedBlack&&) noexcept = default;

std::size_t DeviceRedBlack::scratchBytes(Size3 size, RedBlackForm form, bool halfTensor) {
    return form == RedBlackForm::Colors ? DeviceColors::scratchBytes(size, halfTensor) : 0;
}

void DeviceRedBlack::solve(const DeviceSystem& system, const HalfTensor& half,
                           const Planes<float>& t, const SolveOptions& options, const int* stop,
                           LaunchLog& log) {
    if (forms_->resident) {
        forms_->resident->solve(system, half, t, options, stop, log);
        return;
    }
    const SweepCourse course(system.state, options);
    const auto omega = static_cast<float>(options.omega);
    course.begin(log, stop);
    if (forms_->colors)
        forms_->colors->load(system, half, t, log);
    for (int sweep = 1; sweep <= options.sweeps; ++sweep)
        if (forms_->colors)
            forms_->colors->sweep(omega, sweep, course, log);
        else
            relaxInPlace(system, half, t, omega, sweep, course, log);
    if (forms_->colors)
        forms_->colors->store(t, log);
    course.end(log);
}

std::vector<CompiledCost> compiledRedBlackCosts() {
    return {{redBlackFamily.kernel(inPlace),
             std::string("relaxColorILi256E.*") + mangledView(DivergenceStencil::Energy, false),
             "body",
             "STG",
             inPlaceCost(DivergenceStencil::Energy, false, false),
             {"LDS+STS", "BAR"}}, // they gather the sweep's change
            DeviceColors::compiledCost(),
            ResidentRelaxation::compiledCost()};
}

} // namespace systole::clg
