#include "compute/methods/unbiased/force_device.cuh"
#include "compute/methods/unbiased/step_cuda.cuh"

namespace systole::unbiased {
namespace {

constexpr int planesPerThread = 4;

__global__ void comparedKernel(const __grid_constant__ ForceStep s, FrameMasks masks,
                               VolumeView<float> compared) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    const Size3 size = compared.size;
    const FieldView<const float> motion = motionOf(s);
    const gpu::Column c = gpu::columnOf(size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = compared.offset(c.x, c.y, z);
        const Position at = displaced(motion, i, c.x, c.y, z);
        const float warped = TrilinearSample(size, at).of(s.frames.moving.data);
        compared.data[i] = masked(warped, s.frames.fixed.data[i], masks.weight(i, at, size));
    }
}

/// `width` neighbors along x, loaded and stored at once.
template <int width>
struct alignas(4 * width) Packed {
    float v[width];
};

template <int width>
__device__ inline Packed<width> packedAt(const float* p) {
    return *reinterpret_cast<const Packed<width>*>(p);
}
template <int width>
__device__ inline void storePacked(float* p, const Packed<width>& values) {
    *reinterpret_cast<Packed<width>*>(p) = values;
}

/// Values that a thread computes in one plane.
template <int width>
struct Moving {
    Packed<width> force[3], v[3], step[3];
};

/// candidate = M v, and the squared length of its largest vector. A thread has `width` voxels of a
/// row, which divides their number: they share what lies beside them. Long because a thread carries
/// the planes around its own in registers.
template <int width>
__global__ void __launch_bounds__(1024)
    transportKernel(const __grid_constant__ MoveStep s, int planes) {
    gpu::waitForKernelBefore();
    LevelState& level = *s.level;
    const bool undone = level.steps.rejected;
    if (level.steps.done || (undone && s.kept.empty()))
        return;
    // The bits of non-negative floats are ordered as the floats are.
    __shared__ unsigned largest;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        largest = 0;
    __syncthreads();
    using Values = Packed<width>;
    const int current = level.current;
    const float momentum = momentumOf(level.steps, s.steps);
    const FieldView<const float> w = s.motion[current];
    const FieldView<float> candidate = s.motion[1 - current];
    const Size3 size = w.size;
    const gpu::Column c = gpu::columnOf({size.x / width, size.y, size.z}, planes);
    const int x = width * c.x;
    const auto at = [&](int z) { return w.componentView(0).offset(x, c.y, z); };
    // Beyond the border the nearest voxel is repeated: differences are one-sided there.
    const std::size_t plane = static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
    const int left = x > 0 ? -1 : 0, right = x + width < size.x ? width : width - 1,
              behindY = c.y > 0 ? -size.x : 0, aheadY = c.y + 1 < size.y ? size.x : 0;
    const float factorY = differenceFactor(c.y, size.y);
    const auto load = [&](int z) {
        const std::size_t i = at(z);
        Moving<width> moving;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            moving.force[k] =
                packedAt<width>((undone ? s.kept.component(k) : s.force.component(k)) + i);
            moving.v[k] = moving.force[k];
            if (momentum > 0) {
                const Values before = packedAt<width>(s.velocity.component(k) + i);
#pragma unroll
                for (int n = 0; n < width; ++n)
                    moving.v[k].v[n] = fused(momentum, before.v[n], moving.v[k].v[n]);
            }
        }
        const float factorZ = differenceFactor(z, size.z);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const float* const here = w.component(k) + i;
            const Values row = packedAt<width>(here), beforeY = packedAt<width>(here + behindY),
                         afterY = packedAt<width>(here + aheadY),
                         beforeZ = packedAt<width>(z > 0 ? here - plane : here),
                         afterZ = packedAt<width>(z + 1 < size.z ? here + plane : here);
            const float beforeRow = here[left], afterRow = here[right];
#pragma unroll
            for (int n = 0; n < width; ++n) {
                const float ahead = n + 1 < width ? row.v[n + 1] : afterRow,
                            behind = n > 0 ? row.v[n - 1] : beforeRow;
                float m[3] = {differenceFactor(x + n, size.x) * (ahead - behind),
                              factorY * (afterY.v[n] - beforeY.v[n]),
                              factorZ * (afterZ.v[n] - beforeZ.v[n])};
                m[k] += 1;
                moving.step[k].v[n] =
                    transportedAlong(m, {{moving.v[0].v[n], moving.v[1].v[n], moving.v[2].v[n]}});
            }
        }
        return moving;
    };
    float longest = 0;
    const auto store = [&](const Moving<width>& moving, int z) {
        const std::size_t i = at(z);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            if (!undone && !s.kept.empty())
                storePacked(s.kept.component(k) + i, moving.force[k]);
            if (!s.velocity.empty())
                storePacked(s.velocity.component(k) + i, moving.v[k]);
            storePacked(candidate.component(k) + i, moving.step[k]);
        }
