// Sums of any kind over chunks of items in parallel, the same bits for any number of threads.
#pragma once

#include "compute/core/exec.h"

#include <cstddef>
#include <vector>

namespace systole {

/// The results of body(begin, end) for the chunks of [0, count), in the order of the chunks.
template <typename Body>
auto perChunk(const ExecContext& ctx, int count, int chunk, const Body& body) {
    std::vector<decltype(body(0, 0))> parts(static_cast<std::size_t>((count + chunk - 1) / chunk));
    parallelFor(ctx, count, chunk, [&](int begin, int end) {
        parts[static_cast<std::size_t>(begin / chunk)] = body(begin, end);
    });
    return parts;
}

/// Sum of perChunk() in the order of the chunks, by the operator += of the results' type, whose
/// default value is zero.
template <typename Body>
auto sumOfChunks(const ExecContext& ctx, int count, int chunk, const Body& body) {
    decltype(body(0, 0)) sum{};
    for (const auto& part : perChunk(ctx, count, chunk, body))
        sum += part;
    return sum;
}

} // namespace systole
