#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/red_black_cuda.cuh"

#include <optional>

namespace systole::clg {
namespace {

constexpr int inPlace = redBlackFamily.named("in-place");
constexpr int standardThreads = redBlackFamily.at(inPlace).standardThreads;

/// The voxel of a color with this index along x and y; may lie beyond the grid.
template <int Colors>
__device__ inline Voxel voxelOfColor(int color, int column, int row, int z) {
    if (Colors == 2)
        return {2 * column + ((row + z + color) & 1), row, z};
    const int xy = color >> 1, xz = color & 1;
    const int y = 2 * row + ((z + xy + xz) & 1);
    return {2 * column + ((y + xy) & 1), y, z};
}

/// One thread per voxel of a color. No thread reads what another writes in the same launch.
template <int Most, typename View>
__global__ void __launch_bounds__(Most)
    relaxColor(const View view, Planes<float> t, float omega, int color, SweepMark mark) {
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    const View s = view.loaded();
    const Size3 size = s.size();
    const Voxel p = voxelOfColor < View::divergence
                        ? 4
                        : 2 > (color, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                               static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
                               static_cast<int>(blockIdx.z));
    float largest = 0;
    if (p.x < size.x && p.y < size.y) {
        const GlobalField<Load::Cached> field{{{t.plane[0], t.plane[1], t.plane[2]}}};
        const std::size_t i = offset(size, p);
        const std::array<float, 3> solved = relaxedBlock<float>(s, field, p);
        for (int k = 0; k < 3; ++k) {
            float& value = t.plane[k][i];
            const float change = omega * (solved[static_cast<std::size_t>(k)] - value);
            value += change;
            largest = fmaxf(largest, fabsf(change));
        }
    }
    takeChange(mark, largest, blockChange);
}

/// Cost of one voxel of a color in place.
KernelCost inPlaceCost(DivergenceStencil stencil, bool beta, bool half) {
    KernelCost c = cost::jacobiArithmetic(beta ? stencil : DivergenceStencil::Energy, beta);
    c.add += 3;
    c.fusedMultiplyAdd += 2;
    c.divide = 1;
    c.globalLoads = 9 + (beta ? cost::jacobiReads(stencil, true) : 21) + 4;
    c.globalStores = 3;
    c.integer = !beta ? 290 : stencil == DivergenceStencil::Energy ? 1150 : 650;
    return half ? c + cost::halfCoefficients : c;
}

} // namespace

void relaxInPlace(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
                  float omega, int sweep, const SweepCourse& course, LaunchLog& log) {
    const Size3 size = system.size;
    const int colors = colorsOf(system.beta);
    const double share = static_cast<double>(system.voxels()) / colors;
    KernelNote note{redBlackFamily.kernel(inPlace) + (system.beta > 0 ? " beta" : ""),
                    share * (coefficientBytes(half) + 24)};
    const int threads = gpu::threadsOfBlock(log, note.kernel, standardThreads);
    const LaunchShape shape =
        gpu::columnsOver({(size.x + 1) / 2, colors == 2 ? size.y : (size.y + 1) / 2, size.z}, 1,
                         threads / gpu::tileX);
    note.cost =
        gpu::perThread(shape, share, inPlaceCost(system.stencil, system.beta > 0, half.used()));
    gpu::withBound<standardThreads>(threads, [&](auto most) {
        withSystem<Load::Cached>(system, half, [&](auto view) {
            for (int color = 0; color < colors; ++color)
                log.launch(note, relaxColor<decltype(most)::value, decltype(view)>, shape, view, t,
                           omega, color, course.mark(sweep, color + 1 == colors));
        });
    });
}

RedBlackForm redBlackForm(const CudaContext& cuda, Size3 size, const DeviceSolveOptions& options,
                          int sweeps) {
    // Splitting and merging the colors costs about three sweeps, and each sweep then takes half the
    // time; where launch overhead dominates, nothing is gained.
    constexpr int worthSplitting = 5;
    constexpr std::size_t launchBound = 40 * 40 * 40;
    if (options.withBeta && options.stencil == DivergenceStencil::Paper)
        return RedBlackForm::InPlace;
    const bool tiled =
        !options.withBeta && !options.halfTensor && worthTiles(size) && hasTiles(cuda);
    const bool separable = !(options.withBeta && options.halfTensor);
    return ResidentRelaxation::fits(cuda, size) ? RedBlackForm::Resident
           : !options.withBeta && sweeps >= worthSplitting && SpreadRelaxation::fits(cuda, size)
               ? RedBlackForm::Spread
           : separable && sweeps >= worthSplitting && size.voxels() > launchBound
               ? (tiled ? RedBlackForm::Tiles : RedBlackForm::Colors)
               : RedBlackForm::InPlace;
}

struct DeviceRedBlack::Forms {
    std::optional<DeviceColors> colors;
    std::optional<ResidentRelaxation> resident;
    std::optional<SpreadRelaxation> spread;
    bool formB = false;
};

DeviceRedBlack::DeviceRedBlack(CudaContext& cuda, Size3 size, RedBlackForm form, bool withBeta,
                               bool halfTensor)
    : forms_(std::make_unique<Forms>()) {
    if (form == RedBlackForm::Colors || form == RedBlackForm::Tiles)
        forms_->colors.emplace(cuda, size, withBeta, halfTensor, form == RedBlackForm::Tiles);
    if (form == RedBlackForm::Resident)
        forms_->resident.emplace(cuda, size);
    if (form == RedBlackForm::Spread)
        forms_->spread.emplace(cuda, size);
    forms_->formB = !halfTensor && (forms_->colors || forms_->spread);
}

DeviceRedBlack::~DeviceRedBlack() = default;
DeviceRedBlack::DeviceRedBlack(DeviceRedBlack&&) noexcept = default;

std::size_t DeviceRedBlack::scratchBytes(Size3 size, RedBlackForm form, bool withBeta,
                                         bool halfTensor) {
    return form == RedBlackForm::Colors || form == RedBlackForm::Tiles
               ? DeviceColors::scratchBytes(size, withBeta, halfTensor, form == RedBlackForm::Tiles)
           : form == RedBlackForm::Spread ? SpreadRelaxation::scratchBytes(size)
                                          : 0;
}

bool DeviceRedBlack::formsB() const { return forms_->formB; }

void DeviceRedBlack::solve(const DeviceSystem& system, const HalfTensor& half,
                           const Planes<float>& t, const SolveOptions& options, const int* stop,
                           LaunchLog& log) {
    if (forms_->resident) {
        forms_->resident->solve(system, half, t, options, stop, log);
        return;
    }
    if (forms_->spread) {
        forms_->spread->solve(system, half, t, options, stop, log);
        return;
    }
    const SweepCourse course(system.state, options);
    const auto omega = static_cast<float>(options.omega);
    course.begin(log, stop);
    if (forms_->colors)
        forms_->colors->load(system, half, t, log);
    for (int sweep = 1; sweep <= options.sweeps;)
        if (forms_->colors)
            sweep += forms_->colors->sweep(omega, sweep, course, log);
        else
            relaxInPlace(system, half, t, omega, sweep++, course, log);
    course.end(log, forms_->colors && forms_->colors->away());
    if (forms_->colors)
        forms_->colors->store(log);
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
