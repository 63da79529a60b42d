// Demons on the device: the counterpart of demons.cpp.
#include "compute/cuda/replay.cuh"
#include "compute/methods/demons/force_cuda.cuh"
#include "compute/ops/frame_masks_cuda.cuh"
#include "compute/ops/pyramid_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/sample.h"

#include <utility>

namespace systole {
namespace {

constexpr int mostLevels = 10;

/// What the device reports about an estimation.
struct DemonsReport {
    double energy[mostLevels]; ///< finest level first
    int notFinite[2];
};

/// out(p) = f·step(p) + f·field(p + f·step(p)): two fields one after the other, both scaled.
__global__ void composeKernel(FieldView<const float> field, FieldView<const float> step,
                              float factor, FieldView<float> out, int planes) {
    const gpu::Column c = gpu::columnOf(out.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = out.componentView(0).offset(c.x, c.y, z);
        const float u = factor * step.u[i], v = factor * step.v[i], w = factor * step.w[i];
        const TrilinearSample there(out.size, static_cast<float>(c.x) + u,
                                    static_cast<float>(c.y) + v, static_cast<float>(z) + w);
        out.u[i] = u + factor * there.of(field.u);
        out.v[i] = v + factor * there.of(field.v);
        out.w[i] = w + factor * there.of(field.w);
    }
}

constexpr KernelCost composeCost{.add = 27,
                                 .multiply = 3,
                                 .fusedMultiplyAdd = 24,
                                 .integer = 160,
                                 .globalLoads = 3 + 24,
                                 .globalStores = 3};

void compose(FieldView<const float> field, FieldView<const float> step, float factor,
             FieldView<float> out, LaunchLog& log) {
    const char* const name = "compose fields";
    const auto voxels = static_cast<double>(out.size.voxels());
    const int planes = gpu::planesFor(out.size, 1);
    const LaunchShape shape = gpu::columnsOver(out.size, planes, log, name);
    log.launch({name, 36 * voxels, 90 * voxels, gpu::perThread(shape, voxels, composeCost)},
               composeKernel, shape, field, step, factor, out, planes);
}

/// The plan of DeviceEstimator (compute/cuda/replay.cuh).
class DemonsPlan {
public:
    using Parameters = DemonsParameters;
    using Report = DemonsReport;

    DemonsPlan(CudaContext& cuda, const DemonsParameters& parameters, const PlanShape& shape)
        : DemonsPlan(parameters, shape) {
        space_.acquire(cuda.devicePool());
        cuda.zero(space_.data(arrived_), sizeof(unsigned), CudaStream::Compute);
    }
    static std::size_t bytes(const DemonsParameters& parameters, const PlanShape& shape) {
        return DemonsPlan(parameters, shape).space_.bytes();
    }

    const PlanShape& shape() const { return shape_; }
    DemonsReport* report() const { return space_.data(report_); }
    const int* notFinite() const { return report()->notFinite; }
    float* staging() const { return space_.data(steps_); }
    FieldView<const float> result() const { return motion(result_, shape_.size); }

    void begin(const MotionInput& input, FieldView<const float> start, LaunchLog& log) {
        pyramid_.begin(input, report()->notFinite, log);
        masks_.begin(input, log);
        gpu::resampleField(start, gpu::downsampling(totalFactor(levels())),
                           motion(0, levels().back().size), {}, log);
    }

    void enqueue(LaunchLog& log, bool, const std::function<void(const PlanStep&)>& between) {
        {
            const LaunchLog::Stage stage(log, "pyramid");
            pyramid_.decimate({space_.data(steps_), 2 * stepFloats()}, log);
            masks_.decimate({space_.data(steps_), 2 * stepFloats()}, log);
        }
        int current = 0;
        const double all = static_cast<double>(levels().size()) * p_.iterations;
        double done = 0;
        for (std::size_t level = levels().size(); level-- > 0;) {
            for (int n = 1; n <= p_.iterations; ++n) {
                current = iterate(level, current, log);
                between({++done / all, static_cast<int>(level), n,
                         motion(current, levels()[level].size), report()->energy + level});
            }
            if (level == 0)
                continue;
            const LaunchLog::Stage stage(log, "pyramid");
            gpu::resampleField(motion(current, levels()[level].size),
                               gpu::upsampling(levels()[level].factor),
                               motion(1 - current, levels()[level - 1].size), {}, log);
            current = 1 - current;
        }
        result_ = current;
    }

