// The free-form deformation on the device: the counterpart of ffd_cpu.cpp. The optimizer runs on
// the host; of each energy it reads a few numbers.
#include "compute/core/error.h"
#include "compute/cuda/staged_copy.h"
#include "compute/methods/ffd/buffers_cuda.cuh"
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/levels_run.h"
#include "compute/methods/ffd/makers.h"
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/penalty_jacobian_cuda.cuh"
#include "compute/methods/ffd/warp_cuda.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace systole {
namespace {

class CudaProblem : public FfdProblem {
public:
    CudaProblem(const FfdLevels& plan, const FfdParameters& parameters, DeviceBuffers& buffers,
                bool movingMasked, double& observedPenalty, const ExecContext& ctx, LaunchLog& log)
        : plan_(plan)
        , b_(buffers)
        , movingMasked_(movingMasked)
        , observedPenalty_(observedPenalty)
        , ctx_(ctx)
        , log_(log)
        , wholeWeights_(parameters)
        , weights_(parameters) {
        ctx_.cuda->zero(&sums()->longest, sizeof(unsigned), CudaStream::Compute);
        gpu::longest(start(), {1, 1, 1}, &sums()->longest, log_);
        started_ = gpu::downloadSums(sums(), log_).longest != 0;
    }

    void beginLevel(std::size_t level) override {
        index_ = level;
        const FfdLevel& l = current();
        const GridIntegrals integrals(l.grid, l.unit);
        const std::vector<float> bands = gpu::bandFloats(integrals);
        uploadStaged(bands.data(), b_.space.data(b_.bands), bands.size(), ctx_);
        weights_ = wholeWeights_;
        form_ = gpu::deviceForm(weights_, integrals, b_.space.data(b_.bands));
        moving_ = {b_.moving.image(l.moving), b_.moving.mask(l.moving), l.map};
        levelStart_ = start();
        if (started_ && level > 0) {
            const FieldView<float> coarse(b_.space.data(b_.coarseStart), l.image.size);
            gpu::resampleField(start(), gpu::downsampling(l.factor), coarse, {}, log_);
            levelStart_ = coarse;
        }
        if (started_)
            approximateStart();
        {
            const LaunchLog::Stage stage(log_, "level");
            b_.similarity->begin({b_.fixed.image(level), b_.fixed.mask(level), moving_.image,
                                  movingMasked_, l.image.alongAxes(1)},
                                 sums(), b_.room(), log_);
        }
        setPoints(0, std::vector<float>(count(), 0.0f));
        warp(0);
        gpu::sumMoment({weight().data, nullptr, weight().data, 0, 1}, weight().voxels(), b_.room(),
                       &sums()->similarity, log_);
        leastWeight_ = ffdSmallestShare * gpu::downloadSums(sums(), log_).similarity.y;
        if (!(leastWeight_ > 0))
            throwNoOverlap();
    }

    void setPoints(int slot, const std::vector<float>& host) override {
        uploadStaged(host.data(), slotData(slot), host.size(), ctx_);
    }
    std::vector<float> points(int slot) override {
        std::vector<float> host(count());
        downloadStaged(slotData(slot), host.data(), host.size(), ctx_);
        return host;
    }

    double weighPenalties(int slot) override {
        if (!std::isfinite(value(slot)))
            return 1;
        const double share = b_.similarity->unexplained(similarity_);
        weights_ = wholeWeights_.smoother(smoothnessFactor(share, index_));
        form_ = gpu::deviceForm(weights_, GridIntegrals(current().grid, current().unit),
                                b_.space.data(b_.bands));
        return share;
    }

    double value(int slot) override {
        ctx_.throwIfCancelled();
        warp(slot);
        {
            const LaunchLog::Stage stage(log_, "similarity");
            b_.similarity->enqueue(images(), sums(), b_.room(), log_);
        }
        penalize(slot, nullptr);
        const gpu::FfdSums found = gpu::downloadSums(sums(), log_);
        if (found.similarity.y < leastWeight_)
            return std::numeric_limits<double>::infinity();
        similarity_ = b_.similarity->value(found);
        penalty_ = penaltyIn(found);
        return similarity_ + penalty_;
    }

    void gradient(int slot, int out) override {
        ctx_.throwIfCancelled();
        {
            const LaunchLog::Stage stage(log_, "derivative");
            b_.similarity->derivative(images(), volume(b_.derivative), log_);
        }
        {
            const LaunchLog::Stage stage(log_, "forces");
            gpu::warpForces(moving_, field(), volume(b_.derivative), field(), log_);
        }
        {
            const LaunchLog::Stage stage(log_, "gradient");
            gpu::bsplineGradient(log_, field(), this->slot(out), b_.space.data(b_.gradient));
        }
        penalize(slot, slotData(out));
    }

