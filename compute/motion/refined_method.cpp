#include "compute/motion/refined_method.h"

#include "compute/ops/exponential.h"
#include "compute/ops/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace systole {
namespace {

constexpr const char* parameter = "refine";
constexpr const char* none = "none";

class RefinedEstimator : public MotionEstimator {
public:
    /// Both are made for one backend, unless `firstOnHost`.
    RefinedEstimator(std::unique_ptr<MotionEstimator> first,
                     std::unique_ptr<MotionEstimator> second, bool firstOnHost)
        : first_(std::move(first)), second_(std::move(second)), firstOnHost_(firstOnHost) {}

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        const std::size_t frame = sizeof(float) * size.voxels();
        const std::size_t ofSecond = second_->memoryEstimate(size, spacing),
                          ofFirst = firstOnHost_ ? 0 : first_->memoryEstimate(size, spacing);
        return 2 * BufferPool::blockBytes(3 * frame) + BufferPool::blockBytes(frame) +
               std::max(ofFirst, ofSecond);
    }
    int reach() const override { return std::max(first_->reach(), second_->reach()); }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        const Size3 size = displacement.size;
        Buffer<float> memory = ctx.pool->acquire<float>(3 * size.voxels(), "motion to be refined");
        const FieldView<float> start(memory.data(), size);
        copy(displacement, start);
        const MotionReport coarse = first_->estimate(input, start, contextOfFirst(ctx));
        MotionReport report;
        if (second_->allowsTwoGrids()) {
            report = second_->estimate(input, start, ctx);
            copy(start, displacement);
        } else
            report = refineResampled(input, start, displacement, ctx);
        std::vector<Figure>& figures = report.levels.front().figures;
        for (const MotionReport::Level& level : coarse.levels)
            figures.insert(figures.end(), level.figures.begin(), level.figures.end());
        if (firstOnHost_)
            figures.push_back({startsOnCpu, 1, ""});
        return report;
    }

private:
    ExecContext contextOfFirst(const ExecContext& ctx) const {
        ExecContext own = ctx;
        own.iteration = {}; // the caller observes the refined motion, not its remainder
        if (firstOnHost_) {
            own.backend = Backend::Cpu;
            own.cuda = nullptr;
        }
        return own;
    }

    /// Estimates the remaining motion in the moving frame as the start takes it, and composes both:
    /// total(x) = d(x) + start(x + d(x)).
    MotionReport refineResampled(const MotionInput& input, FieldView<const float> start,
                                 FieldView<float> displacement, const ExecContext& ctx) {
        const Size3 size = start.size;
        Buffer<float> frame = ctx.pool->acquire<float>(size.voxels(), "moving frame as started"),
                      mask,
                      memory =
                          ctx.pool->acquire<float>(3 * size.voxels(), "motion after the start");
        MotionInput rest = input;
        const VolumeView<float> warped(frame.data(), size);
        warpVolumeCubic(input.moving, start, warped, {}, ctx);
        rest.moving = warped;
        if (!input.movingMask.empty()) {
            mask = ctx.pool->acquire<float>(size.voxels(), "moving mask as started");
            const VolumeView<float> warpedMask(mask.data(), size);
            warpVolume(input.movingMask, start, warpedMask, {}, ctx);
            rest.movingMask = warpedMask;
        }
        const FieldView<float> motion(memory.data(), size);
        std::fill_n(motion.u, 3 * size.voxels(), 0.0f);
        MotionReport report = second_->estimate(rest, motion, ctx);
        composeFields(start, motion, displacement, ctx);
        if (!hasFolds(start, ctx) && !hasFolds(motion, ctx))
            removeFolds(displacement, ctx);
        return report;
    }

    std::unique_ptr<MotionEstimator> first_, second_;
    bool firstOnHost_; ///< although the second runs on a device
};

std::string helpFor(const std::vector<MotionMethod>& refiners) {
    std::string help = "Method that starts from this motion, with its default preset.";
    for (const MotionMethod& refiner : refiners)
        if (refiner.magnifiesStart)
            help +=
                fmt::format(" With {} this motion is found on the CPU on every backend, so that "
                            "results are identical.",
                            refiner.name);
    return help;
}

} // namespace

MotionMethod withRefinement(MotionMethod first, const std::vector<MotionMethod>& refiners) {
    std::vector<std::string> choices{none};
    for (const MotionMethod& refiner : refiners)
        choices.push_back(refiner.name);
    std::vector<ParamRow> rows = first.parameters->rows();
    rows.push_back(choiceParam(parameter, none, choices, helpFor(refiners)).titled("refined by"));
    const auto table = std::make_shared<ParamTable>(std::move(rows));
    for (const std::string& name : first.parameters->presets())
        table->addPreset(name, first.parameters->preset(name));
    for (const MotionMethod& refiner : refiners)
        table->addPreset(refiner.name, {{parameter, refiner.name}});
    first.parameters = table.get();
    for (const MotionMethod& refiner : refiners)
        for (const std::string& stage : refiner.stages)
            if (std::ranges::find(first.stages, stage) == first.stages.end())
                first.stages.push_back(stage);
    first.make = [make = first.make, refiners, table](
                     const ParamSet& values, Backend backend) -> std::unique_ptr<MotionEstimator> {
        const std::string chosen = values.choice(parameter);
        const auto refiner = std::ranges::find(refiners, chosen, &MotionMethod::name);
        if (refiner == refiners.end())
            return make(values, backend);
        const bool firstOnHost = backend == Backend::Cuda && refiner->magnifiesStart;
        return std::make_unique<RefinedEstimator>(
            make(values, firstOnHost ? Backend::Cpu : backend),
            refiner->make(ParamSet(*refiner->parameters, "default"), backend), firstOnHost);
    };
    return first;
}

} // namespace systole
