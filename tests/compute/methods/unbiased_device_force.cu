#include "compute/methods/unbiased/force_cuda.cuh"
#include "tests/compute/methods/unbiased_device_force.h"

namespace systole::test {

ForceFound forceOnDevice(int variant, int threads, const unbiased::Frames& frames,
                         FieldView<const float> motion, const unbiased::ForceRule& rule,
                         CudaContext& cuda) {
    const Size3 size = motion.size;
    const std::size_t n = size.voxels();
    BufferPool& pool = cuda.devicePool();
    Buffer<float> values = pool.acquire<float>(8 * n, "frames, motion and force");
    Buffer<double2> sums = pool.acquire<double2>(unbiased::forceBlocks(size), "sums");
    Buffer<unsigned> arrived = pool.acquire<unsigned>(1, "arrived");
    Buffer<unbiased::LevelState> level = pool.acquire<unbiased::LevelState>(1, "level");
    float* const at = values.data();
    const std::size_t bytes = n * sizeof(float);
    cuda.upload(frames.fixed.data, at, bytes, CudaStream::Compute);
    cuda.upload(frames.moving.data, at + n, bytes, CudaStream::Compute);
    for (std::size_t k = 0; k < 3; ++k)
        cuda.upload(motion.component(static_cast<int>(k)), at + (2 + k) * n, bytes,
                    CudaStream::Compute);
    cuda.zero(arrived.data(), sizeof(unsigned), CudaStream::Compute);
    cuda.zero(level.data(), sizeof(unbiased::LevelState), CudaStream::Compute);
    cuda.upload(&rule.noise, &level.data()->noise, sizeof(float), CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    BlockSizes blocks;
    blocks.set(unbiased::forceFamily.kernel(variant), threads);
    log.setBlockSizes(blocks);
    const FieldView<const float> onDevice(at + 2 * n, size);
    unbiased::enqueueForce(variant,
                           {{{at, size}, {at + n, size}},
                            {onDevice, onDevice},
                            {at + 5 * n, size},
                            rule,
                            {},
                            unbiased::ForceUse::Alone,
                            level.data(),
                            {sums.data(), arrived.data()}},
                           log);
    ForceFound found{0, std::vector<float>(3 * n)};
    cuda.download(&level.data()->steps.energy, &found.energy, sizeof(double), CudaStream::Compute);
    cuda.download(at + 5 * n, found.force.data(), 3 * bytes, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return found;
}

} // namespace systole::test
