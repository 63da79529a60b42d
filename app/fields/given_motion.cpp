#include "app/fields/given_motion.h"

#include "app/base/grid_text.h"
#include "compute/motion/trajectory_filter.h"
#include "compute/ops/resample.h"
#include "compute/ops/residual.h"
#include "io/base/text.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

constexpr double gridTolerance = 1e-3; ///< mm, as of labels

FrameResult resultOf(VectorField field, std::shared_ptr<const Volume> fixed,
                     std::shared_ptr<const Volume> moving, int frame, const ExecContext& ctx) {
    FrameResult result;
    result.fixedFrame = 0;
    result.movingFrame = frame;
    result.sinceFirst = true;
    result.window = unsmoothedWindow;
    auto warped = std::make_shared<Volume>(fixed->geometry, *ctx.pool, "warped frame of a result");
    warped->timeSeconds = moving->timeSeconds;
    warpVolume(moving->view(), field.view(), warped->view(), {}, ctx);
    result.residual =
        residualChange(fixed->view(), moving->view(), warped->view(), field.view(), {}, ctx);
    result.field = std::make_shared<VectorField>(std::move(field));
    result.fixed = std::move(fixed);
    result.moving = std::move(moving);
    result.warped = std::move(warped);
    return result;
}

} // namespace

void requireFieldOfEachFrame(const Sequence& sequence, std::size_t fields) {
    if (static_cast<int>(fields) != sequence.frames - 1)
        throw fileError(sequence.name,
                        fmt::format("has {} frames and needs {} fields, from the first frame to "
                                    "each other one; given: {}",
                                    sequence.frames, sequence.frames - 1, fields));
}

void GivenMotionWork::run(const GivenMotionTask& task, GivenMotionOutcome& made, ExecContext& ctx) {
    const Sequence sequence = openSequence(task.sequence, {.acceptUnknown = true});
    requireFieldOfEachFrame(sequence, task.files.size());
    std::vector<std::shared_ptr<const Volume>> frames;
    for (int frame = 0; frame < sequence.frames; ++frame) {
        ctx.throwIfCancelled();
        frames.push_back(std::make_shared<Volume>(
            decodeFrame(sequence, frame, *ctx.pool, "frame of a given field")));
    }
    made.reading = readingOf(
        task.files, task.named,
        [&](std::size_t i) {
            return FieldImages{frames.front(), frames[i + 1]};
        },
        ctx);
    VectorField rest(sequence.geometry, *ctx.pool, "given motion");
    std::ranges::fill(rest.components.span(), 0.0f);
    made.motions.push_back(resultOf(std::move(rest), frames.front(), frames.front(), 0, ctx));
    for (std::size_t i = 0; i < task.files.size(); ++i) {
        ctx.throwIfCancelled();
        ctx.report("reading fields", static_cast<double>(i) / static_cast<double>(frames.size()));
        MillimeterField field =
            readGivenField(task.files[i], *made.reading.convention, &made.reading.grids[i], ctx);
        if (!field.geometry.matches(sequence.geometry, gridTolerance)) {
            const auto [found, expected] = textsOfGrids(field.geometry, sequence.geometry);
            throw fileError(task.files[i],
                            fmt::format("lies on another grid than the sequence: found {}; "
                                        "expected {}",
                                        found, expected));
        }
        field.geometry = sequence.geometry;
        made.motions.push_back(resultOf(toVoxels(field, *ctx.pool), frames.front(), frames[i + 1],
                                        static_cast<int>(i) + 1, ctx));
    }
}

} // namespace systole
