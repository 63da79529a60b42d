#include "compute/motion/motion_range.h"

#include "compute/core/median.h"
#include "compute/core/motion_start.h"
#include "compute/motion/gray_range.h"
#include "compute/motion/methods.h"
#include "compute/ops/pyramid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t coarseVoxels = 64000;   ///< enough for one figure, and quickly estimated
constexpr std::size_t readVoxels = 32u << 20; ///< reading more would delay the first picture
constexpr int fewestPairs = 5, estimatedPairs = 5;
/// Factor for the motion that an estimation on a coarse grid loses, because smoothing reaches
/// farther there: a quarter, measured on the bundled sequence.
constexpr double coarseGain = 1.3;
constexpr double highestPart = 0.99;
/// Fraction of the gray range: air, whose motion isn't shown either.
constexpr double darkestPart = 0.08;

/// Averages over blocks of voxels: the first grid of the pyramid that is coarse enough.
Volume coarsened(const Geometry& grid, VolumeView<const float> voxels, BufferPool& pool) {
    std::vector<PyramidLevel> levels = pyramidLevels(grid.size(), grid.spacing(), 16);
    while (levels.size() > 1 && levels[levels.size() - 2].size.voxels() <= coarseVoxels)
        levels.pop_back();
    const std::array<int, 3> factor = totalFactor(levels);
    Size3 size;
    Vec3 spacing;
    int* const sizes[] = {&size.x, &size.y, &size.z};
    for (int axis = 0; axis < 3; ++axis) {
        const int step = factor[static_cast<std::size_t>(axis)];
        *sizes[axis] = std::max(1, grid.size()[axis] / step);
        spacing[axis] = step * grid.spacing()[axis];
    }
    Volume coarse(Geometry(size, spacing), pool, "coarse frame");
    const VolumeView<float> out = coarse.view();
    std::fill(out.span().begin(), out.span().end(), 0.0f);
    const float weight = 1.0f / static_cast<float>(factor[0] * factor[1] * factor[2]);
    for (int z = 0; z < size.z * factor[2]; ++z)
        for (int y = 0; y < size.y * factor[1]; ++y) {
            const float* from = voxels.row(y, z);
            float* to = out.row(y / factor[1], z / factor[2]);
            for (int x = 0; x < size.x; ++x) {
                float sum = 0;
                for (int i = 0; i < factor[0]; ++i)
                    sum += from[x * factor[0] + i];
                to[x] += weight * sum;
            }
        }
    return coarse;
}

double gainOn(const Geometry& coarse, const Geometry& grid) {
    return coarse.voxels() < grid.voxels() ? coarseGain : 1;
}

double rangeOf(const Volume& fixed, const Volume& moving, const IntensityScale& scale,
               const ExecContext& ctx) {
    const MotionMethod& method = motionMethods().front();
    const auto estimator = method.make(ParamSet(*method.parameters), Backend::Cpu);
    VectorField field = fieldAtRest(fixed.geometry, *ctx.pool, "coarse motion");
    ExecContext quiet = ctx;
    quiet.backend = Backend::Cpu;
    quiet.profile = nullptr;
    quiet.progress = {};
    estimator->estimate(motionInput(fixed, moving, scale), field.view(), quiet);

    const float darkest = scale.low + static_cast<float>(darkestPart) * (scale.high - scale.low);
    const FieldView<const float> view = std::as_const(field).view();
    std::vector<double> magnitudes;
    for (std::size_t i = 0; i < view.size.voxels(); ++i) {
        const double mm =
            length(fixed.geometry.voxelVectorToPhysical({view.u[i], view.v[i], view.w[i]}));
        if (fixed.voxels.data()[i] >= darkest && std::isfinite(mm))
            magnitudes.push_back(mm);
    }
    return magnitudes.empty() ? 0 : percentile(std::move(magnitudes), highestPart);
}

/// Number of pairs that are looked at. The pair from the last frame to the first isn't one of them:
/// where the frames aren't a whole cycle, its motion is none between neighbors.
int pairsOf(const Sequence& sequence) {
    const std::size_t voxels = std::max<std::size_t>(1, sequence.geometry.voxels());
    const auto affordable = static_cast<int>(std::min<std::size_t>(readVoxels / voxels, 100000));
    const int all = std::max(0, sequence.frames - 1);
    // All pairs need every frame once, some pairs need two frames each.
    const int pairs = affordable >= sequence.frames ? all : affordable / 2;
    return std::clamp(pairs, std::min(fewestPairs, all), all);
}

