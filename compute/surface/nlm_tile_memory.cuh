// The shared memory of a block that searches by tiles: the least keys of each query, kept by a
// warp, and the patches that are compared.
#pragma once

#include "compute/surface/nonlocal_means_math.h"
#include "compute/surface/patch_leaves_cuda.cuh"

#include <type_traits>

namespace systole::gpu::tiles {

/// Sorts 128 keys in shared memory, by all lanes of a warp: a bitonic network.
__device__ inline void sortKeys(nlm::Key* keys) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int size = 2; size <= 128; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncwarp();
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int i = lane + 32 * half;
                const int low = 2 * i - (i & (step - 1)), high = low + step;
                const nlm::Key a = keys[low], b = keys[high];
                if ((a > b) == ((low & size) == 0)) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
        }
    __syncwarp();
}

/// The keys of one query: the m least so far, and what came since they were sorted out. All lanes
/// of a warp hold the same object.
struct TileList {
    static constexpr int capacity = 128;

    nlm::Key* keys; ///< capacity of them
    int count = 0;
    nlm::Key limit = nlm::worstKey;

    __device__ float reach() const {
        return limit == nlm::worstKey ? INFINITY : nlm::distanceOf(limit);
    }
    /// Sorts, and forgets all but the m least.
    __device__ void tighten(int m) {
        const int lane = static_cast<int>(threadIdx.x % 32);
        for (int i = count + lane; i < capacity; i += 32)
            keys[i] = nlm::worstKey;
        sortKeys(keys);
        count = min(count, m);
        if (count == m)
            limit = keys[m - 1];
        __syncwarp();
    }
    /// Adds a key of each lane; worstKey adds nothing. By all lanes.
    __device__ void push(nlm::Key key, int m) {
        unsigned lanes = __ballot_sync(0xffffffffu, key < limit);
        if (lanes == 0)
            return;
        if (count + __popc(lanes) > capacity) {
            tighten(m);
            lanes = __ballot_sync(0xffffffffu, key < limit);
        }
        const unsigned lane = threadIdx.x % 32;
        if (lanes >> lane & 1u)
            keys[count + __popc(lanes & ((1u << lane) - 1))] = key;
        count += __popc(lanes);
        __syncwarp();
    }
};

inline constexpr int warps = 8, threads = 32 * warps;
inline constexpr int perWarp = nlm::leafSize / warps; ///< queries of a warp: four

/// A row of half precision in shared memory; what is beside the numbers shifts banks from row to
/// row.
template <int Numbers>
inline constexpr int restsLength = halfLength(Numbers) + 8;
inline constexpr int productsLength = nlm::leafSize + 4;
inline constexpr int maxWaiting = 64;

/// The leaf that is compared with.
template <int Numbers>
struct Tile {
    alignas(16) float patches[Numbers * nlm::leafSize];
};
/// The rests of queries and leaf, their products over halves of the numbers, and for each query the
/// places whose exact distance waits.
template <int Numbers>
struct Products {
    alignas(32) __half query[nlm::leafSize * restsLength<Numbers>];
    alignas(32) __half compared[nlm::leafSize * restsLength<Numbers>];
    alignas(32) float product[2][nlm::leafSize * productsLength];
    int places[nlm::leafSize][maxWaiting];
};
/// Shared memory of a block.
template <int Numbers, bool Matrix>
struct Room {
    nlm::Key keys[nlm::leafSize * TileList::capacity];
    alignas(16) float query[Numbers * nlm::leafSize];
    std::conditional_t<Matrix, Products<Numbers>, Tile<Numbers>> of;
};

/// Copies `count` floats, a multiple of four; all threads of the block take part.
__device__ inline void copy(const float* from, float* to, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count / 4; i += threads)
        reinterpret_cast<float4*>(to)[i] = reinterpret_cast<const float4*>(from)[i];
}
template <int Numbers>
__device__ void copyRests(const PatchChunk& chunk, int leaf, __half* to) {
    constexpr int length = halfLength(Numbers), perRow = length / 8;
    const auto* const from = reinterpret_cast<const float4*>(
        chunk.rests + std::ptrdiff_t{leaf - chunk.first} * nlm::leafSize * length);
    for (int i = static_cast<int>(threadIdx.x); i < nlm::leafSize * perRow; i += threads)
        *reinterpret_cast<float4*>(to + i / perRow * restsLength<Numbers> + i % perRow * 8) =
            from[i];
}

} // namespace systole::gpu::tiles
