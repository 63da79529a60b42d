// Block matching as a task: every block of a cube of random gray values, in a cube that is the same
// but for noise.
#include "compute/lab/kernels/tasks.cuh"
#include "compute/methods/ffd/affine_blocks_cuda.cuh"

#include <cstring>
#include <numeric>

namespace systole::lab {
using namespace gpu;
namespace {

struct MatchData {
    Size3 size;
    std::vector<float> fixed, warped;
    std::vector<int> blocks;
    Buffer<float> images; ///< both
    Buffer<int> blocksOnDevice;
    Buffer<affine::BlockMatch> matches;
};

std::vector<float> matchesOnHost(const MatchData& d, const ExecContext& ctx) {
    std::vector<affine::BlockMatch> matches(d.blocks.size());
    affine::matchBlocks({d.fixed.data(), d.size}, {d.warped.data(), d.size}, d.blocks,
                        affine::Search{}, matches.data(), ctx);
    std::vector<float> values(matches.size() * sizeof(affine::BlockMatch) / sizeof(float));
    std::memcpy(values.data(), matches.data(), values.size() * sizeof(float));
    return values;
}

} // namespace

KernelTask makeBlockMatchTask(CudaContext& cuda, int side) {
    BufferPool& pool = cuda.devicePool();
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    const auto count = static_cast<std::size_t>(affine::BlockGrid{size}.blocks());
    const auto d = std::make_shared<MatchData>(
        MatchData{size, randomVolume(side, 5), randomVolume(side, 6), std::vector<int>(count),
                  pool.acquire<float>(2 * n, "laboratory, images"),
                  pool.acquire<int>(count, "laboratory, blocks"),
                  pool.acquire<affine::BlockMatch>(count, "laboratory, matches")});
    for (std::size_t i = 0; i < n; ++i)
        d->warped[i] = d->fixed[i] + 0.25f * d->warped[i];
    std::iota(d->blocks.begin(), d->blocks.end(), 0);
    cuda.upload(d->fixed.data(), d->images.data(), n * sizeof(float), CudaStream::Compute);
    cuda.upload(d->warped.data(), d->images.data() + n, n * sizeof(float), CudaStream::Compute);
    cuda.upload(d->blocks.data(), d->blocksOnDevice.data(), count * sizeof(int),
                CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(reinterpret_cast<float*>(d->matches.data()),
                             count * sizeof(affine::BlockMatch) / sizeof(float),
                             2 * n * sizeof(float) + count * sizeof(int));
    task.launch = [d, n](int variant, LaunchLog& log) {
        matchBlocks(variant,
                    {{d->images.data(), d->size},
                     {d->images.data() + n, d->size},
                     d->blocksOnDevice.data(),
                     affine::Search{},
                     d->matches.data()},
                    static_cast<int>(d->blocks.size()), log);
    };
    task.onHost = [d](const ExecContext& ctx) { return matchesOnHost(*d, ctx); };
    task.downloadBytes = count * sizeof(affine::BlockMatch);
    return task;
}

} // namespace systole::lab
