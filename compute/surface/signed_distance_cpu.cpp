#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/grid_lines.h"
#include "compute/surface/lower_envelope.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/signed_distance_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr float unknown = std::numeric_limits<float>::infinity();

/// Squared distances along x to the faces across it.
void alongRows(VolumeView<const std::uint8_t> inside, float spacing, VolumeView<float> squared,
               const ExecContext& ctx) {
    overLines(inside.size, 0, ctx, [&] {
        return [&](const GridLine& line) {
            const std::uint8_t* const side = inside.data + line.first;
            float* const out = squared.data + line.first;
            const auto sweep = [&](int first, int last, int step) {
                float distance = unknown; // distance to the last face, voxels
                for (int i = first; i != last; i += step) {
                    distance += 1;
                    if (i != first && (side[i] != 0) != (side[i - step] != 0))
                        distance = 0.5f;
                    const float millimeters = distance * spacing;
                    out[i] = step > 0 ? millimeters * millimeters
                                      : std::min(out[i], millimeters * millimeters);
                }
            };
            sweep(0, line.count, 1);
            sweep(line.count - 1, -1, -1);
        };
    });
}

void alongAxis(VolumeView<const std::uint8_t> inside, int axis, float spacing,
               VolumeView<float> squared, const ExecContext& ctx) {
    const int count = inside.size[axis];
    overLines(inside.size, axis, ctx, [&] {
        return [&,
                envelope = LowerEnvelope(spacing * spacing, count)](const GridLine& line) mutable {
            envelope.clear();
            for (int i = 0; i + 1 < count; ++i) {
                const std::size_t here = line.at(i), next = line.at(i + 1);
                const float height =
                    distance::betweenVoxels((inside.data[here] != 0) != (inside.data[next] != 0),
                                            squared.data[here], squared.data[next]);
                if (height < unknown)
                    envelope.push(static_cast<float>(i) + 0.5f, height);
            }
            envelope.evaluate(count, [&](int i, float value, std::int32_t) {
                float& voxel = squared.data[line.at(i)];
                voxel = std::min(voxel, value);
            });
        };
    });
}

} // namespace

void markLabel(VolumeView<const float> labels, int label, VolumeView<std::uint8_t> inside,
               const ExecContext& ctx) {
    distance::requireSameSize(labels.size, inside.size);
    overVoxels(labels.size, ctx, [&](int x, int y, int z) {
        inside(x, y, z) = std::lround(labels(x, y, z)) == label ? 1 : 0;
    });
}

void signedDistance(VolumeView<const std::uint8_t> inside, Vec3 spacing, VolumeView<float> phi,
                    const ExecContext& ctx) {
    distance::requireSameSize(inside.size, phi.size);
    const ScopedSpan span(ctx.profile, "distance", "signed distance",
                          29 * static_cast<double>(phi.voxels()));
    alongRows(inside, static_cast<float>(spacing.x), phi, ctx);
    alongAxis(inside, 1, static_cast<float>(spacing.y), phi, ctx);
    alongAxis(inside, 2, static_cast<float>(spacing.z), phi, ctx);
    // A face anywhere reaches every voxel.
    if (phi(0, 0, 0) == unknown)
        throw distance::noBorder(inside(0, 0, 0) != 0, "the mask");
    overVoxels(phi.size, ctx, [&](int x, int y, int z) {
        const float distance = std::sqrt(phi(x, y, z));
        phi(x, y, z) = inside(x, y, z) != 0 ? -distance : distance;
    });
}

} // namespace systole
