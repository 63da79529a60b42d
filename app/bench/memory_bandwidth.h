// Bandwidth of this machine's memory, measured in the run whose figures are compared with it.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Bytes a second of a[i] = b[i] + s·c[i] over arrays far larger than the caches, counting three
/// arrays of four bytes per value; the best of several passes, with the context's threads.
double triadBandwidth(const ExecContext& ctx);

void benchMemory(const BenchOptions& options, const ExecContext& ctx,
                 nlohmann::ordered_json& record);

} // namespace systole
