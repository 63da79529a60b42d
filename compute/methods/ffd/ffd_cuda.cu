// The steps of the free-form deformation on the device. The optimizer runs on
// the host; of each energy it reads a few numbers.
#include "compute/core/error.h"
#include "compute/cuda/staged_copy.h"
#include "compute/methods/ffd/buffers_cuda.cuh"
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/penalty_jacobian_cuda.cuh"
#include "compute/methods/ffd/unfold.h"
#include "compute/methods/ffd/warp_cuda.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/pyramid_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/white_noise_cuda.cuh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace systole {
namespace {

class CourseOnDevice : public FfdCourse {
public:
    CourseOnDevice(const FfdSetup& setup, DeviceBuffers& buffers, LaunchLog& log)
        : FfdCourse(setup), b_(buffers), log_(log), weights_(setup.parameters) {
        started_ = longestOf(start_, {1, 1, 1}) != 0;
    }

protected:
    void setPoints(int slot, const std::vector<float>& host) override {
        uploadStaged(host.data(), slotData(slot), host.size(), ctx_);
    }
    std::vector<float> points(int slot) override {
        std::vector<float> host(count());
        downloadStaged(slotData(slot), host.data(), host.size(), ctx_);
        return host;
    }

    void enterLevel() override {
        integrals_.emplace(level().grid, level().unit);
        const std::vector<float> bands = gpu::bandFloats(*integrals_);
        uploadStaged(bands.data(), b_.space.data(b_.bands), bands.size(), ctx_);
    }
    void setPenalties(const PenaltyWeights& weights) override {
        weights_ = weights;
        form_ = gpu::deviceForm(weights, *integrals_, b_.space.data(b_.bands));
    }
    void downsampleStart(FieldView<float> out) override {
        gpu::resampleField(start_, gpu::downsampling(level().factor), out, {}, log_);
    }
    void approximateStart() override {
        const std::size_t n = levelStart_.size.voxels();
        Buffer<float> host = ctx_.pool->acquire<float>(3 * n, "starting field");
        for (int axis = 0; axis < 3; ++axis)
            downloadStaged(levelStart_.component(axis), host.data() + axis * n, n, ctx_);
        std::vector<float> points(count());
        approximate(FieldView<const float>(host.data(), levelStart_.size),
                    {{points.data(), level().grid.points()}, level().grid});
        setPoints(startSlot(), points);
    }

    void beginSimilarity(const Similarity::Level& of) override {
        const LaunchLog::Stage stage(log_, "level");
        b_.similarity->begin(of, sums(), b_.room(), log_);
    }

    float noiseToMakeGood() override {
        const LaunchLog::Stage stage(log_, "level");
        gpu::whiteNoise(moving_.image, madeGood, b_.room(), &sums()->noise, log_);
        return gpu::downloadSums(sums(), log_).noise;
    }

    void displace(int slot) override {
        const LaunchLog::Stage stage(log_, "spline");
        gpu::bsplineField(log_, readSlot(slot), field());
        if (started_)
            gpu::addField(levelStart_, field(), log_);
    }

    void warpImage() override {
        const LaunchLog::Stage stage(log_, "warp");
        gpu::warpMoving(moving_, field(), fixedMask(), warped(), weight(), lost(), log_);
    }

    double totalWeight() override {
        gpu::sumMoment({weight().data, nullptr, weight().data, 0, 1}, weight().voxels(), b_.room(),
                       &sums()->similarity, log_);
        return gpu::downloadSums(sums(), log_).similarity.y;
    }

    std::optional<Terms> evaluate(int slot, double minWeight) override {
        {
            const LaunchLog::Stage stage(log_, "similarity");
            b_.similarity->enqueue(images(), sums(), b_.room(), log_);
        }
        penalize(slot, nullptr);
        const gpu::FfdSums found = gpu::downloadSums(sums(), log_);
        longestBits_ = found.longest;
        if (found.similarity.y < minWeight)
            return std::nullopt;
        return Terms{b_.similarity->value(found), penaltyIn(found)};
    }

    double penaltyAt(int slot) override {
        penalize(slot, nullptr);
        return penaltyIn(gpu::downloadSums(sums(), log_));
    }

    void gradient(int slot, int out) override {
        ctx_.throwIfCancelled();
        {
            const LaunchLog::Stage stage(log_, "derivative");
            b_.similarity->derivative(images(), derivative(), log_);
        }
        {
            const LaunchLog::Stage stage(log_, "forces");
            gpu::warpForces(moving_, field(), warpDerivative(), field(), log_);
        }
        {
            const LaunchLog::Stage stage(log_, "gradient");
            gpu::bsplineGradient(log_, field(), this->slot(out), b_.space.data(b_.gradient));
        }
        penalize(slot, slotData(out));
    }

