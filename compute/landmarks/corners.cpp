#include "compute/landmarks/corners.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/landmarks/corners_cuda.h"
#include "compute/landmarks/corners_math.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace systole {
namespace {

void check(const CornerSettings& settings) {
    const auto require = [](bool holds, const char* what) {
        if (!holds)
            throw ComputeError(std::string("corner detection: ") + what);
    };
    require(settings.number >= 0, "the number of corners must not be negative");
    require(settings.spacing >= 0 && std::isfinite(settings.spacing),
            "the spacing of corners must not be negative");
    require(settings.gradientSigma >= 0 && settings.gradientSigma <= 100,
            "the smoothing must be 0 to 100 mm");
    require(settings.tensorSigma >= 0 && settings.tensorSigma <= 100,
            "the neighborhood of the tensor must be 0 to 100 mm");
    require(settings.minResponse >= 0 && settings.minResponse <= 1,
            "the least response must be a fraction from 0 to 1");
    require(settings.margin >= 0, "the margin must not be negative");
}

Vec3 inVoxels(double millimeters, Vec3 spacing) {
    return {millimeters / spacing.x, millimeters / spacing.y, millimeters / spacing.z};
}

double tensorSigmaOf(const CornerSettings& settings, Vec3 spacing) {
    return settings.tensorSigma > 0 ? settings.tensorSigma
                                    : std::min({spacing.x, spacing.y, spacing.z});
}

/// The mean of g gᵀ around each voxel by separable smoothing of the six products.
void respond(VolumeView<const float> frame, Vec3 halfInverse, Vec3 sigma,
             VolumeView<float> response, const ExecContext& ctx) {
    const std::size_t voxels = frame.voxels();
    Buffer<float> memory = ctx.pool->acquire<float>(tensorNumbers * voxels, "corner tensors");
    const auto component = [&](std::size_t c) {
        return VolumeView<float>(memory.data() + c * voxels, frame.size);
    };
    parallelFor(ctx, frame.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < frame.size.y; ++y)
                for (int x = 0; x < frame.size.x; ++x) {
                    double tensor[tensorNumbers] = {};
                    addGradientTensor(frame, {x, y, z}, halfInverse, 1, tensor);
                    for (std::size_t c = 0; c < tensorNumbers; ++c)
                        component(c)(x, y, z) = static_cast<float>(tensor[c]);
                }
    });
    for (std::size_t c = 0; c < tensorNumbers; ++c)
        smoothGaussian(component(c), component(c), sigma, ctx);
    parallelFor(ctx, frame.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (std::size_t i = frame.offset(0, 0, begin); i < frame.offset(0, 0, end); ++i) {
            double tensor[tensorNumbers];
            for (std::size_t c = 0; c < tensorNumbers; ++c)
                tensor[c] = double{memory.data()[c * voxels + i]};
            response.data[i] = static_cast<float>(cornerStrength(tensor, frame.size));
        }
    });
}

/// Greater than every neighbor before it in memory, and not less than any after it.
bool isLocalMaximum(VolumeView<const float> response, Voxel p) {
    const Size3 size = response.size;
    const std::size_t at = response.offset(p.x, p.y, p.z);
    for (int z = std::max(p.z - 1, 0); z <= std::min(p.z + 1, size.z - 1); ++z)
        for (int y = std::max(p.y - 1, 0); y <= std::min(p.y + 1, size.y - 1); ++y)
            for (int x = std::max(p.x - 1, 0); x <= std::min(p.x + 1, size.x - 1); ++x) {
                const std::size_t other = response.offset(x, y, z);
                if (other < at ? !(response.data[at] > response.data[other])
                               : !(response.data[at] >= response.data[other]))
                    return false;
            }
    return true;
}

std::vector<Corner> localMaxima(VolumeView<const float> response, VolumeView<const float> mask,
                                float least, int margin, const ExecContext& ctx) {
    const Size3 size = response.size;
    const auto marginOf = [margin](int n) { return std::min(margin, (n - 1) / 2); };
    const int mx = marginOf(size.x), my = marginOf(size.y), mz = marginOf(size.z);
    std::vector<std::vector<Corner>> planes(static_cast<std::size_t>(size.z));
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = std::max(begin, mz); z < std::min(end, size.z - mz); ++z)
            for (int y = my; y < size.y - my; ++y)
                for (int x = mx; x < size.x - mx; ++x) {
                    const float value = response(x, y, z);
                    if (value > 0 && value >= least && std::isfinite(value) &&
                        (mask.empty() || mask(x, y, z) > 0.5f) &&
                        isLocalMaximum(response, {x, y, z}))
                        planes[static_cast<std::size_t>(z)].push_back({{x, y, z}, value});
                }
    });
    std::vector<Corner> all;
    for (const std::vector<Corner>& plane : planes)
        all.insert(all.end(), plane.begin(), plane.end());
    return all;
}

/// Accepted corners in cells not smaller than their least distance, nor than four voxels, so that
/// there are few: only those of the cells around
/// can be too near.
class SpacedCorners {
public:
    SpacedCorners(Size3 size, Vec3 spacing, double distance)
        : spacing_(spacing), distance_(distance) {
        const auto cells = [&](int n, double step) {
            return std::pair(std::max(distance, 4 * step),
                             static_cast<int>((n - 1) * step / std::max(distance, 4 * step)) + 1);
        };
        int* const counts[3] = {&cells_.x, &cells_.y, &cells_.z};
        for (int axis = 0; axis < 3; ++axis)
            std::tie(side_[axis], *counts[axis]) = cells(size[axis], spacing[axis]);
        byCell_.resize(cells_.voxels());
    }