    void products(std::span<const DescentProduct> wanted, std::span<double> values) override {
        gpu::Products list(current().metric());
        for (const DescentProduct& product : wanted)
            list.add(slotData(product.a), slotData(product.b), product.metric);
        {
            const LaunchLog::Stage stage(log_, "search");
            gpu::dotProducts(list, pointCount(), b_.room(), sums()->products, log_);
        }
        const gpu::FfdSums found = gpu::downloadSums(sums(), log_);
        std::copy_n(found.products, values.size(), values.begin());
    }

    void combine(int out, std::span<const DescentTerm> terms) override {
        gpu::Combination sum;
        for (const DescentTerm& term : terms)
            sum.add(term.factor, slotData(term.slot),
                    term.metric ? current().metric() : Vec3{1, 1, 1});
        const LaunchLog::Stage stage(log_, "search");
        gpu::combine(slotData(out), sum, pointCount(), log_);
    }

    double longest(int slot) override {
        ctx_.cuda->zero(&sums()->longest, sizeof(unsigned), CudaStream::Compute);
        {
            const LaunchLog::Stage stage(log_, "search");
            gpu::longest(this->slot(slot).values, current().image.alongAxes(1), &sums()->longest,
                         log_);
        }
        const unsigned bits = gpu::downloadSums(sums(), log_).longest;
        float squared = 0;
        std::memcpy(&squared, &bits, sizeof squared);
        return std::sqrt(static_cast<double>(squared));
    }

    void iterated(int iteration, double energy, int slot) override {
        ctx_.throwIfCancelled();
        if (!ctx_.iteration)
            return;
        penalize(slot, nullptr);
        observedPenalty_ = penaltyIn(gpu::downloadSums(sums(), log_));
        displace(slot);
        const std::size_t n = current().image.size.voxels();
        Buffer<float> onHost = ctx_.pool->acquire<float>(3 * n, "watched field");
        downloadStaged(field().u, onHost.data(), 3 * n, ctx_);
        const std::vector<float> pointsOnHost = points(slot);
        const ControlGrid& grid = current().grid;
        ctx_.iteration(
            {static_cast<int>(index_), iteration, energy,
             FieldView<const float>(onHost.data(), current().image.size),
             ControlPointsView<const float>{{pointsOnHost.data(), grid.points()}, grid}});
    }

    Terms terms(int slot) override {
        value(slot);
        return {b_.similarity->known(similarity_), penalty_};
    }

    /// start + spline of the slot, on the level's grid, in field().
    void displace(int slot) {
        const LaunchLog::Stage stage(log_, "spline");
        const ControlPointsView<float> points = this->slot(slot);
        gpu::bsplineField(log_, {points.values, points.grid}, field());
        if (started_)
            gpu::addField(levelStart_, field(), log_);
    }
    FieldView<float> field() const { return {b_.space.data(b_.field), current().image.size}; }

private:
    const FfdLevel& current() const { return plan_.levels[index_]; }
    std::size_t pointCount() const { return current().grid.points().voxels(); }
    std::size_t count() const { return 3 * pointCount(); }
    int startSlot() const { return b_.slots; }
    gpu::FfdSums* sums() const { return b_.space.data(b_.sums); }
    FieldView<float> start() const { return {b_.space.data(b_.start), plan_.levels[0].image.size}; }
    float* slotData(int n) const {
        return b_.space.data(b_.points) + static_cast<std::size_t>(n) * b_.pointFloats;
    }
    ControlPointsView<float> slot(int n) const {
        return {{slotData(n), current().grid.points()}, current().grid};
    }
    VolumeView<float> volume(Workspace::Block<float> block) const {
        return {b_.space.data(block), current().image.size};
    }
    VolumeView<float> weight() const { return volume(b_.weight); }
    ComparedImages images() const { return {b_.fixed.image(index_), volume(b_.warped), weight()}; }

    void warp(int slot) {
        displace(slot);
        const LaunchLog::Stage stage(log_, "warp");
        gpu::warpMoving(moving_, field(), b_.fixed.mask(index_), volume(b_.warped), weight(), log_);
    }

