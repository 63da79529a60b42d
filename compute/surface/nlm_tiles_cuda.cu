// The search by tiles: a block holds a leaf of 32 queries, four to a warp, and goes through the
// leaves to compare with. Distances are found for a whole leaf in shared memory, or, where matrix
// units have bounded them, for those that may be kept: 32 at a time, each from its row.
//
// The matrix units multiply what the first four features leave of patches, r, in half precision:
//     D = Σ_k<4 (f_k(a) − f_k(b))² + ‖r(a)‖² + ‖r(b)‖² − 2 r(a)·r(b).
// Rounding the factors changes 2 r(a)·r(b) by at most 2⁻⁹ ‖r(a)‖ ‖r(b)‖.
#include "compute/cuda/kernel_support.cuh"
#include "compute/surface/nlm_search_cuda.cuh"
#include "compute/surface/nlm_tile_memory.cuh"

#include <mma.h>

namespace systole::gpu {
namespace {

using namespace tiles;
using nlm::features;
using nlm::leafSize;

constexpr int besides = 2; ///< leaves on each side that give the first bound

template <int Numbers, bool ByFeatures, bool Matrix>
class TileSearch {
public:
    using Space = Room<Numbers, Matrix>;

    __device__ TileSearch(const SearchPass& pass, Space& space)
        : pass_(pass)
        , v_(pass.leaves)
        , space_(space)
        , lane_(static_cast<int>(threadIdx.x % 32))
        , warp_(static_cast<int>(threadIdx.x / 32))
        , own_(pass.queries.first + static_cast<int>(blockIdx.x))
        , scale_(v_.scales[0])
        , restScale_(v_.scales[1]) {}

    __device__ void run() {
        begin();
        const int first = max(own_ - besides, pass_.compared.first),
                  last = min(own_ + besides + 1, pass_.compared.last);
        for (int leaf = first; leaf < last; ++leaf)
            visit(leaf);
        finishWaiting();
#pragma unroll
        for (int q = 0; q < perWarp; ++q)
            if (list_[q].count >= pass_.lists.m)
                list_[q].tighten(pass_.lists.m);
        if constexpr (ByFeatures) {
            // Nearer boxes first: bounds are then tight when the many farther ones come.
            const float reach = farthest();
            float low = -1;
            for (const float fraction : {1.0f / 64, 1.0f / 16, 1.0f / 4, 1.0f}) {
                visitBoxes(low, fraction * reach);
                low = fraction * reach;
            }
        } else {
            for (int leaf = pass_.compared.first; leaf < pass_.compared.last; ++leaf)
                if (abs(leaf - own_) > besides)
                    visit(leaf);
        }
        finishWaiting();
        store();
    }

private:
    __device__ int query(int q) const { return warp_ * perWarp + q; }
    __device__ int elementAt(int leaf, int i) const {
        return v_.element[std::ptrdiff_t{leaf} * leafSize + i];
    }
    __device__ float featureAt(int leaf, int k, int i) const {
        return v_.feature[(std::ptrdiff_t{leaf} * features + k) * leafSize + i];
    }
    __device__ Voxel voxelAt(int leaf, int i) const {
        const int* const at = v_.voxel + std::ptrdiff_t{leaf} * 3 * leafSize + i;
        return {at[0], at[leafSize], at[2 * leafSize]};
    }

    __device__ void begin() {
        const float* const patches =
            pass_.queries.leaves + std::ptrdiff_t{own_ - pass_.queries.first} * Numbers * leafSize;
        copy(patches, space_.query, Numbers * leafSize);
        if constexpr (Matrix)
            copyRests<Numbers>(pass_.queries, own_, space_.of.query);
#pragma unroll
        for (int q = 0; q < perWarp; ++q) {
            list_[q].keys = space_.keys + query(q) * TileList::capacity;
#pragma unroll
            for (int k = 0; k < features; ++k)
                feature_[q][k] = featureAt(own_, k, query(q));
            const int j = elementAt(own_, query(q));
            if (!pass_.further || j < 0)
                continue;
            const std::ptrdiff_t at = std::ptrdiff_t{j} * pass_.lists.m;
            for (int k = 0; k < pass_.lists.m; k += 32) {
                const bool inList = k + lane_ < pass_.lists.m;
                const float distance = inList ? pass_.lists.distance[at + k + lane_] : INFINITY;
                list_[q].push(distance < INFINITY
                                  ? nlm::keyOf(distance, pass_.lists.element[at + k + lane_])
                                  : nlm::worstKey,
                              pass_.lists.m);
            }
        }
        __syncthreads();
    }

