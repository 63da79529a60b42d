#include "compute/methods/demons/demons.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/cuda/workspace.h"
#include "compute/methods/demons/demons_math.h"
#include "compute/ops/frame_masks.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
namespace {

/// Each buffer has the finest level's size; coarser levels use its beginning.
struct Buffers {
    /// `input` says which masks there are.
    Buffers(std::vector<PyramidLevel> levels, Workspace& memory, const MotionInput& input = {})
        : space(memory)
        , pyramid(std::move(levels), false, memory)
        , masks(pyramid.levels(), input, memory) {
        const std::size_t n = pyramid.levels()[0].size.voxels();
        warped = space.add<float>("warped frame", n);
        for (auto* field : {&motion, &motionNext, &step, &stepNext})
            *field = space.add<float>("demons, field", 3 * n);
    }
    VolumeView<float> volume(Workspace::Block<float> block, Size3 size) const {
        return {space.data(block), size};
    }
    FieldView<float> field(Workspace::Block<float> block, Size3 size) const {
        return {space.data(block), size};
    }

    Workspace& space;
    Pyramid pyramid;
    MaskPyramid masks;
    Workspace::Block<float> warped, motion, motionNext, step, stepNext;
};

class DemonsCpu : public MotionEstimator {
public:
    explicit DemonsCpu(const DemonsParameters& parameters) : p_(parameters) {}

    std::size_t memoryEstimate(Size3 size) const override {
        Workspace space;
        const Buffers buffers(pyramidLevels(size, {1, 1, 1}, p_.levels), space);
        return space.bytes() + std::max(Pyramid::decimateBytes(size),
                                        BufferPool::blockBytes(sizeof(float) * size.voxels()));
    }
    int reach() const override { return demonsReach; }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        Workspace space;
        Buffers b(pyramidLevels(input.fixed.size, input.spacing, p_.levels), space, input);
        space.acquire(*ctx.pool);
        const std::vector<PyramidLevel>& levels = b.pyramid.levels();
        {
            ScopedSpan span(ctx.profile, "pyramid", "pyramid");
            span.setWork(b.pyramid.build(input, ctx), 0);
            b.masks.build(input, ctx);
        }
        downsampleField(displacement, totalFactor(levels), b.field(b.motion, levels.back().size),
                        ctx);
        MotionReport report;
        for (std::size_t level = levels.size(); level-- > 0;) {
            ctx.report("motion estimation",
                       1 - static_cast<double>(level + 1) / static_cast<double>(levels.size()));
            report.levels.push_back(estimateLevel(b, level, ctx));
            if (level > 0) {
                const ScopedSpan span(ctx.profile, "pyramid", "upsample field");
                upsampleField(b.field(b.motion, levels[level].size), levels[level].factor,
                              b.field(b.motionNext, levels[level - 1].size), ctx);
                std::swap(b.motion, b.motionNext);
            }
        }
        copy(b.field(b.motion, levels[0].size), displacement);
        report.finish();
        return report;
    }

private:
    MotionReport::Level estimateLevel(Buffers& b, std::size_t level, const ExecContext& ctx) const {
        const Size3 size = b.pyramid.levels()[level].size;
        MotionReport::Level report;
        report.size = size;
        report.iterations = p_.iterations;
        for (int n = 1; n <= p_.iterations; ++n) {
            ctx.throwIfCancelled();
            {
                const ScopedSpan span(ctx.profile, "warp", "warp image",
                                      24.0 * static_cast<double>(size.voxels()));
                warpVolume(b.pyramid.moving(level), b.field(b.motion, size),
                           b.volume(b.warped, size), {}, ctx);
                // Where a voxel doesn't count there is no difference, and so no force.
                if (!b.masks.empty())
                    mixByMasks(b.masks.at(level), b.field(b.motion, size), b.pyramid.fixed(level),
                               b.volume(b.warped, size), b.volume(b.warped, size), ctx);
            }
            report.energy = force(b, level, ctx);
            smooth(b.field(b.step, size), p_.fluid, ctx);
            exponentiate(b, size, ctx);
            {
                const ScopedSpan span(ctx.profile, "compose", "compose field",
                                      36.0 * static_cast<double>(size.voxels()));
                composeFields(b.field(b.motion, size), b.field(b.step, size),
                              b.field(b.motionNext, size), ctx);
                std::swap(b.motion, b.motionNext);
            }
            smooth(b.field(b.motion, size), p_.diffusion, ctx);
            if (ctx.iteration)
                ctx.iteration({static_cast<int>(level), n, report.energy, b.field(b.motion, size)});
        }
        return report;
    }

