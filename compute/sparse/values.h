// Loops over the elements of the vectors of a linear system, on all threads.
#pragma once

#include "compute/core/exec.h"

#include <cstddef>

namespace systole::sparse {

inline constexpr int valuesPerChunk = 4096;

/// Calls update(i) for every element.
template <typename Update>
void forEach(std::size_t count, const ExecContext& ctx, const Update& update) {
    parallelFor(ctx, static_cast<int>(count), valuesPerChunk, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            update(i);
    });
}

} // namespace systole::sparse
