// The unbiased method on the device: the counterpart of unbiased_cpu.cpp. Which steps are accepted
// and when a level ends is decided there; the host enqueues iterations in batches, between which
// alone a level can end (convergenceWindow), and asks after each whether it has.
#include "compute/cuda/replay.cuh"
#include "compute/methods/unbiased/mask_cuda.cuh"
#include "compute/methods/unbiased/step_cuda.cuh"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/ops/pyramid_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>

namespace systole {
namespace {

using unbiased::DeviceLevel;
using unbiased::ForceUse;

constexpr int mostLevels = 10;

/// What the device reports about an estimation; finest level first.
struct UnbiasedReport {
    DeviceLevel level[mostLevels];
    int notFinite[2];
};

/// The plan of DeviceEstimator (compute/cuda/replay.cuh).
class UnbiasedPlan {
public:
    using Parameters = UnbiasedParameters;
    using Report = UnbiasedReport;

    UnbiasedPlan(CudaContext& cuda, const UnbiasedParameters& parameters, const PlanShape& shape)
        : UnbiasedPlan(parameters, shape) {
        space_.acquire(cuda.devicePool());
        cuda.zero(space_.data(arrived_), sizeof(unsigned), CudaStream::Compute);
    }
    static std::size_t bytes(const UnbiasedParameters& parameters, const PlanShape& shape) {
        return UnbiasedPlan(parameters, shape).space_.bytes();
    }

    const PlanShape& shape() const { return shape_; }
    UnbiasedReport* report() const { return space_.data(report_); }
    const int* notFinite() const { return report()->notFinite; }
    float* staging() const { return space_.data(work_); }
    FieldView<const float> result() const { return settled(shape_.size); }

    void begin(const MotionInput& input, FieldView<const float> start, LaunchLog& log) {
        pyramid_.begin(input, report()->notFinite, log);
        masks_.begin(input, log);
        gpu::resampleField(start, gpu::downsampling(totalFactor(levels())),
                           motion(0, levels().back().size), {}, log);
    }

    void dropGraphs() {
        batches_.clear();
        batches_.resize(levels().size());
    }

    void enqueue(LaunchLog& log, bool watched,
                 const std::function<void(const PlanStep&)>& between) {
        {
            const LaunchLog::Stage stage(log, "pyramid");
            pyramid_.decimate({settled(shape_.size).u, 3 * shape_.size.voxels()}, log);
            masks_.decimate({settled(shape_.size).u, 3 * shape_.size.voxels()}, log);
        }
        for (std::size_t level = levels().size(); level-- > 0;) {
            start(level, log);
            estimateLevel(level, watched, log, between);
            const LaunchLog::Stage stage(log, "pyramid");
            const Size3 size = levels()[level].size;
            settle(level, log);
            if (level > 0)
                gpu::resampleField(settled(size), gpu::upsampling(levels()[level].factor),
                                   motion(0, levels()[level - 1].size), {}, log);
        }
    }

    MotionReport read(const UnbiasedReport& from) const {
        MotionReport report;
        for (std::size_t level = levels().size(); level-- > 0;)
            report.levels.push_back(
                unbiased::reportOf(levels()[level].size, from.level[level].steps));
        report.finish();
        return report;
    }

    static int reach(const UnbiasedParameters& parameters) { return parameters.reach(); }

private:
    /// A batch of iterations of a level, launched one by one the first time, which loads the
    /// kernels.
    struct Batch {
        bool launched = false;
        std::unique_ptr<Graph> graph;
    };

    UnbiasedPlan(const UnbiasedParameters& parameters, const PlanShape& shape)
        : p_(parameters)
        , shape_(shape)
        , pyramid_(pyramidLevels(shape.size, shape.spacing, parameters.levels), false, space_)
        , masks_(pyramid_.levels(), shape.fixedMask, shape.movingMask, space_) {
        const std::size_t n = shape.size.voxels();
        compared_ = space_.add<float>("masked fixed frame", masks_.empty() ? 0 : n);
        motions_[0] = space_.add<float>("motion field", 3 * n);
        motions_[1] = space_.add<float>("motion field, next", 3 * n);
        work_ = space_.add<float>("unbiased, force", 2 * forceFloats());
        kept_ = space_.add<float>("unbiased, force at the motion", p_.momentum > 0 ? 3 * n : 0);
        velocity_ = space_.add<float>("unbiased, velocity", p_.momentum > 0 ? 3 * n : 0);
        sums_ = space_.add<double2>("sums of blocks", unbiased::forceBlocks(shape.size));
        arrived_ = space_.add<unsigned>("blocks that have arrived", 1);
        report_ = space_.add<UnbiasedReport>("report", 1);
        dropGraphs();
    }

    const std::vector<PyramidLevel>& levels() const { return pyramid_.levels(); }
    DeviceLevel* stateOf(std::size_t level) const { return report()->level + level; }
    FieldView<float> motion(int which, Size3 size) const {
        return {space_.data(motions_[which]), size};
    }
    /// Both parts begin where wide loads may: 256 bytes are the alignment of every block.
    std::size_t forceFloats() const { return (3 * shape_.size.voxels() + 63) / 64 * 64; }
    FieldView<float> force(Size3 size) const { return {space_.data(work_), size}; }
    /// Scratch, and where the motion is put for readers.
    FieldView<float> settled(Size3 size) const {
        return {space_.data(work_) + forceFloats(), size};
    }