    /// Writes the step into b.step. Returns the mean squared difference of the frames.
    double force(const Buffers& b, std::size_t level, const ExecContext& ctx) const {
        const Size3 size = b.pyramid.levels()[level].size;
        const double voxels = static_cast<double>(size.voxels());
        const ScopedSpan span(ctx.profile, "force", "forces", 24 * voxels, 40 * voxels);
        return demonsForces(b.pyramid.fixed(level), b.volume(b.warped, size),
                            b.field(b.motion, size), b.field(b.step, size),
                            demonsScale(b.pyramid.levels()[level], p_), ctx);
    }

    static void smooth(FieldView<float> field, double sigma, const ExecContext& ctx) {
        if (sigma <= 0)
            return;
        const ScopedSpan span(ctx.profile, "smooth", "smooth field",
                              3 * smoothingBytes(field.size));
        for (int axis = 0; axis < 3; ++axis)
            smoothGaussian(field.componentView(axis), field.componentView(axis),
                           {sigma, sigma, sigma}, ctx);
    }

    /// b.step ← exp(b.step), by scaling and squaring.
    void exponentiate(Buffers& b, Size3 size, const ExecContext& ctx) const {
        const int squarings = p_.squarings();
        const ScopedSpan span(ctx.profile, "exponential", "scaling and squaring",
                              36.0 * squarings * static_cast<double>(size.voxels()));
        const float factor = std::ldexp(1.0f, -squarings);
        parallelFor(ctx, size.z, 2, [&](int begin, int end) {
            const FieldView<float> field = b.field(b.step, size);
            for (int axis = 0; axis < 3; ++axis)
                for (std::size_t i = field.componentView(axis).offset(0, 0, begin);
                     i < field.componentView(axis).offset(0, 0, end); ++i)
                    field.component(axis)[i] *= factor;
        });
        for (int n = 0; n < squarings; ++n) {
            composeFields(b.field(b.step, size), b.field(b.step, size), b.field(b.stepNext, size),
                          ctx);
            std::swap(b.step, b.stepNext);
        }
    }

    DemonsParameters p_;
};

std::vector<MethodVariation> forceVariations() {
    std::vector<MethodVariation> all;
    for (const std::string& variant : demonsForceFamily.names())
        all.push_back({"default", {}, {{"variant-force", variant}}, true, "force"});
    return all;
}

/// Forces: both frames and the motion in, the step out, at every iteration of every level.
double leastBytes(const std::string& stage, double, const MotionReport& report) {
    double bytes = 0;
    if (stage == "force")
        for (const MotionReport::Level& level : report.levels)
            bytes += (2 + 3 + 3) * sizeof(float) * static_cast<double>(level.size.voxels()) *
                     level.iterations;
    return bytes;
}

} // namespace

DemonsParameters DemonsParameters::from(const ParamSet& values) {
    DemonsParameters p;
    p.levels = values.integer("levels");
    p.iterations = values.integer("iterations");
    p.maxStep = values.real("max-step");
    p.fluid = values.real("fluid");
    p.diffusion = values.real("diffusion");
    p.forceVariant = demonsForceFamily.named(values.choice("variant-force"));
    return p;
}

int DemonsParameters::squarings() const {
    return std::max(0, static_cast<int>(std::ceil(std::log2(maxStep / 0.5))));
}

DemonsScale demonsScale(const PyramidLevel& level, const DemonsParameters& parameters) {
    const std::array<float, 3> scale = level.scale();
    return {{scale[0], scale[1], scale[2]},
            static_cast<float>(0.25 / (parameters.maxStep * parameters.maxStep))};
}

