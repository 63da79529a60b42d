#include "compute/methods/ffd/window_sum.h"

#include "compute/ops/row_kernels.h"
#include "compute/ops/smooth.h"

#include <vector>

namespace systole {

void windowSum(VolumeView<float> values, Vec3 sigma, VolumeView<float> scratch,
               const ExecContext& ctx) {
    ctx.throwIfCancelled();
    const Size3 size = values.size;
    const int rx = gaussianRadius(sigma.x), ry = gaussianRadius(sigma.y),
              rz = gaussianRadius(sigma.z);
    const std::vector<float> tapsX = gaussianTaps(sigma.x, rx), tapsY = gaussianTaps(sigma.y, ry),
                             tapsZ = gaussianTaps(sigma.z, rz);
    const std::vector<float> zeros(static_cast<std::size_t>(size.x), 0.0f);
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        std::vector<float> padded(static_cast<std::size_t>(size.x + 2 * rx), 0.0f);
        std::vector<const float*> window(static_cast<std::size_t>(2 * ry + 1));
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y) {
                for (int k = -ry; k <= ry; ++k)
                    window[static_cast<std::size_t>(k + ry)] =
                        y + k < 0 || y + k >= size.y ? zeros.data() : values.row(y + k, z);
                rows::weightedSum(window.data(), tapsY.data(), ry, size.x, padded.data() + rx);
                rows::convolve(padded.data(), tapsX.data(), rx, size.x, scratch.row(y, z));
            }
    });
    ctx.throwIfCancelled();
    parallelFor(ctx, size.y, 8, [&](int begin, int end) {
        std::vector<const float*> window(static_cast<std::size_t>(2 * rz + 1));
        for (int z = 0; z < size.z; ++z)
            for (int y = begin; y < end; ++y) {
                for (int k = -rz; k <= rz; ++k)
                    window[static_cast<std::size_t>(k + rz)] =
                        z + k < 0 || z + k >= size.z ? zeros.data() : scratch.row(y, z + k);
                rows::weightedSum(window.data(), tapsZ.data(), rz, size.x, values.row(y, z));
            }
    });
}

} // namespace systole