#pragma unroll
        for (int n = 0; n < width; ++n)
            longest = fmaxf(longest, squaredLength({{moving.step[0].v[n], moving.step[1].v[n],
                                                     moving.step[2].v[n]}},
                                                   s.inverseScale));
    };
    // Loads come before stores, which they might otherwise wait for: those of two planes where a
    // plane has few.
    constexpr int together = width == 1 ? 2 : 1;
    for (int z = c.begin; c.inGrid && z < c.end; z += together) {
        const Moving<width> first = load(z);
        if (together == 2 && z + 1 < c.end) {
            const Moving<width> second = load(z + 1);
            store(first, z);
            store(second, z + 1);
        } else {
            store(first, z);
        }
    }
    const unsigned bits = gpu::warpMax(__float_as_uint(longest));
    if (threadIdx.x == 0)
        atomicMax(&largest, bits);
    __syncthreads();
    // Once a block: a number that every warp asks for has them wait for each other.
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicMax(&level.largest, largest);
}

/// candidate = motion + dt · candidate, or half the way of a candidate that was undone and whose
/// force isn't kept. A thread moves `width` voxels, which divides their number.
template <int width>
__global__ void __launch_bounds__(1024) moveKernel(const __grid_constant__ MoveStep s) {
    gpu::waitForKernelBefore();
    const LevelState& level = *s.level;
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (level.steps.done || i >= s.force.size.voxels() / width)
        return;
    const bool halfway = level.steps.rejected && s.kept.empty();
    const float largest = sqrtf(__uint_as_float(level.largest));
    const float dt = timeStep(level.steps, s.steps, largest, level.curvature);
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
                halfway ? 0.5f * (from[k].v[n] + to[k].v[n]) : fused(dt, to[k].v[n], from[k].v[n]);
        reinterpret_cast<Values*>(candidate.component(k))[i] = to[k];
    }
}

__global__ void squaredGradientKernel(VolumeView<const float> frame, VolumeView<const float> mask,
                                      const __grid_constant__ ForceRule rule,
                                      FieldView<float> out) {
    const gpu::Column c = gpu::columnOf(frame.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = frame.offset(c.x, c.y, z);
        const Vector squared = squaredGradient(frame, mask, rule.scale, c.x, c.y, z);
        for (int axis = 0; axis < 3; ++axis)
            out.component(axis)[i] = squared.v[axis];
    }
}

__global__ void curvatureKernel(FieldView<const float> squared, LevelState* level) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const float here =
        i < squared.size.voxels() ? squared.u[i] + squared.v[i] + squared.w[i] : 0.0f;
    // The bits of non-negative floats are ordered as the floats are.
    const unsigned bits = gpu::warpMax(__float_as_uint(here));
    if (threadIdx.x % 32 == 0)
        atomicMax(reinterpret_cast<unsigned*>(&level->curvature), bits);
}

__global__ void restKernel(FieldView<float> motion, const LevelState* level) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (level->startFound || i >= motion.size.voxels())
        return;
    for (int k = 0; k < 3; ++k)
        motion.component(k)[i] = 0;
}

__global__ void settleKernel(FieldView<const float> first, FieldView<const float> second,
                             const LevelState* level, FieldView<float> out) {
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
    // Rows begin where wide loads may if two divides their length.
    const bool wideRows = size.x % 2 == 0;
    const int width = wideRows ? 2 : 1, planes = gpu::planesFor(size, 8 / width);
    gpu::launchEarly(
        log, {"unbiased/transport", (36 + more) * voxels, 42 * voxels},
        wideRows ? transportKernel<2> : transportKernel<1>,
        gpu::columnsOver({size.x / width, size.y, size.z}, planes, log, "unbiased/transport"), step,
        planes);
    // Components begin where wide loads may if four divides their length.
    const bool wide = size.voxels() % 4 == 0;
    gpu::launchEarly(log, {"unbiased/move", 36 * voxels, 6 * voxels},
                     wide ? moveKernel<4> : moveKernel<1>,
                     gpu::threadsOver(size.voxels() / (wide ? 4 : 1), log, "unbiased/move"), step);
}

void enqueueSquaredGradient(VolumeView<const float> frame, VolumeView<const float> mask,
                            const ForceRule& rule, FieldView<float> out, LaunchLog& log) {
    log.launch({"unbiased/squared gradient", 16 * static_cast<double>(frame.voxels())},
               squaredGradientKernel, gpu::columnsOver(frame.size, planesPerThread), frame, mask,
               rule, out);
}

void enqueueCurvature(FieldView<const float> squared, LevelState* level, LaunchLog& log) {
    const std::size_t voxels = squared.size.voxels();
    log.launch({"unbiased/curvature", 12 * static_cast<double>(voxels)}, curvatureKernel,
               gpu::threadsOver(voxels), squared, level);
}

void enqueueRest(FieldView<float> motion, const LevelState* level, LaunchLog& log) {
    log.launch({"unbiased/rest"}, restKernel, gpu::threadsOver(motion.size.voxels()), motion,
               level);
}

void enqueueSettle(const FieldView<float> (&motion)[2], const LevelState* level,
                   FieldView<float> out, LaunchLog& log) {
    const auto voxels = static_cast<double>(out.size.voxels());
    log.launch({"unbiased/settle", 24 * voxels}, settleKernel, gpu::threadsOver(out.size.voxels()),
               motion[0], motion[1], level, out);
}

void enqueueCompared(const ForceStep& step, const FrameMasks& masks, VolumeView<float> compared,
                     LaunchLog& log) {
    gpu::launchEarly(log, {"masked fixed frame", 32 * static_cast<double>(compared.voxels())},
                     comparedKernel, gpu::columnsOver(compared.size, planesPerThread), step, masks,
                     compared);
}

} // namespace systole::unbiased
