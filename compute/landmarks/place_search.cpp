#include "compute/landmarks/place_search.h"

#include "compute/cuda/context.h"
#include "compute/cuda/uploaded.h"
#include "compute/ops/resample.h"

#include <algorithm>

namespace systole::sest {
namespace {

void assignFeatures(VolumeView<const float> frame, float* planes, const ExecContext& ctx) {
    if constexpr (cudaIsBuilt) {
        Buffer<float> copy =
            ctx.cuda->devicePool().acquire<float>(frame.voxels(), "landmark frames");
        ctx.cuda->upload(frame.data, copy.data(), frame.voxels() * sizeof(float),
                         CudaStream::Compute);
        findFeaturesOnDevice({copy.data(), frame.size}, planes, ctx);
    }
}

/// Distances that are held at a time, 64 MiB: more landmarks are searched in several parts.
constexpr std::size_t greatestDistances = std::size_t{1} << 24;

constexpr const char* memoryName = "landmark search";

void describeOnDevice(const FeatureView& frame, Size3 patch, std::span<const Voxel> places,
                      float* descriptors, const ExecContext& ctx) {
    if constexpr (cudaIsBuilt) {
        CudaContext& cuda = *ctx.cuda;
        Buffer<Voxel> at = uploaded(places, memoryName, cuda);
        Buffer<float> found = cuda.devicePool().acquire<float>(places.size() * numbers, memoryName);
        describePlacesOnDevice(frame, patch, at.data(), static_cast<int>(places.size()),
                               found.data(), ctx);
        cuda.download(found.data(), descriptors, found.size() * sizeof(float), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }
}

} // namespace

FrameLevels::FrameLevels(const std::vector<PyramidLevel>& levels, const ExecContext& ctx)
    : levels_(levels) {
    for (const PyramidLevel& level : levels_) {
        if (ctx.backend == Backend::Cuda)
            features_.push_back(ctx.cuda->devicePool().acquire<float>(
                sest::features * level.size.voxels(), "landmark features"));
        else
            padded_.emplace_back(level.size, *ctx.pool);
        plain_.push_back(ctx.pool->acquire<float>(level.size.voxels(), "landmark frames"));
    }
}

void FrameLevels::assign(VolumeView<const float> frame, GrayMapping gray, const ExecContext& ctx) {
    const auto plain = [&](std::size_t level) {
        return VolumeView<float>(plain_[level].data(), levels_[level].size);
    };
    mapGray(frame, gray, plain(0), ctx);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        ctx.throwIfCancelled();
        if (level > 0)
            decimate(plain(level - 1), levels_[level].factor, plain(level), ctx);
        if (onDevice())
            assignFeatures(plain(level), features_[level].data(), ctx);
        else
            padded_[level].assign(plain(level), ctx);
    }
}

void describePlaces(const FrameLevels& frame, std::size_t level, Size3 patch,
                    std::span<const Voxel> places, float* descriptors, const ExecContext& ctx) {
    if (places.empty())
        return;
    if (frame.onDevice())
        describeOnDevice(frame.features(level), patch, places, descriptors, ctx);
    else
        describePlaces(frame.rows(level), patch, places, descriptors, ctx);
}

void PlaceSearch::find(const FrameLevels& target, std::size_t level, const Window& window,
                       std::span<const Voxel> centers, const float* descriptors,
                       std::span<RegionMatch> matches, const ExecContext& ctx) {
    const std::size_t part = std::max<std::size_t>(greatestDistances / window.candidates(), 1);
    for (std::size_t first = 0; first < centers.size(); first += part) {
        ctx.throwIfCancelled();
        const std::size_t count = std::min(part, centers.size() - first);
        const auto own = centers.subspan(first, count);
        const auto found = matches.subspan(first, count);
        if (target.onDevice())
            findOnDevice(target.features(level), window, own, descriptors + first * numbers, found,
                         ctx);
        else
            findOnHost(target.rows(level), window, own, descriptors + first * numbers, found, ctx);
    }
}

void PlaceSearch::findOnHost(const PaddedFrame& target, const Window& window,
                             std::span<const Voxel> centers, const float* descriptors,
                             std::span<RegionMatch> matches, const ExecContext& ctx) {
    const std::size_t candidates = window.candidates();
    if (squared_.size() < centers.size() * candidates)
        squared_.resize(centers.size() * candidates);
    findSquaredDistances(target, window, centers, descriptors, squared_.data(), ctx);
    parallelFor(ctx, static_cast<int>(centers.size()), 16, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            matches[i] = bestOfRegion({squared_.data() + i * candidates, window.searchSize()},
                                      centers[i], target.size());
    });
}

void PlaceSearch::findOnDevice(const FeatureView& target, const Window& window,
                               std::span<const Voxel> centers, const float* descriptors,
                               std::span<RegionMatch> matches, const ExecContext& ctx) {
    if constexpr (cudaIsBuilt) {
        CudaContext& cuda = *ctx.cuda;
        BufferPool& pool = cuda.devicePool();
        const std::size_t landmarks = centers.size();
        const auto count = static_cast<int>(landmarks);
        Buffer<Voxel> around = uploaded(centers, memoryName, cuda);
        Buffer<float> own = uploaded(std::span(descriptors, landmarks * numbers), memoryName, cuda);
        Buffer<float> squared = pool.acquire<float>(landmarks * window.candidates(), memoryName);
        Buffer<RegionMinimum> minima = pool.acquire<RegionMinimum>(landmarks, memoryName);
        findSquaredDistancesOnDevice(target, window, around.data(), count, own.data(),
                                     squared.data(), ctx);
        findMinimaOnDevice(squared.data(), window.searchSize(), count, minima.data(), ctx);
        minima_.resize(landmarks);
        cuda.download(minima.data(), minima_.data(), landmarks * sizeof(RegionMinimum),
                      CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        for (std::size_t i = 0; i < landmarks; ++i)
            matches[i] = matchOf(minima_[i], window.searchSize(), centers[i], target.size);
    }
}

} // namespace systole::sest
