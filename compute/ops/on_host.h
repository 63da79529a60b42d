// Parts of the plan of an estimation (compute/core/estimation_plan.h) over a pyramid, on the host.
// gpu::OnDevice (on_device.cuh) has the same names for a device, so that a method writes its
// estimation once, as a template over the two.
#pragma once

#include "compute/ops/frame_masks.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "compute/ops/smooth_halved.h"

namespace systole {

struct OnHost {
    using Run = const ExecContext; ///< execution context of every step
    using Memory = BufferPool;
    using Pyramid = systole::Pyramid;
    using Masks = MaskPyramid;

    /// Scope of a part of an estimation in its profile: its stage, and on the host its name and
    /// the work that it declares.
    struct Stage : ScopedSpan {
        Stage(Run& ctx, const char* stage, const char* name, double bytes = 0, double flops = 0)
            : ScopedSpan(ctx.profile, stage, name, bytes, flops) {}
    };

    static void acquire(Workspace& space, BufferPool& pool) { space.acquire(pool); }
    /// Memory that steps take from the pool beside the plan's own.
    static std::size_t scratchBytes(Size3 size) { return Pyramid::decimateBytes(size); }
    static void beginLevel(std::size_t level, std::size_t levels, Run& ctx) {
        ctx.report("motion estimation",
                   1 - static_cast<double>(level + 1) / static_cast<double>(levels));
    }
    static void throwIfCancelled(Run& ctx) { ctx.throwIfCancelled(); }

    /// Takes the input, which may be gone afterwards. On the host all levels are filled here,
    /// without need of decimate(). `notFinite` is for a device, where values aren't checked before.
    static void begin(Pyramid& pyramid, Masks& masks, const MotionInput& input, int*, Run& ctx) {
        ScopedSpan span(ctx.profile, "pyramid", "pyramid");
        span.setWork(pyramid.build(input, ctx), 0);
        masks.build(input, ctx);
    }
    /// Fills the coarser levels; the scratch has the size of six volumes of the finest one.
    static void decimate(Pyramid&, Masks&, float*, std::size_t, Run&) {}

    static void downsample(FieldView<const float> fine, std::array<int, 3> factor,
                           FieldView<float> out, Run& ctx) {
        downsampleField(fine, factor, out, ctx);
    }
    static void upsample(FieldView<const float> coarse, std::array<int, 3> factor,
                         FieldView<float> out, Run& ctx) {
        const ScopedSpan span(ctx.profile, "pyramid", "upsample field");
        upsampleField(coarse, factor, out, ctx);
    }
    static void warp(VolumeView<const float> moving, FieldView<const float> field,
                     VolumeView<float> out, Run& ctx) {
        warpVolume(moving, field, out, {}, ctx);
    }
    static void mix(const FrameMasks& masks, FieldView<const float> field,
                    VolumeView<const float> a, VolumeView<const float> b, VolumeView<float> out,
                    Run& ctx) {
        mixByMasks(masks, field, a, b, out, ctx);
    }
    /// Smooths each component in place unless *skip (null: false); sigma in voxels of each axis. A
    /// device needs scratch of at least a field's size.
    static void smooth(FieldView<float> field, Vec3 sigma, FieldView<float>, const char* name,
                       Run& ctx, const int* skip = nullptr) {
        if (!(sigma.x > 0) || (skip && *skip))
            return;
        const ScopedSpan span(ctx.profile, "smooth", name, 3 * smoothingBytes(field.size));
        for (int axis = 0; axis < 3; ++axis) {
            ctx.throwIfCancelled();
            smoothGaussian(field.componentView(axis), field.componentView(axis), sigma, ctx);
        }
    }
    /// The means of cells (smooth_halved.h) unless *skip; `out` has the halved grid.
    static void halve(FieldView<const float> field, const HalvedGrid& grid, FieldView<float> out,
                      Run& ctx, const int* skip = nullptr) {
        if (skip && *skip)
            return;
        const ScopedSpan span(ctx.profile, "smooth", "cell means",
                              12 * static_cast<double>(field.size.voxels() + out.size.voxels()));
        for (int axis = 0; axis < 3; ++axis)
            cellMeans(field.componentView(axis), grid, out.componentView(axis), ctx);
    }
    /// smooth() by smoothHalved().
    static void smoothWide(FieldView<float> field, Vec3 sigma, FieldView<float>, const char* name,
                           Run& ctx, const int* skip = nullptr) {
        if (!(sigma.x > 0) || (skip && *skip))
            return;
        const ScopedSpan span(ctx.profile, "smooth", name,
                              3 * smoothHalvedBytes(field.size, sigma));
        const auto gaussian = [&](VolumeView<float> volume, Vec3 left) {
            ctx.throwIfCancelled();
            smoothGaussian(volume, volume, left, ctx);
        };
        for (int axis = 0; axis < 3; ++axis)
            smoothHalved(field.componentView(axis), sigma, gaussian, ctx);
    }
};

} // namespace systole