    void products(std::span<const DescentProduct> wanted, std::span<double> values) override {
        gpu::Products list(level().metric());
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
                    term.metric ? level().metric() : Vec3{1, 1, 1});
        const LaunchLog::Stage stage(log_, "search");
        gpu::combine(slotData(out), sum, pointCount(), log_);
    }

    double longest(int slot) override {
        return lengthOf(longestOf(this->slot(slot).values, level().image.alongAxes(1)));
    }
    /// The step's length is found on the device, and comes to the host with its energy.
    FirstStep firstStep(int from, int direction, int out, const StepLimit& limit) override {
        findLongest(slot(direction).values, level().image.alongAxes(1));
        {
            const LaunchLog::Stage stage(log_, "search");
            gpu::stepWithin(limit, &sums()->longest, slotData(from), slotData(direction),
                            slotData(out), pointCount(), log_);
        }
        const double energy = value(out);
        return {lengthOf(longestBits_), energy};
    }

    /// Unfolds on the host if the device finds a fold, by the same steps as Backend::Cpu.
    void unfoldField() override {
        const LaunchLog::Stage stage(log_, "unfold");
        const gpu::FoldBuffers folds{{}, {}, nullptr, b_.space.data(b_.folds)};
        gpu::clearFolds(folds, log_);
        gpu::findFolds(field(), folds, log_);
        Buffer<int> found = ctx_.cuda->pinnedPool().acquire<int>(1, "folds");
        ctx_.cuda->download(&folds.state->found, found.data(), sizeof(int), CudaStream::Compute);
        ctx_.cuda->synchronize(CudaStream::Compute);
        if (*found.data() == 0)
            return;
        const std::size_t n = start_.size.voxels();
        Buffer<float> host = ctx_.pool->acquire<float>(6 * n, "unfolding");
        const FieldView<float> sum(host.data(), start_.size),
            start(host.data() + 3 * n, start_.size);
        downloadStaged(field().u, sum.u, 3 * n, ctx_);
        downloadStaged(start_.u, start.u, 3 * n, ctx_);
        unfoldSum(sum, start, ctx_);
        uploadStaged(sum.u, field().u, 3 * n, ctx_);
    }

    void observe(IterationState state, int slot) override {
        const std::size_t n = level().image.size.voxels();
        Buffer<float> onHost = ctx_.pool->acquire<float>(3 * n, "watched field");
        downloadStaged(field().u, onHost.data(), 3 * n, ctx_);
        const std::vector<float> pointsOnHost = points(slot);
        state.field = {onHost.data(), level().image.size};
        state.controlPoints = {{pointsOnHost.data(), level().grid.points()}, level().grid};
        ctx_.iteration(state);
    }

private:
    gpu::FfdSums* sums() const { return b_.space.data(b_.sums); }

    /// Enqueues sums()->longest: the bits of the largest squared length, in units.
    void findLongest(FieldView<const float> vectors, Vec3 unit) const {
        ctx_.cuda->zero(&sums()->longest, sizeof(unsigned), CudaStream::Compute);
        const LaunchLog::Stage stage(log_, "search");
        gpu::longest(vectors, unit, &sums()->longest, log_);
    }
    unsigned longestOf(FieldView<const float> vectors, Vec3 unit) const {
        findLongest(vectors, unit);
        return gpu::downloadSums(sums(), log_).longest;
    }
    static double lengthOf(unsigned squaredBits) {
        return std::sqrt(static_cast<double>(std::bit_cast<float>(squaredBits)));
    }

    /// Enqueues the penalties at a slot's points and the start; their gradient is added.
    void penalize(int slot, float* gradient) {
        if (!form_.any() && weights_.jacobian <= 0)
            return;
        const LaunchLog::Stage stage(log_, "penalty");
        const gpu::PenaltyPoints points{slotData(slot), started_ ? slotData(startSlot()) : nullptr,
                                        gradient};
        if (form_.any())
            gpu::addQuadratic(form_, level().grid.points(), points, b_.room(), &sums()->penalty,
                              log_);
        if (weights_.jacobian > 0)
            gpu::addJacobianPenalty(level().grid, weights_.jacobian, points, b_.room(),
                                    &sums()->volume, log_);
    }

    /// The penalty that penalize() found.
    double penaltyIn(const gpu::FfdSums& found) const {
        return (form_.any() ? found.penalty.x : 0) + (weights_.jacobian > 0 ? found.volume.x : 0);
    }

