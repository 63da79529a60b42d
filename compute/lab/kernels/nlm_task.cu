// The search of non-local means as a task: a noisy ball whose band has about side² elements, 16,384
// for a side of 128.
#include "compute/cuda/uploaded.h"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/surface/narrow_band.h"
#include "compute/surface/nlm_search_cuda.cuh"

#include <cmath>
#include <numbers>

namespace systole::lab {
using namespace gpu;
namespace {

constexpr float delta = 3;

struct Ball {
    Size3 size;
    std::vector<float> phi;

    explicit Ball(int bandSide) {
        // The band's volume is 4π r² · 2δ.
        const double radius =
            bandSide / std::sqrt(8 * std::numbers::pi * static_cast<double>(delta));
        const int side = static_cast<int>(2 * radius) + 16;
        size = labSize(side);
        phi.resize(size.voxels());
        const Vec3 center{side / 2.0, side / 2.0, side / 2.0};
        const VolumeView<float> view(phi.data(), size);
        for (int z = 0; z < side; ++z)
            for (int y = 0; y < side; ++y)
                for (int x = 0; x < side; ++x) {
                    const std::size_t i = view.offset(x, y, z);
                    const Vec3 p{static_cast<double>(x), static_cast<double>(y),
                                 static_cast<double>(z)};
                    phi[i] = static_cast<float>(length(p - center) - radius) +
                             0.4f * normalPair(randomBits(6, 1, i)).first;
                }
    }
};

struct NlmData {
    std::vector<float> phi;
    std::vector<int> band;
    Size3 size;
    int kept;
    Buffer<float> phiOnDevice, distance;
    Buffer<int> bandOnDevice, element;
    DeviceLeaves inOrder, byFeatures;
    ChunkMemory ofOrder, ofFeatures;

    NeighborView lists() { return {element.data(), distance.data(), kept}; }
};

} // namespace

KernelTask makeNlmTask(CudaContext& cuda, int side) {
    BufferPool& pool = cuda.devicePool();
    const NonlocalMeansParameters standard;
    const Ball ball(side);
    ExecResources host(0);
    const Buffer<int> found = narrowBand({ball.phi.data(), ball.size}, delta, host.context());
    const std::vector<int> band(found.span().begin(), found.span().end());
    const int elements = static_cast<int>(band.size()),
              kept = nlm::keptNeighbors(standard, band.size());
    const std::size_t entries = band.size() * static_cast<std::size_t>(kept);
    Buffer<float> phi = uploaded(ball.phi, "laboratory, signed distance", cuda);
    Buffer<int> onDevice = uploaded(band, "laboratory, band", cuda);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    const VolumeView<const float> view(phi.data(), ball.size);
    const int* const offsets = onDevice.data();
    const auto leaves = [&](DeviceLeaves::Order order) {
        return DeviceLeaves(view, offsets, elements, standard.patchRadius, order, log);
    };
    const int numbers = nlm::patchNumbers(standard.patchRadius);
    const int count = (elements + nlm::leafSize - 1) / nlm::leafSize;
    const auto d = std::make_shared<NlmData>(NlmData{
        ball.phi, band, ball.size, kept, std::move(phi),
        pool.acquire<float>(entries, "laboratory, distances"), std::move(onDevice),
        pool.acquire<int>(entries, "laboratory, neighbors"), leaves(DeviceLeaves::Order::Band),
        leaves(DeviceLeaves::Order::Features), ChunkMemory({true, false}, numbers, count, pool),
        ChunkMemory({true, true}, numbers, count, pool)});
    d->inOrder.gather(d->ofOrder.of(0, count), log);
    d->byFeatures.gather(d->ofFeatures.of(0, count), log);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task =
        taskOf(d->distance.data(), entries, (d->phi.size() + d->band.size()) * sizeof(float));
    task.launch = [d, count](int variant, LaunchLog& to) {
        const bool tiled = isTiled(variant);
        const PatchChunk chunk = (tiled ? d->ofFeatures : d->ofOrder).of(0, count);
        const DeviceLeaves& leavesOf = tiled ? d->byFeatures : d->inOrder;
        searchPass(variant, {leavesOf.view(), chunk, chunk, 0, d->lists(), false}, to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> distance(d->distance.size());
        std::vector<int> element(d->element.size());
        findNeighbors({d->phi.data(), d->size}, d->band, {},
                      {element.data(), distance.data(), d->kept}, ctx);
        return distance;
    };
    task.downloadBytes = 2 * entries * sizeof(float);
    return task;
}

} // namespace systole::lab
