// Helpers for tests of the registration's kernels: the spatial gradient and the similarity gradient
// by their definitions, in double precision, and data that reaches beyond every border.
#pragma once

#include "compute/lab/kernels/similarity_gradient.h"
#include "tests/support/compute_support.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace systole::test {

/// A motion that leads to positions all over an image of size `to` and up to two voxels beyond it.
inline TestField wildMotion(Size3 size, Size3 to, std::uint64_t seed) {
    TestField motion(size);
    const std::size_t n = size.voxels();
    for (int axis = 0; axis < 3; ++axis)
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at[3] = {
                i % static_cast<std::size_t>(size.x),
                i / static_cast<std::size_t>(size.x) % static_cast<std::size_t>(size.y),
                i / static_cast<std::size_t>(size.x) / static_cast<std::size_t>(size.y)};
            const auto bits =
                static_cast<std::uint32_t>(randomBits(seed, static_cast<std::uint32_t>(axis), i));
            motion.view().component(axis)[i] =
                uniformFloat(bits) * static_cast<float>(to[axis] + 3) - 2 -
                static_cast<float>(at[axis]);
        }
    return motion;
}

/// The derivative of the trilinear value: a sum over the eight corners whose weight along one axis
/// is −1 or 1.
inline std::array<double, 3> exactGradient(TestVolume& image, std::array<float, 3> position) {
    std::array<int, 3> low{};
    std::array<double, 3> part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int n = image.size[static_cast<int>(axis)];
        const double clamped = std::clamp(static_cast<double>(position[axis]), 0.0, n - 1.0);
        low[axis] = std::min(static_cast<int>(std::floor(clamped)), std::max(n - 2, 0));
        part[axis] = clamped - low[axis];
    }
    std::array<double, 3> gradient{};
    for (std::size_t along = 0; along < 3; ++along) {
        const int n = image.size[static_cast<int>(along)];
        if (position[along] < 0 || position[along] > static_cast<float>(n - 1))
            continue;
        for (int corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::array<int, 3> at{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const bool upper = corner >> axis & 1;
                at[axis] = std::min(low[axis] + upper, image.size[static_cast<int>(axis)] - 1);
                weight *= axis == along ? (upper ? 1 : -1) : upper ? part[axis] : 1 - part[axis];
            }
            gradient[along] += weight * static_cast<double>(image.view()(at[0], at[1], at[2]));
        }
    }
    return gradient;
}

/// Gradients of every voxel, planar.
inline std::vector<double> exactGradients(TestVolume& image, TestField& motion) {
    const Size3 size = motion.size;
    const std::size_t n = size.voxels();
    std::vector<double> all(3 * n);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const FieldView<float> view = motion.view();
                const std::size_t i = view.componentView(0).offset(x, y, z);
                const auto gradient = exactGradient(image, {static_cast<float>(x) + view.u[i],
                                                            static_cast<float>(y) + view.v[i],
                                                            static_cast<float>(z) + view.w[i]});
                for (std::size_t axis = 0; axis < 3; ++axis)
                    all[axis * n + i] = gradient[axis];
            }
    return all;
}

/// Random images, weights, gradient and table. The fixed image has whole gray values, so that none
/// lies at the border of two bins; gray values reach beyond the bins.
struct RandomSlope {
    explicit RandomSlope(Size3 extent) : size(extent), values(6 * extent.voxels() + tableEntries) {
        const std::size_t n = size.voxels();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float part = uniformFloat(static_cast<std::uint32_t>(randomBits(4, 1, i)));
            values[i] = i < n       ? std::floor(295 * part) - 20
                        : i < 2 * n ? 295 * part - 20
                        : i < 3 * n ? part
                                    : 20 * part - 10;
        }
        fixed = fixedBins({0, 255});
        warped = warpedBins({0, 255});
    }
    /// Slope from the values at `first`, in host or device memory.
    lab::NmiSlope of(const float* first) const {
        const std::size_t n = size.voxels();
        return {{{first, size}, {first + n, size}, {first + 2 * n, size}},
                {first + 3 * n, size},
                fixed,
                warped,
                first + 6 * n};
    }
    /// Similarity gradient by definition: the cubic B-spline's derivative at the four bins'
    /// distances.
    std::vector<double> exact() const {
        const auto derivative = [](double x) {
            const double a = std::abs(x), sign = x < 0 ? -1 : 1;
            return a >= 2 ? 0 : sign * (a < 1 ? 1.5 * a * a - 2 * a : -0.5 * (2 - a) * (2 - a));
        };
        const std::size_t n = size.voxels();
        std::vector<double> out(3 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double last = nmiBins - 1, first = 1, end = nmiBins - 2 - 0.001;
            const double scale = (end - first) / 255;
            const double gray = static_cast<double>(values[i]),
                         moved = static_cast<double>(values[n + i]);
            const auto row =
                static_cast<std::size_t>(std::floor(std::clamp(gray / 255, 0.0, 1.0) * last + 0.5));
            const double position = first + scale * moved;
            if (position <= first || position >= end)
                continue;
            double sum = 0;
            for (std::size_t bin = 0; bin < nmiBins; ++bin)
                sum += derivative(position - static_cast<double>(bin)) *
                       static_cast<double>(values[6 * n + row * nmiBins + bin]);
            for (std::size_t axis = 0; axis < 3; ++axis)
                out[axis * n + i] = -scale * static_cast<double>(values[2 * n + i]) * sum *
                                    static_cast<double>(values[(3 + axis) * n + i]);
        }
        return out;
    }

    static constexpr std::size_t tableEntries = nmiBins * nmiBins;
    Size3 size;
    std::vector<float> values; ///< fixed, warped, weight, gradient, table
    BinScale fixed, warped;
};

/// A position of up to 63 bins is rounded to 2^-19, and the second derivatives of the window are
/// about as large as its first.
inline constexpr double slopeRounding = 1e-5;

/// The largest deviation, relative to the largest value.
inline double largestError(const std::vector<float>& found, const std::vector<double>& exact) {
    double error = found.size() == exact.size() ? 0 : INFINITY, largest = 0;
    for (std::size_t i = 0; i < found.size() && i < exact.size(); ++i) {
        const double difference = std::abs(static_cast<double>(found[i]) - exact[i]);
        error = difference > error || std::isnan(difference) ? difference : error;
        largest = std::max(largest, std::abs(exact[i]));
    }
    return error / largest;
}

} // namespace systole::test
