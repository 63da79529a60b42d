#include "compute/ops/pyramid.h"

#include "compute/ops/decimation.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int coarsestAxisSamples = 16;

std::array<int, 3> halving(Size3 size, Vec3 spacing) {
    const double smallest = smallestOf(spacing);
    std::array<int, 3> factor{1, 1, 1};
    for (int axis = 0; axis < 3; ++axis)
        if (spacing[axis] <= 1.5 * smallest && size[axis] >= coarsestAxisSamples)
            factor[static_cast<std::size_t>(axis)] = 2;
    return factor;
}

Size3 halved(Size3 size, std::array<int, 3> factor) {
    return {decimatedVoxels(size.x, factor[0]), decimatedVoxels(size.y, factor[1]),
            decimatedVoxels(size.z, factor[2])};
}

} // namespace

double smallestOf(Vec3 spacing) { return std::min({spacing.x, spacing.y, spacing.z}); }

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

LevelVolumes::LevelVolumes(const char* name, const std::vector<PyramidLevel>& levels, int count,
                           Workspace& space)
    : levels_(levels), count_(count), space_(space) {
    for (const PyramidLevel& level : levels_)
        blocks_.push_back(
            space.add<float>(name, static_cast<std::size_t>(count) * level.size.voxels()));
}

VolumeView<float> LevelVolumes::at(std::size_t level, int which) const {
    if (which >= count_)
        return {};
    const Size3 size = levels_[level].size;
    return {space_.data(blocks_[level]) + static_cast<std::size_t>(which) * size.voxels(), size};
}

double LevelVolumes::decimate(const ExecContext& ctx) const {
    double bytes = 0;
    for (std::size_t level = 1; level < levels_.size(); ++level)
        for (int which = 0; which < count_; ++which) {
            ctx.throwIfCancelled();
            const VolumeView<float> fine = at(level - 1, which), coarse = at(level, which);
            systole::decimate(fine, levels_[level].factor, coarse, ctx);
            bytes += decimationBytes(fine.size, coarse.size);
        }
    return bytes;
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
    weights_.decimate(ctx);
    return images_.decimate(ctx);
}

std::size_t Pyramid::decimateBytes(Size3 finest) {
    return BufferPool::blockBytes(sizeof(float) * finest.voxels()); // where z alone is decimated
}

} // namespace systole
