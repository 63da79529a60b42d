#include "compute/methods/unbiased/step_cuda.cuh"

namespace systole::unbiased {
namespace {

/// candidate = M v, and the squared length of its largest vector.
__global__ void __launch_bounds__(1024)
    transportKernel(const __grid_constant__ MoveStep s, int planes) {
    DeviceLevel& level = *s.level;
    if (level.steps.done)
        return;
    const int current = level.current;
    const bool undone = level.steps.rejected;
    const float momentum = momentumOf(level.steps, s.steps);
    const FieldView<const float> w = s.motion[current];
    const gpu::Column c = gpu::columnOf(w.size, planes);
    float longest = 0;
    if (c.inGrid)
        for (int z = c.begin; z < c.end; ++z) {
            const std::size_t i = w.componentView(0).offset(c.x, c.y, z);
            // All loads come before the first store, which they might otherwise have to wait for.
            const Deformation m = deformationAt(w, c.x, c.y, z);
            Vector force{}, v{};
            for (int k = 0; k < 3; ++k) {
                force.v[k] = undone ? s.kept.component(k)[i] : s.force.component(k)[i];
                v.v[k] = force.v[k];
                if (momentum > 0)
                    v.v[k] += momentum * s.velocity.component(k)[i];
            }
            const Vector step = transported(m, v);
            for (int k = 0; k < 3; ++k) {
                if (!undone)
                    s.kept.component(k)[i] = force.v[k];
                if (!s.velocity.empty())
                    s.velocity.component(k)[i] = v.v[k];
            }
            for (int k = 0; k < 3; ++k)
                s.motion[1 - current].component(k)[i] = step.v[k];
            longest = fmaxf(longest, squaredLength(step, s.scale));
        }
    // The bits of non-negative floats are ordered as the floats are.
    const unsigned bits = gpu::warpMax(__float_as_uint(longest));
    if (threadIdx.x == 0 && bits > __ldcg(&level.largest))
        atomicMax(&level.largest, bits);
}

/// candidate = motion + dt · candidate.
__global__ void __launch_bounds__(1024) moveKernel(const __grid_constant__ MoveStep s) {
    const DeviceLevel& level = *s.level;
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (level.steps.done || i >= s.kept.size.voxels())
        return;
    const float largest = sqrtf(__uint_as_float(level.largest));
    const float dt = largest > 0 ? level.steps.step / largest : 0;
    const FieldView<const float> motion = s.motion[level.current];
    const FieldView<float> candidate = s.motion[1 - level.current];
    float moved[3];
    for (int k = 0; k < 3; ++k)
        moved[k] = motion.component(k)[i] + dt * candidate.component(k)[i];
    for (int k = 0; k < 3; ++k)
        candidate.component(k)[i] = moved[k];
}

__global__ void restKernel(FieldView<float> motion, const DeviceLevel* level) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (level->startFound || i >= motion.size.voxels())
        return;
    for (int k = 0; k < 3; ++k)
        motion.component(k)[i] = 0;
}

__global__ void settleKernel(FieldView<const float> first, FieldView<const float> second,
                             const DeviceLevel* level, FieldView<float> out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= out.size.voxels())
        return;
    const FieldView<const float> motion = level->current == 0 ? first : second;
    for (int k = 0; k < 3; ++k)
        out.component(k)[i] = motion.component(k)[i];
}

} // namespace

void enqueueMove(const MoveStep& step, LaunchLog& log) {
    const Size3 size = step.kept.size;
    const auto voxels = static_cast<double>(size.voxels());
    const double velocity = step.velocity.empty() ? 0 : 24;
    const int planes = gpu::planesFor(size, 2);
    log.launch({"unbiased/transport", (48 + velocity) * voxels, 42 * voxels}, transportKernel,
               gpu::columnsOver(size, planes, log, "unbiased/transport"), step, planes);
    log.launch({"unbiased/move", 36 * voxels, 6 * voxels}, moveKernel,
               gpu::threadsOver(size.voxels(), log, "unbiased/move"), step);
}

void enqueueRest(FieldView<float> motion, const DeviceLevel* level, LaunchLog& log) {
    log.launch({"unbiased/rest"}, restKernel, gpu::threadsOver(motion.size.voxels()), motion,
               level);
}

void enqueueSettle(const FieldView<float> (&motion)[2], const DeviceLevel* level,
                   FieldView<float> out, LaunchLog& log) {
    const auto voxels = static_cast<double>(out.size.voxels());
    log.launch({"unbiased/settle", 24 * voxels}, settleKernel, gpu::threadsOver(out.size.voxels()),
               motion[0], motion[1], level, out);
}

} // namespace systole::unbiased