    /// Enqueues the penalties at a slot's points and the start; their gradient is added.
    void penalize(int slot, float* gradient) {
        if (!form_.any() && weights_.jacobian <= 0)
            return;
        const LaunchLog::Stage stage(log_, "penalty");
        const float* const more = started_ ? slotData(startSlot()) : nullptr;
        if (form_.any())
            gpu::addQuadratic(form_, current().grid.points(), slotData(slot), more, gradient,
                              b_.room(), &sums()->penalty, log_);
        if (weights_.jacobian > 0)
            gpu::addJacobianPenalty(current().grid, weights_.jacobian, slotData(slot), more,
                                    gradient, b_.room(), &sums()->volume, log_);
    }

    /// What penalize() found.
    double penaltyIn(const gpu::FfdSums& found) const {
        return (form_.any() ? found.penalty.x : 0) + (weights_.jacobian > 0 ? found.volume.x : 0);
    }

    /// The start as one more spline that the penalties add.
    void approximateStart() {
        const std::size_t n = levelStart_.size.voxels();
        Buffer<float> host = ctx_.pool->acquire<float>(3 * n, "starting field");
        for (int axis = 0; axis < 3; ++axis)
            downloadStaged(levelStart_.component(axis), host.data() + axis * n, n, ctx_);
        std::vector<float> points(count());
        approximate(FieldView<const float>(host.data(), levelStart_.size),
                    {{points.data(), current().grid.points()}, current().grid});
        setPoints(startSlot(), points);
    }

    const FfdLevels& plan_;
    DeviceBuffers& b_;
    bool movingMasked_;
    double& observedPenalty_;
    const ExecContext& ctx_;
    LaunchLog& log_;
    PenaltyWeights wholeWeights_;
    PenaltyWeights weights_; ///< of the level
    bool started_ = false;
    std::size_t index_ = 0;
    MovingImage moving_;
    FieldView<const float> levelStart_;
    gpu::DeviceForm form_;
    double leastWeight_ = 0, similarity_ = 0, penalty_ = 0;
};

class FfdCuda : public FfdEstimator {
public:
    explicit FfdCuda(const FfdParameters& parameters) : p_(parameters) {}

    std::size_t memoryEstimate(Size3 size) const override {
        const Geometry grid(size, {1, 1, 1});
        return DeviceBuffers(ffdLevels(grid, grid, p_.levels, p_.spacing), p_, {true, true, true},
                             true)
            .space.bytes();
    }
    int reach() const override { return ffdReach; }
    ControlPointsView<const float> controlPoints() const override {
        if (points_.empty())
            return {};
        return {{points_.data(), grid_.points()}, grid_};
    }
    double observedPenalty() const override { return observedPenalty_; }

protected:
    bool checksValues() const override { return true; }

    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        if (!ctx.cuda)
            throw ComputeError("motion estimation on the device was given no device");
        if (!input.grids && input.moving.size != input.fixed.size)
            throwNoGrids();
        const FrameGrids grids = gridsOf(input);
        const FfdLevels plan = ffdLevels(grids.fixed, grids.moving, p_.levels, p_.spacing);
        const FfdMasks masks(input, grids);
        DeviceBuffers buffers(plan, p_, masks, input.space == MemorySpace::Host);
        buffers.space.acquire(ctx.cuda->devicePool());
        LaunchLog log(*ctx.cuda, timingOf(ctx));
        if (ctx.blockSizes)
            log.setBlockSizes(*ctx.blockSizes);
        try {
            return estimateOn(plan, buffers, masks, input, displacement, ctx, log);
        } catch (...) {
            // After this the owner of the frames may release them.
            cudaStreamSynchronize(streamOf(*ctx.cuda));
            cudaGetLastError();
            throw;
        }
    }

private:
    MotionReport estimateOn(const FfdLevels& plan, DeviceBuffers& b, const FfdMasks& masks,
                            const MotionInput& input, FieldView<float> displacement,
                            const ExecContext& ctx, LaunchLog& log) {
        CudaContext& cuda = *ctx.cuda;
        cuda.zero(b.space.data(b.arrived), sizeof(unsigned), CudaStream::Compute);
        cuda.zero(b.space.data(b.sums), sizeof(gpu::FfdSums), CudaStream::Compute);
        {
            const LaunchLog::Stage stage(log, "pyramid");
            begin(b, masks, input, displacement, ctx, log);
        }
        CudaProblem problem(plan, p_, b, !input.movingMask.empty(), observedPenalty_, ctx, log);
        const gpu::FfdSums found = gpu::downloadSums(b.space.data(b.sums), log);
        for (const int frame : {0, 1})
            if (found.notFinite[frame])
                throwNotFinite(frame == 0 ? "fixed" : "moving");
        FfdResult result = runLevels(problem, plan, p_.descent, ctx);
        points_ = std::move(result.points);
        grid_ = plan.levels[0].grid;
        problem.setPoints(0, points_);
        problem.displace(0);
        cuda.synchronize(CudaStream::Compute);
        if (ctx.profile)
            log.resolve(*ctx.profile);
        copyField(problem.field(), displacement, input.space, ctx);
        result.report.comparesGrayValues = p_.similarity.kind == SimilarityKind::Ssd;
        return result.report;
    }