    MotionReport read(const DemonsReport& from) const {
        for (const int frame : {0, 1})
            if (from.notFinite[frame])
                throwNotFinite(frame == 0 ? "fixed" : "moving");
        MotionReport report;
        for (std::size_t level = levels().size(); level-- > 0;) {
            MotionReport::Level& entry = report.levels.emplace_back();
            entry.size = levels()[level].size;
            entry.iterations = p_.iterations;
            entry.energy = from.energy[level];
        }
        report.finish();
        return report;
    }

    static int reach(const DemonsParameters&) { return demonsReach; }

private:
    DemonsPlan(const DemonsParameters& parameters, const PlanShape& shape)
        : p_(parameters)
        , shape_(shape)
        , pyramid_(pyramidLevels(shape.size, shape.spacing, parameters.levels), false, space_)
        , masks_(pyramid_.levels(), shape.fixedMask, shape.movingMask, space_) {
        const std::size_t n = shape.size.voxels();
        warped_ = space_.add<float>("warped frame", n);
        motions_[0] = space_.add<float>("motion field", 3 * n);
        motions_[1] = space_.add<float>("motion field, next", 3 * n);
        steps_ = space_.add<float>("demons, steps", 2 * stepFloats());
        sums_ = space_.add<double2>("sums of blocks", gpu::demonsForceBlocks(shape.size));
        arrived_ = space_.add<unsigned>("blocks that have arrived", 1);
        report_ = space_.add<DemonsReport>("report", 1);
    }

    const std::vector<PyramidLevel>& levels() const { return pyramid_.levels(); }
    FieldView<float> motion(int which, Size3 size) const {
        return {space_.data(motions_[which]), size};
    }
    /// Both begin where wide loads may: 256 bytes are the alignment of every block.
    std::size_t stepFloats() const { return (3 * shape_.size.voxels() + 63) / 64 * 64; }
    FieldView<float> step(int which, Size3 size) const {
        return {space_.data(steps_) + static_cast<std::size_t>(which) * stepFloats(), size};
    }

    void smooth(FieldView<float> field, double sigma, FieldView<float> scratch, LaunchLog& log) {
        if (sigma <= 0)
            return;
        const LaunchLog::Stage stage(log, "smooth");
        gpu::smoothStack(smoothFamily.standardVariant(), {field.u, 3, field.size},
                         gpu::gaussianTapsFor(sigma), {scratch.u, 3 * field.size.voxels()}, log);
    }

    /// One iteration on a level; returns which of the two motion fields then holds the motion.
    int iterate(std::size_t level, int current, LaunchLog& log) {
        const Size3 size = levels()[level].size;
        const gpu::VolumeStack images = pyramid_.images(level);
        const VolumeView<const float> fixed(images.data, size),
            moving(images.data + images.volume(), size);
        const VolumeView<float> warped(space_.data(warped_), size);
        int from = 0;
        {
            const LaunchLog::Stage stage(log, "warp");
            gpu::warpVolume(moving, motion(current, size), warped, log);
            // Where a voxel doesn't count there is no difference, and so no force.
            if (!masks_.empty())
                gpu::mixByMasks(masks_.at(level), motion(current, size), fixed, warped, warped,
                                log);
        }
        {
            const LaunchLog::Stage stage(log, "force");
            gpu::demonsForces(p_.forceVariant,
                              {fixed,
                               warped,
                               motion(current, size),
                               step(from, size),
                               demonsScale(levels()[level], p_),
                               report()->energy + level,
                               {space_.data(sums_), space_.data(arrived_)}},
                              log);
        }
        smooth(step(from, size), p_.fluid, step(1 - from, size), log);
        {
            const LaunchLog::Stage stage(log, "exponential");
            float factor = std::ldexp(1.0f, -p_.squarings());
            for (int n = 0; n < p_.squarings(); ++n, factor = 1) {
                compose(step(from, size), step(from, size), factor, step(1 - from, size), log);
                from = 1 - from;
            }
        }
        {
            const LaunchLog::Stage stage(log, "compose");
            compose(motion(current, size), step(from, size), 1, motion(1 - current, size), log);
        }
        smooth(motion(1 - current, size), p_.diffusion, step(1 - from, size), log);
        return 1 - current;
    }

    DemonsParameters p_;
    PlanShape shape_;
    Workspace space_;
    gpu::DevicePyramid pyramid_;
    gpu::DeviceMaskPyramid masks_;
    Workspace::Block<float> warped_, motions_[2], steps_;
    Workspace::Block<double2> sums_;
    Workspace::Block<unsigned> arrived_;
    Workspace::Block<DemonsReport> report_;
    int result_ = 0;
};

} // namespace

std::unique_ptr<MotionEstimator> makeDemonsCuda(const DemonsParameters& parameters) {
    return std::make_unique<DeviceEstimator<DemonsPlan>>(parameters);
}

} // namespace systole
