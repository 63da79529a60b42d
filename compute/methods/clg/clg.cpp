// The way through CLG: scale, pyramid, and on each level warp, tensor, smooth, solve, compose.
#include "compute/methods/clg/clg.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/steps.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"
#include "compute/ops/smooth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// One resolution of the pyramid.
struct Level : ClgLevel {
    Buffer<float> fixed, moving, incompressibility;

    VolumeView<float> view(Buffer<float>& buffer) const {
        return buffer.empty() ? VolumeView<float>{} : VolumeView<float>{buffer.data(), size};
    }
};

struct OwnedField {
    OwnedField(Size3 extent, const ExecContext& ctx, const char* name)
        : size(extent), storage(ctx.pool->acquire<float>(3 * extent.voxels(), name)) {}
    FieldView<float> view() { return {storage.data(), size}; }
    Size3 size;
    Buffer<float> storage;
};

class Clg : public MotionEstimator {
public:
    Clg(const ClgParameters& parameters, std::unique_ptr<ClgForm> form)
        : p_(parameters), form_(std::move(form)) {}

    int reach() const override { return clgReach; }

    std::size_t memoryEstimate(Size3 size) const override {
        // Nine coefficients and their inverted copies, three fields with their copies in the
        // solver's layout, both images, warped, inside, scratch; a seventh more for the pyramid.
        const double floats = 9 + 9 + 3 * 4 + 2 + 3;
        return static_cast<std::size_t>(4 * floats * 8 / 7 * static_cast<double>(size.voxels()));
    }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        std::vector<Level> pyramid = buildPyramid(input, ctx);
        MotionReport report;

        OwnedField field(pyramid.back().size, ctx, "motion field");
        startingField(displacement, pyramid, field.view(), ctx);
        for (std::size_t level = pyramid.size(); level-- > 0;) {
            ctx.report("motion estimation",
                       1 - static_cast<double>(level + 1) / static_cast<double>(pyramid.size()));
            report.levels.push_back(
                estimateLevel(static_cast<int>(level), pyramid[level], field, ctx));
            if (level > 0) {
                const double values = 3 * static_cast<double>(pyramid[level - 1].size.voxels());
                const ScopedSpan span(ctx.profile, "pyramid", "upsample field", 12 * values,
                                      16 * values);
                OwnedField finer(pyramid[level - 1].size, ctx, "motion field");
                upsampleField(field.view(), pyramid[level].factor, finer.view(), ctx);
                std::swap(field, finer);
            }
        }
        copy(field.view(), displacement);
        report.finish();
        return report;
    }