    /// Squared distance of features beyond which no query of the block keeps anything.
    __device__ float farthest() {
        float maxReach = 0;
#pragma unroll
        for (int q = 0; q < perWarp; ++q)
            if (elementAt(own_, query(q)) >= 0)
                maxReach = fmaxf(maxReach, list_[q].reach());
        __syncthreads();
        if (lane_ == 0)
            reach_[warp_] = maxReach;
        __syncthreads();
        for (int w = 0; w < warps; ++w)
            maxReach = fmaxf(maxReach, reach_[w]);
        return nlm::prunedAbove(maxReach, scale_);
    }

    /// The leaves, but those besides the own one, whose box is farther than `low` and not farther
    /// than `high`, in stretches of as many leaves as threads.
    __device__ void visitBoxes(float low, float high) {
        for (int begin = pass_.compared.first; begin < pass_.compared.last; begin += threads) {
            high = fminf(high, farthest());
            const int leaf = begin + static_cast<int>(threadIdx.x);
            bool near = false;
            if (leaf < pass_.compared.last && abs(leaf - own_) > besides) {
                const float distance =
                    nlm::boxDistance(v_.boxes[own_], v_.boxes[leaf], pass_.window);
                near = distance > low && distance <= high && distance < INFINITY;
            }
            const unsigned lanes = __ballot_sync(0xffffffffu, near);
            if (lane_ == 0)
                near_[warp_] = lanes;
            __syncthreads();
            for (int w = 0; w < warps; ++w)
                for (unsigned left = near_[w]; left != 0; left &= left - 1)
                    visit(begin + 32 * w + __ffs(static_cast<int>(left)) - 1);
        }
    }

    /// Compares the block's queries with a leaf; all threads of the block take part.
    __device__ void visit(int leaf) {
        const int element = elementAt(leaf, lane_);
        unsigned want[perWarp];
        unsigned any = 0;
        float of[features];
        if constexpr (ByFeatures || Matrix)
#pragma unroll
            for (int k = 0; k < features; ++k)
                of[k] = featureAt(leaf, k, lane_);
#pragma unroll
        for (int q = 0; q < perWarp; ++q) {
            bool take = element >= 0;
            if constexpr (ByFeatures) {
                float sum = 0;
#pragma unroll
                for (int k = 0; k < features; ++k)
                    sum = nlm::addSquare(sum, feature_[q][k], of[k]);
                take = take && sum <= nlm::prunedAbove(list_[q].reach(), scale_);
            }
            if (pass_.window > 0)
                take = take &&
                       nlm::inWindow(pass_.window, voxelAt(own_, query(q)), voxelAt(leaf, lane_));
            want[q] = __ballot_sync(0xffffffffu, take);
            any |= want[q];
        }
        // Also: all have read the tile before.
        if (!__syncthreads_or(static_cast<int>(any)))
            return;
        if constexpr (Matrix)
            compareProducts(leaf, want, of);
        else
            compareTile(leaf, element, want, any);
    }

    __device__ void compareTile(int leaf, int element, const unsigned (&want)[perWarp],
                                unsigned any) {
        copy(pass_.compared.leaves +
                 std::ptrdiff_t{leaf - pass_.compared.first} * Numbers * leafSize,
             space_.of.patches, Numbers * leafSize);
        __syncthreads();
        if (any == 0)
            return;
        float sum[perWarp] = {};
#pragma unroll 5
        for (int n = 0; n < Numbers; ++n) {
            const float other = space_.of.patches[n * leafSize + lane_];
            const float4 own =
                *reinterpret_cast<const float4*>(space_.query + n * leafSize + warp_ * perWarp);
            sum[0] = nlm::addSquare(sum[0], own.x, other);
            sum[1] = nlm::addSquare(sum[1], own.y, other);
            sum[2] = nlm::addSquare(sum[2], own.z, other);
            sum[3] = nlm::addSquare(sum[3], own.w, other);
        }
#pragma unroll
        for (int q = 0; q < perWarp; ++q)
            list_[q].push(want[q] >> lane_ & 1u ? nlm::keyOf(sum[q], element) : nlm::worstKey,
                          pass_.lists.m);
    }

