// The unbiased method's steps on the device. Which steps are accepted and when a level ends is
// decided there; the host enqueues iterations in batches, between which alone a level can end
// (convergenceWindow), and asks after each whether it has.
#include "compute/cuda/replay.cuh"
#include "compute/methods/unbiased/plan.h"
#include "compute/methods/unbiased/step_cuda.cuh"
#include "compute/ops/exponential_cuda.cuh"
#include "compute/ops/on_device.cuh"
#include "compute/ops/white_noise_cuda.cuh"

namespace systole {
namespace unbiased {
namespace {

class StepsOnDevice : public gpu::OnDevice {
public:
    static constexpr int together = convergenceWindow;

    StepsOnDevice(const UnbiasedParameters& p, Size3 size, Workspace& space)
        : space_(space), room_(forceBlocks(size), space) {
        const std::size_t kept = p.momentum > 0 ? 3 * size.voxels() : 0;
        kept_ = space.add<float>("unbiased, force at the motion", kept);
        velocity_ = space.add<float>("unbiased, velocity", kept);
        folds_ = space.add<gpu::FoldState>("folds", 1);
    }
    void acquired(CudaContext& cuda) const { room_.clear(cuda); }
    void dropGraphs(std::size_t levels) {
        batches_.clear();
        batches_.resize(levels);
    }

    static FieldView<float> forceOf(const LevelBuffers& b) { return b.work[0]; }

    void force(const UnbiasedParameters& p, const LevelBuffers& b, ForceUse use,
               LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "force");
        ForceStep step{b.frames,     {b.motion[0], b.motion[1]},
                       forceOf(b),   p.forceRule(b.grid),
                       p.stepRule(), use,
                       b.state,      room_.sum()};
        if (!b.masks.empty()) {
            enqueueCompared(step, b.masks, b.compared, log);
            step.frames.fixed = b.compared;
        }
        enqueueForce(p.forceVariant, step, log);
    }

    static void squareGradient(const UnbiasedParameters& p, const LevelBuffers& b,
                               VolumeView<const float> frame, VolumeView<const float> mask,
                               LaunchLog& log) {
        const LaunchLog::Stage stage(log, "update");
        enqueueSquaredGradient(frame, mask, p.forceRule(b.grid), b.work[0], log);
    }
    static void takeCurvature(const LevelBuffers& b, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "update");
        enqueueCurvature(b.work[0], b.state, log);
    }

    void takeNoise(const LevelBuffers& b, LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "update");
        gpu::whiteNoise(b.frames.moving, madeGood, room_.sum(), &b.state->noise, log);
    }

    static void rest(const LevelBuffers& b, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "update");
        enqueueRest(b.motion[0], b.state, log);
    }

    /// Iterates `count` times, as a graph where nobody asks for times: the events of a log belong
    /// to one launch.
    template <typename Iterate>
    void repeat(std::size_t level, int count, LaunchLog& log, const Iterate& iterate) {
        Batch& batch = batches_[level];
        const bool whole = count == together;
        const auto enqueueAll = [&] {
            for (int n = 0; n < count; ++n)
                iterate();
        };
        if (!whole || !batch.launched || log.timing() != LaunchLog::Timing::None) {
            batch.launched = batch.launched || whole;
            return enqueueAll();
        }
        if (!batch.graph)
            batch.graph = std::make_unique<Graph>(log.stream(), enqueueAll);
        batch.graph->launch(log.stream());
    }

    void move(const UnbiasedParameters& p, const LevelBuffers& b, LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "update");
        MoveStep step{{b.motion[0], b.motion[1]}, forceOf(b), {}, {}, {}, p.stepRule(), b.state};
        if (p.momentum > 0) {
            step.kept = {space_.data(kept_), b.grid.size};
            step.velocity = {space_.data(velocity_), b.grid.size};
        }
        const ForceRule rule = p.forceRule(b.grid);
        for (int axis = 0; axis < 3; ++axis)
            step.inverseScale[axis] = 1 / rule.scale[axis];
        enqueueMove(step, log);
    }

    static FieldView<float> settle(const LevelBuffers& b, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "pyramid");
        enqueueSettle({b.motion[0], b.motion[1]}, b.state, b.work[1], log);
        return b.work[1];
    }

    void removeFolds(const LevelBuffers& b, FieldView<float> settled, LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "update");
        const gpu::FoldBuffers buffers{{}, b.motion[0], b.work[0].u, space_.data(folds_)};
        gpu::clearFolds(buffers, log);
        gpu::findFolds(settled, buffers, log);
        gpu::mendFolds({}, settled, b.motion[1], {1, 1, 1}, buffers, log);
    }

    /// Waits for the device.
    static bool hasEnded(const LevelBuffers& b, LaunchLog& log) {
        int done = 0;
        log.cuda().download(&b.state->steps.done, &done, sizeof done, CudaStream::Compute);
        log.cuda().synchronize(CudaStream::Compute);
        return done != 0;
    }

private:
    /// A batch of iterations of a level, launched one by one the first time, which loads the
    /// kernels.
    struct Batch {
        bool launched = false;
        std::unique_ptr<Graph> graph;
    };

    Workspace& space_;
    gpu::SumRoom room_;
    Workspace::Block<float> kept_, velocity_; ///< empty without momentum
    Workspace::Block<gpu::FoldState> folds_;
    std::vector<Batch> batches_; ///< recorded iterations, one batch per level
};

} // namespace
} // namespace unbiased

std::unique_ptr<MotionEstimator> makeUnbiasedCuda(const UnbiasedParameters& parameters) {
    return std::make_unique<DeviceEstimator<unbiased::Plan<unbiased::StepsOnDevice>>>(parameters);
}

} // namespace systole
