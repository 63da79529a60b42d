// Work in a narrow band as a task: a ball in a cube, of which the band is 13 % at a side of 64 and
// 4 % at 200.
#include "compute/cuda/uploaded.h"
#include "compute/lab/kernels/band_work_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

#include <cmath>

namespace systole::lab {
namespace {

constexpr float delta = 3;

struct BandData {
    std::vector<float> ball;
    Size3 size;
    int elements = 0;
    Buffer<float> phi, rest;
    Buffer<int> list, count;
    Buffer<std::byte> scan;

    VolumeView<const float> view() const { return {phi.data(), size}; }
    BandRoom room() { return {list.data(), count.data(), scan.data(), scan.size()}; }
};

std::vector<float> ballIn(Size3 size) {
    std::vector<float> phi(size.voxels());
    const VolumeView<float> view(phi.data(), size);
    const double center = (size.x - 1) / 2.0, radius = size.x / 3.0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                view(x, y, z) =
                    static_cast<float>(std::hypot(x - center, y - center, z - center) - radius);
    return phi;
}

} // namespace

KernelTask makeBandTask(CudaContext& cuda, int side) {
    BufferPool& pool = cuda.devicePool();
    const auto d = std::make_shared<BandData>();
    d->size = labSize(side);
    d->ball = ballIn(d->size);
    const std::size_t voxels = d->size.voxels();
    d->phi = uploaded(d->ball, "laboratory, signed distance", cuda);
    d->rest = pool.acquire<float>(voxels, "laboratory, rests");
    d->list = pool.acquire<int>(voxels, "laboratory, band");
    d->count = pool.acquire<int>(1, "laboratory, band's length");
    d->scan = pool.acquire<std::byte>(bandScanBytes(d->size), "laboratory, band's scan");
    LaunchLog log(cuda, LaunchLog::Timing::None);
    listBand(d->view(), delta, d->room(), log);
    cuda.download(d->count.data(), &d->elements, sizeof d->elements, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->rest.data(), voxels, voxels * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        patchRests(variant, d->view(), delta, d->room(), d->elements, d->rest.data(), to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> rest(d->size.voxels());
        patchRests({d->ball.data(), d->size}, delta, {rest.data(), d->size}, ctx);
        return rest;
    };
    task.downloadBytes = static_cast<std::size_t>(d->elements) * sizeof(float);
    return task;
}

} // namespace systole::lab
