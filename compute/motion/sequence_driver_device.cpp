// A pair of a sequence on the device: volume data crosses the bus only if requested, and where a
// file has unknown voxels, whose masks are uploaded.
#include "compute/core/error.h"
#include "compute/cuda/context.h"
#include "compute/motion/result_download.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/resample.h"
#include "compute/ops/residual.h"

#include <utility>

namespace systole {
namespace {

/// Waits at scope exit until the device is done with its input before that is released: frames may
/// belong to another context, which reuses their memory.
class DoneWhenLeft {
public:
    explicit DoneWhenLeft(CudaContext& cuda) : cuda_(cuda) {}
    ~DoneWhenLeft() {
        try {
            cuda_.synchronize(CudaStream::Compute);
        } catch (const ComputeError&) {
            // The device's error is already being reported to the caller.
        }
    }
    DoneWhenLeft(const DoneWhenLeft&) = delete;
    DoneWhenLeft& operator=(const DoneWhenLeft&) = delete;

private:
    CudaContext& cuda_;
};

} // namespace

void SequenceDriver::runOnDevice(FrameResult& result, const DevicePair& onDevice,
                                 const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    const Geometry& geometry = result.fixed->geometry;
    auto device = std::make_shared<DeviceResult>();
    device->fixed = onDevice.fixed ? onDevice.fixed : uploaded(result.fixed, ctx);
    device->moving = onDevice.moving ? onDevice.moving : uploaded(result.moving, ctx);
    const auto ifGiven = [&](const std::shared_ptr<const Volume>& host) {
        return host ? uploaded(host, ctx) : nullptr;
    };
    const std::shared_ptr<const Volume> weight = ifGiven(settings_.incompressibility),
                                        fixedMask = ifGiven(result.fixed->known),
                                        movingMask = ifGiven(result.moving->known);
    const std::shared_ptr<VectorField> field =
        startingField(geometry, result.fixedFrame, ctx, true);
    auto warped = std::make_shared<Volume>(geometry, cuda.devicePool(), "warped frame of a result");
    warped->timeSeconds = result.moving->timeSeconds;
    const DoneWhenLeft guard(cuda);
    cuda.waitFor(CudaStream::Compute, device->fixed->ready);
    cuda.waitFor(CudaStream::Compute, device->moving->ready);

    MotionInput input = inputOf(*device->fixed, *device->moving);
    if (weight)
        input.incompressibility = weight->view();
    if (fixedMask)
        input.fixedMask = fixedMask->view();
    if (movingMask)
        input.movingMask = movingMask->view();
    input.space = MemorySpace::Device;
    report_ = estimator_->estimate(input, field->view(), ctx);
    if constexpr (cudaIsBuilt) { // contexts exist only in builds with CUDA
        warpVolumeOnDevice(device->moving->view(), field->view(), warped->view(), ctx);
        Volume warpedKnown;
        if (movingMask) {
            warpedKnown = Volume(geometry, cuda.devicePool(), "known voxels of a warped frame");
            warpVolumeOnDevice(input.movingMask, field->view(), warpedKnown.view(), ctx);
        }
        result.residual = residualChangeOnDevice(
            device->fixed->view(), device->moving->view(), warped->view(), field->view(),
            {input.fixedMask, input.movingMask, warpedKnown.view()}, ctx);
        result.residual.tells = report_.comparesGrayValues;
    }
    field->ready = warped->ready = cuda.record(CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);

    start_.field = device->field = field;
    device->warped = std::move(warped);
    result.device = std::move(device);
    if (onDevice.download)
        bringToHost(result, ctx);
    keepUploads(result);
}

std::shared_ptr<const Volume> SequenceDriver::uploaded(const std::shared_ptr<const Volume>& host,
                                                       const ExecContext& ctx) {
    for (const Uploaded& upload : uploads_)
        if (upload.host == host)
            return upload.device;
    const std::size_t bytes = host->voxels.size() * sizeof(float);
    const ScopedSpan span(ctx.profile, "upload", "frame", static_cast<double>(bytes));
    auto copy =
        std::make_shared<Volume>(host->geometry, ctx.cuda->devicePool(), "frames on the device");
    copy->timeSeconds = host->timeSeconds;
    ctx.cuda->upload(host->voxels.data(), copy->voxels.data(), bytes, CudaStream::Compute);
    copy->ready = ctx.cuda->record(CudaStream::Compute);
    ctx.cuda->synchronize(CudaStream::Compute);
    uploads_.push_back({host, copy});
    return copy;
}

/// Keeps the frames of this pair, since the next pair shares one of them.
void SequenceDriver::keepUploads(const FrameResult& result) {
    std::erase_if(uploads_, [&](const Uploaded& upload) {
        return upload.host != result.fixed && upload.host != result.moving &&
               upload.host != result.fixed->known && upload.host != result.moving->known &&
               upload.host != settings_.incompressibility;
    });
}

} // namespace systole
