#include "compute/methods/clg/errors.h"

#include "compute/methods/clg/error_draw.h"
#include "compute/methods/clg/host_steps.h"

namespace systole {
namespace clg {
namespace {

/// Sigma of the weights of draws, smallest spacings. Errors of voxels are correlated further than
/// that, but the draws' own variance falls once the weights are as wide as the tensor's smoothing,
/// since the solution has balanced its sums with smoothness. The ratio of the variances of draws of
/// this width and of half of it shows how much is missing.
constexpr double width = 2;
constexpr std::uint64_t factorDraws = 6;
constexpr double neighborhood = 4; ///< sigma of local means, smallest spacings
/// Factor with which 90 % of the errors of the phantoms' family, seeds 1 to 10 and 21 to 30, lie
/// within the interval of 90 % (`systole bench certainty`).
constexpr float calibration = 1.84f;
constexpr int chunk = 1 << 16;

/// Request for draws of the last system.
struct Request {
    FieldView<const float> displacement;
    int draws;
    const std::function<void(FieldView<const float>)>& take;
};

/// The steps of an estimation, of which only the finest level's last warp is done, from the
/// displacement of the request, up to its linear system.
class StepsToSystem : public StepsOfForm {
public:
    struct Report : StepsOfForm::Report {
        const Request* request;
    };

    StepsToSystem(const ClgParameters& p, Size3, Workspace&) : StepsOfForm(p, makeClgCpuForm()) {}

    void acquired(BufferPool& pool, const std::vector<LevelBuffers>& levels, Report* report) {
        StepsOfForm::acquired(pool, levels, report);
        report_ = report;
    }
    void checkStart(Run&) const {}
    void warp(const Warp& w, Run& ctx) {
        if (isAsked(w))
            StepsOfForm::warp(w, ctx);
    }
    void findTensor(const Warp& w, Run& ctx) {
        if (isAsked(w))
            StepsOfForm::findTensor(w, ctx);
    }
    void findSmoothness(const Warp& w, Run& ctx) {
        if (isAsked(w)) // as if the level were entered with the displacement
            StepsOfForm::findSmoothness({w.b, w.m, w.field, w.other, 0, true}, ctx);
    }
    void smoothTensor(const Warp& w, Run& ctx) {
        if (!isAsked(w))
            return;
        gradient_ = ctx.pool->acquire<float>(3 * w.b.size().voxels(), "gradient of the data term");
        for (int k = 0; k < 3; ++k)
            std::ranges::copy(products_[static_cast<std::size_t>(6 + k)].span(),
                              gradient(w).component(k));
        StepsOfForm::smoothTensor(w, ctx);
    }
    void solve(const Warp& w, bool, Run& ctx) {
        if (!isAsked(w))
            return;
        const SolvedSystem solved{system_, gradient(w), w.b.grid.alongAxes(p_.rho)};
        const FieldView<float> factor = w.b.total;
        findFactor(solved, w, factor, ctx);
        for (int n = 0; n < report_->request->draws; ++n) {
            ctx.report("standard errors", static_cast<double>(n) / report_->request->draws);
            drawError(solved, width, static_cast<std::uint64_t>(n), w.other, ctx);
            overItems(3 * factor.size.voxels(), chunk, ctx,
                      [&](std::size_t i) { w.other.u[i] *= factor.u[i]; });
            scaleField(w.other, system_.scale, ctx);
            report_->request->take(w.other);
        }
    }
    static bool takeStep(const Warp&, Run&) { return false; }
    void refine(const LevelBuffers&, FieldView<const float>, const LevelBuffers& fine,
                FieldView<float> out, Run&) const {
        if (fine.level == 0)
            copy(report_->request->displacement, out);
    }

private:
    static bool isAsked(const Warp& w) { return w.b.level == 0 && w.last; }
    FieldView<float> gradient(const Warp& w) { return {gradient_.data(), w.b.size()}; }

    /// Finds the factor on draws: `calibration` times the ratio of their variances (local means)
    /// with weights of `width` and of half of it.
    void findFactor(const SolvedSystem& solved, const Warp& w, FieldView<float> factor, Run& ctx) {
        const std::size_t values = 3 * factor.size.voxels();
        Buffer<float> narrow = ctx.pool->acquire<float>(values, "variance of narrow draws");
        const FieldView<float> of[] = {factor, {narrow.data(), factor.size}};
        const Vec3 sigma = w.b.grid.alongAxes(neighborhood);
        for (const FieldView<float>& squares : of) {
            std::fill_n(squares.u, values, 0.0f);
            for (std::uint64_t n = 0; n < factorDraws; ++n) {
                drawError(solved, squares.u == factor.u ? width : width / 2, n, w.other, ctx);
                overItems(values, chunk, ctx,
                          [&](std::size_t i) { squares.u[i] += w.other.u[i] * w.other.u[i]; });
            }
            smooth(squares, sigma, {}, "variance of draws", ctx);
        }
        // Both are 0 where the data tell nothing.
        constexpr float smallestVariance = 1e-12f;
        overItems(values, chunk, ctx, [&](std::size_t i) {
            factor.u[i] = calibration * (factor.u[i] + smallestVariance) /
                          (narrow.data()[i] + smallestVariance);
        });
    }

    const Report* report_ = nullptr;
    Buffer<float> gradient_; ///< gradient of the data term, before the tensor's smoothing
};

/// An estimation that leaves its start as it is.
class ErrorsOnHost : public MotionEstimator {
public:
    ErrorsOnHost(const ClgParameters& parameters, const Request& request)
        : parameters_(parameters), request_(request) {}

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        return Plan<StepsToSystem>(parameters_, {size, spacing, true}).bytes();
    }
    int reach() const override { return clgReach; }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        Plan<StepsToSystem> plan(parameters_, planShape(input));
        plan.acquire(*ctx.pool);
        *plan.report() = {};
        plan.report()->request = &request_;
        plan.begin(input, displacement, ctx);
        plan.enqueue(ctx, false, [](const PlanStep&) {});
        return {};
    }

private:
    const ClgParameters parameters_;
    const Request request_;
};

} // namespace
} // namespace clg

void drawClgErrors(const ClgParameters& parameters, const MotionInput& input,
                   FieldView<const float> displacement, int draws,
                   const std::function<void(FieldView<const float>)>& take,
                   const ExecContext& given) {
    ExecContext ctx = given;
    ctx.profile = nullptr; // its spans aren't those of an estimation
    ctx.backend = Backend::Cpu;
    const std::size_t values = 3 * displacement.size.voxels();
    Buffer<float> start = ctx.pool->acquire<float>(values, "motion whose errors are drawn");
    std::copy_n(displacement.u, values, start.data());
    const FieldView<float> field(start.data(), displacement.size);
    ClgParameters onWholeGrid = parameters;
    onWholeGrid.motionOnHalf = false;
    clg::ErrorsOnHost(onWholeGrid, {field, draws, take}).estimate(input, field, ctx);
}

} // namespace systole
