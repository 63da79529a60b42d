// Surfaces whose border is moved by correlated noise.
#pragma once

#include "compute/ops/smooth.h"
#include "compute/surface/redistance.h"
#include "tests/support/shapes.h"

#include <cmath>
#include <vector>

namespace systole::test {

struct MovedBorder {
    std::vector<float> phi;  ///< signed distance of the moved surface
    double meanAtBorder = 0; ///< mean of the noise within half a voxel of the true surface
};

/// White noise smoothed by a Gaussian of `width`, of standard deviation `amplitude`, added to the
/// distance of the shape; its zero level is the surface. Voxels of 1 mm.
inline MovedBorder movedBorder(const Distance& shape, Size3 size, double amplitude, double width,
                               std::uint64_t seed, const ExecContext& ctx) {
    std::vector<float> noise(size.voxels());
    for (std::size_t i = 0; i < noise.size(); ++i)
        noise[i] = normalPair(randomBits(seed, 7, i)).first;
    const VolumeView<float> view(noise.data(), size);
    smoothGaussian(view, view, {width, width, width}, ctx);
    // Where smoothing repeats the voxels at the edge, noise is stronger.
    const int margin = static_cast<int>(std::ceil(3 * width));
    double squares = 0, inner = 0;
    for (int z = margin; z < size.z - margin; ++z)
        for (int y = margin; y < size.y - margin; ++y)
            for (int x = margin; x < size.x - margin; ++x) {
                const auto value = static_cast<double>(view(x, y, z));
                squares += value * value;
                ++inner;
            }
    const double gain = amplitude / std::sqrt(squares / inner);
    MovedBorder moved{sampled(shape, size)};
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < noise.size(); ++i) {
        const double by = gain * static_cast<double>(noise[i]);
        if (std::abs(moved.phi[i]) < 0.5f) {
            sum += by;
            ++count;
        }
        moved.phi[i] += static_cast<float>(by);
    }
    moved.meanAtBorder = sum / count;
    const VolumeView<float> phi(moved.phi.data(), size);
    distanceToLevel(phi, 0, Inside::Below, {1, 1, 1}, phi, ctx);
    return moved;
}

} // namespace systole::test
