// The lists of the search by tiles: a warp keeps the least keys of some queries in shared memory.
#pragma once

#include "compute/surface/nonlocal_means_math.h"

namespace systole::gpu {

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

} // namespace systole::gpu
