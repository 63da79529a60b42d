// Parts of the plan of an estimation over a pyramid, on a device: the counterpart of on_host.h. All
// pointers are to device memory; steps are enqueued.
#pragma once

#include "compute/cuda/context.h"
#include "compute/ops/frame_masks_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/smooth_halved_cuda.cuh"

namespace systole::gpu {

struct OnDevice {
    using Run = LaunchLog;
    using Memory = CudaContext;
    using Pyramid = DevicePyramid;
    using Masks = DeviceMaskPyramid;

    struct Stage : LaunchLog::Stage {
        Stage(LaunchLog& log, const char* stage, const char*, double = 0, double = 0)
            : LaunchLog::Stage(log, stage) {}
    };

    static void acquire(Workspace& space, CudaContext& cuda) { space.acquire(cuda.devicePool()); }
    static std::size_t scratchBytes(Size3) { return 0; }
    static void beginLevel(std::size_t, std::size_t, LaunchLog&) {}
    static void throwIfCancelled(LaunchLog&) {} // DeviceEstimator does, between steps

    static void begin(const Pyramid& pyramid, const Masks& masks, const MotionInput& input,
                      int* notFinite, LaunchLog& log) {
        pyramid.begin(input, notFinite, log);
        masks.begin(input, log);
    }
    static void decimate(const Pyramid& pyramid, const Masks& masks, float* scratch,
                         std::size_t floats, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "pyramid");
        pyramid.decimate({scratch, floats}, log);
        gpu::decimate(masks, {scratch, floats}, log);
    }

    static void downsample(FieldView<const float> fine, std::array<int, 3> factor,
                           FieldView<float> out, LaunchLog& log) {
        resampleField(fine, downsampling(factor), out, {}, log);
    }
    static void upsample(FieldView<const float> coarse, std::array<int, 3> factor,
                         FieldView<float> out, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "pyramid");
        resampleField(coarse, upsampling(factor), out, {}, log);
    }
    static void warp(VolumeView<const float> moving, FieldView<const float> field,
                     VolumeView<float> out, LaunchLog& log) {
        warpVolume(moving, field, out, log);
    }
    static void mix(const FrameMasks& masks, FieldView<const float> field,
                    VolumeView<const float> a, VolumeView<const float> b, VolumeView<float> out,
                    LaunchLog& log) {
        mixByMasks(masks, field, a, b, out, log);
    }
    static void smooth(FieldView<float> field, Vec3 sigma, FieldView<float> scratch, const char*,
                       LaunchLog& log, const int* skip = nullptr) {
        const LaunchLog::Stage stage(log, "smooth");
        smoothSoonest(smoothFamily.standardVariant(), {field.u, 3, field.size},
                      gaussianTapsFor(sigma), {scratch.u, 3 * scratch.size.voxels()}, log, skip);
    }
    static void halve(FieldView<float> field, const HalvedGrid& grid, FieldView<float> out,
                      LaunchLog& log, const int* skip = nullptr) {
        const LaunchLog::Stage stage(log, "smooth");
        gpu::cellMeans({field.u, 3, field.size}, grid, out.u, log, skip);
    }
    static void smoothWide(FieldView<float> field, Vec3 sigma, FieldView<float> scratch,
                           const char*, LaunchLog& log, const int* skip = nullptr) {
        const LaunchLog::Stage stage(log, "smooth");
        smoothStackHalved(smoothFamily.standardVariant(), {field.u, 3, field.size}, sigma,
                          {scratch.u, 3 * scratch.size.voxels()}, log, skip);
    }
};

/// Room for sums over a grid of blocks.
struct SumRoom {
    SumRoom(std::size_t blocks, Workspace& memory)
        : space(memory)
        , perBlock(memory.add<double2>("sums of blocks", blocks))
        , arrived(memory.add<unsigned>("blocks that have arrived", 1)) {}

    /// Must be called before the first sum.
    void clear(CudaContext& cuda) const {
        cuda.zero(space.data(arrived), sizeof(unsigned), CudaStream::Compute);
    }
    GridSum sum() const { return {space.data(perBlock), space.data(arrived)}; }

    Workspace& space;
    Workspace::Block<double2> perBlock;
    Workspace::Block<unsigned> arrived;
};

} // namespace systole::gpu