    /// Pyramids and starting field, from the host's memory or the device's.
    static void begin(DeviceBuffers& b, const FfdMasks& masks, const MotionInput& input,
                      FieldView<const float> displacement, const ExecContext& ctx, LaunchLog& log) {
        const bool onHost = input.space == MemorySpace::Host;
        const auto onDevice = [&](VolumeView<const float> volume, Workspace::Block<float> room) {
            if (!onHost || volume.empty())
                return volume.data;
            uploadStaged(volume.data, b.space.data(room), volume.voxels(), ctx);
            return static_cast<const float*>(b.space.data(room));
        };
        const GrayMapping gray = grayMapping(input.scale);
        int* const notFinite = b.space.data(b.sums)->notFinite;
        const gpu::Scratch scratch{b.space.data(b.scratch), b.scratchFloats};
        b.fixed.build(onDevice(input.fixed, b.upload), gray, notFinite, scratch, log);
        b.moving.build(onDevice(input.moving, b.upload), gray, notFinite + 1, scratch, log);
        if (masks.moving)
            b.moving.buildMask(onDevice(input.movingMask, b.uploadMask), scratch, log);
        const float* fixedMask = masks.fixed ? onDevice(input.fixedMask, b.uploadMask) : nullptr;
        if (const float* const counted =
                masks.still ? withoutStillRegion(b, fixedMask, log) : nullptr)
            fixedMask = counted;
        if (fixedMask)
            b.fixed.buildMask(fixedMask, scratch, log);
        const std::size_t n = displacement.size.voxels();
        for (int axis = 0; axis < 3; ++axis) {
            float* const to = b.space.data(b.start) + static_cast<std::size_t>(axis) * n;
            if (onHost)
                uploadStaged(displacement.component(axis), to, n, ctx);
            else
                copyOnDevice(ctx, displacement.component(axis), to, n);
        }
    }

    /// The mask (null: none) without still surroundings; null if there are none, or nothing else.
    static const float* withoutStillRegion(DeviceBuffers& b, const float* mask, LaunchLog& log) {
        gpu::FfdSums* const sums = b.space.data(b.sums);
        const Size3 size = b.fixed.levels[0].size;
        const VolumeView<std::uint8_t> counts(b.space.data(b.counts), size);
        const VolumeView<std::uint8_t> kinds(b.space.data(b.kinds), size);
        gpu::findStillRegion({b.fixed.image(0), b.moving.image(0), kinds, &sums->still}, b.room(),
                             log);
        if (!gpu::downloadSums(sums, log).still.found)
            return nullptr;
        gpu::markBesideStillRegion(kinds, counts, log);
        float* const counted = b.space.data(b.weight);
        gpu::countedMask(counts, mask, counted, log);
        gpu::sumMoment({counted, nullptr, counted, 0, 1}, size.voxels(), b.room(),
                       &sums->similarity, log);
        return gpu::downloadSums(sums, log).similarity.y > 0 ? counted : nullptr;
    }

    static void copyOnDevice(const ExecContext& ctx, const float* from, float* to, std::size_t n) {
        ctx.cuda->copyOnDevice(from, to, sizeof(float) * n, CudaStream::Compute);
    }

    static void copyField(FieldView<const float> from, FieldView<float> to, MemorySpace space,
                          const ExecContext& ctx) {
        const std::size_t n = to.size.voxels();
        for (int axis = 0; axis < 3; ++axis)
            if (space == MemorySpace::Host)
                downloadStaged(from.component(axis), to.component(axis), n, ctx);
            else
                copyOnDevice(ctx, from.component(axis), to.component(axis), n);
        ctx.cuda->synchronize(CudaStream::Compute);
    }

    FfdParameters p_;
    std::vector<float> points_;
    ControlGrid grid_;
    double observedPenalty_ = 0;
};

} // namespace

std::unique_ptr<FfdEstimator> makeFfdCuda(const FfdParameters& parameters) {
    return std::make_unique<FfdCuda>(parameters);
}

} // namespace systole
