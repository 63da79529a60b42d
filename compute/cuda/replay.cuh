// A motion estimator on the device for any method: what is kept from pair to pair, what crosses the
// bus, when the host waits, and when a CUDA graph is replayed instead of launching. A method
// provides its plan (EstimationPlan); for .cu files only.
#pragma once

#include "compute/core/error.h"
#include "compute/core/estimation_plan.h"
#include "compute/cuda/graph.cuh"
#include "compute/cuda/staged_copy.h"

#include <chrono>
#include <concepts>
#include <memory>

namespace systole {

/// Functions that a method's plan provides. Report holds the device's results, copied to the host
/// at the end.
template <typename Plan>
concept EstimationPlan = requires(Plan plan, const Plan& kept, CudaContext& cuda,
                                  const typename Plan::Parameters& parameters,
                                  const typename Plan::Report& report, const PlanShape& shape,
                                  const MotionInput& input, FieldView<const float> start,
                                  LaunchLog& log, bool watched, const PlanObserver& between) {
    // Takes no memory before acquire(), which takes all that it needs on the device, the amount
    // given by bytes(), and may throw OutOfMemory.
    Plan(parameters, shape);
    { kept.bytes() } -> std::same_as<std::size_t>;
    plan.acquire(cuda);
    { Plan::reach(parameters) } -> std::same_as<int>; // MotionEstimator::reach()
    { kept.shape() } -> std::convertible_to<PlanShape>;
    // The report on the device; zero when begin() is called.
    { kept.report() } -> std::same_as<typename Plan::Report*>;
    // Part of the report. [0] becomes 1 if the fixed frame has a value that is not finite, [1] for
    // the moving frame: the caller's field is then unchanged.
    { kept.notFinite() } -> std::same_as<const int*>;
    { report.notFinite[1] } -> std::convertible_to<int>;
    // Memory for six volumes on the device, five without a weight. Input on the host is uploaded
    // there; free again when the work enqueued by begin() is done.
    { kept.staging() } -> std::same_as<float*>;
    // Enqueues all reads of the caller's memory, which is on the device: copies of frames, weight
    // and starting field into the plan's memory, so that the caller's addresses may change.
    plan.begin(input, start, log);
    // Enqueues the estimation: always the same launches, in stages that it opens, without waiting
    // for the device. Calls between(step) after each step, outside of stages; a cancellation waits
    // for two steps. `watched`: every step computes its energy, which costs more launches.
    plan.enqueue(log, watched, between);
    // The estimated field on the device.
    { kept.result() } -> std::convertible_to<FieldView<const float>>;
    { kept.read(report) } -> std::same_as<MotionReport>;
    // Optional: dropGraphs(). enqueue() then launches graphs of its own, may wait for the device,
    // and isn't captured; they are dropped when the log is another one.
    // Optional: abandon(), after which nothing works on the plan's memory but the Compute stream.
    // Called when enqueue() has thrown.
};

namespace gpu {

/// Enqueues out = field, unless notFinite[0] or [1] is set on the device.
void copyResult(FieldView<const float> field, FieldView<float> out, const int* notFinite,
                LaunchLog& log);

} // namespace gpu

/// The first estimate takes device memory, which is kept until the estimator is destroyed or gets
/// another size, spacing or context; the context must outlive the estimator.
template <EstimationPlan Plan>
class DeviceEstimator : public MotionEstimator {
public:
    using Parameters = typename Plan::Parameters;
    using Report = typename Plan::Report;

    explicit DeviceEstimator(const Parameters& parameters) : parameters_(parameters) {}

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        return Plan(parameters_, {size, spacing, true}).bytes();
    }

    int reach() const override { return Plan::reach(parameters_); }

protected:
    bool checksValues() const override { return true; }

    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        if (!ctx.cuda)
            throw ComputeError("motion estimation on the device was given no device");
        prepare(input, ctx);
        try {
            return runPlan(input, displacement, ctx);
        } catch (...) {
            // The stream must be idle: the owner of the frames may release them after this, and the
            // plan's memory becomes free.
            cudaStreamSynchronize(streamOf(*ctx.cuda));
            if constexpr (requires(Plan & p) { p.abandon(); })
                cached_->plan.abandon();
            cudaGetLastError();
            throw;
        }
    }

