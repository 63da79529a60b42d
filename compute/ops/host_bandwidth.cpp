#include "compute/ops/host_bandwidth.h"

#include <algorithm>
#include <chrono>

namespace systole {

double triadBandwidth(const ExecContext& ctx) {
    constexpr int values = 1 << 24; // 64 MiB an array
    constexpr int chunk = 1 << 16;
    constexpr int passes = 8;
    Buffer<float> a = ctx.pool->acquire<float>(values, "bandwidth"),
                  b = ctx.pool->acquire<float>(values, "bandwidth"),
                  c = ctx.pool->acquire<float>(values, "bandwidth");
    std::fill_n(a.data(), values, 0.0f);
    std::fill_n(b.data(), values, 1.0f);
    std::fill_n(c.data(), values, 2.0f);
    double best = 0;
    for (int pass = 0; pass < passes; ++pass) {
        ctx.throwIfCancelled();
        const auto begin = std::chrono::steady_clock::now();
        const float s = static_cast<float>(pass);
        parallelFor(ctx, values, chunk, [&](int first, int last) {
            float* out = a.data();
            const float* x = b.data();
            const float* y = c.data();
            for (int i = first; i < last; ++i)
                out[i] = x[i] + s * y[i];
        });
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        best = std::max(best, 3.0 * sizeof(float) * values / time.count());
    }
    return best;
}

} // namespace systole
