#include "compute/motion/host_frames.h"

#include "compute/cuda/context.h"

#include <utility>

namespace systole {
namespace {

class HostFrames : public MotionEstimator {
public:
    explicit HostFrames(std::unique_ptr<MotionEstimator> estimator)
        : estimator_(std::move(estimator)) {}

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        return estimator_->memoryEstimate(size, spacing);
    }
    int reach() const override { return estimator_->reach(); }
    bool allowsTwoGrids() const override { return estimator_->allowsTwoGrids(); }

protected:
    bool checksValues() const override { return true; } // the estimator's own call checks
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        if (input.space == MemorySpace::Host)
            return estimator_->estimate(input, displacement, ctx);
        CudaContext& cuda = *ctx.cuda;
        MotionInput onHost = input;
        onHost.space = MemorySpace::Host;
        Buffer<float> frames[5];
        VolumeView<const float>* const volumes[] = {&onHost.fixed, &onHost.moving,
                                                    &onHost.fixedMask, &onHost.movingMask,
                                                    &onHost.incompressibility};
        for (std::size_t i = 0; i < std::size(volumes); ++i) {
            VolumeView<const float>& volume = *volumes[i];
            if (volume.empty())
                continue;
            frames[i] = ctx.pool->acquire<float>(volume.voxels(), "frame on the host");
            cuda.download(volume.data, frames[i].data(), volume.voxels() * sizeof(float),
                          CudaStream::Compute);
            volume = {frames[i].data(), volume.size};
        }
        const std::size_t voxels = displacement.size.voxels();
        Buffer<float> memory = ctx.pool->acquire<float>(3 * voxels, "motion on the host");
        const FieldView<float> field(memory.data(), displacement.size);
        for (int axis = 0; axis < 3; ++axis)
            cuda.download(displacement.component(axis), field.component(axis),
                          voxels * sizeof(float), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        MotionReport report = estimator_->estimate(onHost, field, ctx);
        for (int axis = 0; axis < 3; ++axis)
            cuda.upload(field.component(axis), displacement.component(axis), voxels * sizeof(float),
                        CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        return report;
    }

private:
    std::unique_ptr<MotionEstimator> estimator_;
};

} // namespace

MotionMethod withHostFrames(MotionMethod method) {
    method.make = [make = method.make](const ParamSet& values, Backend backend) {
        std::unique_ptr<MotionEstimator> estimator = make(values, backend);
        if (backend == Backend::Cuda)
            estimator = std::make_unique<HostFrames>(std::move(estimator));
        return estimator;
    };
    return method;
}

} // namespace systole
