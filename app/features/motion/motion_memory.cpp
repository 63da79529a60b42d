#include "app/features/motion/motion_memory.h"

#include "app/features/motion/field_queue.h"
#include "compute/core/error.h"

#include <fmt/format.h>

namespace systole {
namespace {

/// Frames in memory at a time: the stream's ring of three, the pair, and the first one of the
/// cycle.
constexpr std::size_t framesHeld = 6;
/// Fields in memory at a time: result, starting value, millimeters; since the first frame the
/// motion of the last frame, of the pair, both composed, and its own result; those on their way to
/// disk.
constexpr std::size_t fieldsHeld = 7 + FieldQueue::maxHeld;
/// Fields and frames of the chains that are under way or ahead.
std::size_t valuesHeldByChains(const MotionJob& job) {
    return static_cast<std::size_t>(job.chain) * (job.workers.size() + 1) * (1 + 3 + 1);
}
/// Fields of the frames of a window, and the frames themselves.
std::size_t valuesHeldByWindow(const MotionJob& job) {
    return static_cast<std::size_t>(job.window) * (1 + 3);
}

} // namespace

void checkMotionMemory(const MotionJob& job, const ExecContext& ctx) {
    const Size3 size = job.sequence.geometry.size();
    // The estimation itself reports missing memory of the device.
    const std::size_t scratch = job.device
                                    ? 0
                                    : job.method->make(job.parameters, job.backend.backend)
                                          ->memoryEstimate(size, job.sequence.geometry.spacing());
    const std::size_t needed = scratch + size.voxels() * sizeof(float) *
                                             (framesHeld + 3 * fieldsHeld +
                                              valuesHeldByWindow(job) + valuesHeldByChains(job));
    const std::size_t budget = ctx.pool->usage().budgetBytes;
    if (needed > budget)
        throw ComputeError(fmt::format(
            "{}: the motion of frames of {} x {} x {} voxels needs about {}, this machine has {}",
            job.sequence.name, size.x, size.y, size.z, bytesText(needed), bytesText(budget)));
}

BufferPool& framePool(const MotionJob& job, const ExecContext& ctx) {
    const std::size_t needed = framesHeld * job.sequence.geometry.voxels() * sizeof(float);
    return job.device && needed <= job.device->pinnedPool().usage().budgetBytes / 2
               ? job.device->pinnedPool()
               : *ctx.pool;
}

} // namespace systole
