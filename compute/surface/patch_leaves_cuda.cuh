// Leaves of patches on the device: patch_leaves.h with its arrays in device memory, and their
// patches in the layouts that the searches read.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/surface/patch_leaves.h"

#include <cuda_fp16.h>

namespace systole::gpu {

/// A band in leaves. Arrays as PatchLeaves has them; scales[0] is PatchLeaves::scale, scales[1] the
/// largest length of a patch's rest.
struct LeavesView {
    VolumeView<const float> phi;
    const int* band;
    int elements, leaves, radius;
    const float* scales;
    const int* element;
    const float* feature;
    const int* voxel;
    const nlm::LeafBox* boxes;
};

/// Numbers of a patch's row in memory: whole reads of 16 bytes.
constexpr int rowLength(int numbers) { return (numbers + 3) / 4 * 4; }
/// Numbers of a patch's row in half precision: whole blocks of 16.
constexpr int halfLength(int numbers) { return (numbers + 15) / 16 * 16; }

/// The patches of leaves [first, last), what is null left out: a leaf's as in PatchLeaves; each in
/// a row; and their rests, over the largest rest's length, in rows of half precision.
struct PatchChunk {
    int first, last;
    float* leaves;
    float* rows;
    __half* rests;
};

/// The order of the elements and what a search needs of all of them.
class DeviceLeaves {
public:
    enum class Order { Band, Features, Place };

    DeviceLeaves(VolumeView<const float> phi, const int* band, int elements, int radius,
                 Order order, LaunchLog& log);
    const LeavesView& view() const { return view_; }
    void gather(const PatchChunk& chunk, LaunchLog& log) const;

private:
    Buffer<float> scales_, feature_;
    Buffer<int> element_, voxel_;
    Buffer<nlm::LeafBox> boxes_;
    LeavesView view_;
};

} // namespace systole::gpu
