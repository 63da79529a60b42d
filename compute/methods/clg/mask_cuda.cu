// Weights that masks give a level's data: the counterpart of weighInside().
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int planesPerThread = 4;

__global__ void maskKernel(const __grid_constant__ WarpStep s, FrameMasks masks,
                           gpu::GridSum room) {
    const Size3 size = s.moving.size;
    const gpu::Column c = gpu::columnOf(size, planesPerThread);
    double2 sum{0, 0};
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = s.moving.offset(c.x, c.y, z);
        const float inside =
            s.inside[i] * masks.weight(i, displaced(s.field, i, c.x, c.y, z), size);
        s.inside[i] = inside;
        if (s.findEpsilon && c.y % rowStep == 0) {
            const float difference = s.warped[i] - s.fixed.data[i];
            sum.x += static_cast<double>(inside * difference * difference);
            sum.y += static_cast<double>(inside);
        }
    }
    double2 total;
    if (s.findEpsilon && gpu::gridSum(sum, room, total)) {
        s.state->residualSquared = total.x;
        s.state->residualCount = total.y;
        s.state->epsilon = epsilonOf(total.x, total.y);
    }
}

} // namespace

void weighInside(const FrameMasks& masks, const WarpStep& step, const gpu::GridSum& sum,
                 LaunchLog& log) {
    log.launch({"weigh by masks", 32 * static_cast<double>(step.moving.voxels())}, maskKernel,
               gpu::columnsOver(step.moving.size, planesPerThread), step, masks, sum);
}

} // namespace systole::clg
