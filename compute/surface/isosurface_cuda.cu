// Marching cubes on bits: a word says of 32 voxels of a row whether they are inside, three words
// which of their lines to the next neighbors are crossed. Counts of points and triangles by word
// become the numbers of all before it by a prefix sum, so that everything is written in the order
// of the voxels without atomics. Only the first kernel reads the whole volume.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/staged_copy.h"
#include "compute/surface/isosurface_device.h"
#include "compute/surface/isosurface_frame.h"
#include "compute/surface/isosurface_math.h"
#include "compute/surface/isosurface_tables.h"

#include <cub/device/device_scan.cuh>
#include <string>

namespace systole {
namespace {

constexpr int wordBits = 32, rowsPerBlock = 8;
constexpr unsigned everyLane = 0xffffffffu;
/// Triangles of a cube times voxels stay below 2^32.
constexpr std::size_t maxVoxels = 858000000;

__device__ const std::array<iso::CubeCase, 256> cubeCases = iso::cubeCases;

/// Bits of the lines along each axis that are crossed.
struct Crossings {
    unsigned x, y, z;

    __device__ int points() const { return __popc(x) + __popc(y) + __popc(z); }
    /// Points before the voxel of this bit.
    __device__ int before(int bit) const {
        const unsigned lower = (1u << bit) - 1;
        return __popc(x & lower) + __popc(y & lower) + __popc(z & lower);
    }
    __device__ int code(int bit) const {
        return static_cast<int>((x >> bit & 1) | (y >> bit & 1) << 1 | (z >> bit & 1) << 2);
    }
};

/// The volume, and its rows of words.
struct Words {
    iso::Values values;
    Size3 size; ///< size of the values' grid with its layer, voxels
    int perRow;
    unsigned* inside;
    Crossings* crossings;
    /// Points in the lower half, triangles in the upper one: of a word, then of all before it.
    unsigned long long* counts;

    __device__ std::size_t of(int word, int y, int z) const {
        return static_cast<std::size_t>(word) +
               static_cast<std::size_t>(perRow) *
                   (static_cast<std::size_t>(y) +
                    static_cast<std::size_t>(size.y) * static_cast<std::size_t>(z));
    }
    /// 0 beyond the grid.
    __device__ unsigned insideAt(int word, int y, int z) const {
        return word < perRow && y < size.y && z < size.z ? inside[of(word, y, z)] : 0;
    }
    std::size_t count() const {
        return static_cast<std::size_t>(perRow) * static_cast<std::size_t>(size.y) *
               static_cast<std::size_t>(size.z);
    }
};

/// A warp per row.
__global__ void markKernel(const Words words) {
    const std::size_t row = blockIdx.x * static_cast<std::size_t>(rowsPerBlock) + threadIdx.y;
    const int z = static_cast<int>(row / static_cast<std::size_t>(words.size.y)),
              y = static_cast<int>(row % static_cast<std::size_t>(words.size.y));
    if (z >= words.size.z)
        return; // the whole warp
    const int layer = words.values.layer, j = y - layer, k = z - layer;
    const Size3 n = words.values.phi.size;
    const bool around = j < 0 || k < 0 || j >= n.y || k >= n.z;
    const float* const phi = around ? nullptr : words.values.phi.row(j, k);
    unsigned* const out = words.inside + words.of(0, y, z);
#pragma unroll 4
    for (int word = 0; word < words.perRow; ++word) {
        const int i = wordBits * word + static_cast<int>(threadIdx.x) - layer;
        const bool in = !around && i >= 0 && i < n.x && phi[i] < 0;
        const unsigned bits = __ballot_sync(everyLane, in);
        if (threadIdx.x == 0)
            out[word] = bits;
    }
}

/// The corners of the cubes of a word: of its four rows (bit 0: y, bit 1: z) the voxels and the
/// next ones.
struct Corners {
    unsigned low[4], high[4];