    bool accept(const Corner& corner) {
        const Vec3 at = positionOf(corner.voxel);
        const Voxel cell{static_cast<int>(at.x / side_.x), static_cast<int>(at.y / side_.y),
                         static_cast<int>(at.z / side_.z)};
        for (int z = std::max(cell.z - 1, 0); z <= std::min(cell.z + 1, cells_.z - 1); ++z)
            for (int y = std::max(cell.y - 1, 0); y <= std::min(cell.y + 1, cells_.y - 1); ++y)
                for (int x = std::max(cell.x - 1, 0); x <= std::min(cell.x + 1, cells_.x - 1); ++x)
                    for (const Vec3& other : cellAt({x, y, z}))
                        if (length(other - at) < distance_)
                            return false;
        cellAt(cell).push_back(at);
        return true;
    }

private:
    Vec3 positionOf(Voxel v) const {
        return {v.x * spacing_.x, v.y * spacing_.y, v.z * spacing_.z};
    }
    std::vector<Vec3>& cellAt(Voxel c) {
        return byCell_[VolumeView<const float>(nullptr, cells_).offset(c.x, c.y, c.z)];
    }

    Vec3 spacing_, side_;
    double distance_;
    Size3 cells_;
    std::vector<std::vector<Vec3>> byCell_;
};

} // namespace

void cornerResponse(VolumeView<const float> frame, Vec3 spacing, const CornerSettings& settings,
                    VolumeView<float> response, const ExecContext& ctx) {
    check(settings);
    Buffer<float> smoothed;
    if (settings.gradientSigma > 0) {
        smoothed = ctx.pool->acquire<float>(frame.voxels(), "smoothed frame");
        smoothGaussian(frame, {smoothed.data(), frame.size},
                       inVoxels(settings.gradientSigma, spacing), ctx);
        frame = {smoothed.data(), frame.size};
    }
    const Vec3 halfInverse = inVoxels(0.5, spacing);
    const Vec3 sigma = inVoxels(tensorSigmaOf(settings, spacing), spacing);
    respond(frame, halfInverse, sigma, response, ctx);
}

namespace {

std::vector<Corner> maximaOnHost(VolumeView<const float> frame, Vec3 spacing,
                                 VolumeView<const float> mask, const CornerSettings& settings,
                                 const ExecContext& ctx) {
    Buffer<float> memory = ctx.pool->acquire<float>(frame.voxels(), "corner response");
    const VolumeView<float> response(memory.data(), frame.size);
    cornerResponse(frame, spacing, settings, response, ctx);
    const double strongest = parallelMax(ctx, frame.size.z, 1, [&](int begin, int end) {
        float most = 0;
        for (std::size_t i = frame.offset(0, 0, begin); i < frame.offset(0, 0, end); ++i)
            most = response.data[i] > most ? response.data[i] : most;
        return double{most};
    });
    return localMaxima(response, mask, static_cast<float>(settings.minResponse * strongest),
                       settings.margin, ctx);
}

/// The device has kernels of limited width, and counts voxels with 31 bits.
bool onDevice(VolumeView<const float> frame, Vec3 spacing, const CornerSettings& settings,
              const ExecContext& ctx) {
    if (!cudaIsBuilt || ctx.backend != Backend::Cuda ||
        frame.voxels() >= std::size_t{std::numeric_limits<int>::max()})
        return false;
    check(settings);
    if constexpr (cudaIsBuilt)
        return gpu::smoothsCorners(inVoxels(settings.gradientSigma, spacing)) &&
               gpu::smoothsCorners(inVoxels(tensorSigmaOf(settings, spacing), spacing));
    return false;
}

std::vector<Corner> maximaOnDevice(VolumeView<const float> frame, Vec3 spacing,
                                   VolumeView<const float> mask, const CornerSettings& settings,
                                   const ExecContext& ctx) {
    if constexpr (cudaIsBuilt)
        return gpu::findLocalMaxima(frame, mask,
                                    {inVoxels(settings.gradientSigma, spacing),
                                     inVoxels(tensorSigmaOf(settings, spacing), spacing),
                                     inVoxels(0.5, spacing)},
                                    settings.minResponse, settings.margin, ctx);
    return {};
}

} // namespace

std::vector<Corner> findCorners(VolumeView<const float> frame, Vec3 spacing,
                                VolumeView<const float> mask, const CornerSettings& settings,
                                const ExecContext& ctx) {
    if (!mask.empty() && mask.size != frame.size)
        throw ComputeError("corner detection: the mask's grid is not the frame's");
    std::vector<Corner> maxima = onDevice(frame, spacing, settings, ctx)
                                     ? maximaOnDevice(frame, spacing, mask, settings, ctx)
                                     : maximaOnHost(frame, spacing, mask, settings, ctx);
    std::ranges::stable_sort(maxima, std::greater<>{}, &Corner::response);
    SpacedCorners spaced(frame.size, spacing, settings.spacing);
    std::vector<Corner> corners;
    for (const Corner& corner : maxima) {
        if (static_cast<int>(corners.size()) == settings.number)
            break;
        if (spaced.accept(corner))
            corners.push_back(corner);
    }
    return corners;
}

} // namespace systole
