// The force as a task of the laboratory: smooth frames and half of the waves between them.
#include "compute/lab/kernels/smooth_frames_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/methods/unbiased/force_cuda.cuh"

namespace systole::lab {
using namespace unbiased;
namespace {

struct ForceData {
    Size3 size;
    Buffer<float> values; ///< fixed, moving, motion, force
    Buffer<double2> sums;
    Buffer<unsigned> arrived;
    Buffer<LevelState> level;

    VolumeView<float> frame(int which) {
        return {values.data() + static_cast<std::size_t>(which) * size.voxels(), size};
    }
    FieldView<float> motion() { return {values.data() + 2 * size.voxels(), size}; }
    FieldView<float> force() { return {values.data() + 5 * size.voxels(), size}; }
};

constexpr ForceRule rule{1000, {1, 1, 1}, true};

} // namespace

KernelTask makeUnbiasedForceTask(CudaContext& cuda, int side) {
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    BufferPool& pool = cuda.devicePool();
    const std::shared_ptr<ForceData> d(
        new ForceData{size, pool.acquire<float>(8 * n, "laboratory, unbiased force"),
                      pool.acquire<double2>(forceBlocks(size), "laboratory, sums"),
                      pool.acquire<unsigned>(1, "laboratory, arrived"),
                      pool.acquire<LevelState>(1, "laboratory, level")});
    cuda.zero(d->arrived.data(), sizeof(unsigned), CudaStream::Compute);
    cuda.zero(d->level.data(), sizeof(LevelState), CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    paintSmoothFrames(d->frame(0).data, d->frame(1).data, d->motion(), log);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->force().u, 3 * n, 5 * n * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        enqueueForce(variant,
                     {{d->frame(0), d->frame(1)},
                      {d->motion(), d->motion()},
                      d->force(),
                      rule,
                      {},
                      ForceUse::Alone,
                      d->level.data(),
                      {d->sums.data(), d->arrived.data()}},
                     to);
    };
    task.onHost = [d, n, &cuda](const ExecContext& ctx) {
        const std::vector<float> in = valuesOf(cuda, d->values.data(), 5 * n);
        std::vector<float> out(3 * n);
        force({{in.data(), d->size}, {in.data() + n, d->size}}, {in.data() + 2 * n, d->size}, rule,
              {out.data(), d->size}, ctx);
        return out;
    };
    return task;
}

} // namespace systole::lab
