#include "compute/motion/slabs.h"

#include "compute/core/error.h"
#include "compute/cuda/context.h"
#include "compute/ops/exponential.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

constexpr int strideStep = 8;

template <typename T>
VolumeView<T> planesOf(VolumeView<T> volume, int begin, int end) {
    return {volume.row(0, begin), {volume.size.x, volume.size.y, end - begin}};
}

template <typename T>
FieldView<T> planesOf(FieldView<T> field, int begin, int end) {
    const auto component = [&](int k) { return field.componentView(k).row(0, begin); };
    return {component(0), component(1), component(2), {field.size.x, field.size.y, end - begin}};
}

bool countsSomewhere(VolumeView<const float> mask) {
    return mask.empty() || std::ranges::any_of(mask.span(), [](float part) { return part > 0; });
}

/// Weight of a slab in plane z: 0 in its outer quarter of an overlap, rising linearly over the
/// overlap's middle half; the two weights of a plane add up to 1.
float partOfPlane(const SlabPlan& plan, int slab, int z) {
    const int margin = plan.overlap / 4;
    const auto rising = [&](int planesInside) {
        const int steps = plan.overlap - 2 * margin;
        return std::clamp(static_cast<float>(planesInside - margin + 1) /
                              static_cast<float>(steps + 1),
                          0.0f, 1.0f);
    };
    if (slab > 0 && z < plan.begin(slab) + plan.overlap)
        return rising(z - plan.begin(slab));
    if (slab + 1 < plan.count && z >= plan.begin(slab + 1))
        return 1 - rising(z - plan.begin(slab + 1));
    return 1;
}

void blend(const SlabPlan& plan, int slab, FieldView<const float> part, FieldView<float> whole,
           const ExecContext& ctx) {
    const int begin = plan.begin(slab);
    const std::size_t plane =
        static_cast<std::size_t>(whole.size.x) * static_cast<std::size_t>(whole.size.y);
    parallelFor(ctx, part.size.z, 1, [&](int first, int last) {
        for (int z = first; z < last; ++z) {
            const float weight = partOfPlane(plan, slab, begin + z);
            // The first slab of a plane sets the values, the second adds to them.
            const bool second = slab > 0 && z < plan.overlap;
            for (int k = 0; k < 3; ++k) {
                const float* from = part.componentView(k).row(0, z);
                float* to = whole.componentView(k).row(0, begin + z);
                for (std::size_t i = 0; i < plane; ++i)
                    to[i] = (second ? to[i] : 0) + weight * from[i];
            }
        }
    });
}

void merge(MotionReport& whole, const MotionReport& slab) {
    whole.energy += slab.energy;
    whole.iterations = std::max(whole.iterations, slab.iterations);
    if (whole.levels.size() != slab.levels.size()) {
        whole.levels.clear();
        return;
    }
    for (std::size_t n = 0; n < slab.levels.size(); ++n) {
        MotionReport::Level& to = whole.levels[n];
        const MotionReport::Level& from = slab.levels[n];
        to.iterations = std::max(to.iterations, from.iterations);
        to.energy += from.energy;
        for (Figure& figure : to.figures)
            if (const Figure* other = findFigure(from.figures, figure.name))
                figure.value = std::max(figure.value, other->value);
    }
}

} // namespace

SlabPlan planSlabs(Size3 size, std::size_t budgetBytes, int overlap,
                   const std::function<std::size_t(Size3)>& bytesFor) {
    const auto bytesOf = [&](int planes) { return bytesFor({size.x, size.y, planes}); };
    const std::size_t whole = bytesOf(size.z);
    if (whole <= budgetBytes)
        return {1, size.z, 0};
    const int thinnest = std::min(2 * overlap, size.z);
    if (thinnest == size.z || bytesOf(thinnest) > budgetBytes)
        throw OutOfMemory(fmt::format(
            "the motion of frames of {} x {} x {} voxels needs {}, a slab of {} planes still {}, "
            "only {} are available",
            size.x, size.y, size.z, bytesText(whole), thinnest, bytesText(bytesOf(thinnest)),
            bytesText(budgetBytes)));
    int planes = thinnest;
    while (planes + strideStep < size.z && bytesOf(planes + strideStep) <= budgetBytes)
        planes += strideStep;
    // As many slabs as needed, of equal thickness if possible.
    const int beyondFirst = size.z - overlap;
    const int count = (beyondFirst + planes - overlap - 1) / (planes - overlap);
    const int stride =
        std::max(thinnest - overlap,
                 ((beyondFirst + count - 1) / count + strideStep - 1) / strideStep * strideStep);
    return {(beyondFirst + stride - 1) / stride, stride + overlap, overlap};
}