double demonsForces(VolumeView<const float> fixed, VolumeView<const float> warped,
                    FieldView<const float> motion, FieldView<float> step, const DemonsScale& scale,
                    const ExecContext& ctx) {
    const Size3 size = fixed.size;
    const auto sum = [&](int x, int y, int z) {
        const std::size_t i =
            fixed.offset(std::clamp(x, 0, size.x - 1), std::clamp(y, 0, size.y - 1),
                         std::clamp(z, 0, size.z - 1));
        return fixed.data[i] + warped.data[i];
    };
    const auto known = [&](int x, int y, int z) {
        const std::size_t i = fixed.offset(x, y, z);
        return demonsKnown(static_cast<float>(x) + motion.u[i], static_cast<float>(y) + motion.v[i],
                           static_cast<float>(z) + motion.w[i], size);
    };
    const double squared = sumOverVoxels(size, ctx, [&](int x, int y, int z) {
        const std::size_t i = fixed.offset(x, y, z);
        const bool seen = known(x, y, z);
        const float difference = seen ? fixed.data[i] - warped.data[i] : 0;
        const DemonsForce force = seen
                                      ? demonsForce(difference, sum(x + 1, y, z) - sum(x - 1, y, z),
                                                    sum(x, y + 1, z) - sum(x, y - 1, z),
                                                    sum(x, y, z + 1) - sum(x, y, z - 1), scale)
                                      : DemonsForce{0, 0, 0};
        step.u[i] = force.u;
        step.v[i] = force.v;
        step.w[i] = force.w;
        return static_cast<double>(difference) * static_cast<double>(difference);
    });
    const double count =
        sumOverVoxels(size, ctx, [&](int x, int y, int z) { return known(x, y, z) ? 1.0 : 0.0; });
    return count > 0 ? squared / count : 0;
}

MotionMethod demonsMethod() {
    static const ParamTable table = [] {
        ParamTable rows({
            integerParam("levels", 4, 1, 10, "", "Maximum number of pyramid levels.")
                .titled("pyramid levels"),
            integerParam("iterations", 20, 1, 1000, "", "Iterations per level.")
                .titled("iterations per level"),
            realParam("max-step", 2, 0.1, 8, "voxel", "Maximum length of the step of an iteration.")
                .titled("maximum step"),
            realParam("fluid", 1, 0, 8, "voxel",
                      "Standard deviation of the Gaussian that smooths each step (fluid "
                      "regularization).")
                .titled("step smoothing"),
            realParam("diffusion", 1, 0, 8, "voxel",
                      "Standard deviation of the Gaussian that smooths the field after each step "
                      "(diffusion regularization).")
                .titled("field smoothing"),
            choiceParam("variant-force", demonsForceFamily.standard, demonsForceFamily.names(),
                        demonsForceFamily.help)
                .titled("force kernel")
                .forCudaOnly(),
        });
        rows.addPreset("default", {});
        return rows;
    }();
    std::vector<Backend> backends{Backend::Cpu};
    if (cudaIsBuilt)
        backends.push_back(Backend::Cuda);
    return {.name = "demons",
            .title = "Diffeomorphic demons",
            .summary = "Differences of gray values push voxels, a Gaussian smooths: the classical "
                       "baseline, invertible.",
            .parameters = &table,
            .backends = std::move(backends),
            .stages = {"warp", "force", "smooth", "exponential", "compose", "pyramid"},
            .make = makeDemons,
            .variations = forceVariations(),
            .leastBytes = leastBytes};
}

std::unique_ptr<MotionEstimator> makeDemons(const ParamSet& values, Backend backend) {
    const DemonsParameters parameters = DemonsParameters::from(values);
    if (backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeDemonsCuda(parameters);
        else
            throw ComputeError("demons has no CUDA implementation here: " + cudaStatus().reason);
    }
    return std::make_unique<DemonsCpu>(parameters);
}

} // namespace systole
