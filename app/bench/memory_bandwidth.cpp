#include "app/bench/memory_bandwidth.h"

#include "app/bench/benchmarks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

void benchMemory(const BenchOptions&, const ExecContext& ctx, Json& record) {
    ThreadTeam one(1);
    ExecContext single = ctx;
    single.threads = &one;
    const double all = triadBandwidth(ctx), alone = triadBandwidth(single);
    fmt::print("memory, triad: {:.1f} GB/s with {} threads, {:.1f} GB/s with one\n", all / 1e9,
               ctx.threads->threads(), alone / 1e9);
    record["triad_bytes_per_second"] = all;
    record["triad_bytes_per_second_one_thread"] = alone;
    record["threads"] = ctx.threads->threads();
}

} // namespace systole
