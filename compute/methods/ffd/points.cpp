#include "compute/methods/ffd/points.h"

#include <algorithm>
#include <array>

namespace systole {

double dotProduct(const float* a, const float* b, std::size_t count) {
    // Several sums, so that an addition needn't wait for the one before.
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    for (std::size_t lane = 0; i < count; ++i, ++lane)
        sums[lane] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

void addVectors(std::span<const WeightedVector> vectors, float* out, std::size_t count,
                const ExecContext& ctx) {
    constexpr std::size_t block = 1024; // stays in the cache while vectors are added
    const auto blocks = static_cast<int>((count + block - 1) / block);
    parallelFor(ctx, blocks, 16, [&](int begin, int end) {
        std::array<float, block> sum;
        for (int b = begin; b < end; ++b) {
            const std::size_t first = static_cast<std::size_t>(b) * block;
            const std::size_t n = std::min(block, count - first);
            for (std::size_t i = 0; i < n; ++i)
                sum[i] = vectors[0].factor * vectors[0].values[first + i];
            for (const WeightedVector& vector : vectors.subspan(1))
                for (std::size_t i = 0; i < n; ++i)
                    sum[i] += vector.factor * vector.values[first + i];
            std::copy_n(sum.begin(), n, out + first);
        }
    });
}

} // namespace systole
