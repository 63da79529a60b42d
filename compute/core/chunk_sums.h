// Sums of any kind over chunks of items in parallel, the same bits for any number of threads.
#pragma once

#include "compute/core/exec.h"

#include <cstddef>
#include <vector>

namespace systole {

/// What body(begin, end) returns for the chunks of [0, count), in their order.
template <typename Body>
auto perChunk(const ExecContext& ctx, int count, int chunk, const Body& body) {
    std::vector<decltype(body(0, 0))> parts(static_cast<std::size_t>((count + chunk - 1) / chunk));
    parallelFor(ctx, count, chunk, [&](int begin, int end) {
        parts[static_cast<std::size_t>(begin / chunk)] = body(begin, end);
    });
    return parts;
}

/// The same, added up in the order of the chunks by the operator += of their type, whose default is
/// zero.
template <typename Body>
auto sumOfChunks(const ExecContext& ctx, int count, int chunk, const Body& body) {
    decltype(body(0, 0)) sum{};
    for (const auto& part : perChunk(ctx, count, chunk, body))
        sum += part;
    return sum;
}

} // namespace systole
