#include "compute/core/random.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/smooth_frames_cuda.cuh"

#include <cmath>
#include <numbers>

namespace systole::lab {
using namespace gpu;
namespace {

/// A sum of cosines with random directions and phases.
struct Pattern {
    static constexpr int waves = 8;
    float direction[waves][3]; ///< radians per voxel
    float phase[waves];
    float mean, amplitude; ///< mean of the pattern, amplitude of each wave

    __device__ float at(float x, float y, float z) const {
        float sum = mean;
        for (int i = 0; i < waves; ++i)
            sum += amplitude *
                   cosf(direction[i][0] * x + direction[i][1] * y + direction[i][2] * z + phase[i]);
        return sum;
    }
};

/// A pattern with wavelengths from `shortest` voxels to four times that.
Pattern patternOf(std::uint64_t seed, double shortest, float mean, float amplitude) {
    Pattern p{};
    p.mean = mean;
    p.amplitude = amplitude;
    for (int i = 0; i < Pattern::waves; ++i) {
        const auto random = [&](int which) {
            return static_cast<double>(uniformFloat(static_cast<std::uint32_t>(randomBits(
                seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(which)))));
        };
        const double wavelength = shortest * (1 + 3 * random(0));
        const double rate = 2 * std::numbers::pi / wavelength;
        const double up = 2 * random(1) - 1, turn = 2 * std::numbers::pi * random(2);
        const double across = std::sqrt(1 - up * up);
        p.direction[i][0] = static_cast<float>(rate * across * std::cos(turn));
        p.direction[i][1] = static_cast<float>(rate * across * std::sin(turn));
        p.direction[i][2] = static_cast<float>(rate * up);
        p.phase[i] = static_cast<float>(2 * std::numbers::pi * random(3));
    }
    return p;
}

struct Motion {
    Pattern along[3];
};

__global__ void paintFrames(const __grid_constant__ Pattern image,
                            const __grid_constant__ Motion motion, float* fixed, float* moving,
                            FieldView<float> field) {
    const Column c = columnOf(field.size, 1);
    if (!c.inGrid)
        return;
    const auto x = static_cast<float>(c.x), y = static_cast<float>(c.y),
               z = static_cast<float>(c.begin);
    float w[3];
#pragma unroll
    for (int k = 0; k < 3; ++k)
        w[k] = motion.along[k].at(x, y, z);
    const std::size_t i = field.componentView(0).offset(c.x, c.y, c.begin);
    fixed[i] = image.at(x, y, z);
    moving[i] = image.at(x - w[0], y - w[1], z - w[2]);
#pragma unroll
    for (int k = 0; k < 3; ++k)
        field.component(k)[i] = 0.5f * w[k];
}

} // namespace

void paintSmoothFrames(float* fixed, float* moving, FieldView<float> halfMotion, LaunchLog& log) {
    Motion motion;
    for (int k = 0; k < 3; ++k)
        motion.along[k] = patternOf(static_cast<std::uint64_t>(k + 2), 60, 0, 0.5f);
    log.launch({"laboratory/paint"}, paintFrames, columnsOver(halfMotion.size, 1),
               patternOf(1, 10, 127.5f, 15), motion, fixed, moving, halfMotion);
}

} // namespace systole::lab
