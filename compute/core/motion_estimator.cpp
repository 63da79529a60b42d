#include "compute/core/motion_estimator.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

void checkSizes(const MotionInput& input, FieldView<const float> displacement, bool twoGrids) {
    const Size3 size = input.fixed.size;
    if ((input.moving.size != size && !twoGrids) || displacement.size != size)
        throw ComputeError(fmt::format(
            "motion estimation needs two frames of one size; got {}×{}×{} and {}×{}×{}", size.x,
            size.y, size.z, input.moving.size.x, input.moving.size.y, input.moving.size.z));
    if (input.grids) {
        if (input.grids->fixed.size() != size || input.grids->moving.size() != input.moving.size)
            throw ComputeError("the grids of the frames must have the sizes of the frames");
        if (!twoGrids && !input.grids->fixed.matches(input.grids->moving))
            throw ComputeError("this method needs two frames on one grid");
    }
    if (!input.incompressibility.empty() && input.incompressibility.size != size)
        throw ComputeError("the volume-preservation weight must have the size of the frames");
    if ((!input.fixedMask.empty() && input.fixedMask.size != size) ||
        (!input.movingMask.empty() && input.movingMask.size != input.moving.size))
        throw ComputeError("a mask must have the size of its frame");
    if (!(input.scale.high > input.scale.low))
        throw ComputeError("the range of gray values for motion estimation is empty");
}

void checkFinite(VolumeView<const float> frame, const char* name, const ExecContext& ctx) {
    const double bad = parallelMax(ctx, frame.size.z, 8, [&](int begin, int end) {
        // A sum of differences with itself is zero unless something isn't finite.
        float sum = 0;
        for (std::size_t i = frame.offset(0, 0, begin); i < frame.offset(0, 0, end); ++i)
            sum += frame.data[i] - frame.data[i];
        return sum == 0 ? 0.0 : 1.0;
    });
    if (bad > 0)
        throwNotFinite(name);
}

void requireSomeVoxel(VolumeView<const float> mask, const char* frame) {
    if (!mask.empty() &&
        std::none_of(mask.data, mask.data + mask.voxels(), [](float weight) { return weight > 0; }))
        throw ComputeError(
            fmt::format("the mask of the {} frame is empty: none of its voxels counts", frame));
}

} // namespace

void MotionReport::finish() {
    energy = levels.back().energy;
    iterations = levels.back().iterations;
}

MotionReport MotionEstimator::estimate(const MotionInput& input, FieldView<float> displacement,
                                       const ExecContext& ctx) {
    checkSizes(input, displacement, allowsTwoGrids());
    if (input.space == MemorySpace::Host) {
        requireSomeVoxel(input.fixedMask, "fixed");
        requireSomeVoxel(input.movingMask, "moving");
    }
    if (input.space == MemorySpace::Host && !checksValues()) {
        checkFinite(input.fixed, "fixed", ctx);
        checkFinite(input.moving, "moving", ctx);
    }
    return run(input, displacement, ctx);
}

void throwNotFinite(const char* frame) {
    throw ComputeError(fmt::format("the {} frame holds values that are not finite numbers", frame));
}

std::vector<std::string> frameStages(const MotionMethod& method) {
    std::vector<std::string> stages{"read", "upload", "download"};
    stages.insert(stages.end(), method.stages.begin(), method.stages.end());
    stages.insert(stages.end(), {"field to GL", "render"});
    return stages;
}

} // namespace systole