    void smooth(FieldView<float> field, Vec3 sigma, const int* skip, LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "smooth");
        gpu::smoothStack(smoothFamily.standardVariant(), {field.u, 3, field.size},
                         gpu::gaussianTapsFor(sigma),
                         {settled(field.size).u, 3 * shape_.size.voxels()}, log, skip);
    }

    void computeForce(std::size_t level, ForceUse use, LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "force");
        const PyramidLevel& grid = levels()[level];
        const gpu::VolumeStack images = pyramid_.images(level);
        unbiased::ForceStep step{
            {{images.data, grid.size}, {images.data + images.volume(), grid.size}},
            {motion(0, grid.size), motion(1, grid.size)},
            force(grid.size),
            p_.forceRule(grid),
            p_.stepRule(),
            use,
            stateOf(level),
            {space_.data(sums_), space_.data(arrived_)}};
        if (!masks_.empty()) {
            const VolumeView<float> compared(space_.data(compared_), grid.size);
            unbiased::enqueueCompared(step, masks_.at(level), compared, log);
            step.frames.fixed = compared;
        }
        unbiased::enqueueForce(p_.forceVariant, step, log);
    }

    /// Makes the start acceptable (unfoldingSigmas) and computes its force; what isn't needed
    /// returns at once.
    void start(std::size_t level, LaunchLog& log) const {
        const Size3 size = levels()[level].size;
        const int* const found = &stateOf(level)->startFound;
        computeForce(level, ForceUse::Start, log);
        for (const double sigma : unbiased::unfoldingSigmas) {
            smooth(motion(0, size), {sigma, sigma, sigma}, found, log);
            computeForce(level, ForceUse::Start, log);
        }
        {
            const LaunchLog::Stage stage(log, "update");
            unbiased::enqueueRest(motion(0, size), stateOf(level), log);
        }
        computeForce(level, ForceUse::Start, log);
        smooth(force(size), levels()[level].alongAxes(p_.sigma), nullptr, log);
    }

    void iterate(std::size_t level, LaunchLog& log) const {
        const PyramidLevel& grid = levels()[level];
        {
            const LaunchLog::Stage stage(log, "update");
            unbiased::MoveStep step{{motion(0, grid.size), motion(1, grid.size)},
                                    force(grid.size),
                                    {},
                                    {},
                                    {},
                                    p_.stepRule(),
                                    stateOf(level)};
            if (p_.momentum > 0) {
                step.kept = {space_.data(kept_), grid.size};
                step.velocity = {space_.data(velocity_), grid.size};
            }
            std::copy_n(p_.forceRule(grid).scale, 3, step.scale);
            unbiased::enqueueMove(step, log);
        }
        computeForce(level, ForceUse::Candidate, log);
        smooth(force(grid.size), grid.alongAxes(p_.sigma), &stateOf(level)->idle, log);
    }

    void estimateLevel(std::size_t level, bool watched, LaunchLog& log,
                       const std::function<void(const PlanStep&)>& between) {
        const Size3 size = levels()[level].size;
        const auto levelsDone = static_cast<double>(levels().size() - 1 - level),
                   all = static_cast<double>(levels().size());
        const int together = watched ? 1 : unbiased::convergenceWindow;
        for (int n = 0; n < p_.iterations;) {
            const int count = std::min(together, p_.iterations - n);
            iterateTogether(level, count, log);
            n += count;
            if (watched)
                settle(level, log);
            between({(levelsDone + static_cast<double>(n) / p_.iterations) / all,
                     static_cast<int>(level), n, settled(size), &stateOf(level)->steps.energy});
            if ((watched || p_.tolerance > 0) && hasEnded(level, log))
                return;
        }
    }

    /// As a graph where nobody asks for times: the events of a log belong to one launch.
    void iterateTogether(std::size_t level, int count, LaunchLog& log) {
        Batch& batch = batches_[level];
        const bool whole = count == unbiased::convergenceWindow;
        const auto enqueueAll = [&] {
            for (int n = 0; n < count; ++n)
                iterate(level, log);
        };
        if (!whole || !batch.launched || log.timing() != LaunchLog::Timing::None) {
            batch.launched = batch.launched || whole;
            return enqueueAll();
        }
        if (!batch.graph)
            batch.graph = std::make_unique<Graph>(log.stream(), enqueueAll);
        batch.graph->launch(log.stream());
    }

    void settle(std::size_t level, LaunchLog& log) const {
        const Size3 size = levels()[level].size;
        unbiased::enqueueSettle({motion(0, size), motion(1, size)}, stateOf(level), settled(size),
                                log);
    }

    /// Waits for the device.
    bool hasEnded(std::size_t level, LaunchLog& log) const {
        int done = 0;
        log.cuda().download(&stateOf(level)->steps.done, &done, sizeof done, CudaStream::Compute);
        log.cuda().synchronize(CudaStream::Compute);
        return done != 0;
    }

    UnbiasedParameters p_;
    PlanShape shape_;
    Workspace space_;
    gpu::DevicePyramid pyramid_;
    gpu::DeviceMaskPyramid masks_;
    Workspace::Block<float> compared_; ///< see enqueueCompared(); empty without masks
    Workspace::Block<float> motions_[2], work_, kept_, velocity_;
    Workspace::Block<double2> sums_;
    Workspace::Block<unsigned> arrived_;
    Workspace::Block<UnbiasedReport> report_;
    std::vector<Batch> batches_; ///< by level
};

} // namespace

std::unique_ptr<MotionEstimator> makeUnbiasedCuda(const UnbiasedParameters& parameters) {
    return std::make_unique<DeviceEstimator<UnbiasedPlan>>(parameters);
}

} // namespace systole
