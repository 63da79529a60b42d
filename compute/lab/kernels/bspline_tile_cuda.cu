// Variants that use that the voxels of a tile share 64 control points: a block per tile with the
// points in shared memory, and a thread per tile with the points in its registers (Zachariadis et
// al., Comput. Methods Programs Biomed. 193, 2020). All weights come from tables in constant
// memory.
#include "compute/lab/kernels/bspline_cuda.cuh"

namespace systole::lab {
using namespace bspline;
namespace {

/// Three components, each Σ over the 64 points of a tile.
template <typename Read>
__device__ float3 sumsOf(const Read& read, float4 wx, float4 wy, float4 wz) {
    const float x[4] = {wx.x, wx.y, wx.z, wx.w}, y[4] = {wy.x, wy.y, wy.z, wy.w},
                z[4] = {wz.x, wz.y, wz.z, wz.w};
    float3 sum{0, 0, 0};
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            const float weight = y[m] * z[n];
#pragma unroll
            for (int l = 0; l < 4; ++l) {
                const float w = weight * x[l];
                const int q = l + 4 * m + 16 * n;
                sum = {fmaf(w, read(0, q), sum.x), fmaf(w, read(1, q), sum.y),
                       fmaf(w, read(2, q), sum.z)};
            }
        }
    return sum;
}

__device__ void store(FieldView<float> out, std::size_t voxel, float3 value) {
    out.u[voxel] = value.x;
    out.v[voxel] = value.y;
    out.w[voxel] = value.z;
}

__global__ void __launch_bounds__(1024)
    blockPerTileKernel(const __grid_constant__ Points p,
                       const __grid_constant__ WeightConstants weights, FieldView<float> out) {
    __shared__ float points[3][64];
    const int i = static_cast<int>(blockIdx.x), j = static_cast<int>(blockIdx.y),
              k = static_cast<int>(blockIdx.z);
    for (int n = static_cast<int>(threadIdx.x); n < 3 * 64; n += static_cast<int>(blockDim.x)) {
        const int c = n / 64, q = n % 64;
        points[c][q] = p.of[c][p.offset(i + q % 4, j + q / 4 % 4, k + q / 16)];
    }
    __syncthreads();
    const int area = p.tile.x * p.tile.y, voxels = area * p.tile.z;
    for (int t = static_cast<int>(threadIdx.x); t < voxels; t += static_cast<int>(blockDim.x)) {
        const int tz = t / area, ty = (t - tz * area) / p.tile.x,
                  tx = t - tz * area - ty * p.tile.x;
        const int x = i * p.tile.x + tx, y = j * p.tile.y + ty, z = k * p.tile.z + tz;
        if (x >= out.size.x || y >= out.size.y || z >= out.size.z)
            continue;
        store(out, out.componentView(0).offset(x, y, z),
              sumsOf([&](int c, int q) { return points[c][q]; }, weights.x.of[tx], weights.y.of[ty],
                     weights.z.of[tz]));
        // The points stay in shared memory: 192 registers for them would spill.
        asm volatile("" ::: "memory");
    }
}

/// The tile of a thread: blocks of 4×4 tiles and some planes of them.
struct Tile {
    int i, j, k;
    bool inGrid;

    __device__ explicit Tile(const Points& p) {
        i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
        j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
        k = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
        inGrid = i < p.count.x - 3 && j < p.count.y - 3 && k < p.count.z - 3;
    }
    /// Calls body(voxel, index in the tile along x, y, z) for its voxels in the image.
    template <typename Body>
    __device__ void forVoxels(const Points& p, FieldView<float> out, const Body& body) const {
        const int nx = min(p.tile.x, out.size.x - i * p.tile.x),
                  ny = min(p.tile.y, out.size.y - j * p.tile.y),
                  nz = min(p.tile.z, out.size.z - k * p.tile.z);
        const VolumeView<float> grid = out.componentView(0);
        for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y) {
                const std::size_t row =
                    grid.offset(i * p.tile.x, j * p.tile.y + y, k * p.tile.z + z);
#pragma unroll 1
                for (int x = 0; x < nx; ++x)
                    body(row + x, x, y, z);
            }
    }
};

__global__ void __launch_bounds__(256)
    tileKernel(const __grid_constant__ Points p, const __grid_constant__ WeightConstants weights,
               FieldView<float> out) {
    const Tile tile(p);
    if (!tile.inGrid)
        return;
    float points[3][64];
#pragma unroll
    for (int q = 0; q < 64; ++q) {
        const int at = p.offset(tile.i + q % 4, tile.j + q / 4 % 4, tile.k + q / 16);
#pragma unroll
        for (int c = 0; c < 3; ++c)
            points[c][q] = p.of[c][at];
    }
    tile.forVoxels(p, out, [&](std::size_t voxel, int x, int y, int z) {
        store(out, voxel,
              sumsOf([&](int c, int q) { return points[c][q]; }, weights.x.of[x], weights.y.of[y],
                     weights.z.of[z]));
    });
}

/// The three interpolations of each voxel along an axis, as float4 {low, high, between, unused}.
struct MixConstants {
    float4 x[maxVoxelsOfTileOnDevice], y[maxVoxelsOfTileOnDevice], z[maxVoxelsOfTileOnDevice];

    explicit MixConstants(const ControlGrid& grid) : x{}, y{}, z{} {
        const auto fill = [](float4* mixes, const ControlAxis& axis) {
            for (int t = 0; t < axis.tile; ++t) {
                const Mixes<float> m = mixesOfVoxel(t, axis);
                mixes[t] = {m.low, m.high, m.between, 0};
            }
        };
        fill(x, grid.axis(0));
        fill(y, grid.axis(1));
        fill(z, grid.axis(2));
    }
};