    __device__ Corners(const Words& words, int word, int y, int z) {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            low[r] = words.insideAt(word, y + (r & 1), z + (r >> 1));
            const unsigned next = words.insideAt(word + 1, y + (r & 1), z + (r >> 1));
            high[r] = __funnelshift_r(low[r], next, 1);
        }
    }
    /// Bits of the cubes that the surface crosses.
    __device__ unsigned crossed(const Words& words, int word, int y, int z) const {
        if (y + 1 >= words.size.y || z + 1 >= words.size.z)
            return 0;
        unsigned any = 0, all = everyLane;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            any |= low[r] | high[r];
            all &= low[r] & high[r];
        }
        const int cubes = words.size.x - 1 - wordBits * word;
        const unsigned valid = cubes >= wordBits ? everyLane : cubes <= 0 ? 0 : (1u << cubes) - 1;
        return any & ~all & valid;
    }
    __device__ int sides(int bit) const {
        unsigned all = 0;
#pragma unroll
        for (int r = 0; r < 4; ++r)
            all |= (low[r] >> bit & 1) << 2 * r | (high[r] >> bit & 1) << (2 * r + 1);
        return static_cast<int>(all);
    }
};

struct WordPlace {
    int word, y, z;
    std::size_t index;
    bool inGrid;

    __device__ WordPlace(const Words& words, std::size_t at) : index(at) {
        const auto perRow = static_cast<std::size_t>(words.perRow),
                   rows = static_cast<std::size_t>(words.size.y);
        word = static_cast<int>(at % perRow);
        y = static_cast<int>(at / perRow % rows);
        z = static_cast<int>(at / perRow / rows);
        inGrid = z < words.size.z;
    }
};

__device__ inline std::size_t threadIndex() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

/// A thread per word.
__global__ void countKernel(const Words words) {
    const WordPlace at(words, threadIndex());
    if (!at.inGrid)
        return;
    const Corners corners(words, at.word, at.y, at.z);
    const int lines = words.size.x - 1 - wordBits * at.word;
    const unsigned hasNext = lines >= wordBits ? everyLane : lines <= 0 ? 0 : (1u << lines) - 1;
    const unsigned in = corners.low[0];
    const Crossings crossings{(in ^ corners.high[0]) & hasNext,
                              at.y + 1 < words.size.y ? in ^ corners.low[1] : 0,
                              at.z + 1 < words.size.z ? in ^ corners.low[2] : 0};
    words.crossings[at.index] = crossings;
    unsigned triangles = 0;
    for (unsigned left = corners.crossed(words, at.word, at.y, at.z); left != 0; left &= left - 1)
        triangles += static_cast<unsigned>(
            cubeCases[static_cast<std::size_t>(corners.sides(__ffs(static_cast<int>(left)) - 1))]
                .triangles);
    words.counts[at.index] = static_cast<unsigned>(crossings.points()) |
                             static_cast<unsigned long long>(triangles) << 32;
}

__device__ inline void writePoint(const iso::DeviceFrame& frame, const iso::SurfacePoint& point,
                                  float* position, float* normal) {
    double g[3], squares = 0;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        double p = frame.origin[i];
        g[i] = 0;
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const auto axis = static_cast<std::size_t>(j);
            p += frame.toPhysical[i][j] * static_cast<double>(point.index[axis]);
            g[i] += frame.toIndex[j][i] * static_cast<double>(point.gradient[axis]);
        }
        position[i] = static_cast<float>(p);
        squares += g[i] * g[i];
    }
    const double scale = rsqrt(squares);
#pragma unroll
    for (int i = 0; i < 3; ++i)
        normal[i] = static_cast<float>(scale * g[i]);
}

/// Calls body(place, counts of the word) in all lanes of a warp for the words of the warp's 32 that
/// `isWanted` holds for, one after another.
template <typename IsWanted, typename Body>
__device__ inline void overWords(const Words& words, const IsWanted& isWanted, const Body& body) {
    const std::size_t first = threadIndex() & ~std::size_t{wordBits - 1};
    const WordPlace own(words, threadIndex());
    unsigned wanted = __ballot_sync(everyLane, own.inGrid && isWanted(own));
    for (; wanted != 0; wanted &= wanted - 1) {
        const auto which = static_cast<std::size_t>(__ffs(static_cast<int>(wanted)) - 1);
        body(WordPlace(words, first + which));
    }
}

/// A warp for 32 words; a lane per voxel of those with points.
__global__ void writePointsKernel(const Words words, const iso::DeviceFrame frame, float* points,
                                  float* normals) {
    const int lane = static_cast<int>(threadIdx.x % wordBits);
    overWords(
        words, [&](const WordPlace& at) { return words.crossings[at.index].points() > 0; },
        [&](const WordPlace& at) {
            const Crossings crossings = words.crossings[at.index];
            const int code = crossings.code(lane);
            std::size_t number = static_cast<unsigned>(words.counts[at.index]) +
                                 static_cast<std::size_t>(crossings.before(lane));
            for (int axis = 0; axis < 3; ++axis)
                if ((code >> axis & 1) != 0) {
                    const iso::SurfacePoint point =
                        iso::pointOn(words.values, wordBits * at.word + lane, at.y, at.z, axis);
                    writePoint(frame, point, points + 3 * number, normals + 3 * number);
                    ++number;
                }
        });
}

