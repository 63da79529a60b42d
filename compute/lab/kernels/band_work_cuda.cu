#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/band_work.h"
#include "compute/lab/kernels/band_work_cuda.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace systole::lab {
using namespace gpu;
namespace {

/// Cost of one patch: a number is read, and added to five sums.
const KernelCost ofPatch =
    KernelCost{.integer = 40, .globalStores = 1} + 125 * KernelCost{.integer = 4, .globalLoads = 1};

__global__ void volumeKernel(VolumeView<const float> phi, float delta, float* rest) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < phi.voxels() && fabsf(phi.data[i]) <= delta)
        rest[i] = restOfPatch(phi, nlm::voxelAt(phi.size, static_cast<int>(i)));
}

__global__ void listKernel(VolumeView<const float> phi, const int* list, int elements,
                           float* rest) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e < elements)
        rest[list[e]] = restOfPatch(phi, nlm::voxelAt(phi.size, list[e]));
}

struct InBand {
    const float* phi;
    float delta;
    __device__ bool operator()(int i) const { return fabsf(phi[i]) <= delta; }
};

cudaError_t select(const InBand& inBand, int voxels, const BandRoom& room, std::size_t& bytes,
                   cudaStream_t stream) {
    return cub::DeviceSelect::If(room.scan, bytes, thrust::counting_iterator<int>(0), room.list,
                                 room.count, voxels, inBand, stream);
}

} // namespace

std::size_t bandScanBytes(Size3 size) {
    std::size_t bytes = 0;
    cudaCheck(select({}, static_cast<int>(size.voxels()), {}, bytes, nullptr),
              "planning the list of a band");
    return bytes;
}

void listBand(VolumeView<const float> phi, float delta, const BandRoom& room, LaunchLog& log) {
    const auto voxels = static_cast<int>(phi.voxels());
    std::size_t bytes = room.scanBytes;
    log.begin({"band, list", 4.0 * voxels}, nullptr, {});
    cudaCheck(select({phi.data, delta}, voxels, room, bytes, log.stream()),
              "making the list of a band");
    log.end();
}

void patchRests(int variant, VolumeView<const float> phi, float delta, const BandRoom& room,
                int elements, float* rest, LaunchLog& log) {
    const std::string kernel = bandFamily.kernel(variant);
    const bool overVolume = variant == bandFamily.named("volume");
    if (variant == bandFamily.named("list-built"))
        listBand(phi, delta, room, log);
    const double n = elements, voxels = static_cast<double>(phi.voxels());
    // A patch shares its numbers with its neighbors: each is read once from memory.
    const double bytes = overVolume ? 4 * voxels + 4 * n : 12 * n;
    const LaunchShape shape = threadsOver(
        overVolume ? phi.voxels() : static_cast<std::size_t>(elements), log, bandFamily, variant);
    const KernelNote note{kernel, bytes, 125 * 10 * n,
                          overVolume ? perThread(shape, n, ofPatch, {.globalLoads = 1})
                                     : perThread(shape, n, ofPatch)};
    if (overVolume)
        log.launch(note, volumeKernel, shape, phi, delta, rest);
    else
        log.launch(note, listKernel, shape, phi, room.list, elements, rest);
}

} // namespace systole::lab
