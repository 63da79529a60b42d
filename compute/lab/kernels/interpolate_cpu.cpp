#include "compute/lab/kernels/interpolate.h"
#include "compute/ops/row_kernels.h"
#include "compute/ops/sample.h"

namespace systole::lab {
namespace {

void interpolateRow(VolumeView<const float> volume, FieldView<const float> positions,
                    std::size_t first, int count, float* out) {
    for (std::size_t i = first; i < first + static_cast<std::size_t>(count); ++i)
        out[i] = TrilinearSample(volume.size, positions.u[i], positions.v[i], positions.w[i])
                     .of(volume.data);
}

} // namespace

void interpolate(VolumeView<const float> volume, FieldView<const float> positions,
                 VolumeView<float> out, const ExecContext& ctx) {
    checkInterpolation(volume, positions, out);
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y) {
                const std::size_t i = out.offset(0, y, z);
                if (ctx.backend == Backend::CpuReference)
                    interpolateRow(volume, positions, i, out.size.x, out.data);
                else
                    rows::sample(volume, positions.u + i, positions.v + i, positions.w + i,
                                 out.size.x, out.data + i);
            }
    });
}

} // namespace systole::lab
