// CLG on the device: what crosses the bus, when the host waits, and when a graph is replayed.
#include "compute/cuda/staged_copy.h"
#include "compute/methods/clg/plan_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

#include <chrono>
#include <deque>

namespace systole {
namespace {

using clg::DevicePlan;
using clg::DeviceReport;
using clg::PlanShape;

/// A replay can't be interrupted: what takes longer is launched warp by warp.
constexpr double longestReplaySeconds = 0.1;
/// Warps that may be under way on the device while the host looks for a cancel.
constexpr std::size_t warpsAhead = 2;

/// A captured sequence of launches, ready to be replayed.
class Graph {
public:
    template <typename Enqueue>
    Graph(cudaStream_t stream, const Enqueue& enqueue) {
        cudaGraph_t graph = nullptr;
        cudaCheck(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
                  "beginning a graph");
        try {
            enqueue();
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            cudaGraphDestroy(graph);
            cudaGetLastError();
            throw;
        }
        cudaCheck(cudaStreamEndCapture(stream, &graph), "ending a graph");
        const cudaError_t answer = cudaGraphInstantiate(&executable_, graph, 0);
        cudaGraphDestroy(graph);
        cudaCheck(answer, "instantiating a graph");
    }
    ~Graph() { cudaGraphExecDestroy(executable_); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(cudaStream_t stream) const {
        cudaCheck(cudaGraphLaunch(executable_, stream), "launching a graph");
    }

private:
    cudaGraphExec_t executable_ = nullptr;
};

/// The field to where the caller wants it, unless the frames were no frames.
__global__ void deliver(FieldView<const float> field, FieldView<float> out,
                        const DeviceReport* report) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= field.size.voxels() || report->notFinite[0] || report->notFinite[1])
        return;
    for (int k = 0; k < 3; ++k)
        out.component(k)[i] = field.component(k)[i];
}

/// Two warps ahead of the device at most, so that a cancel needn't wait for much.
class Throttle {
public:
    explicit Throttle(const ExecContext& ctx) : ctx_(ctx) {}

    void operator()(double done) {
        ctx_.report("motion estimation", done);
        ctx_.throwIfCancelled();
        underWay_.push_back(ctx_.cuda->record(CudaStream::Compute));
        if (underWay_.size() > warpsAhead) {
            underWay_.front()->wait();
            underWay_.pop_front();
        }
        ctx_.throwIfCancelled();
    }

private:
    const ExecContext& ctx_;
    std::deque<std::shared_ptr<const CudaEvent>> underWay_;
};

class ClgCuda : public MotionEstimator {
public:
    explicit ClgCuda(const ClgParameters& parameters) : p_(parameters) {}

    std::size_t memoryEstimate(Size3 size) const override {
        return DevicePlan::bytes(p_, {size, {1, 1, 1}, p_.beta > 0});
    }

    int reach() const override { return clgReach; }

protected:
    bool checksValues() const override { return true; }

    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        if (!ctx.cuda)
            throw ComputeError("motion estimation on the device was given no device");
        prepare(input, ctx);
        try {
            return estimateOn(input, displacement, ctx);
        } catch (...) {
            // Whoever owns the frames may give them back now.
            cudaStreamSynchronize(streamOf(*ctx.cuda));
            cudaGetLastError();
            throw;
        }
    }

private:
    /// What stays from pair to pair.
    struct Kept {
        Kept(CudaContext& cuda, const ClgParameters& p, const PlanShape& shape)
            : context(&cuda)
            , plan(cuda, p, shape)
            , report(cuda.pinnedPool().acquire<DeviceReport>(1, "report")) {}

        /// The graph holds the events of its log: both are made anew for another timing. Blocks of
        /// other sizes may be other kernels, which are launched once before they are captured.
        void launchBy(LaunchLog::Timing timing, const BlockSizes& wanted) {
            if (body && body->timing() == timing && blocks == wanted)
                return;
            graph.reset();
            edges = std::make_unique<LaunchLog>(*context, timing);
            body = std::make_unique<LaunchLog>(*context, timing);
            edges->setBlockSizes(wanted);
            body->setBlockSizes(wanted);
            if (blocks != wanted)
                lastSeconds = -1;
            blocks = wanted;
        }

        CudaContext* context;
        DevicePlan plan;
        Buffer<DeviceReport> report;      ///< pinned
        std::unique_ptr<LaunchLog> edges; ///< before and after the body: anew for each pair
        std::unique_ptr<LaunchLog> body;
        std::unique_ptr<Graph> graph;
        BlockSizes blocks;       ///< of both logs
        double lastSeconds = -1; ///< of the body; negative: it hasn't run yet
    };

    void prepare(const MotionInput& input, const ExecContext& ctx) {
        const PlanShape shape{input.fixed.size, input.spacing, !input.incompressibility.empty()};
        if (!kept_ || kept_->context != ctx.cuda || kept_->plan.shape() != shape) {
            kept_.reset(); // before the next one is made: there may not be room for both
            kept_ = std::make_unique<Kept>(*ctx.cuda, p_, shape);
        }
        kept_->launchBy(timingOf(ctx), ctx.blockSizes ? *ctx.blockSizes : BlockSizes());
    }

