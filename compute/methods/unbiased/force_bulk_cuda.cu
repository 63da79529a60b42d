// `bulk`: as `reuse`, with planes that the copy engine of a multiprocessor brings, a row of a block
// at once, while the plane before them is worked on (compute capability 9.0: cp.async.bulk, whose
// end a barrier in shared memory counts by bytes). Such copies begin and end at multiples of 16
// bytes: a block's halo along x is four voxels wide, and volumes whose rows aren't multiples of
// four voxels, and older chips, have their planes copied by the threads.
#include "compute/methods/unbiased/force_march.cuh"

namespace systole::unbiased {
namespace {

/// The planes that a flux takes, and one on its way.
constexpr int planesKept = 4, haloX = 4;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
constexpr bool hasBulkCopies = true;

__device__ inline unsigned sharedAddress(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ inline void initialize(std::uint64_t* arrival) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(arrival)) : "memory");
}
/// Orders what threads wrote to shared memory before what copies write there.
__device__ inline void fenceForCopies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void expectBytes(std::uint64_t* arrival, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(arrival)),
        "r"(bytes)
        : "memory");
}
__device__ inline void copyBulk(float* to, const float* from, unsigned bytes,
                                std::uint64_t* arrival) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(sharedAddress(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(sharedAddress(arrival))
                 : "memory");
}
__device__ inline void waitFor(std::uint64_t* arrival, unsigned parity) {
    asm volatile("{\n"
                 ".reg .pred there;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
                 "@!there bra again;\n"
                 "}\n" ::"r"(sharedAddress(arrival)),
                 "r"(parity)
                 : "memory");
}
#else
constexpr bool hasBulkCopies = false;

__device__ inline void initialize(std::uint64_t*) {}
__device__ inline void fenceForCopies() {}
__device__ inline void expectBytes(std::uint64_t*, unsigned) {}
__device__ inline void copyBulk(float*, const float*, unsigned, std::uint64_t*) {}
__device__ inline void waitFor(std::uint64_t*, unsigned) {}
#endif

struct BulkPlanes : DisplacementPlanes<planesKept, haloX> {
    std::uint64_t* arrivals; ///< barriers of the planes' slots
    int first = 0, last = 0; ///< planes that are needed
    bool inBulk = false;     ///< planes come by bulk copies; equal in all threads

    __device__ BulkPlanes(float* shared, int cells, std::uint64_t* arrivalOfSlot)
        : DisplacementPlanes<planesKept, haloX>{shared, cells}, arrivals(arrivalOfSlot) {}

    __device__ void begin(const FieldView<const float>& w, int firstPlane, int lastPlane) {
        first = firstPlane;
        last = lastPlane;
        inBulk = hasBulkCopies && w.size.x % 4 == 0;
        for (int k = 0; k < 3; ++k)
            inBulk = inBulk && reinterpret_cast<std::uintptr_t>(w.component(k)) % 16 == 0;
        if (!inBulk) {
            fill(w, first);
            fill(w, first + 1);
            return;
        }
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            for (int slot = 0; slot < planesKept; ++slot)
                initialize(arrivals + slot);
            fenceForCopies();
        }
        __syncthreads();
        for (int z = first; z < first + planesKept - 1; ++z)
            start(w, z);
        finish(w, first);
        finish(w, first + 1);
    }
    /// Plane z; starts the one after it.
    __device__ void bring(const FieldView<const float>& w, int z) const {
        if (!inBulk) {
            fill(w, z);
            return;
        }
        start(w, z + 1);
        finish(w, z);
    }

private:
    static __device__ int columnOf(int x) {
        return x - static_cast<int>(blockIdx.x * blockDim.x) + haloX;
    }
    /// The columns of the grid that the block has: from first to before end.
    static __device__ int firstX() {
        return max(static_cast<int>(blockIdx.x * blockDim.x) - haloX, 0);
    }
    static __device__ int endX(int size) {
        return min(static_cast<int>((blockIdx.x + 1) * blockDim.x) + haloX, size);
    }

    __device__ std::uint64_t* arrivalOf(int z) const {
        return arrivals + (z + planesKept) % planesKept;
    }
    /// Starts the copy of plane z; only the first warp acts.
    __device__ void start(const FieldView<const float>& w, int z) const {
        if (threadIdx.y != 0 || z > last)
            return;
        const int rows = plane / pitch, x0 = firstX(),
                  y0 = static_cast<int>(blockIdx.y * blockDim.y) - halo,
                  atZ = clampedIndex(z, w.size.z);
        const auto bytes = static_cast<unsigned>(endX(w.size.x) - x0) * 4U;
        if (threadIdx.x == 0)
            expectBytes(arrivalOf(z), 3U * static_cast<unsigned>(rows) * bytes);
        __syncwarp();
        for (int row = static_cast<int>(threadIdx.x); row < rows; row += gpu::tileX) {
            const std::size_t i =
                w.componentView(0).offset(x0, clampedIndex(y0 + row, w.size.y), atZ);
            for (int k = 0; k < 3; ++k)
                copyBulk(of(k, z) + row * pitch + columnOf(x0), w.component(k) + i, bytes,
                         arrivalOf(z));
        }
    }
    /// Waits for plane z and repeats the nearest voxel beyond the border.
    __device__ void finish(const FieldView<const float>& w, int z) const {
        waitFor(arrivalOf(z), static_cast<unsigned>((z - first) / planesKept) & 1U);
        const int begin = columnOf(firstX()), end = columnOf(endX(w.size.x)),
                  beyond = pitch - (end - begin);
        if (beyond == 0)
            return;
        const int rows = plane / pitch, threads = static_cast<int>(blockDim.x * blockDim.y);
        for (int at = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y); at < rows * beyond;
             at += threads) {
            const int n = at % beyond, column = n < begin ? n : n + end - begin;
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                float* const row = of(k, z) + at / beyond * pitch;
                row[column] = row[n < begin ? begin : end - 1];
            }
        }
        fenceForCopies();
    }
};

__global__ void __launch_bounds__(maxForceThreads)
    forceBulk(const __grid_constant__ ForceStep s, int planes) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    extern __shared__ __align__(16) float shared[];
    __shared__ std::uint64_t arrivals[planesKept];
    BulkPlanes ring(shared, cellsOfPlane(static_cast<int>(blockDim.y), haloX), arrivals);
    marchForce(s, planes, ring, shared + 3 * planesKept * ring.plane);
}

std::size_t sharedFloats(int rows) {
    return static_cast<std::size_t>(3 * planesKept * cellsOfPlane(rows, haloX) + fluxFloats(rows));
}

/// A warp starts the copies of a plane: that is little for a voxel.
KernelCost cost(int rows) { return marchedVoxelCost + edgeCost(rows); }

CompiledCost compiled(const std::string& kernel) {
    return {kernel, "9forceBulkE", "loop", "FFMA", marchedVoxelCost};
}

} // namespace

const ForceKernel bulkForce{forceBulk, cost, compiled, 32, 0, 0, sharedFloats};

} // namespace systole::unbiased
