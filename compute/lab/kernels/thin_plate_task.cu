// The thin-plate transform as a task: 300 landmarks, as in the paper's experiment with shared
// memory, carry every voxel of a cube.
#include "compute/cuda/uploaded.h"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/lab/kernels/thin_plate_cuda.cuh"

namespace systole::lab {
namespace {

constexpr int landmarks = 300;

/// Random places in the cube, and places up to two voxels from them.
ThinPlateSpline randomSpline(int side) {
    std::vector<Vec3> from, to;
    for (int i = 0; i < landmarks; ++i) {
        const auto random = [&](int which) {
            return static_cast<double>(uniformFloat(static_cast<std::uint32_t>(
                randomBits(2, static_cast<std::uint64_t>(which), static_cast<std::uint64_t>(i)))));
        };
        const Vec3 p{side * random(0), side * random(1), side * random(2)};
        from.push_back(p);
        to.push_back(p + Vec3{4 * random(3) - 2, 4 * random(4) - 2, 4 * random(5) - 2});
    }
    return fitThinPlate(from, to, 0.1);
}

struct ThinPlateData {
    Size3 size;
    ThinPlateSpline spline;
    tps::Affine affine;
    Buffer<tps::Term> terms;
    Buffer<float> positions;

    FieldView<float> out() {
        const std::size_t n = size.voxels();
        return {positions.data(), positions.data() + n, positions.data() + 2 * n, size};
    }
};

std::vector<float> positionsOnHost(const ThinPlateData& d, const ExecContext& ctx) {
    const std::size_t n = d.size.voxels();
    std::vector<float> positions(3 * n);
    float* const p = positions.data();
    transformGrid(d.spline, {p, p + n, p + 2 * n, d.size}, ctx);
    return positions;
}

} // namespace

KernelTask makeThinPlateTask(CudaContext& cuda, int side) {
    const Size3 size = labSize(side);
    ThinPlateSpline spline = randomSpline(side);
    const tps::Affine affine = tps::affineOf(spline);
    const std::vector<tps::Term> terms = tps::termsOf(spline);
    const auto d = std::make_shared<ThinPlateData>(ThinPlateData{
        size, std::move(spline), affine, uploaded(terms, "laboratory, coefficients", cuda),
        cuda.devicePool().acquire<float>(3 * size.voxels(), "laboratory, tps")});
    cuda.synchronize(CudaStream::Compute);

    KernelTask task =
        taskOf(d->positions.data(), d->positions.size(), landmarks * sizeof(tps::Term));
    task.launch = [d](int variant, LaunchLog& log) {
        transformGrid(variant, {d->terms.data(), landmarks, d->affine}, d->out(), log);
    };
    task.onHost = [d](const ExecContext& ctx) { return positionsOnHost(*d, ctx); };
    return task;
}

} // namespace systole::lab