__device__ inline int warpSumBefore(int value, int lane) {
    int sum = value;
#pragma unroll
    for (int step = 1; step < wordBits; step *= 2) {
        const int other = __shfl_up_sync(everyLane, sum, static_cast<unsigned>(step));
        if (lane >= step)
            sum += other;
    }
    return sum - value;
}

/// A warp for 32 words; a lane per cube of those with triangles.
__global__ void writeTrianglesKernel(const Words words, bool mirrored, std::uint32_t* triangles) {
    const int lane = static_cast<int>(threadIdx.x % wordBits);
    const auto triangleNumber = [&](std::size_t index) { return words.counts[index] >> 32; };
    overWords(
        words,
        [&](const WordPlace& at) {
            return triangleNumber(at.index + 1) != triangleNumber(at.index);
        },
        [&](const WordPlace& at) {
            const Corners corners(words, at.word, at.y, at.z);
            const bool crossed = corners.crossed(words, at.word, at.y, at.z) >> lane & 1;
            const iso::CubeCase* const cube =
                crossed ? &cubeCases[static_cast<std::size_t>(corners.sides(lane))] : nullptr;
            const int own = crossed ? cube->triangles : 0;
            std::uint32_t* out =
                triangles +
                3 * (triangleNumber(at.index) + static_cast<std::size_t>(warpSumBefore(own, lane)));
            for (int t = 0; t < own; ++t, out += 3) {
                std::uint32_t number[3];
#pragma unroll
                for (int corner = 0; corner < 3; ++corner) {
                    const int edge = cube->edges[static_cast<std::size_t>(3 * t + corner)],
                              low = iso::lowCorner(edge), x = lane + (low & 1), bit = x % wordBits;
                    const std::size_t word =
                        words.of(at.word + x / wordBits, at.y + (low >> 1 & 1), at.z + (low >> 2));
                    const Crossings crossings = words.crossings[word];
                    number[corner] =
                        static_cast<unsigned>(words.counts[word]) +
                        static_cast<unsigned>(crossings.before(bit) +
                                              iso::pointsBefore(crossings.code(bit), edge / 4));
                }
                out[0] = number[0];
                out[1] = number[mirrored ? 2 : 1];
                out[2] = number[mirrored ? 1 : 2];
            }
        });
}

} // namespace

struct DeviceIsosurface::Impl {
    Words words{};
    std::unique_ptr<iso::DeviceFrame> frame;
    Size found;
    Buffer<unsigned> inside;
    Buffer<Crossings> crossings;
    Buffer<unsigned long long> counts;
    Buffer<std::byte> scan;

    /// Memory for so many words, and for the sums of all.
    void reserve(BufferPool& pool, std::size_t count, cudaStream_t stream) {
        if (counts.size() >= count + 1)
            return;
        inside = pool.acquire<unsigned>(count, "isosurface, voxels inside");
        crossings = pool.acquire<Crossings>(count, "isosurface, crossings");
        counts = pool.acquire<unsigned long long>(count + 1, "isosurface, numbers");
        std::size_t bytes = 0;
        cudaCheck(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts.data(), counts.data(),
                                                static_cast<int>(count + 1), stream),
                  "planning an isosurface");
        scan = pool.acquire<std::byte>(bytes, "isosurface, prefix sum");
    }
};

DeviceIsosurface::DeviceIsosurface() : impl_(std::make_unique<Impl>()) {}
DeviceIsosurface::~DeviceIsosurface() = default;

