// Plain loops over voxels, in parallel over planes: for reference implementations, where clarity
// comes first.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

#include <algorithm>

namespace systole {

/// Calls body(x, y, z) for every voxel.
template <typename Body>
void overVoxels(Size3 size, const ExecContext& ctx, const Body& body) {
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    body(x, y, z);
    });
}

/// The largest body(x, y, z), at least 0.
template <typename Body>
double largestOverVoxels(Size3 size, const ExecContext& ctx, const Body& body) {
    return parallelMax(ctx, size.z, 1, [&](int begin, int end) {
        double largest = 0;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    largest = std::max(largest, body(x, y, z));
        return largest;
    });
}

/// The sum of body(x, y, z), planes added in their order.
template <typename Body>
double sumOverVoxels(Size3 size, const ExecContext& ctx, const Body& body) {
    return parallelSum(ctx, size.z, 1, [&](int begin, int end) {
        double sum = 0;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    sum += body(x, y, z);
        return sum;
    });
}

} // namespace systole
