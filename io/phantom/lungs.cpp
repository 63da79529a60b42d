#include "io/phantom/lungs.h"

#include "compute/core/error.h"
#include "io/phantom/lung_tissue.h"
#include "io/phantom/random_streams.h"
#include "io/phantom/voxels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double landmarkDistance = 5, wallMargin = 4;

Vec3 extentsOf(const Geometry& grid) {
    Vec3 extents;
    const Matrix3& m = grid.voxelToPhysicalMatrix();
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            extents[static_cast<int>(row)] +=
                std::abs(m[row][column]) * grid.size()[static_cast<int>(column)];
    return extents;
}

/// How the mean over a slice's thickness is taken.
int planesPerSlice(const Geometry& grid) {
    const Vec3 spacing = grid.spacing();
    return spacing.z > 1.2 * std::min(spacing.x, spacing.y) ? 3 : 1;
}

} // namespace

LungPhantom::LungPhantom(const LungOptions& options)
    : options_(options)
    , center_(options.grid.center())
    , shape_(extentsOf(options.grid))
    , tissue_(std::make_unique<LungTissue>(shape_, options.seed)) {
    if (options.frames < 1)
        throw ComputeError("a phantom needs at least one frame");
    if (!(options.breathMillimeters >= 0 && options.breathMillimeters <= shape_.largestBreath()))
        throw ComputeError(fmt::format("in a grid of this height the lungs can move by 0 to {:.3g} "
                                       "mm without folding, not {:g} mm",
                                       shape_.largestBreath(), options.breathMillimeters));
    if (!(options.unevenness >= 0 && options.unevenness <= 0.5))
        throw ComputeError("the unevenness of the lungs' motion must lie between 0 and 0.5");
    if (!(options.noiseHounsfield >= 0 && options.noiseHounsfield <= 500))
        throw ComputeError("the noise of the lung phantom must lie between 0 and 500");
}

LungPhantom::~LungPhantom() = default;

double LungPhantom::exhalation(int frame) const {
    return 0.5 * (1 - std::cos(2 * std::numbers::pi * frame / options_.frames));
}

LungMotion LungPhantom::motionTo(double exhalation) const {
    return {shape_, options_.breathMillimeters, exhalation, options_.unevenness};
}

Vec3 LungPhantom::forward(Vec3 p, double exhalation) const {
    return motionTo(exhalation).forward(toOwn(p)) + center_;
}

Vec3 LungPhantom::inverse(Vec3 p, double exhalation) const {
    return motionTo(exhalation).inverse(toOwn(p)) + center_;
}

void LungPhantom::image(int frame, VolumeView<float> voxels, const ExecContext& ctx) const {
    const LungMotion motion = motionTo(exhalation(frame));
    const int planes = planesPerSlice(options_.grid);
    const auto noise = static_cast<float>(options_.noiseHounsfield);
    const std::uint64_t stream = lungNoise + 16 * static_cast<std::uint64_t>(frame);
    forEachVoxel(voxels.size, ctx, [&](std::size_t i, int x, int y, int z) {
        if (x == 0)
            ctx.throwIfCancelled();
        float sum = 0;
        for (int plane = 0; plane < planes; ++plane) {
            Vec3 index = indexOf(x, y, z);
            index.z += (plane + 0.5) / planes - 0.5;
            const Vec3 p = motion.inverse(toOwn(options_.grid.indexToPhysical(index)));
            sum += tissue_->hounsfield(p, options_.keepsMass ? motion.determinant(p) : 1);
        }
        const float value = sum / static_cast<float>(planes) +
                            noise * normalPair(randomBits(options_.seed, stream, i)).first;
        voxels.data[i] = std::round(std::clamp(value, -1024.0f, 3071.0f));
    });
}

VectorField LungPhantom::truth(int fixedFrame, int movingFrame, const ExecContext& ctx) const {
    const LungMotion fixed = motionTo(exhalation(fixedFrame));
    const LungMotion moving = motionTo(exhalation(movingFrame));
    return trueMotion(options_.grid, ctx, [&](Vec3 lps) {
        const Vec3 p = toOwn(lps);
        return moving.forward(fixed.inverse(p)) - p;
    });
}

std::vector<std::uint8_t> LungPhantom::lungs(int frame, const ExecContext& ctx) const {
    const Geometry& grid = options_.grid;
    const LungMotion motion = motionTo(exhalation(frame));
    std::vector<std::uint8_t> mask(grid.voxels());
    forEachVoxel(grid.size(), ctx, [&](std::size_t i, int x, int y, int z) {
        mask[i] = shape_.inLung(motion.inverse(toOwn(grid.indexToPhysical(indexOf(x, y, z)))));
    });
    return mask;
}

std::vector<Vec3> LungPhantom::landmarks(int count, const ExecContext& ctx) const {
    const Geometry& grid = options_.grid;
    std::vector<float> scores(grid.voxels());
    forEachVoxel(grid.size(), ctx, [&](std::size_t i, int x, int y, int z) {
        const Vec3 p = toOwn(grid.indexToPhysical(indexOf(x, y, z)));
        const auto isInside = [&](Vec3 shift) { return shape_.inLung(p + shift); };
        const bool clear = isInside({wallMargin, 0, 0}) && isInside({-wallMargin, 0, 0}) &&
                           isInside({0, wallMargin, 0}) && isInside({0, -wallMargin, 0}) &&
                           isInside({0, 0, wallMargin}) && isInside({0, 0, -wallMargin});
        scores[i] = clear ? tissue_->meeting(p) : 0;
    });
    constexpr float faintest = 0.02f;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i] > faintest)
            order.push_back(i);
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    std::vector<Vec3> points;
    const auto sx = static_cast<std::size_t>(grid.size().x);
    const auto sy = static_cast<std::size_t>(grid.size().y);
    for (const std::size_t i : order) {
        if (static_cast<int>(points.size()) >= count)
            break;
        const Vec3 p =
            grid.indexToPhysical(indexOf(static_cast<int>(i % sx), static_cast<int>(i / sx % sy),
                                         static_cast<int>(i / sx / sy)));
        if (std::ranges::none_of(points, [&](Vec3 q) { return length(p - q) < landmarkDistance; }))
            points.push_back(p);
    }
    return points;
}

} // namespace systole