    DeviceBuffers& b_;
    LaunchLog& log_;
    PenaltyWeights weights_;                 ///< weights on the current level
    std::optional<GridIntegrals> integrals_; ///< integrals on the level's grid of points
    gpu::DeviceForm form_;
    unsigned longestBits_ = 0; ///< findLongest() as it came with the last energy
};

class FfdCuda : public FfdBase {
public:
    using FfdBase::FfdBase;

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        return DeviceBuffers(levelsFor(size, spacing), p_, {true, true, true}, true).space.bytes();
    }

protected:
    bool checksValues() const override { return true; }

    MotionReport estimateOn(const FfdLevels& plan, const FfdMasks& masks, const MotionInput& input,
                            FieldView<float> displacement, const ExecContext& ctx) override {
        if (!ctx.cuda)
            throw ComputeError("motion estimation on the device was given no device");
        DeviceBuffers buffers(plan, p_, masks, input.space == MemorySpace::Host);
        buffers.space.acquire(ctx.cuda->devicePool());
        LaunchLog& log = logFor(ctx);
        try {
            return estimateWith(plan, buffers, masks, input, displacement, ctx, log);
        } catch (...) {
            // The owner of the frames may release them once the stream has finished.
            cudaStreamSynchronize(streamOf(*ctx.cuda));
            cudaGetLastError();
            throw;
        }
    }

private:
    /// Kept from pair to pair: the device is asked for attributes of kernels and for events once.
    LaunchLog& logFor(const ExecContext& ctx) {
        if (!log_ || &log_->cuda() != ctx.cuda || log_->timing() != timingOf(ctx))
            log_ = std::make_unique<LaunchLog>(*ctx.cuda, timingOf(ctx));
        log_->clear();
        log_->setBlockSizes(ctx.blockSizes ? *ctx.blockSizes : BlockSizes());
        return *log_;
    }

    MotionReport estimateWith(const FfdLevels& plan, DeviceBuffers& b, const FfdMasks& masks,
                              const MotionInput& input, FieldView<float> displacement,
                              const ExecContext& ctx, LaunchLog& log) {
        CudaContext& cuda = *ctx.cuda;
        cuda.zero(b.space.data(b.arrived), sizeof(unsigned), CudaStream::Compute);
        cuda.zero(b.space.data(b.sums), sizeof(gpu::FfdSums), CudaStream::Compute);
        {
            const LaunchLog::Stage stage(log, "pyramid");
            begin(b, masks, input, displacement, ctx, log);
        }
        CourseOnDevice course({plan,
                               p_,
                               b,
                               *b.similarity,
                               {b.space.data(b.start), plan.levels[0].image.size},
                               !input.movingMask.empty(),
                               observedPenalty_,
                               ctx},
                              b, log);
        const gpu::FfdSums found = gpu::downloadSums(b.space.data(b.sums), log);
        for (const int frame : {0, 1})
            if (found.notFinite[frame])
                throwNotFinite(frame == 0 ? "fixed" : "moving");
        const MotionReport report = follow(course, plan);
        cuda.synchronize(CudaStream::Compute);
        if (ctx.profile)
            log.resolve(*ctx.profile);
        copyField(course.field(), displacement, input.space, ctx);
        return report;
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
        const auto build = [&](const ImagePyramid& pyramid, VolumeView<const float> image,
                               int* bad) {
            gpu::scaleGray(onDevice(image, b.upload), pyramid.image(0).data, image.voxels(),
                           gray.scale, gray.offset, bad, log);
            gpu::decimate(pyramid.images, scratch, log);
        };
        const auto buildMask = [&](ImagePyramid& pyramid, const float* mask) {
            pyramid.hasMask = true;
            copyOnDevice(ctx, mask, pyramid.mask(0).data, pyramid.mask(0).voxels());
            gpu::decimate(pyramid.masks, scratch, log);
        };
        build(b.fixed, input.fixed, notFinite);
        build(b.moving, input.moving, notFinite + 1);
        if (masks.moving)
            buildMask(b.moving, onDevice(input.movingMask, b.uploadMask));
        const float* fixedMask = masks.fixed ? onDevice(input.fixedMask, b.uploadMask) : nullptr;
        if (const float* const counted =
                masks.still ? withoutStillRegion(b, fixedMask, log) : nullptr)
            fixedMask = counted;
        if (fixedMask)
            buildMask(b.fixed, fixedMask);
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
        const Size3 size = b.fixed.image(0).size;
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

    std::unique_ptr<LaunchLog> log_;
};

} // namespace

std::unique_ptr<FfdEstimator> makeFfdCuda(const FfdParameters& parameters) {
    return std::make_unique<FfdCuda>(parameters);
}

} // namespace systole