DeviceIsosurface::Size DeviceIsosurface::find(VolumeView<const float> phi, const Geometry& geometry,
                                              SurfaceEdge edge, const ExecContext& ctx) {
    if (phi.size != geometry.size())
        throw ComputeError("an isosurface needs a volume on its grid");
    if (phi.voxels() > maxVoxels)
        throw ComputeError("the surface of " + std::to_string(phi.voxels() / 1000000) +
                           " million voxels can't be made on the device; at most " +
                           std::to_string(maxVoxels / 1000000) + " million can");
    CudaContext& cuda = *ctx.cuda;
    Words& words = impl_->words;
    words.values = {phi, edge == SurfaceEdge::Closed ? 1 : 0};
    words.size = words.values.size();
    words.perRow = gpu::divideUp(words.size.x, wordBits);
    impl_->frame = std::make_unique<iso::DeviceFrame>(geometry);
    const std::size_t count = words.count();
    impl_->reserve(cuda.devicePool(), count, streamOf(cuda));
    words.inside = impl_->inside.data();
    words.crossings = impl_->crossings.data();
    words.counts = impl_->counts.data();
    const auto perWord = static_cast<double>(count);
    cuda.zero(words.counts + count, sizeof *words.counts, CudaStream::Compute);
    loggedCall(ctx, "isosurface", [&](LaunchLog& log) {
        const std::size_t rows =
            static_cast<std::size_t>(words.size.y) * static_cast<std::size_t>(words.size.z);
        const LaunchShape byRows{
            dim3(static_cast<unsigned>((rows + rowsPerBlock - 1) / rowsPerBlock)),
            dim3(wordBits, rowsPerBlock)};
        log.launch({"isosurface, inside", 4.0 * static_cast<double>(phi.voxels()) + 4 * perWord},
                   markKernel, byRows, words);
        log.launch({"isosurface, count", 24 * perWord}, countKernel, gpu::threadsOver(count),
                   words);
        log.begin({"isosurface, prefix sum", 16 * perWord}, nullptr, {});
        std::size_t bytes = impl_->scan.size();
        cudaCheck(cub::DeviceScan::ExclusiveSum(impl_->scan.data(), bytes, words.counts,
                                                words.counts, static_cast<int>(count + 1),
                                                log.stream()),
                  "numbering an isosurface");
        log.end();
    });
    const unsigned long long sums = fetched(words.counts + count, cuda);
    impl_->found = {static_cast<std::size_t>(sums & 0xffffffffu),
                    static_cast<std::size_t>(sums >> 32)};
    return impl_->found;
}

void DeviceIsosurface::write(float* points, float* normals, std::uint32_t* triangles,
                             const ExecContext& ctx) {
    const Words& words = impl_->words;
    const auto perWord = static_cast<double>(words.count());
    if (impl_->found.points == 0)
        return;
    loggedCall(ctx, "isosurface", [&](LaunchLog& log) {
        const LaunchShape byWords = gpu::threadsOver(words.count());
        log.launch(
            {"isosurface, points", 12 * perWord + 24 * static_cast<double>(impl_->found.points)},
            writePointsKernel, byWords, words, *impl_->frame, points, normals);
        log.launch({"isosurface, triangles",
                    8 * perWord + 12 * static_cast<double>(impl_->found.triangles)},
                   writeTrianglesKernel, byWords, words, impl_->frame->mirrored, triangles);
    });
}

DeviceMesh deviceIsosurface(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                            const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    DeviceIsosurface surface;
    const DeviceIsosurface::Size size = surface.find(phi, geometry, edge, ctx);
    DeviceMesh mesh;
    if (size.points == 0)
        return mesh;
    BufferPool& pool = cuda.devicePool();
    mesh.points = pool.acquire<float>(3 * size.points, "points of a surface");
    mesh.normals = pool.acquire<float>(3 * size.points, "normals of a surface");
    mesh.triangles = pool.acquire<std::uint32_t>(3 * size.triangles, "triangles of a surface");
    surface.write(mesh.points.data(), mesh.normals.data(), mesh.triangles.data(), ctx);
    mesh.ready = cuda.record(CudaStream::Compute);
    return mesh;
}

TriangleMesh toHost(const DeviceMesh& mesh, CudaContext& cuda) {
    TriangleMesh copy;
    copy.points.resize(mesh.points.size() / 3);
    copy.normals.resize(mesh.normals.size() / 3);
    copy.triangles.resize(mesh.triangles.size() / 3);
    const auto download = [&](const auto& from, auto& to) {
        if (!to.empty())
            cuda.download(from.data(), to.data(), to.size() * sizeof to[0], CudaStream::Compute);
    };
    cuda.waitFor(CudaStream::Compute, mesh.ready);
    download(mesh.points, copy.points);
    download(mesh.normals, copy.normals);
    download(mesh.triangles, copy.triangles);
    cuda.synchronize(CudaStream::Compute);
    return copy;
}

} // namespace systole
