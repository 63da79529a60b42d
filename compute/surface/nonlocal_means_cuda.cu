// Denoising on the device: the passes of the search, and the rounds.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/surface/narrow_band.h"
#include "compute/surface/nlm_search_cuda.cuh"
#include "compute/surface/nonlocal_heat.h"
#include "compute/surface/nonlocal_heat_cuda.cuh"

#include <algorithm>
#include <optional>

namespace systole {
namespace {

using gpu::ChunkMemory;
using gpu::DeviceLeaves;
using gpu::PatchChunk;

/// Leaves per chunk: all, or so many that two chunks fit half of what is free.
int leavesPerChunk(std::size_t bytesOfLeaf, int leaves, const BufferPool& pool) {
    const BufferPool::Usage usage = pool.usage();
    const std::size_t free =
        usage.budgetBytes > usage.usedBytes ? usage.budgetBytes - usage.usedBytes : 0;
    const std::size_t fits = free / 2 / bytesOfLeaf;
    if (fits >= static_cast<std::size_t>(leaves))
        return leaves;
    return std::max(1, static_cast<int>(fits / 2));
}

int search(VolumeView<const float> phi, std::span<const int> band,
           const NonlocalMeansParameters& parameters, NeighborView out, LaunchLog& log) {
    const int variant = nlmSearchFamily.named(parameters.search);
    if (parameters.window > 0 && !gpu::isTiled(variant))
        throw ComputeError("the search variant " + parameters.search +
                           " compares the whole band: a window takes tile, gemm, pruned or "
                           "pruned-gemm");
    const DeviceLeaves::Order order = !gpu::isTiled(variant)  ? DeviceLeaves::Order::Band
                                      : parameters.window > 0 ? DeviceLeaves::Order::Place
                                                              : DeviceLeaves::Order::Features;
    const DeviceLeaves leaves(phi, band.data(), static_cast<int>(band.size()),
                              parameters.patchRadius, order, log);
    BufferPool& pool = log.cuda().devicePool();
    const int numbers = nlm::patchNumbers(parameters.patchRadius), count = leaves.view().leaves;
    const gpu::Layouts layouts = gpu::layoutsOf(variant);
    const int chunk = leavesPerChunk(ChunkMemory::bytesOfLeaf(layouts, numbers), count, pool);
    ChunkMemory ownMemory(layouts, numbers, chunk, pool);
    std::optional<ChunkMemory> otherMemory;
    if (chunk < count)
        otherMemory.emplace(layouts, numbers, chunk, pool);
    int passes = 0;
    for (int first = 0; first < count; first += chunk) {
        const PatchChunk queries = ownMemory.of(first, std::min(count, first + chunk));
        leaves.gather(queries, log);
        // The own chunk first: its bounds are the best.
        bool further = false;
        const auto compare = [&](const PatchChunk& compared) {
            const gpu::SearchPass pass{leaves.view(),     queries, compared,
                                       parameters.window, out,     further};
            gpu::searchPass(variant, pass, log);
            further = true;
            ++passes;
        };
        compare(queries);
        for (int other = 0; other < count; other += chunk)
            if (other != first) {
                const PatchChunk compared = otherMemory->of(other, std::min(count, other + chunk));
                leaves.gather(compared, log);
                compare(compared);
            }
    }
    return passes;
}

} // namespace

int findNeighborsOnDevice(VolumeView<const float> phi, std::span<const int> band,
                          const NonlocalMeansParameters& parameters, NeighborView out,
                          const ExecContext& ctx) {
    int passes = 0;
    loggedCall(ctx, "search",
               [&](LaunchLog& log) { passes = search(phi, band, parameters, out, log); });
    return passes;
}

DenoiseReport denoiseSurfaceOnDevice(VolumeView<float> phi, Vec3 spacing,
                                     const NonlocalMeansParameters& parameters,
                                     const ExecContext& ctx, const Redistance& redistance) {
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    const auto delta = static_cast<float>(parameters.delta * nlm::meanVoxelSide(spacing));
    DenoiseReport report;
    for (int round = 0; round < parameters.rounds; ++round) {
        ctx.throwIfCancelled();
        if (round > 0 && redistance) {
            cuda.synchronize(CudaStream::Compute);
            redistance(phi);
        }
        const Buffer<int> band = narrowBandOnDevice(phi, delta, ctx);
        report.elements = static_cast<int>(band.size());
        const int m = nlm::keptNeighbors(parameters, band.size());
        const std::size_t entries = band.size() * static_cast<std::size_t>(m);
        Buffer<int> elements = pool.acquire<int>(entries, "neighbors");
        Buffer<float> distances = pool.acquire<float>(entries, "neighbors' distances");
        const NeighborView lists{elements.data(), distances.data(), m};
        report.passes = findNeighborsOnDevice(phi, band.span(), parameters, lists, ctx);

        Buffer<double2> partial = pool.acquire<double2>(gpu::meanBlocks, "mean distance");
        Buffer<gpu::HeatSums> onDevice = pool.acquire<gpu::HeatSums>(1, "sums of a round");
        Buffer<float> values = pool.acquire<float>(2 * band.size(), "band's values");
        gpu::HeatSums sums{};
        const auto fetch = [&] {
            cuda.download(onDevice.data(), &sums, sizeof sums, CudaStream::Compute);
            cuda.synchronize(CudaStream::Compute);
        };
        cuda.zero(onDevice.data(), sizeof sums, CudaStream::Compute);
        loggedCall(ctx, "iterate", [&](LaunchLog& log) {
            gpu::sumDistances(lists, report.elements, partial.data(), onDevice.data(), log);
            fetch();
            report.meanDistance = sums.distance / sums.count;
            gpu::weigh(phi.size, band.span(), lists,
                       nlm::weightScale(parameters, spacing, report.meanDistance), onDevice.data(),
                       log);
            gpu::iterateHeat(phi, band.span(), lists, parameters.iterations, values.data(),
                             onDevice.data(), log);
        });
        fetch();
        report.largestChange = static_cast<double>(std::bit_cast<float>(sums.largestChange));
    }
    return report;
}

} // namespace systole