std::size_t slabBudget(CudaContext& cuda) {
    cuda.devicePool().trim();
    cuda.synchronize(CudaStream::Compute); // only then are the blocks free
    const BufferPool::Usage usage = cuda.devicePool().usage();
    const std::size_t ofBudget = usage.budgetBytes - std::min(usage.budgetBytes, usage.usedBytes);
    return std::min(ofBudget, cuda.freeBytes()) / 10 * 9;
}

SlabEstimator::SlabEstimator(std::unique_ptr<MotionEstimator> inner, std::size_t budgetBytes)
    : inner_(std::move(inner)), budgetBytes_(budgetBytes) {}

SlabPlan SlabEstimator::plan(Size3 size, Vec3 spacing) const {
    return planSlabs(size, budgetBytes_, reach(),
                     [&](Size3 slab) { return inner_->memoryEstimate(slab, spacing); });
}

std::size_t SlabEstimator::memoryEstimate(Size3 size, Vec3 spacing) const {
    return inner_->memoryEstimate({size.x, size.y, plan(size, spacing).planes}, spacing);
}

MotionReport SlabEstimator::run(const MotionInput& input, FieldView<float> displacement,
                                const ExecContext& ctx) {
    const Size3 size = displacement.size;
    const SlabPlan plan = this->plan(size, input.spacing);
    if (plan.count == 1)
        return inner_->estimate(input, displacement, ctx);
    if (input.space != MemorySpace::Host)
        throw ComputeError("frames that are estimated in slabs must lie on the host");
    const auto acquire = [&](int planes) {
        return ctx.pool->acquire<float>(3 * Size3{size.x, size.y, planes}.voxels(),
                                        "motion in slabs");
    };
    const auto fieldOf = [&](Buffer<float>& buffer, int planes) {
        const Size3 extent{size.x, size.y, planes};
        return FieldView<float>(buffer.data(), extent);
    };
    Buffer<float> wholeStorage = acquire(size.z), partStorage = acquire(plan.planes);
    const FieldView<float> whole = fieldOf(wholeStorage, size.z);
    MotionReport report;
    bool begun = false, slabsFold = false;
    for (int slab = 0; slab < plan.count; ++slab) {
        const int begin = plan.begin(slab), end = plan.end(slab, size.z);
        const FieldView<float> part = fieldOf(partStorage, end - begin);
        copy(planesOf(displacement, begin, end), part);
        MotionInput piece = input;
        piece.fixed = planesOf(input.fixed, begin, end);
        piece.moving = planesOf(input.moving, begin, end);
        piece.grids.reset(); // one grid for both, and this is only a range of it
        if (!input.incompressibility.empty())
            piece.incompressibility = planesOf(input.incompressibility, begin, end);
        if (!input.fixedMask.empty())
            piece.fixedMask = planesOf(input.fixedMask, begin, end);
        if (!input.movingMask.empty())
            piece.movingMask = planesOf(input.movingMask, begin, end);
        ExecContext inner = ctx;
        inner.progress = [&](const std::string& phase, double fraction) {
            ctx.report(fmt::format("slab {} of {}, {}", slab + 1, plan.count, phase),
                       (slab + fraction) / plan.count);
        };
        // Where nothing counts, the motion stays that of the start.
        if (countsSomewhere(piece.fixedMask) && countsSomewhere(piece.movingMask)) {
            const MotionReport one = inner_->estimate(piece, part, inner);
            if (begun)
                merge(report, one);
            else
                report = one;
            begun = true;
        }
        slabsFold = slabsFold || hasFolds(part, ctx);
        blend(plan, slab, part, whole, ctx);
    }
    if (!slabsFold)
        removeFolds(whole, ctx);
    copy(whole, displacement);
    report.slabs = plan.count;
    return report;
}

} // namespace systole
