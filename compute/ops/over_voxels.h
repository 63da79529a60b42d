// Loops over voxels in parallel, over rows and planes of a volume, and over the items of a list.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

#include <algorithm>
#include <cstddef>
#include <vector>

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

/// The number of the row (y, z), y fastest.
constexpr std::size_t rowIndex(Size3 size, int y, int z) {
    return static_cast<std::size_t>(y) +
           static_cast<std::size_t>(size.y) * static_cast<std::size_t>(z);
}

/// Calls body(y, z) for every row, in chunks of `planes` planes.
template <typename Body>
void overRows(Size3 size, int planes, const ExecContext& ctx, const Body& body) {
    parallelFor(ctx, size.z, planes, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                body(y, z);
    });
}

/// Overload with chunks of two planes.
template <typename Body>
void overRows(Size3 size, const ExecContext& ctx, const Body& body) {
    overRows(size, 2, ctx, body);
}

/// Calls body(i) for i in [0, count), in chunks of `chunk` items.
template <typename Body>
void overItems(std::size_t count, int chunk, const ExecContext& ctx, const Body& body) {
    parallelFor(ctx, static_cast<int>(count), chunk, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            body(i);
    });
}

/// Sums whose parts belong to planes, so that they don't depend on the threads: calls
/// body(part, z) for every plane, whose part is `zero` before, and adds the parts in their order.
template <typename Sums, typename Body>
Sums sumOverPlanes(Size3 size, const ExecContext& ctx, const Sums& zero, const Body& body) {
    std::vector<Sums> planes(static_cast<std::size_t>(size.z), zero);
    overItems(planes.size(), 1, ctx, [&](std::size_t z) {
        Sums part = zero; // a copy in registers: adjacent planes share cache lines
        body(part, static_cast<int>(z));
        planes[z] = part;
    });
    Sums all = zero;
    for (const Sums& plane : planes)
        all += plane;
    return all;
}

/// Sums like sumOverPlanes(), with body(part, x, y, z) for every voxel.
template <typename Sums, typename Body>
Sums sumOverVoxels(Size3 size, const ExecContext& ctx, const Sums& zero, const Body& body) {
    return sumOverPlanes(size, ctx, zero, [&](Sums& part, int z) {
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                body(part, x, y, z);
    });
}

/// The sum of body(y, z), rows of a chunk of planes and then the chunks added in their order.
template <typename Body>
double sumOverRows(Size3 size, const ExecContext& ctx, const Body& body) {
    return parallelSum(ctx, size.z, 2, [&](int begin, int end) {
        double sum = 0;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                sum += static_cast<double>(body(y, z));
        return sum;
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
