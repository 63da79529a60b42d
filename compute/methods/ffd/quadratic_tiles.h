// How a grid of control points is cut for the kernel of the quadratic penalties, and which bands a
// kernel needs: what can be said without a device.
#pragma once

#include "compute/core/geometry.h"
#include "compute/methods/ffd/penalty_bending.h"
#include "compute/methods/ffd/penalty_elastic.h"

#include <algorithm>

namespace systole::quadratic {

/// The products of basis functions that occur, by their orders of differentiation.
inline constexpr int slots = 5;
struct Orders {
    int a, b;
};
inline constexpr Orders ordersOf[slots] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 0}};
constexpr int slotOf(int a, int b) {
    for (int slot = 0; slot < slots; ++slot)
        if (ordersOf[slot].a == a && ordersOf[slot].b == b)
            return slot;
    return -1;
}

/// Energies that a kernel adds.
enum class Kinds { Bending, Elastic, Both };
inline constexpr int termCount = static_cast<int>(bendingTermList.size() + elasticTermList.size());
/// The terms of both energies, bending first.
constexpr QuadraticTerm termAt(int n) {
    const auto bending = static_cast<int>(bendingTermList.size());
    return n < bending ? bendingTermList[static_cast<std::size_t>(n)]
                       : elasticTermList[static_cast<std::size_t>(n - bending)];
}
constexpr bool isBending(int n) { return n < static_cast<int>(bendingTermList.size()); }
constexpr bool takesPart(Kinds kinds, int n) {
    return kinds == Kinds::Both || (kinds == Kinds::Bending) == isBending(n);
}
/// Whether the band of a slot along x is needed for what component `from` adds to `to`; with slot
/// −1 whether any is.
constexpr bool needs(Kinds kinds, int to, int from, int slot) {
    for (int n = 0; n < termCount; ++n) {
        const QuadraticTerm term = termAt(n);
        if (takesPart(kinds, n) && term.to == to && term.from == from &&
            (slot < 0 || slotOf(term.a[0], term.b[0]) == slot))
            return true;
    }
    return false;
}

/// Columns of points that a block takes, and points beyond them that their sums need.
inline constexpr int tileX = 32, tileY = 8, reach = 3;

/// A tile: one component of the points first … last − 1.
struct Tile {
    int component;
    Size3 first;
    int last; ///< last plane along z
};
struct Tiles {
    Size3 points;
    int acrossX, acrossY, chunks, planes;

    /// Cut along z into as many chunks as fill a device; each reads six planes twice.
    explicit constexpr Tiles(Size3 n)
        : points(n)
        , acrossX((n.x + tileX - 1) / tileX)
        , acrossY((n.y + tileY - 1) / tileY)
        , chunks(1)
        , planes(n.z) {
        constexpr int enough = 264, fewestPlanes = 4;
        const int columns = 3 * acrossX * acrossY;
        planes = std::clamp(n.z * columns / enough, std::min(fewestPlanes, n.z), n.z);
        chunks = (n.z + planes - 1) / planes;
    }
    constexpr int count() const { return 3 * acrossX * acrossY * chunks; }
    constexpr Tile at(int n) const {
        const int column = n / 3 % (acrossX * acrossY), chunk = n / 3 / (acrossX * acrossY);
        const int z = chunk * planes;
        return {n % 3,
                {column % acrossX * tileX, column / acrossX * tileY, z},
                z + planes < points.z ? z + planes : points.z};
    }
};

} // namespace systole::quadratic
