#include "compute/cuda/graph.cuh"
#include "compute/methods/clg/solver/half_cuda.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "tests/compute/methods/clg_device_problem.h"

#include <optional>

namespace systole::test {
namespace {

/// The system and a field in device memory.
class DeviceProblem {
public:
    DeviceProblem(CudaContext& cuda, const ClgSystem& host, FieldView<const float> t)
        : cuda_(cuda)
        , voxels_(host.size().voxels())
        , storage_(cuda.devicePool().acquire<float>(19 * voxels_, "test, system"))
        , state_(cuda.devicePool().acquire<clg::DeviceState>(1, "test, state"))
        , sum_(cuda.devicePool().acquire<double>(1, "test, energy")) {
        for (int k = 0; k < 9; ++k) {
            system.coefficient[k] = plane(k);
            upload(host.coefficient[static_cast<std::size_t>(k)].data, plane(k));
        }
        for (int k = 0; k < 3; ++k) {
            start_[k] = plane(9 + k);
            field[k] = plane(12 + k);
            upload(t.component(k), start_[k]);
            system.scale[k] = host.scale[static_cast<std::size_t>(k)];
        }
        if (!host.incompressibility.empty()) {
            upload(host.incompressibility.data, plane(15));
            system.incompressibility = plane(15);
        }
        system.beta = host.beta;
        system.stencil = host.stencil;
        system.size = host.size();
        system.state = state_.data();
        clg::DeviceState state{};
        std::copy(host.smoothness.begin(), host.smoothness.end(), state.smoothness);
        cuda.upload(&state, state_.data(), sizeof state, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }

    void restart() {
        for (int k = 0; k < 3; ++k)
            cuda_.copyOnDevice(start_[k], field[k], voxels_ * sizeof(float), CudaStream::Compute);
    }
    std::vector<float> download(const float* first) {
        std::vector<float> values(3 * voxels_);
        cuda_.download(first, values.data(), values.size() * sizeof(float), CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        return values;
    }
    DeviceSolution solution() {
        DeviceSolution result;
        result.field = download(field[0]);
        clg::DeviceState state{};
        cuda_.download(state_.data(), &state, sizeof state, CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        result.sweeps = state.sweeps;
        result.change = state.change;
        return result;
    }
    double* sum() { return sum_.data(); }
    void takeTrend(FieldView<const float> trend) {
        for (int k = 0; k < 3; ++k) {
            upload(trend.component(k), plane(16 + k));
            system.trend[k] = plane(16 + k);
        }
    }

    clg::DeviceSystem system{};
    float* field[3]{};

private:
    float* plane(int k) { return storage_.data() + static_cast<std::size_t>(k) * voxels_; }
    void upload(const float* from, float* to) {
        cuda_.upload(from, to, voxels_ * sizeof(float), CudaStream::Compute);
    }

    CudaContext& cuda_;
    std::size_t voxels_;
    Buffer<float> storage_;
    Buffer<clg::DeviceState> state_;
    Buffer<double> sum_;
    float* start_[3]{};
};

} // namespace

bool clusterHolds(const CudaContext& cuda, Size3 size) {
    return clg::ResidentRelaxation::fits(cuda, size);
}

bool hasTiles(const CudaContext& cuda) { return clg::hasTiles(cuda); }

DeviceSolution relaxOnDevice(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t,
                             const SolveOptions& options, RelaxationForm form, bool halfTensor,
                             const BlockSizes& blocks) {
    DeviceProblem problem(cuda, system, t);
    clg::DeviceRedBlack solver(cuda, system.size(), static_cast<clg::RedBlackForm>(form),
                               system.beta > 0, halfTensor);
    clg::HalfStore store(cuda, system.size());
    LaunchLog log(cuda, LaunchLog::Timing::None);
    log.setBlockSizes(blocks);
    problem.restart();
    const LaunchLog::Stage stage(log, "solve");
    const clg::HalfTensor half = halfTensor ? store.store(problem.system, log) : clg::HalfTensor{};
    solver.solve(problem.system, half, {problem.field[0], problem.field[1], problem.field[2]},
                 options, nullptr, log);
    return problem.solution();
}

DeviceSolution relaxFormingB(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t,
                             const SolveOptions& options, RelaxationForm form,
                             std::vector<float>* b, FieldView<float> trend) {
    DeviceProblem problem(cuda, system, t);
    problem.system.withoutB = problem.system.keepsB = true;
    if (!trend.empty())
        problem.takeTrend(trend);
    clg::DeviceRedBlack solver(cuda, system.size(), static_cast<clg::RedBlackForm>(form), false,
                               false);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    problem.restart();
    {
        const LaunchLog::Stage stage(log, "solve");
        solver.solve(problem.system, {}, {problem.field[0], problem.field[1], problem.field[2]},
                     options, nullptr, log);
    }
    *b = problem.download(problem.system.coefficient[6]);
    return problem.solution();
}

DeviceSolution solveOnDevice(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t,
                             const SolveOptions& options, const DeviceStorage& storage, int repeats,
                             const BlockSizes& blocks) {
    DeviceProblem problem(cuda, system, t);
    clg::DeviceSolveOptions how{options};
    how.jacobi = storage.jacobi;
    how.halfTensor = storage.halfTensor;
    how.withBeta = system.beta > 0;
    how.stencil = system.stencil;
    clg::DeviceSolver solver(cuda, system.size(), how);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    log.setBlockSizes(blocks);
    const auto solve = [&] {
        problem.restart();
        const LaunchLog::Stage stage(log, "solve");
        solver.solve(problem.system, problem.field, log);
    };
    if (repeats == 1) {
        solve();
    } else {
        const Graph graph(log.stream(), solve);
        for (int i = 0; i < repeats; ++i)
            graph.launch(log.stream());
        cuda.synchronize(CudaStream::Compute);
    }
    return problem.solution();
}

std::vector<float> rightHandSideOnDevice(CudaContext& cuda, const ClgSystem& system,
                                         FieldView<const float> w0) {
    DeviceProblem problem(cuda, system, w0);
    problem.restart();
    LaunchLog log(cuda, LaunchLog::Timing::None);
    const LaunchLog::Stage stage(log, "solve");
    clg::addDivergenceOf(problem.system, {problem.field[0], problem.field[1], problem.field[2]},
                         log);
    return problem.download(problem.system.coefficient[6]);
}

double energyOnDevice(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t) {
    DeviceProblem problem(cuda, system, t);
    problem.restart();
    LaunchLog log(cuda, LaunchLog::Timing::None);
    const LaunchLog::Stage stage(log, "energy");
    clg::energy(problem.system, {problem.field[0], problem.field[1], problem.field[2]},
                problem.sum(), log);
    double result = 0;
    cuda.download(problem.sum(), &result, sizeof result, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return result;
}

} // namespace systole::test
