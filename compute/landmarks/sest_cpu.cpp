#include "compute/core/error.h"
#include "compute/landmarks/sest.h"
#include "compute/landmarks/sest_math.h"

#include <cmath>
#include <limits>
#include <string>

namespace systole::sest {
namespace {

/// Reads features in place.
struct PlainRead {
    const float* planes;
    std::size_t voxels;
    explicit PlainRead(const FeatureView& frame)
        : planes(frame.data), voxels(frame.size.voxels()) {}
    float operator()(int f, unsigned voxel) const {
        return planes[static_cast<std::size_t>(f) * voxels + voxel];
    }
};
constexpr auto inverseRoot = [](float square) { return 1 / std::sqrt(square); };

} // namespace

void findFeatures(VolumeView<const float> frame, float* planes, const ExecContext& ctx) {
    const std::size_t voxels = frame.voxels();
    parallelFor(ctx, frame.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < frame.size.y; ++y)
                for (int x = 0; x < frame.size.x; ++x) {
                    float v[features];
                    featuresAt(frame, {x, y, z}, v);
                    for (std::size_t f = 0; f < features; ++f)
                        planes[f * voxels + frame.offset(x, y, z)] = v[f];
                }
    });
}

void describe(const FeatureView& frame, std::span<const Voxel> landmarks, float* descriptors,
              const ExecContext& ctx) {
    for (const Voxel& p : landmarks)
        if (!liesIn(frame.size, p))
            throw ComputeError("the landmark at voxel " + std::to_string(p.x) + ", " +
                               std::to_string(p.y) + ", " + std::to_string(p.z) +
                               " lies outside its frame");
    parallelFor(ctx, static_cast<int>(landmarks.size()), 16, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int l = begin; l < end; ++l)
            for (int octant = 0; octant < octants; ++octant) {
                float tensor[triangle];
                octantTensor(frame.size, landmarks[static_cast<std::size_t>(l)], octant,
                             PlainRead(frame), tensor);
                decompose(inverseRoot, tensor);
                std::copy_n(tensor, triangle,
                            descriptors + std::ptrdiff_t{l} * numbers + octant * triangle);
            }
    });
}

void findDistances(const FeatureView& target, std::span<const Voxel> centers,
                   const float* descriptors, float* distances, const ExecContext& ctx) {
    // Each chunk is one plane of a region: some milliseconds.
    constexpr int plane = searchSize.x * searchSize.y;
    const int planes = static_cast<int>(centers.size()) * searchSize.z;
    parallelFor(ctx, planes, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int i = begin; i < end; ++i) {
            const int landmark = i / searchSize.z;
            const float* const reference = descriptors + std::ptrdiff_t{landmark} * numbers;
            const Voxel center = centers[static_cast<std::size_t>(landmark)];
            for (int k = 0; k < plane; ++k) {
                const Voxel p = center + candidateOffset(i % searchSize.z * plane + k);
                distances[std::ptrdiff_t{i} * plane + k] =
                    !liesIn(target.size, p)
                        ? std::numeric_limits<float>::infinity()
                        : std::sqrt(squaredDistance(
                              target.size, p, PlainRead(target),
                              [&](int n) { return reference[n]; }, inverseRoot));
            }
        }
    });
}

} // namespace systole::sest