/// The coarse frames of the pairs by their index. `gray`, if any, also sees frames on their own
/// grid: `grayFrames` spread over the sequence.
std::map<int, Volume> coarseFrames(const Sequence& sequence, int pairs, GrayRange* gray,
                                   int grayFrames, const ExecContext& ctx) {
    std::map<int, bool> isForGray; // ascending: compressed files are read forward
    for (int n = 0; n < pairs; ++n) {
        const int fixed = spreadFrame(n, pairs, sequence.frames - 1);
        isForGray[fixed] = isForGray[fixed + 1] = false;
    }
    for (int n = 0; gray && n < grayFrames; ++n)
        isForGray[spreadFrame(n, grayFrames, sequence.frames)] = true;
    Buffer<float> buffer =
        ctx.pool->acquire<float>(sequence.geometry.voxels(), "range of the motion");
    const VolumeView<float> frame(buffer.data(), sequence.geometry.size());
    std::map<int, Volume> coarse;
    for (const auto& [index, forGray] : isForGray) {
        ctx.throwIfCancelled();
        ctx.report("Reading the range of values and motion",
                   static_cast<double>(coarse.size()) / static_cast<double>(isForGray.size()));
        try {
            sequence.source->read(index, frame);
        } catch (const std::exception&) {
            if (forGray)
                throw;
            continue; // reported when the frame is due
        }
        if (forGray)
            gray->add(frame);
        coarse.emplace(index, coarsened(sequence.geometry, frame, *ctx.pool));
    }
    return coarse;
}

double meanDifference(const Volume& a, const Volume& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.voxels.size(); ++i)
        sum += static_cast<double>(std::abs(a.voxels.data()[i] - b.voxels.data()[i]));
    return sum / static_cast<double>(a.voxels.size());
}

struct CoarsePair {
    double difference;
    const Volume *fixed, *moving;
};

CoarsePair pairOf(const Volume& fixed, const Volume& moving) {
    return {meanDifference(fixed, moving), &fixed, &moving};
}

/// Where frames differ most, most has moved: only those pairs are estimated.
double rangeOver(std::vector<CoarsePair> all, const Sequence& sequence, const IntensityScale& scale,
                 const ExecContext& ctx) {
    const bool many = all.size() >= fewestPairs;
    std::ranges::stable_sort(all, std::greater(), &CoarsePair::difference);
    all.resize(std::min<std::size_t>(all.size(), estimatedPairs));
    std::vector<double> ranges;
    for (const CoarsePair& pair : all) {
        ctx.report("Estimating the range of motion",
                   static_cast<double>(ranges.size()) / static_cast<double>(all.size()));
        ranges.push_back(gainOn(pair.fixed->geometry, sequence.geometry) *
                         rangeOf(*pair.fixed, *pair.moving, scale, ctx));
    }
    std::ranges::sort(ranges, std::greater());
    // A single pair that stands out among many, perhaps by a failure, doesn't set the scale.
    return ranges.empty() ? 0 : many ? ranges[1] : ranges[0];
}

double rangeOfNeighbors(const std::map<int, Volume>& coarse, int pairs, const Sequence& sequence,
                        const IntensityScale& scale, const ExecContext& ctx) {
    std::vector<CoarsePair> all;
    for (int n = 0; n < pairs; ++n) {
        const int first = spreadFrame(n, pairs, sequence.frames - 1);
        const auto fixed = coarse.find(first), moving = coarse.find(first + 1);
        if (fixed != coarse.end() && moving != coarse.end())
            all.push_back(pairOf(fixed->second, moving->second));
    }
    return rangeOver(std::move(all), sequence, scale, ctx);
}

double rangeSinceFirst(const std::map<int, Volume>& coarse, const Sequence& sequence,
                       const IntensityScale& scale, const ExecContext& ctx) {
    std::vector<CoarsePair> all;
    const auto first = coarse.find(0);
    for (const auto& [index, frame] : coarse)
        if (first != coarse.end() && index > 0)
            all.push_back(pairOf(first->second, frame));
    return rangeOver(std::move(all), sequence, scale, ctx);
}

} // namespace

double motionRange(const Volume& fixed, const Volume& moving, const IntensityScale& scale,
                   const ExecContext& ctx) {
    const Volume coarse = coarsened(fixed.geometry, fixed.view(), *ctx.pool);
    return gainOn(coarse.geometry, fixed.geometry) *
           rangeOf(coarse, coarsened(moving.geometry, moving.view(), *ctx.pool), scale, ctx);
}

double motionRange(const Sequence& sequence, const IntensityScale& scale, const ExecContext& ctx) {
    const int pairs = pairsOf(sequence);
    return rangeOfNeighbors(coarseFrames(sequence, pairs, nullptr, 0, ctx), pairs, sequence, scale,
                            ctx);
}

SequenceRanges sequenceRanges(const Sequence& sequence, const ExecContext& ctx,
                              const std::function<void(const IntensityScale&)>& grayKnown) {
    const int pairs = pairsOf(sequence);
    const int grayFrames = std::min(defaultGrayFrames, sequence.frames);
    GrayRange gray(grayFrames);
    const std::map<int, Volume> coarse = coarseFrames(sequence, pairs, &gray, grayFrames, ctx);
    SequenceRanges ranges;
    ranges.gray = gray.scale();
    if (grayKnown)
        grayKnown(ranges.gray);
    ranges.motion = rangeOfNeighbors(coarse, pairs, sequence, ranges.gray, ctx);
    ranges.motionSinceFirst = rangeSinceFirst(coarse, sequence, ranges.gray, ctx);
    return ranges;
}

} // namespace systole