private:
    std::vector<Level> buildPyramid(const MotionInput& input, const ExecContext& ctx) const {
        ScopedSpan span(ctx.profile, "pyramid", "pyramid");
        double bytes = 2 * 8.0 * static_cast<double>(input.fixed.voxels());
        std::vector<Level> pyramid;
        for (const ClgLevel& level : clgLevels(input.fixed.size, input.spacing, p_.levels))
            pyramid.push_back({level, {}, {}, {}});
        const float scale = clgGreyRange / (input.scale.high - input.scale.low);
        const auto scaled = [&](VolumeView<const float> in) {
            Buffer<float> out = ctx.pool->acquire<float>(in.voxels(), "pyramid images");
            parallelFor(ctx, in.size.z, 2, [&](int begin, int end) {
                const std::size_t first = in.offset(0, 0, begin);
                rows::affine(in.data + first, scale, -scale * input.scale.low,
                             static_cast<int>(in.offset(0, 0, end) - first), out.data() + first);
            });
            return out;
        };
        pyramid[0].fixed = scaled(input.fixed);
        pyramid[0].moving = scaled(input.moving);
        if (!input.incompressibility.empty() && p_.beta > 0) {
            pyramid[0].incompressibility =
                ctx.pool->acquire<float>(input.fixed.voxels(), "volume-preservation weight");
            std::copy_n(input.incompressibility.data, input.fixed.voxels(),
                        pyramid[0].incompressibility.data());
        }
        for (std::size_t n = 1; n < pyramid.size(); ++n) {
            ctx.throwIfCancelled();
            Level &fine = pyramid[n - 1], &coarse = pyramid[n];
            const auto down = [&](Buffer<float>& from) {
                Buffer<float> to = ctx.pool->acquire<float>(coarse.size.voxels(), "pyramid images");
                decimate(fine.view(from), coarse.factor, {to.data(), coarse.size}, ctx);
                return to;
            };
            coarse.fixed = down(fine.fixed);
            coarse.moving = down(fine.moving);
            if (!fine.incompressibility.empty())
                coarse.incompressibility = down(fine.incompressibility);
            bytes +=
                2 * (smoothingBytes(fine.size) + 8.0 * static_cast<double>(coarse.size.voxels()));
        }
        for (Level& level : pyramid) {
            const double automatic =
                p_.adaptive ? prefilterSigma(neighbourCorrelation(level.view(level.fixed), ctx))
                            : 0;
            const double sigma = std::max(p_.prefilter, automatic);
            if (sigma > 0) {
                form_->smooth(level.view(level.fixed), sigma, ctx);
                form_->smooth(level.view(level.moving), sigma, ctx);
                bytes += 2 * smoothingBytes(level.size);
            }
        }
        span.setWork(bytes, 0);
        return pyramid;
    }

    /// The caller's displacement carried down to the coarsest level.
    static void startingField(FieldView<const float> given, const std::vector<Level>& pyramid,
                              FieldView<float> out, const ExecContext& ctx) {
        std::array<int, 3> factor{1, 1, 1};
        for (const Level& level : pyramid)
            for (std::size_t axis = 0; axis < 3; ++axis)
                factor[axis] *= level.factor[axis];
        downsampleField(given, factor, out, ctx);
    }

    MotionReport::Level estimateLevel(int index, Level& level, OwnedField& field,
                                      const ExecContext& ctx) const {
        const Size3 size = level.size;
        const std::size_t n = size.voxels();
        Buffer<float> warped = ctx.pool->acquire<float>(n, "warped frame");
        Buffer<float> inside = ctx.pool->acquire<float>(n, "inside");
        Buffer<float> coefficients = ctx.pool->acquire<float>(9 * n, "structure tensor");
        OwnedField total(size, ctx, "solver, total"), composed(size, ctx, "motion field, next");

        ClgSystem system;
        for (std::size_t k = 0; k < 9; ++k)
            system.coefficient[k] = {coefficients.data() + k * n, size};
        system.scale = level.scale();
        system.stencil = p_.compositional ? DivergenceStencil::Energy : DivergenceStencil::Paper;
        system.incompressibility = level.view(level.incompressibility);

        setWeights(system, field.view(), ctx);

        LevelFigures figures;
        const auto voxels = static_cast<double>(n);
        for (int warp = 0; warp < p_.warps; ++warp) {
            ctx.throwIfCancelled();
            {
                const ScopedSpan span(ctx.profile, "warp", "warp image", 24 * voxels, 40 * voxels);
                form_->warp({level.moving.data(), size}, field.view(), {warped.data(), size},
                            {inside.data(), size}, ctx);
            }
            {
                const ScopedSpan span(ctx.profile, "gradient", "gradient and products", 48 * voxels,
                                      40 * voxels);
                TensorInput input;
                input.fixed = {level.fixed.data(), size};
                input.warped = {warped.data(), size};
                input.centralGradient = p_.centralGradient;
                if (!p_.normalised)
                    input.epsilon = -1;
                else if (p_.adaptive)
                    input.epsilon += static_cast<float>(
                        meanSquaredResidual(input.fixed, input.warped, {inside.data(), size}, ctx));
                if (p_.compositional)
                    input.inside = {inside.data(), size};
                figures.noise = form_->tensor(input, system.coefficient, ctx);
            }
            smoothTensor(system, ctx);
            solveStep(system, field, total, figures, ctx);
            // Before the step is composed, which uses `total` up.
            if (warp + 1 == p_.warps || ctx.iteration)
                figures.energy = clgEnergy(system, total.view(), ctx);
            takeStep(field, total, composed, ctx);
            ++figures.warps;
            if (ctx.iteration)
                ctx.iteration({index, figures.warps, figures.energy, field.view()});
        }
        return figures.report(size);
    }

    void smoothTensor(const ClgSystem& system, const ExecContext& ctx) const {
        const double voxels = static_cast<double>(system.size().voxels());
        const int radius = gaussianRadius(p_.rho);
        const ScopedSpan span(ctx.profile, "smooth", "tensor smoothing", 9 * 16 * voxels,
                              9.0 * (9 * radius + 3) * voxels);
        for (const VolumeView<float>& coefficient : system.coefficient) {
            ctx.throwIfCancelled();
            form_->smooth(coefficient, p_.rho, ctx);
        }
    }

    /// Solves for `total`: the field after this warp's step, or, when steps add up, the step.
    void solveStep(ClgSystem& system, OwnedField& field, OwnedField& total, LevelFigures& figures,
                   const ExecContext& ctx) const {
        const auto voxels = static_cast<double>(system.size().voxels());
        SolveOptions options;
        options.solver = p_.solver;
        options.sweeps = p_.sweeps;
        options.tolerance = p_.tolerance;
        options.omega = p_.omega;
        ScopedSpan span(ctx.profile, "solve", "solve");
        if (p_.compositional) {
            copy(field.view(), total.view());
            form_->rightHandSide(system.coefficient, field.view(), ctx);
            if (system.beta > 0)
                addDivergenceOf(system, field.view(), ctx);
        } else {
            std::fill_n(total.storage.data(), total.storage.size(), 0.0f);
            for (std::size_t k = 6; k < 9; ++k)
                std::transform(system.coefficient[k].data,
                               system.coefficient[k].data + system.size().voxels(),
                               system.coefficient[k].data, std::negate<>());
        }
        const SolveResult result = form_->solve(system, total.view(), options, ctx);
        figures.sweeps += result.sweeps;
        figures.lastChange = result.lastChange;
        // A sweep streams 18 values a voxel; right-hand side, layout and its way back 45 once.
        span.setWork((72.0 * result.sweeps + 180.0) * voxels,
                     (54.0 * result.sweeps + 100.0) * voxels);
    }

    /// Brings `field` up to date.
    void takeStep(OwnedField& field, OwnedField& total, OwnedField& composed,
                  const ExecContext& ctx) const {
        const auto voxels = static_cast<double>(field.size.voxels());
        const ScopedSpan span(ctx.profile, "warp", "compose field", 36 * voxels, 90 * voxels);
        if (p_.compositional) {
            form_->compose(field.view(), total.view(), composed.view(), ctx);
            std::swap(field, composed);
        } else {
            const FieldView<float> w = field.view(), d = total.view();
            for (int k = 0; k < 3; ++k)
                std::transform(w.component(k), w.component(k) + w.size.voxels(), d.component(k),
                               w.component(k), std::plus<>());
        }
    }

    /// The field that the level starts from tells how much the motion varies.
    void setWeights(ClgSystem& system, FieldView<const float> start, const ExecContext& ctx) const {
        const double alpha =
            p_.adaptive ? p_.alpha * smoothnessGain(fieldRoughness(start, ctx)) : p_.alpha;
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            system.smoothness[a] =
                start.size[axis] > 1 ? static_cast<float>(alpha) * system.scale[a] * system.scale[a]
                                     : 0;
        }
        system.beta = static_cast<float>(p_.beta);
    }

    ClgParameters p_;
    std::unique_ptr<ClgForm> form_;
};

} // namespace

