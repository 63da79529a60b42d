// SEST tracking as a task: the distances of all candidates of side²/16 landmarks (256 for a side of
// 64, 2500 for 200: the paper's thousands at the sizes of its images) in a cube of random gray
// values. Search regions lie inside the cube where its side is at least 25.
#include "compute/cuda/uploaded.h"
#include "compute/lab/kernels/sest_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/landmarks/feature_planes.cuh"

#include <algorithm>

namespace systole::lab {
namespace {

/// Spread so that search regions stay inside the cube where it is large enough.
std::vector<Voxel> randomLandmarks(int side, int count) {
    std::vector<Voxel> voxels;
    for (int i = 0; i < count; ++i) {
        const auto along = [&](int radius, std::uint64_t axis) {
            const int margin = std::min(radius, (side - 1) / 2);
            const std::uint64_t bits = randomBits(3, axis, static_cast<std::uint64_t>(i));
            return margin + static_cast<int>(bits % static_cast<std::uint64_t>(side - 2 * margin));
        };
        voxels.push_back({along(sest::searchRadius.x, 0), along(sest::searchRadius.y, 1),
                          along(sest::searchRadius.z, 2)});
    }
    return voxels;
}

struct SestData {
    Size3 size;
    std::vector<float> frame;
    std::vector<Voxel> places;
    Buffer<float> planes;
    Buffer<Voxel> landmarks;
    Buffer<float> descriptors, distances;

    int count() const { return static_cast<int>(places.size()); }
    sest::FeatureView target() const { return {planes.data(), size}; }
};

std::vector<float> distancesOnHost(const SestData& d, const ExecContext& ctx) {
    std::vector<float> planes(d.planes.size()), descriptors(d.descriptors.size()),
        distances(d.distances.size());
    sest::findFeatures({d.frame.data(), d.size}, planes.data(), ctx);
    const sest::FeatureView target{planes.data(), d.size};
    sest::describe(target, d.places, descriptors.data(), ctx);
    sest::findDistances(target, d.places, descriptors.data(), distances.data(), ctx);
    return distances;
}

} // namespace

KernelTask makeSestTask(CudaContext& cuda, int side) {
    BufferPool& pool = cuda.devicePool();
    const Size3 size = labSize(side);
    const auto count = static_cast<std::size_t>(std::max(1, side * side / 16));
    const auto d = std::make_shared<SestData>(
        SestData{size, randomVolume(side, 4), randomLandmarks(side, static_cast<int>(count)),
                 pool.acquire<float>(sest::features * size.voxels(), "laboratory, features"),
                 pool.acquire<Voxel>(count, "laboratory, landmarks"),
                 pool.acquire<float>(sest::numbers * count, "laboratory, descriptors"),
                 pool.acquire<float>(sest::candidates * count, "laboratory, distances")});
    const Buffer<float> frame = uploaded(d->frame, "laboratory, frame", cuda);
    cuda.upload(d->places.data(), d->landmarks.data(), count * sizeof(Voxel), CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    gpu::sestFeatures({frame.data(), size}, d->planes.data(), log);
    sestDescribe(d->target(), d->landmarks.data(), d->count(), d->descriptors.data(), log);
    cuda.synchronize(CudaStream::Compute);

    // Features, places and descriptors, as in the paper.
    KernelTask task =
        taskOf(d->distances.data(), d->distances.size(),
               (d->planes.size() + d->descriptors.size()) * sizeof(float) + count * sizeof(Voxel));
    task.launch = [d](int variant, LaunchLog& to) {
        sestDistances(variant, d->target(), d->landmarks.data(), d->count(), d->descriptors.data(),
                      d->distances.data(), to);
    };
    task.onHost = [d](const ExecContext& ctx) { return distancesOnHost(*d, ctx); };
    return task;
}

} // namespace systole::lab
