#include "compute/methods/unbiased/step_cuda.cuh"

namespace systole::unbiased {
namespace {

/// What a voxel's transport is computed from.
struct Moving {
    Deformation m;
    Vector force, v;
};

/// candidate = M v, and the squared length of its largest vector.
__global__ void __launch_bounds__(1024)
    transportKernel(const __grid_constant__ MoveStep s, int planes) {
    DeviceLevel& level = *s.level;
    const bool undone = level.steps.rejected;
    if (level.steps.done || (undone && s.kept.empty()))
        return;
    // The bits of non-negative floats are ordered as the floats are.
    __shared__ unsigned largest;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        largest = 0;
    __syncthreads();
    const int current = level.current;
    const float momentum = momentumOf(level.steps, s.steps);
    const FieldView<const float> w = s.motion[current];
    const gpu::Column c = gpu::columnOf(w.size, planes);
    const auto at = [&](int z) { return w.componentView(0).offset(c.x, c.y, z); };
    const auto load = [&](int z) {
        const std::size_t i = at(z);
        Moving moving{deformationAt(w, c.x, c.y, z), {}, {}};
        for (int k = 0; k < 3; ++k) {
            moving.force.v[k] = undone ? s.kept.component(k)[i] : s.force.component(k)[i];
            moving.v.v[k] = moving.force.v[k];
            if (momentum > 0)
                moving.v.v[k] += momentum * s.velocity.component(k)[i];
        }
        return moving;
    };
    float longest = 0;
    const auto store = [&](const Moving& moving, int z) {
        const std::size_t i = at(z);
        const Vector step = transported(moving.m, moving.v);
        for (int k = 0; k < 3; ++k) {
            if (!undone && !s.kept.empty())
                s.kept.component(k)[i] = moving.force.v[k];
            if (!s.velocity.empty())
                s.velocity.component(k)[i] = moving.v.v[k];
            s.motion[1 - current].component(k)[i] = step.v[k];
        }
        longest = fmaxf(longest, squaredLength(step, s.scale));
    };
    if (c.inGrid) {
        // The loads of two planes come before their stores, which they might otherwise wait for.
        int z = c.begin;
        for (; z + 1 < c.end; z += 2) {
            const Moving first = load(z), second = load(z + 1);
            store(first, z);
            store(second, z + 1);
        }
        if (z < c.end)
            store(load(z), z);
    }
    const unsigned bits = gpu::warpMax(__float_as_uint(longest));
    if (threadIdx.x == 0)
        atomicMax(&largest, bits);
    __syncthreads();
    // Once a block: a number that every warp asks for has them wait for each other.
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicMax(&level.largest, largest);
}

template <int width>
struct alignas(4 * width) Packed {
    float v[width];
};

/// candidate = motion + dt · candidate, or half the way of a candidate that was undone and whose
/// force isn't kept. A thread moves `width` voxels, which divides their number.
template <int width>
__global__ void __launch_bounds__(1024) moveKernel(const __grid_constant__ MoveStep s) {
    const DeviceLevel& level = *s.level;
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (level.steps.done || i >= s.force.size.voxels() / width)
        return;
    const bool halfway = level.steps.rejected && s.kept.empty();
    const float largest = sqrtf(__uint_as_float(level.largest));
    const float dt = largest > 0 ? level.steps.step / largest : 0;
    const FieldView<const float> motion = s.motion[level.current];
    const FieldView<float> candidate = s.motion[1 - level.current];
    using Values = Packed<width>;
    Values from[3], to[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = reinterpret_cast<const Values*>(motion.component(k))[i];
        to[k] = reinterpret_cast<const Values*>(candidate.component(k))[i];
    }
    for (int k = 0; k < 3; ++k) {
        for (int n = 0; n < width; ++n)
            to[k].v[n] =
                halfway ? 0.5f * (from[k].v[n] + to[k].v[n]) : from[k].v[n] + dt * to[k].v[n];
        reinterpret_cast<Values*>(candidate.component(k))[i] = to[k];
    }
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
    const Size3 size = step.force.size;
    const auto voxels = static_cast<double>(size.voxels());
    const double more = (step.velocity.empty() ? 0 : 24) + (step.kept.empty() ? 0 : 12);
    const int planes = gpu::planesFor(size, 8);
    log.launch({"unbiased/transport", (36 + more) * voxels, 42 * voxels}, transportKernel,
               gpu::columnsOver(size, planes, log, "unbiased/transport"), step, planes);
    // Components begin where wide loads may if four divides their length.
    const bool wide = size.voxels() % 4 == 0;
    log.launch({"unbiased/move", 36 * voxels, 6 * voxels}, wide ? moveKernel<4> : moveKernel<1>,
               gpu::threadsOver(size.voxels() / (wide ? 4 : 1), log, "unbiased/move"), step);
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
