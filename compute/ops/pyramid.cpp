#include "compute/ops/pyramid.h"

#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"
#include "compute/ops/smooth.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int coarsestAxisSamples = 16;

double smallestOf(Vec3 spacing) { return std::min({spacing.x, spacing.y, spacing.z}); }

std::array<int, 3> halving(Size3 size, Vec3 spacing) {
    const double smallest = smallestOf(spacing);
    std::array<int, 3> factor{1, 1, 1};
    for (int axis = 0; axis < 3; ++axis)
        if (spacing[axis] <= 1.5 * smallest && size[axis] >= coarsestAxisSamples)
            factor[static_cast<std::size_t>(axis)] = 2;
    return factor;
}

Size3 halved(Size3 size, std::array<int, 3> factor) {
    return {(size.x + factor[0] - 1) / factor[0], (size.y + factor[1] - 1) / factor[1],
            (size.z + factor[2] - 1) / factor[2]};
}

} // namespace

std::array<float, 3> PyramidLevel::scale() const {
    const double smallest = smallestOf(spacing);
    std::array<float, 3> scale{};
    for (int axis = 0; axis < 3; ++axis)
        scale[static_cast<std::size_t>(axis)] = static_cast<float>(smallest / spacing[axis]);
    return scale;
}

Vec3 PyramidLevel::alongAxes(double smallestSpacings) const {
    const double smallest = smallestOf(spacing);
    Vec3 voxels;
    for (int axis = 0; axis < 3; ++axis)
        voxels[axis] = smallestSpacings * (smallest / spacing[axis]);
    return voxels;
}

std::vector<PyramidLevel> pyramidLevels(Size3 size, Vec3 spacing, int max) {
    std::vector<PyramidLevel> levels(1);
    levels[0].size = size;
    levels[0].spacing = spacing;
    while (static_cast<int>(levels.size()) < max) {
        const PyramidLevel& fine = levels.back();
        PyramidLevel coarse;
        coarse.factor = halving(fine.size, fine.spacing);
        coarse.size = halved(fine.size, coarse.factor);
        if (coarse.size == fine.size)
            break;
        for (int axis = 0; axis < 3; ++axis)
            coarse.spacing[axis] =
                fine.spacing[axis] * coarse.factor[static_cast<std::size_t>(axis)];
        levels.push_back(coarse);
    }
    return levels;
}

ParamRow pyramidLevelsParam(int standard) {
    return integerParam("levels", standard, 1, 10, "", "Maximum number of pyramid levels.")
        .titled("pyramid levels");
}

std::array<int, 3> totalFactor(const std::vector<PyramidLevel>& levels) {
    std::array<int, 3> factor{1, 1, 1};
    for (const PyramidLevel& level : levels)
        for (std::size_t axis = 0; axis < 3; ++axis)
            factor[axis] *= level.factor[axis];
    return factor;
}

GrayMapping grayMapping(const IntensityScale& range) {
    const float scale = pyramidGrayRange / (range.high - range.low);
    return {scale, -scale * range.low};
}

void mapGray(VolumeView<const float> in, const GrayMapping& mapping, VolumeView<float> out,
             const ExecContext& ctx) {
    parallelFor(ctx, in.size.z, 2, [&](int begin, int end) {
        const std::size_t first = in.offset(0, 0, begin);
        rows::affine(in.data + first, mapping.scale, mapping.offset,
                     static_cast<int>(in.offset(0, 0, end) - first), out.data + first);
    });
}

LevelVolumes::LevelVolumes(const char* name, const std::vector<PyramidLevel>& levels, bool any,
                           Workspace& space)
    : levels_(levels), space_(space) {
    if (any)
        for (const PyramidLevel& level : levels_)
            blocks_.push_back(space.add<float>(name, level.size.voxels()));
}

void LevelVolumes::decimate(const ExecContext& ctx) const {
    decimateBy(
        [&](VolumeView<const float> fine, std::array<int, 3> factor, VolumeView<float> coarse) {
            ctx.throwIfCancelled();
            systole::decimate(fine, factor, coarse, ctx);
        });
}

PyramidMemory::PyramidMemory(std::vector<PyramidLevel> levels, bool weighted, Workspace& space)
    : levels_(std::move(levels)), space_(space), weighted_(weighted) {
    std::size_t voxels = 0;
    for (const PyramidLevel& level : levels_) {
        finerVoxels_.push_back(voxels);
        voxels += level.size.voxels();
    }
    images_ = space.add<float>("pyramid images", 2 * voxels);
    weights_ = space.add<float>("volume-preservation weight", weighted ? voxels : 0);
}

VolumeView<float> PyramidMemory::weight(std::size_t level) const {
    return weighted_
               ? VolumeView<float>(space_.data(weights_) + finerVoxels_[level], levels_[level].size)
               : VolumeView<float>();
}

double Pyramid::begin(const MotionInput& input, const ExecContext& ctx) const {
    const GrayMapping gray = grayMapping(input.scale);
    mapGray(input.fixed, gray, fixed(0), ctx);
    mapGray(input.moving, gray, moving(0), ctx);
    if (!weight(0).empty())
        std::copy_n(input.incompressibility.data, input.fixed.voxels(), weight(0).data);
    return 2 * 8.0 * static_cast<double>(input.fixed.voxels());
}

double Pyramid::decimate(const ExecContext& ctx) const {
    double bytes = 0;
    for (std::size_t n = 1; n < levels().size(); ++n) {
        ctx.throwIfCancelled();
        const std::array<int, 3> factor = levels()[n].factor;
        systole::decimate(fixed(n - 1), factor, fixed(n), ctx);
        systole::decimate(moving(n - 1), factor, moving(n), ctx);
        if (!weight(n).empty())
            systole::decimate(weight(n - 1), factor, weight(n), ctx);
        bytes +=
            2 * (smoothingBytes(fixed(n - 1).size) + 8.0 * static_cast<double>(fixed(n).voxels()));
    }
    return bytes;
}

std::size_t Pyramid::decimateBytes(Size3 finest) {
    // Decimation needs the smoothed volume and the scratch of smoothing.
    return 2 * BufferPool::blockBytes(sizeof(float) * finest.voxels());
}

} // namespace systole