    MotionReport estimateOn(const MotionInput& input, FieldView<float> displacement,
                            const ExecContext& ctx) {
        Kept& k = *kept_;
        const bool onHost = input.space == MemorySpace::Host;
        k.edges->clear();
        MotionInput onDevice = input;
        FieldView<const float> start = displacement;
        if (onHost)
            upload(input, displacement, onDevice, start, ctx);
        begin(onDevice, start);
        runBody(ctx);
        clg::DeviceReport* const deviceReport = k.plan.buffers().report();
        CudaContext& cuda = *ctx.cuda;
        if (!onHost) {
            const LaunchLog::Stage stage(*k.edges, "warp");
            const std::size_t n = displacement.size.voxels();
            k.edges->launch({"deliver field", 24 * static_cast<double>(n)}, deliver,
                            gpu::threadsOver(n), k.plan.result(), displacement, deviceReport);
        }
        cuda.download(deviceReport, k.report.data(), sizeof(DeviceReport), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        for (const int frame : {0, 1})
            if (k.report.data()->notFinite[frame])
                throwNotFinite(frame == 0 ? "fixed" : "moving");
        if (ctx.profile) {
            k.edges->resolve(*ctx.profile);
            k.body->resolve(*ctx.profile);
        }
        if (onHost) {
            const double bytes = 12 * static_cast<double>(displacement.size.voxels());
            const ScopedSpan span(ctx.profile, "upload", "download field", bytes);
            for (int axis = 0; axis < 3; ++axis)
                downloadStaged(k.plan.result().component(axis), displacement.component(axis),
                               displacement.size.voxels(), ctx);
        }
        return reportOf(*k.report.data());
    }

    /// What lies on the host goes into the tensor's memory, which is free until the first warp.
    void upload(const MotionInput& input, FieldView<const float> start, MotionInput& onDevice,
                FieldView<const float>& deviceStart, const ExecContext& ctx) {
        const std::size_t n = input.fixed.voxels();
        float* const room = kept_->plan.buffers().tensor();
        const bool weighted = !input.incompressibility.empty();
        const double bytes = sizeof(float) * (weighted ? 6.0 : 5.0) * static_cast<double>(n);
        const ScopedSpan span(ctx.profile, "upload", "upload frames and field", bytes);
        const auto put = [&](const float* host, std::size_t slot) {
            uploadStaged(host, room + slot * n, n, ctx);
            return room + slot * n;
        };
        onDevice.fixed.data = put(input.fixed.data, 0);
        onDevice.moving.data = put(input.moving.data, 1);
        deviceStart = {put(start.u, 2), put(start.v, 3), put(start.w, 4), start.size};
        if (weighted)
            onDevice.incompressibility.data = put(input.incompressibility.data, 5);
    }

    /// From the caller's memory into the plan's.
    void begin(const MotionInput& input, FieldView<const float> start) {
        Kept& k = *kept_;
        clg::PlanBuffers& buffers = k.plan.buffers();
        LaunchLog& log = *k.edges;
        const LaunchLog::Stage stage(log, "pyramid");
        const std::size_t n = input.fixed.voxels();
        log.cuda().zero(buffers.report(), sizeof(DeviceReport), CudaStream::Compute);
        const float scale = clgGreyRange / (input.scale.high - input.scale.low);
        const float offset = -scale * input.scale.low;
        const gpu::VolumeStack images = buffers.images(0);
        gpu::scaleGrey(input.fixed.data, images.data, n, scale, offset, buffers.report()->notFinite,
                       log);
        gpu::scaleGrey(input.moving.data, images.data + n, n, scale, offset,
                       buffers.report()->notFinite + 1, log);
        if (buffers.weight(0))
            log.cuda().copyOnDevice(input.incompressibility.data, buffers.weight(0),
                                    sizeof(float) * n, CudaStream::Compute);
        std::array<int, 3> factor{1, 1, 1};
        for (const ClgLevel& level : k.plan.levels())
            for (std::size_t axis = 0; axis < 3; ++axis)
                factor[axis] *= level.factor[axis];
        const Size3 coarsest = k.plan.levels().back().size;
        const FieldView<float> total = buffers.total(coarsest);
        gpu::resampleField(start, gpu::downsampling(factor), buffers.field(0, coarsest),
                           p_.compositional ? total : FieldView<float>{}, log);
        if (!p_.compositional)
            log.cuda().zero(total.u, 3 * sizeof(float) * coarsest.voxels(), CudaStream::Compute);
    }

    void runBody(const ExecContext& ctx) {
        Kept& k = *kept_;
        if (k.lastSeconds >= 0 && k.lastSeconds < longestReplaySeconds) {
            ctx.throwIfCancelled();
            if (!k.graph) {
                k.body->clear();
                k.graph = std::make_unique<Graph>(k.body->stream(),
                                                  [&] { k.plan.enqueue(*k.body, [](double) {}); });
            }
            k.graph->launch(k.body->stream());
            return;
        }
        const auto begin = std::chrono::steady_clock::now();
        k.body->clear();
        Throttle throttle(ctx);
        k.plan.enqueue(*k.body, [&](double done) { throttle(done); });
        ctx.cuda->synchronize(CudaStream::Compute);
        k.lastSeconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    MotionReport reportOf(const DeviceReport& from) const {
        MotionReport report;
        const std::vector<ClgLevel>& levels = kept_->plan.levels();
        for (std::size_t level = levels.size(); level-- > 0;) {
            const clg::DeviceState& state = from.state[level];
            const LevelFigures figures{.warps = p_.warps,
                                       .sweeps = state.sweeps,
                                       .lastChange = static_cast<double>(state.change),
                                       .energy = from.energy[level],
                                       .noise = state.noise};
            report.levels.push_back(figures.report(levels[level].size));
        }
        report.finish();
        return report;
    }

    ClgParameters p_;
    std::unique_ptr<Kept> kept_;
};

} // namespace

std::unique_ptr<MotionEstimator> makeClgCuda(const ClgParameters& parameters) {
    return std::make_unique<ClgCuda>(parameters);
}

} // namespace systole
