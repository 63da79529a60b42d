#include "bench/benchmarks.h"
#include "compute/ops/host_bandwidth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace systole {

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
