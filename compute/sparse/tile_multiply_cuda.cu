// The multiplication of pairs of tiles, a warp for each tile of the product.
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/tile_product_cuda.cuh"

#include <cuda_fp16.h>

namespace systole::sparse::gpu {
namespace {

constexpr unsigned everyLane = 0xffffffffu;

/// 2^exponent, for exponents from -126 to 127.
__device__ float powerOfTwo(int exponent) { return __int_as_float((exponent + 127) << 23); }

__device__ float timesPowerOfTwo(float value, int exponent) {
    return exponent >= -126 && exponent <= 126 ? value * powerOfTwo(exponent)
                                               : ldexpf(value, exponent);
}

__device__ unsigned asRegister(__half2 pair) {
    unsigned bits;
    memcpy(&bits, &pair, sizeof bits);
    return bits;
}

/// Two values as half precision, and 2^11 times what that lost.
struct Split {
    unsigned high, low;

    __device__ Split(float x, float y) {
        const __half2 rounded = __floats2half2_rn(x, y);
        high = asRegister(rounded);
        low = asRegister(__floats2half2_rn(2048.0f * (x - __low2float(rounded)),
                                           2048.0f * (y - __high2float(rounded))));
    }
};

/// 16 × 8 times 8 × 8: `above` and `below` are the halves of the left factor.
__device__ float4 multiplyTiles(unsigned above, unsigned below, unsigned b) {
    float4 d;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%7, %7, %7, %7};"
        : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w)
        : "r"(above), "r"(below), "r"(b), "f"(0.0f));
    return d;
}

/// A sum whose rounding errors are carried along (Kahan 1965): a tile of C may be the sum of
/// hundreds of pairs.
struct CarefulSum {
    float sum = 0, lost = 0;

    __device__ void add(float value) {
        const float wanted = value - lost, next = sum + wanted;
        lost = (next - sum) - wanted;
        sum = next;
    }
};

/// Adds the product of two tiles at the places (y, x) and (y, x + 1). A lane has two values of
/// each: places (y, x) and (y, x + 1), of the right tile its transposed for the matrix units.
template <TileUnit unit>
__device__ void addPair(const float (&a)[2], const float (&b)[2], int exponentA, int exponentB,
                        int y, int x, CarefulSum (&sum)[2]) {
    if constexpr (unit == TileUnit::Scalar) {
        float ofPair[2] = {};
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float left = __shfl_sync(everyLane, a[k % 2], 4 * y + k / 2);
            ofPair[0] = fmaf(left, __shfl_sync(everyLane, b[0], 4 * k + x / 2), ofPair[0]);
            ofPair[1] = fmaf(left, __shfl_sync(everyLane, b[1], 4 * k + x / 2), ofPair[1]);
        }
        sum[0].add(ofPair[0]);
        sum[1].add(ofPair[1]);
        return;
    }
    const float toA = powerOfTwo(-exponentA), toB = powerOfTwo(-exponentB);
    const Split left(a[0] * toA, a[1] * toA), right(b[0] * toB, b[1] * toB);
    const int exponent = exponentA + exponentB;
    if constexpr (unit == TileUnit::Tensor) {
        const float4 d = multiplyTiles(left.high, 0, right.high);
        sum[0].add(timesPowerOfTwo(d.x, exponent));
        sum[1].add(timesPowerOfTwo(d.y, exponent));
    } else if constexpr (unit == TileUnit::Accurate) {
        constexpr float lost = 1.0f / 2048;
        const float4 d = multiplyTiles(left.high, left.low, right.high),
                     e = multiplyTiles(left.high, left.low, right.low);
        sum[0].add(timesPowerOfTwo(d.x + lost * (d.z + e.x + lost * e.z), exponent));
        sum[1].add(timesPowerOfTwo(d.y + lost * (d.w + e.y + lost * e.w), exponent));
    }
}

/// A warp per tile of C; a lane has two places of a row: 2 (lane % 4) of row lane / 4 and the next.
template <TileUnit unit>
__global__ void __launch_bounds__(256)
    multiplyKernel(const TilesView a, const TilesView b, const Key* pairs, const ProductTiles c,
                   const long long* rowStart, int* column, float* value) {
    const long long warp =
        (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / warpSize;
    if (warp >= c.count)
        return;
    const int tile = static_cast<int>(warp), lane = static_cast<int>(threadIdx.x % 32),
              y = lane / 4, x = 2 * (lane % 4);
    CarefulSum sum[2];
    const int lastPair = c.firstPair[tile + 1];
    Key next = pairs[c.firstPair[tile]];
    for (int p = c.firstPair[tile]; p < lastPair; ++p) {
        const int s = static_cast<int>(next >> 32), t = static_cast<int>(next & 0xffffffffu);
        if (p + 1 < lastPair)
            next = pairs[p + 1];
        float left[2], right[2];
        a.readRow(s, y, x, left);
        if constexpr (unit == TileUnit::Scalar)
            b.readRow(t, y, x, right);
        else
            b.readColumn(t, x, y, right); // the matrix unit wants the rows of B along x
        const bool scaled = unit != TileUnit::Scalar;
        addPair<unit>(left, right, scaled ? a.exponent[s] : 0, scaled ? b.exponent[t] : 0, y, x,
                      sum);
    }
    const Bits bits = c.bitmap[tile];
    const Key number = c.number[tile], tileRow = number / c.tileColumns,
              tileColumn = number % c.tileColumns;
    const unsigned ofRow = static_cast<unsigned>(bits >> 8 * y) & 0xff;
    if ((ofRow >> x & 3) == 0)
        return;
    const long long start = rowStart[8 * tileRow + static_cast<Key>(y)] + c.before[8ll * tile + y];
#pragma unroll
    for (int u = 0; u < 2; ++u)
        if ((ofRow >> (x + u) & 1) != 0) {
            const long long to = start + __popc(ofRow & ((1u << (x + u)) - 1));
            column[to] = static_cast<int>(8 * tileColumn) + x + u;
            value[to] = sum[u].sum;
        }
}

} // namespace

void multiplyTiles(const TilePlan& plan, TileUnit unit, const std::string& name, int* column,
                   float* value, LaunchLog& log) {
    const DeviceTiles &a = plan.left, &b = plan.ofRight();
    const auto pairs = static_cast<double>(plan.pairs.count);
    const std::size_t inputs = a.values.size() + plan.right.values.size();
    const auto launch = [&](auto kernel) {
        log.launch({name,
                    4.0 * static_cast<double>(inputs) + 8 * pairs +
                        8.0 * static_cast<double>(plan.entries),
                    1024 * pairs},
                   kernel, systole::gpu::threadsOver(32 * static_cast<std::size_t>(plan.tiles)),
                   a.view(), b.view(), plan.pairs.pairs.data(), plan.view, plan.starts.data(),
                   column, value);
    };
    if (unit == TileUnit::Scalar)
        launch(multiplyKernel<TileUnit::Scalar>);
    else if (unit == TileUnit::Tensor)
        launch(multiplyKernel<TileUnit::Tensor>);
    else
        launch(multiplyKernel<TileUnit::Accurate>);
}

TileUnit tileUnit(std::string_view variant) {
    return variant == "tile-scalar"   ? TileUnit::Scalar
           : variant == "tile-tensor" ? TileUnit::Tensor
                                      : TileUnit::Accurate;
}

} // namespace systole::sparse::gpu