    __device__ void compareProducts(int leaf, const unsigned (&want)[perWarp],
                                    const float (&of)[features]) {
        using namespace nvcuda;
        auto& room = space_.of;
        copyRests<Numbers>(pass_.compared, leaf, room.compared);
        __syncthreads();
        {
            // A quarter of the products of queries and leaf, over half of the patches' numbers.
            constexpr int steps = halfLength(Numbers) / 16;
            const int row = warp_ % 2 * 16, column = warp_ / 2 % 2 * 16, half = warp_ / 4;
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
            wmma::fill_fragment(sum, 0.0f);
            for (int step = half * steps / 2; step < (half + 1) * steps / 2; ++step) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
                wmma::load_matrix_sync(a, room.query + row * restsLength<Numbers> + step * 16,
                                       restsLength<Numbers>);
                wmma::load_matrix_sync(b, room.compared + column * restsLength<Numbers> + step * 16,
                                       restsLength<Numbers>);
                wmma::mma_sync(sum, a, b, sum);
            }
            wmma::store_matrix_sync(room.product[half] + row * productsLength + column, sum,
                                    productsLength, wmma::mem_row_major);
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < perWarp; ++q) {
            const int at = query(q) * productsLength + lane_;
            const float product = room.product[0][at] + room.product[1][at];
            float sum = 0;
#pragma unroll
            for (int k = 0; k < 4; ++k)
                sum = nlm::addSquare(sum, feature_[q][k], of[k]);
            const float own = feature_[q][4], other = of[4];
            sum += own * own + other * other - 2 * restScale_ * restScale_ * product;
            // The error that rounding to half precision, of the rests and of the features may have
            // added.
            sum -= 2.1e-3f * own * other + 3e-5f * restScale_ * restScale_ +
                   4e-5f * scale_ * (own + other);
            const unsigned lanes =
                want[q] &
                __ballot_sync(0xffffffffu, sum <= nlm::prunedAbove(list_[q].reach(), scale_));
            if (lanes == 0)
                continue;
            int* const places = room.places[query(q)];
            if (lanes >> lane_ & 1u)
                places[waiting_[q] + __popc(lanes & ((1u << lane_) - 1))] = leaf * leafSize + lane_;
            waiting_[q] += __popc(lanes);
            __syncwarp();
            if (waiting_[q] >= 32)
                compareWaiting(q);
        }
    }

    /// The exact distances of the last 32 places that wait, or of all if they are fewer.
    __device__ void compareWaiting(int q) {
        constexpr int row = rowLength(Numbers);
        int* const places = space_.of.places[query(q)];
        const int first = max(waiting_[q] - 32, 0);
        const bool have = first + lane_ < waiting_[q];
        const int place = have ? places[first + lane_] : places[first];
        const auto* const other = reinterpret_cast<const float4*>(
            pass_.compared.rows +
            (std::ptrdiff_t{place} - std::ptrdiff_t{pass_.compared.first} * leafSize) * row);
        const float* const own = space_.query + query(q);
        float sum = 0;
#pragma unroll 4
        for (int n = 0; n + 4 <= Numbers; n += 4) {
            const float4 at = other[n / 4];
            sum = nlm::addSquare(sum, own[n * leafSize], at.x);
            sum = nlm::addSquare(sum, own[(n + 1) * leafSize], at.y);
            sum = nlm::addSquare(sum, own[(n + 2) * leafSize], at.z);
            sum = nlm::addSquare(sum, own[(n + 3) * leafSize], at.w);
        }
        const auto* const rest = reinterpret_cast<const float*>(other);
        for (int n = Numbers / 4 * 4; n < Numbers; ++n)
            sum = nlm::addSquare(sum, own[n * leafSize], rest[n]);
        list_[q].push(have ? nlm::keyOf(sum, v_.element[place]) : nlm::worstKey, pass_.lists.m);
        waiting_[q] = first;
        __syncwarp();
    }
    __device__ void finishWaiting() {
        if constexpr (Matrix) {
#pragma unroll
            for (int q = 0; q < perWarp; ++q)
                while (waiting_[q] > 0)
                    compareWaiting(q);
        }
    }