MotionReport::Level LevelFigures::report(Size3 size) const {
    return {size,
            sweeps,
            energy,
            {{"warps", static_cast<double>(warps), ""},
             {"last change", lastChange, "voxel"},
             {"noise", noise, "voxel"}}};
}

MotionMethod clgMethod() {
    std::vector<Backend> backends{Backend::Cpu, Backend::CpuReference};
    if (cudaIsBuilt)
        backends.push_back(Backend::Cuda);
    return {.name = "clg",
            .title = "Combined local-global flow",
            .parameters = &clgParameterTable(),
            .backends = std::move(backends),
            .stages = {"gradient", "smooth", "solve", "warp", "pyramid"},
            .make = makeClg,
            .usesWeight = [](const ParamSet& values) { return values.real("beta") > 0; },
            .variations = clgVariations()};
}

std::unique_ptr<MotionEstimator> makeClg(const ParamSet& values, Backend backend) {
    switch (backend) {
    case Backend::CpuReference:
        return std::make_unique<Clg>(ClgParameters::from(values), makeClgReferenceForm());
    case Backend::Cpu:
        return std::make_unique<Clg>(ClgParameters::from(values), makeClgCpuForm());
    case Backend::Cuda:
        if constexpr (cudaIsBuilt)
            return makeClgCuda(ClgParameters::from(values));
        break;
    }
    throw ComputeError("CLG has no CUDA implementation here: " + cudaStatus().reason);
}

} // namespace systole