/// Eight trilinear interpolations of two points along each axis, and one of the results.
template <typename Read>
__device__ float mixOf(const Read& read, float4 mx, float4 my, float4 mz) {
    const auto cube = [&](int lowest, float x, float y, float z) {
        const auto row = [&](int q) { return mix(read(q), read(q + 1), x); };
        const auto plane = [&](int q) { return mix(row(q), row(q + 4), y); };
        return mix(plane(lowest), plane(lowest + 16), z);
    };
    const auto row = [&](int q, float y, float z) {
        return mix(cube(q, mx.x, y, z), cube(q + 2, mx.y, y, z), mx.z);
    };
    const auto plane = [&](int q, float z) {
        return mix(row(q, my.x, z), row(q + 8, my.y, z), my.z);
    };
    return mix(plane(0, mz.x), plane(32, mz.y), mz.z);
}

/// A thread keeps the highest quarter of its 64 points in shared memory, so that the rest and the
/// interpolations fit into its registers.
__global__ void __launch_bounds__(256)
    tileLerpKernel(const __grid_constant__ Points p, const __grid_constant__ MixConstants mixes,
                   FieldView<float> out) {
    extern __shared__ float quarters[]; // [component · 16 + point][thread]
    const Tile tile(p);
    if (!tile.inGrid)
        return;
    const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    float* const quarter =
        quarters + threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    float points[3][48];
#pragma unroll
    for (int q = 0; q < 64; ++q) {
        const int at = p.offset(tile.i + q % 4, tile.j + q / 4 % 4, tile.k + q / 16);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float value = p.of[c][at];
            if (q < 48)
                points[c][q] = value;
            else
                quarter[(c * 16 + q - 48) * threads] = value;
        }
    }
    tile.forVoxels(p, out, [&](std::size_t voxel, int x, int y, int z) {
        const float4 mx = mixes.x[x], my = mixes.y[y], mz = mixes.z[z];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            out.component(c)[voxel] = mixOf(
                [&](int q) { return q < 48 ? points[c][q] : quarter[(c * 16 + q - 48) * threads]; },
                mx, my, mz);
            asm volatile("" ::: "memory"); // one component after the other, or registers spill
        }
    });
}

/// A block of 4×4 tiles and threads/16 planes of them.
LaunchShape tileShape(const FieldLaunch& f, const LaunchLog& log) {
    const int threads = f.threads(log), planes = threads / 16;
    const Size3 n = f.points.values.size;
    return {dim3(static_cast<unsigned>(gpu::divideUp(n.x - 3, 4)),
                 static_cast<unsigned>(gpu::divideUp(n.y - 3, 4)),
                 static_cast<unsigned>(gpu::divideUp(n.z - 3, planes))),
            dim3(4, 4, static_cast<unsigned>(planes))};
}

constexpr KernelCost loadPoints{.integer = 100, .globalLoads = 192};

} // namespace

const KernelCost sharedVoxel{.multiply = 16 + 64,
                             .fusedMultiplyAdd = 192,
                             .integer = 90,
                             .globalStores = 3,
                             .constantLoads = 3,
                             .sharedAccesses = 48};
const KernelCost tileVoxel{.multiply = 16 + 64,
                           .fusedMultiplyAdd = 192,
                           .integer = 23,
                           .globalStores = 3,
                           .constantLoads = 1};
// 72 of the 189 differences are those of neighbors along x in registers: the same for all voxels of
// the tile, so that the compiler keeps them in place of the second point.
const KernelCost tileLerpVoxel{.add = 189 - 72,
                               .fusedMultiplyAdd = 189,
                               .integer = 23,
                               .globalStores = 3,
                               .constantLoads = 1,
                               .sharedAccesses = 48};

void launchThreadPerVoxel(const FieldLaunch& f, LaunchLog& log) {
    const Size3 n = f.points.values.size;
    const int threads = f.threads(log);
    const LaunchShape shape{dim3(static_cast<unsigned>(n.x - 3), static_cast<unsigned>(n.y - 3),
                                 static_cast<unsigned>(n.z - 3)),
                            dim3(static_cast<unsigned>(threads))};
    const KernelCost load =
        192.0 / threads * KernelCost{.integer = 30, .globalLoads = 1, .sharedAccesses = 1} +
        KernelCost{.barriers = 1};
    log.launch(
        f.note(80 + 2 * 192, gpu::perThread(shape, static_cast<double>(f.field.size.voxels()),
                                            sharedVoxel, load)),
        blockPerTileKernel, shape, Points(f.points), WeightConstants(f.points.grid), f.field);
}

void launchThreadPerTile(const FieldLaunch& f, LaunchLog& log) {
    const LaunchShape shape = tileShape(f, log);
    log.launch(
        f.note(80 + 2 * 192, gpu::perThread(shape, static_cast<double>(f.field.size.voxels()),
                                            tileVoxel, loadPoints)),
        tileKernel, shape, Points(f.points), WeightConstants(f.points.grid), f.field);
}

void launchThreadPerTileLerp(const FieldLaunch& f, LaunchLog& log) {
    LaunchShape shape = tileShape(f, log);
    shape.sharedBytes = 48 * sizeof(float) * shape.block.x * shape.block.y * shape.block.z;
    log.launch(f.note(3 * 126,
                      gpu::perThread(shape, static_cast<double>(f.field.size.voxels()),
                                     tileLerpVoxel, loadPoints + KernelCost{.sharedAccesses = 48})),
               tileLerpKernel, shape, Points(f.points), MixConstants(f.points.grid), f.field);
}

} // namespace systole::lab
