// The products of a row, sorted by a block: for rows of few products among many columns, where an
// array or a bitmap would be empty mostly.
#include "compute/sparse/product_reading.cuh"

#include <bit>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

namespace systole::sparse::gpu {
namespace {

/// Where number p stands in shared memory: threads that read consecutive stretches, a power of two
/// long, then do so from different banks.
__host__ __device__ constexpr int padded(int p) { return p + p / 32; }

/// Threads · Items products at most. A key is a product's column, counted from the row's first one,
/// and its number; only columns are sorted by, and equal ones stay in their order.
template <int Threads, int Items, typename Key, typename Value>
struct BlockSort {
    static constexpr int most = Threads * Items, numberBits = std::bit_width(unsigned{most - 1});
    using Sort = cub::BlockRadixSort<Key, Threads, Items, cub::NullType, 5>;
    using Scan = cub::BlockScan<int, Threads>;
    struct Shared {
        Value product[most]; ///< products by number; the sums at the end
        union {
            Key key[padded(most)];
            int column[most]; ///< columns of the sums
            typename Sort::TempStorage sort;
            typename Scan::TempStorage scan;
        };
        int ofWarp[Threads / 32];
    };
    __device__ static Key column(Key key) { return key >> numberBits; }
    __device__ static int number(Key key) { return static_cast<int>(key & Key{most - 1}); }
};

/// Long because its phases share registers and shared memory.
template <int Threads, int Items, typename Key, typename Value>
__global__ void __launch_bounds__(Threads)
    blockSortKernel(const Factors<Value> f, const RowRanges ranges, const int* list, int columnBits,
                    const RowOutput<Value> out) {
    using Block = BlockSort<Threads, Items, Key, Value>;
    extern __shared__ double memory[];
    auto& shared = *reinterpret_cast<typename Block::Shared*>(memory);
    constexpr int warps = Threads / 32;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int row = list[blockIdx.x], low = ranges.low[row];
    const int begin = f.aStart[row], end = f.aStart[row + 1];

    int products = 0;
    for (int from = begin; from < end; from += Threads) {
        const Products<32, Value> own(f, from + 32 * warp, end);
        if (lane == 0)
            shared.ofWarp[warp] = own.count();
        __syncthreads();
        int place = products;
        for (int w = 0; w < warps; ++w) {
            place += w < warp ? shared.ofWarp[w] : 0;
            products += shared.ofWarp[w];
        }
        for (int first = 0; first < own.count(); first += 32) {
            int column;
            Value product;
            own.read(first + lane, column, product);
            if (first + lane < own.count()) {
                const int number = place + first + lane;
                shared.product[number] = product;
                shared.key[padded(number)] =
                    static_cast<Key>(column - low) << Block::numberBits | static_cast<Key>(number);
            }
        }
        __syncthreads();
    }

    Key key[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        const int number = thread * Items + i;
        key[i] = number < products ? shared.key[padded(number)] : ~Key{0};
    }
    __syncthreads();
    typename Block::Sort(shared.sort).Sort(key, Block::numberBits, Block::numberBits + columnBits);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i)
        shared.key[padded(thread * Items + i)] = key[i];
    __syncthreads();

    // The first of a column adds all of them.
    Value sum[Items];
    unsigned heads = 0;
    Key before = thread > 0 ? Block::column(shared.key[padded(thread * Items - 1)]) : ~Key{0};
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        const int place = thread * Items + i;
        const Key column = Block::column(key[i]);
        sum[i] = 0;
        if (place < products && (place == 0 || column != before)) {
            heads |= 1u << i;
            sum[i] = shared.product[Block::number(key[i])];
            for (int next = place + 1; next < products; ++next) {
                const Key other = shared.key[padded(next)];
                if (Block::column(other) != column)
                    break;
                sum[i] += shared.product[Block::number(other)];
            }
        }
        before = column;
    }
    __syncthreads();
    int place = 0, length = 0;
    typename Block::Scan(shared.scan).ExclusiveSum(__popc(heads), place, length);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i)
        if ((heads >> i & 1) != 0) {
            shared.column[place] = low + static_cast<int>(Block::column(key[i]));
            shared.product[place] = sum[i];
            ++place;
        }
    __syncthreads();
    const long long at = out.at[row];
    for (int i = thread; i < length; i += Threads) {
        out.column[at + i] = shared.column[i];
        out.value[at + i] = shared.product[i];
    }
    if (thread == 0 && out.length)
        out.length[row] = length;
}

/// Calls run.operator()<threads, items>() of an accumulator.
template <typename Run>
void bySize(Accumulator accumulator, const Run& run) {
    if (accumulator == BlockSort256)
        run.template operator()<32, 8>();
    else if (accumulator == BlockSort512)
        run.template operator()<64, 8>();
    else if (accumulator == BlockSort1024)
        run.template operator()<128, 8>();
    else
        run.template operator()<256, 16>();
}

template <typename Key, typename Value>
void blockSortRowsBy(const RowWork<Value>& work, int columnBits, LaunchLog& log) {
    bySize(work.accumulator, [&]<int Threads, int Items>() {
        launchTeams({"spgemm, block sort", false, Threads, 1,
                     sizeof(typename BlockSort<Threads, Items, Key, Value>::Shared)},
                    blockSortKernel<Threads, Items, Key, Value>, work.list, log, work.factors,
                    work.ranges, work.list.rows, columnBits, work.out);
    });
}

} // namespace

template <typename Value>
std::size_t bytesOfBlockSort(Accumulator accumulator) {
    std::size_t bytes = 0;
    bySize(accumulator, [&]<int Threads, int Items>() {
        bytes = sizeof(typename BlockSort<Threads, Items, std::uint64_t, Value>::Shared);
    });
    return bytes;
}

template <typename Value>
void blockSortRows(const RowWork<Value>& work, LaunchLog& log) {
    // A key of padding has all bits set behind the last column, so that it comes last.
    const int columnBits = std::bit_width(static_cast<unsigned>(work.list.window));
    const int numberBits =
        std::bit_width(static_cast<unsigned>(maxProductsOfBlockSort(work.accumulator) - 1));
    if (columnBits + numberBits <= 32)
        blockSortRowsBy<std::uint32_t>(work, columnBits, log);
    else
        blockSortRowsBy<std::uint64_t>(work, columnBits, log);
}

template std::size_t bytesOfBlockSort<float>(Accumulator);
template std::size_t bytesOfBlockSort<double>(Accumulator);
template void blockSortRows(const RowWork<float>&, LaunchLog&);
template void blockSortRows(const RowWork<double>&, LaunchLog&);

} // namespace systole::sparse::gpu