private:
    /// A replay can't be interrupted: longer estimations are launched step by step.
    static constexpr double longestReplaySeconds = 0.1;

    /// State that is kept from pair to pair.
    struct CachedPlan {
        CachedPlan(CudaContext& cuda, const Parameters& parameters, const PlanShape& shape)
            : context(&cuda)
            , plan(parameters, shape)
            , report(cuda.pinnedPool().template acquire<Report>(1, "report")) {
            plan.acquire(cuda);
        }

        /// The graph contains the events of its log: another timing recreates both. Other block
        /// sizes may select other kernels, which are launched once before they are captured.
        void launchBy(LaunchLog::Timing timing, const BlockSizes& requested) {
            if (body && body->timing() == timing && blocks == requested)
                return;
            graph.reset();
            if constexpr (requires(Plan & p) { p.dropGraphs(); })
                plan.dropGraphs();
            edges = std::make_unique<LaunchLog>(*context, timing);
            body = std::make_unique<LaunchLog>(*context, timing);
            edges->setBlockSizes(requested);
            body->setBlockSizes(requested);
            if (blocks != requested)
                lastSeconds = -1;
            blocks = requested;
        }
        bool mayReplay() const {
            if constexpr (requires(Plan & p) { p.dropGraphs(); })
                return false;
            else
                return lastSeconds >= 0 && lastSeconds < longestReplaySeconds;
        }

        CudaContext* context;
        Plan plan;
        Buffer<Report> report;            ///< the plan's report, in pinned memory
        Buffer<float> masks[2];           ///< uploaded; empty where there are none
        std::unique_ptr<LaunchLog> edges; ///< launches before and after the body: new for each pair
        std::unique_ptr<LaunchLog> body;
        std::unique_ptr<Graph> graph;
        BlockSizes blocks;       ///< block sizes of both logs
        double lastSeconds = -1; ///< time of the body; negative: it hasn't run yet
    };

    void prepare(const MotionInput& input, const ExecContext& ctx) {
        const PlanShape shape = planShape(input);
        if (!cached_ || cached_->context != ctx.cuda || cached_->plan.shape() != shape) {
            cached_.reset(); // first, since there may not be memory for both
            cached_ = std::make_unique<CachedPlan>(*ctx.cuda, parameters_, shape);
        }
        cached_->launchBy(timingOf(ctx), ctx.blockSizes ? *ctx.blockSizes : BlockSizes());
    }

    MotionReport runPlan(const MotionInput& input, FieldView<float> displacement,
                         const ExecContext& ctx) {
        CachedPlan& c = *cached_;
        CudaContext& cuda = *ctx.cuda;
        const bool onHost = input.space == MemorySpace::Host;
        c.edges->clear();
        MotionInput onDevice = input;
        FieldView<const float> start = displacement;
        if (onHost)
            upload(input, displacement, onDevice, start, ctx);
        {
            const LaunchLog::Stage stage(*c.edges, "pyramid");
            cuda.zero(c.plan.report(), sizeof(Report), CudaStream::Compute);
            c.plan.begin(onDevice, start, *c.edges);
        }
        launchOrReplay(ctx);
        if (!onHost) {
            const LaunchLog::Stage stage(*c.edges, "warp");
            gpu::copyResult(c.plan.result(), displacement, c.plan.notFinite(), *c.edges);
        }
        cuda.download(c.plan.report(), c.report.data(), sizeof(Report), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        for (const int frame : {0, 1})
            if (c.report.data()->notFinite[frame])
                throwNotFinite(frame == 0 ? "fixed" : "moving");
        if (ctx.profile) {
            c.edges->resolve(*ctx.profile);
            c.body->resolve(*ctx.profile);
        }
        if (onHost)
            download(c.plan.result(), displacement, ctx);
        return c.plan.read(*c.report.data());
    }

    void upload(const MotionInput& input, FieldView<const float> start, MotionInput& onDevice,
                FieldView<const float>& deviceStart, const ExecContext& ctx) {
        const std::size_t n = input.fixed.voxels();
        float* const room = cached_->plan.staging();
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
        const auto putMask = [&](VolumeView<const float> host, Buffer<float>& masks) {
            if (host.empty())
                return host;
            if (masks.empty())
                masks = ctx.cuda->devicePool().template acquire<float>(n, "uploaded mask");
            uploadStaged(host.data, masks.data(), n, ctx);
            return VolumeView<const float>(masks.data(), host.size);
        };
        onDevice.fixedMask = putMask(input.fixedMask, cached_->masks[0]);
        onDevice.movingMask = putMask(input.movingMask, cached_->masks[1]);
    }

    void download(FieldView<const float> from, FieldView<float> to, const ExecContext& ctx) {
        const std::size_t n = to.size.voxels();
        const ScopedSpan span(ctx.profile, "upload", "download field", 12 * static_cast<double>(n));
        for (int axis = 0; axis < 3; ++axis)
            downloadStaged(from.component(axis), to.component(axis), n, ctx);
    }

    void launchOrReplay(const ExecContext& ctx) {
        CachedPlan& c = *cached_;
        if (ctx.iteration)
            return launchWatched(ctx);
        if (c.mayReplay()) {
            ctx.throwIfCancelled();
            if (!c.graph) {
                c.body->clear();
                c.graph = std::make_unique<Graph>(c.body->stream(), [&] {
                    c.plan.enqueue(*c.body, false, [](const PlanStep&) {});
                });
            }
            c.graph->launch(c.body->stream());
            return;
        }
        const auto begin = std::chrono::steady_clock::now();
        c.body->clear();
        Throttle throttle(ctx);
        c.plan.enqueue(*c.body, false, [&](const PlanStep& step) { throttle(step.done); });
        ctx.cuda->synchronize(CudaStream::Compute);
        c.lastSeconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    /// Launches step by step, waits for each and passes it to the observer.
    void launchWatched(const ExecContext& ctx) {
        CachedPlan& c = *cached_;
        c.graph.reset(); // its events are those of the body's log
        c.body->clear();
        Buffer<float> field =
            ctx.pool->acquire<float>(3 * c.plan.shape().size.voxels(), "watched field");
        c.plan.enqueue(*c.body, true, [&](const PlanStep& step) {
            ctx.report("motion estimation", step.done);
            ctx.throwIfCancelled();
            IterationState state;
            state.level = step.level;
            state.iteration = step.iteration;
            if (step.energy)
                ctx.cuda->download(step.energy, &state.energy, sizeof(double), CudaStream::Compute);
            const FieldView<float> onHost(field.data(), step.field.size);
            download(step.field, onHost, ctx);
            state.field = onHost;
            ctx.iteration(state);
        });
        ctx.cuda->synchronize(CudaStream::Compute);
    }

    Parameters parameters_;
    std::unique_ptr<CachedPlan> cached_;
};

} // namespace systole
