#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample_grids.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/two_grids.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

int clampIndex(int i, int n) { return std::clamp(i, 0, n - 1); }

float nearest(VolumeView<const float> volume, Vec3 at) {
    const auto round = [](double position, int n) {
        return clampIndex(static_cast<int>(std::floor(position + 0.5)), n);
    };
    return volume(round(at.x, volume.size.x), round(at.y, volume.size.y),
                  round(at.z, volume.size.z));
}

/// The label of the largest sum of weights; of equal sums, the label met first.
float majority(VolumeView<const float> volume, Vec3 at) {
    const TrilinearSample sample = trilinearAt(volume.size, at);
    std::array<float, 8> labels{}, weights{};
    std::size_t found = 0;
    for (std::size_t corner = 0; corner < 8; ++corner) {
        const bool upX = corner & 1, upY = corner & 2, upZ = corner & 4;
        const float weight = (upX ? sample.partX : 1 - sample.partX) *
                             (upY ? sample.partY : 1 - sample.partY) *
                             (upZ ? sample.partZ : 1 - sample.partZ);
        const float label = volume.data[sample.offset + (upX ? sample.alongX : 0) +
                                        (upY ? sample.alongY : 0) + (upZ ? sample.alongZ : 0)];
        std::size_t slot = 0;
        while (slot < found && labels[slot] != label)
            ++slot;
        found = std::max(found, slot + 1);
        labels[slot] = label;
        weights[slot] += weight;
    }
    return labels[static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) -
                                           weights.begin())];
}

/// One axis of Keys' convolution: the first of four voxels and their weights.
struct KeysAxis {
    int first;
    std::array<double, 4> weights;

    explicit KeysAxis(double position) {
        const double below = std::floor(position);
        const double t = position - below;
        first = static_cast<int>(below) - 1;
        weights = {t * (t * (2 - t) - 1) / 2, (t * t * (3 * t - 5) + 2) / 2,
                   t * (t * (4 - 3 * t) + 1) / 2, t * t * (t - 1) / 2};
    }
};

float cubic(VolumeView<const float> volume, Vec3 at) {
    const KeysAxis alongX(std::clamp(at.x, 0.0, volume.size.x - 1.0)),
        alongY(std::clamp(at.y, 0.0, volume.size.y - 1.0)),
        alongZ(std::clamp(at.z, 0.0, volume.size.z - 1.0));
    std::array<int, 4> columns{};
    for (int l = 0; l < 4; ++l)
        columns[static_cast<std::size_t>(l)] = clampIndex(alongX.first + l, volume.size.x);
    double sum = 0;
    for (int n = 0; n < 4; ++n)
        for (int m = 0; m < 4; ++m) {
            const float* row = volume.row(clampIndex(alongY.first + m, volume.size.y),
                                          clampIndex(alongZ.first + n, volume.size.z));
            double along = 0;
            for (std::size_t l = 0; l < 4; ++l)
                along += alongX.weights[l] * static_cast<double>(row[columns[l]]);
            sum += alongZ.weights[static_cast<std::size_t>(n)] *
                   alongY.weights[static_cast<std::size_t>(m)] * along;
        }
    return static_cast<float>(sum);
}

float sampleAt(VolumeView<const float> volume, Vec3 at, Interpolation interpolation) {
    switch (interpolation) {
    case Interpolation::Nearest:
        return nearest(volume, at);
    case Interpolation::Cubic:
        return cubic(volume, at);
    case Interpolation::Majority:
        return majority(volume, at);
    case Interpolation::Linear:
        break;
    }
    return valueAt(volume, at);
}

} // namespace

void resampleMoving(VolumeView<const float> moving, FieldView<const float> field,
                    const FrameGrids& grids, const GridSampling& sampling, VolumeView<float> out,
                    VolumeView<float> inside, const ExecContext& ctx) {
    const AffineMap toMoving = indexAffine(grids.fixed, grids.moving);
    overVoxels(out.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = out.offset(x, y, z);
        const Vec3 at = toMoving(voxelPoint(x, y, z) + vectorOf(field, i));
        const bool within = isInside(at, moving.size);
        out.data[i] = within || sampling.clamp ? sampleAt(moving, at, sampling.interpolation)
                                               : sampling.outside;
        if (!inside.empty())
            inside.data[i] = within ? 1.0f : 0.0f;
    });
}

} // namespace systole