    __device__ void store() {
#pragma unroll
        for (int q = 0; q < perWarp; ++q) {
            const int j = elementAt(own_, query(q));
            if (j < 0)
                continue;
            list_[q].tighten(pass_.lists.m);
            const std::ptrdiff_t at = std::ptrdiff_t{j} * pass_.lists.m;
            for (int k = lane_; k < pass_.lists.m; k += 32) {
                const nlm::Key key = list_[q].keys[k];
                const bool found = k < list_[q].count;
                pass_.lists.element[at + k] = found ? nlm::elementOf(key) : j;
                pass_.lists.distance[at + k] = found ? nlm::distanceOf(key) : INFINITY;
            }
        }
    }

    const SearchPass& pass_;
    const LeavesView& v_;
    Space& space_;
    int lane_, warp_, own_;
    float scale_, restScale_;
    TileList list_[perWarp];
    float feature_[perWarp][features];
    int waiting_[perWarp] = {};

public:
    float* reach_;
    unsigned* near_;
};

template <int Numbers, bool ByFeatures, bool Matrix>
__global__ void __launch_bounds__(threads, 2) tileKernel(const __grid_constant__ SearchPass pass) {
    extern __shared__ __align__(32) unsigned char memory[];
    __shared__ float reach[warps];
    __shared__ unsigned near[warps];
    TileSearch<Numbers, ByFeatures, Matrix> search(
        pass, *reinterpret_cast<Room<Numbers, Matrix>*>(memory));
    search.reach_ = reach;
    search.near_ = near;
    search.run();
}

/// Bytes: the patches of all leaves once for each block where nothing is pruned; else each once, as
/// what is read depends on the data.
template <int Numbers, bool ByFeatures, bool Matrix>
void launchTiles(int variant, const SearchPass& pass, LaunchLog& log) {
    using Space = Room<Numbers, Matrix>;
    const auto kernel = tileKernel<Numbers, ByFeatures, Matrix>;
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sizeof(Space))),
              "setting the shared memory of a search");
    const double queries = static_cast<double>(pass.queries.last - pass.queries.first) * leafSize,
                 compared =
                     static_cast<double>(pass.compared.last - pass.compared.first) * leafSize;
    const double tiles = compared / leafSize;
    KernelNote note{nlmSearchFamily.kernel(variant),
                    4 * (queries + compared) * Numbers + 8 * queries * pass.lists.m,
                    ByFeatures ? 3 * features * queries * compared : exhaustiveFlops(pass)};
    if constexpr (!ByFeatures && !Matrix)
        note.cost = tiles * (Numbers * KernelCost{.add = perWarp,
                                                  .fusedMultiplyAdd = perWarp,
                                                  .sharedAccesses = 2} +
                             KernelCost{.integer = 60,
                                        .globalLoads = Numbers / 8.0,
                                        .sharedAccesses = Numbers / 8.0,
                                        .barriers = 2});
    log.launch(note, kernel,
               {dim3(static_cast<unsigned>(pass.queries.last - pass.queries.first)), dim3(threads),
                sizeof(Space)},
               pass);
}

template <int Numbers>
void launchVariant(int variant, const SearchPass& pass, LaunchLog& log) {
    switch (variant - nlmSearchFamily.named("tile")) {
    case 0:
        return launchTiles<Numbers, false, false>(variant, pass, log);
    case 1:
        return launchTiles<Numbers, false, true>(variant, pass, log);
    case 2:
        return launchTiles<Numbers, true, false>(variant, pass, log);
    default:
        return launchTiles<Numbers, true, true>(variant, pass, log);
    }
}

} // namespace

void searchByTiles(int variant, const SearchPass& pass, LaunchLog& log) {
    if (pass.leaves.radius == 1)
        launchVariant<nlm::patchNumbers(1)>(variant, pass, log);
    else
        launchVariant<nlm::patchNumbers(2)>(variant, pass, log);
}

} // namespace systole::gpu
