#include "bench/real_measures.h"

#include "compute/core/motion_start.h"
#include "compute/measures/label_overlap.h"
#include "compute/measures/similarity.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

double meanVolumeChange(FieldView<const float> field) {
    double sum = 0, count = 0;
    for (int z = 1; z < field.size.z - 1; ++z)
        for (int y = 1; y < field.size.y - 1; ++y)
            for (int x = 1; x < field.size.x - 1; ++x) {
                sum += std::abs(jacobianDeterminant(field, x, y, z) - 1);
                ++count;
            }
    return count > 0 ? sum / count : 0;
}

/// The voxels of `labels` whose value rounds to `value`: 1 inside, 0 outside.
Volume maskOf(const Volume& labels, int value, BufferPool& pool) {
    Volume mask(labels.geometry, pool, "mask");
    for (std::size_t i = 0; i < mask.geometry.voxels(); ++i)
        mask.voxels.data()[i] = std::lround(labels.voxels.data()[i]) == value ? 1 : 0;
    return mask;
}

/// A structure, pulled back to the fixed grid: trilinear, inside where at least one half. NaN if
/// neither image has it.
LabelOverlap movedOverlap(const PairLabels& labels, int value, FieldView<const float> field,
                          const ExecContext& ctx) {
    const Volume here = maskOf(labels.fixed, value, *ctx.pool),
                 there = maskOf(labels.moving, value, *ctx.pool);
    Volume moved(here.geometry, *ctx.pool, "moved mask");
    warpVolume(there.view(), field, moved.view(), {}, ctx);
    const auto overlaps = labelOverlaps(here.geometry, here.view(), moved.view(), ctx);
    return overlaps.empty() ? LabelOverlap{value, 0, 0, NAN, NAN} : overlaps.front();
}

} // namespace

double meanMillimeters(const VectorField& field, const std::vector<std::uint8_t>& where) {
    const Vec3 spacing = field.geometry.spacing();
    const FieldView<const float> w = field.view();
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < where.size(); ++i)
        if (where[i]) {
            sum += std::hypot(spacing.x * static_cast<double>(w.u[i]),
                              spacing.y * static_cast<double>(w.v[i]),
                              spacing.z * static_cast<double>(w.w[i]));
            ++count;
        }
    return count > 0 ? sum / count : 0;
}

PairMeasures measurePair(const std::vector<Volume>& frames, const PairLabels& labels,
                         FieldView<const float> field, const ExecContext& ctx) {
    const Volume &fixed = frames.at(0), &moving = frames.at(1);
    Volume moved(fixed.geometry, *ctx.pool, "moved frame");
    warpVolume(moving.view(), field, moved.view(), {}, ctx);
    PairMeasures measures;
    measures.correlation = normalizedCorrelation(fixed.view(), moved.view());
    measures.mutualInformation = normalizedMutualInformation(fixed.view(), moved.view());
    measures.foldedPercent = percentThatMayFold(field, ctx);
    measures.volumeChange = meanVolumeChange(field);
    for (const StructureName& structure : labels.structures) {
        const LabelOverlap overlap = movedOverlap(labels, structure.value, field, ctx);
        measures.dice.push_back(overlap.dice);
        measures.surface.push_back(overlap.surfaceMillimeters);
    }
    return measures;
}

std::vector<std::uint8_t> varyingVoxels(const std::vector<Volume>& frames) {
    constexpr double smallestDeviation = 10;
    std::vector<std::uint8_t> varying(frames.at(0).geometry.voxels());
    const auto count = static_cast<double>(frames.size());
    for (std::size_t i = 0; i < varying.size(); ++i) {
        double sum = 0, squares = 0;
        for (const Volume& frame : frames) {
            const double gray = static_cast<double>(frame.voxels.data()[i]);
            sum += gray;
            squares += gray * gray;
        }
        const double variance = squares / count - sum / count * (sum / count);
        varying[i] = variance >= smallestDeviation * smallestDeviation;
    }
    return varying;
}

CycleMeasures measureCycle(const std::vector<Volume>& frames, const MotionProgram& program,
                           const ExecContext& ctx) {
    const std::vector<std::uint8_t> varying = varyingVoxels(frames);
    CycleMeasures measures;
    VectorField total(frames.at(0).geometry, *ctx.pool, "motion since the first frame");
    VectorField longer(total.geometry, *ctx.pool, "motion since the first frame");
    setToRest(total);
    for (std::size_t t = 0; t < frames.size(); ++t) {
        ctx.throwIfCancelled();
        const ProgramRun run = program.run({frames[t], frames[(t + 1) % frames.size()], {}}, ctx);
        measures.seconds += run.seconds / static_cast<double>(frames.size());
        if (!run.field) {
            measures.failed = true;
            return measures;
        }
        composeFields(run.field->view(), total.view(), longer.view(), ctx);
        std::swap(total, longer);
        measures.drift = meanMillimeters(total, varying);
        measures.largest = std::max(measures.largest, measures.drift);
    }
    return measures;
}

} // namespace systole
