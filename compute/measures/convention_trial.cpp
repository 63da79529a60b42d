#include "compute/measures/convention_trial.h"

#include "compute/core/points.h"
#include "compute/measures/t_test.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/smooth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numeric>

namespace systole {
namespace {

constexpr int blockEdge = 6;
constexpr std::size_t maxBlocks = 500;
constexpr std::size_t fewestBlocks = 8;
constexpr double significance = 1e-3;
/// A better reading brings 1.25 times the gain of the other: an estimate that falls short of the
/// motion by a fifth brings 0.96 of all, and must not lose to a convention that stretches it.
constexpr double muchLess = 0.8;
constexpr double asMuch = 0.9;
/// Correlations of two readings that give the same displacements.
constexpr double equalWithin = 1e-3;

/// No motion, all conventions, and then displacements with flipped components.
std::vector<ConventionReading> allReadings() {
    std::vector<ConventionReading> all{{}};
    for (const FieldConvention& convention : fieldConventions())
        all.push_back({&convention});
    for (const FieldConvention& convention : fieldConventions())
        for (int flips = 1; flips < 8; ++flips) {
            const ConventionReading reading{&convention,
                                            {(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0}};
            // Flips of RAS are flips of LPS, and one of these is RAS itself.
            const bool isRas = convention.frame == VectorFrame::Lps && flips == 3;
            if (!convention.positions && convention.frame != VectorFrame::Ras && !isRas)
                all.push_back(reading);
        }
    return all;
}

const std::vector<ConventionReading>& readings() {
    static const std::vector<ConventionReading> all = allReadings();
    return all;
}

std::size_t readingOf(const FieldConvention* convention) {
    return 1 + static_cast<std::size_t>(convention - fieldConventions().data());
}

/// Voxels from `begin` to before `end` of a field's grid.
struct Block {
    std::array<int, 3> begin{}, end{};

    std::size_t voxels() const {
        std::size_t product = 1;
        for (std::size_t axis = 0; axis < 3; ++axis)
            product *= static_cast<std::size_t>(end[axis] - begin[axis]);
        return product;
    }
    template <typename Body>
    void overVoxels(const Body& body) const {
        for (int z = begin[2]; z < end[2]; ++z)
            for (int y = begin[1]; y < end[1]; ++y)
                for (int x = begin[0]; x < end[0]; ++x)
                    body(x, y, z);
    }
};

std::vector<Block> blocksOf(Size3 size) {
    std::vector<Block> blocks;
    const auto edge = [&](int axis) { return std::min(blockEdge, size[axis]); };
    for (int z = 0; z + edge(2) <= size.z; z += edge(2))
        for (int y = 0; y + edge(1) <= size.y; y += edge(1))
            for (int x = 0; x + edge(0) <= size.x; x += edge(0))
                blocks.push_back({{x, y, z}, {x + edge(0), y + edge(1), z + edge(2)}});
    return blocks;
}

/// A smoothed image, at points in LPS mm; beyond its border the value there.
class SmoothImage {
public:
    SmoothImage(const Volume& image, const ExecContext& ctx)
        : geometry_(image.geometry), smooth_(geometry_, *ctx.pool, "smoothed image") {
        smoothGaussian(image.view(), smooth_.view(), {1, 1, 1}, ctx);
    }
    double at(Vec3 point) const {
        Vec3 index = geometry_.physicalToIndex(point);
        for (int axis = 0; axis < 3; ++axis)
            index[axis] = std::clamp(index[axis], 0.0, geometry_.size()[axis] - 1.0);
        return valueAt(smooth_.view(), index);
    }
    const Geometry& geometry() const { return geometry_; }

private:
    Geometry geometry_;
    Volume smooth_;
};

double meanOf(const std::vector<double>& values) {
    return values.empty() ? 0
                          : std::accumulate(values.begin(), values.end(), 0.0) /
                                static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double meanA = meanOf(a), meanB = meanOf(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double varianceOf(const std::vector<double>& values) {
    const double mean = meanOf(values);
    double sum = 0;
    for (const double value : values)
        sum += (value - mean) * (value - mean);
    return sum;
}

/// The images through all readings of a field.
class Comparison {
public:
    Comparison(const RawField& field, const Volume& fixed, const Volume& moving,
               const ExecContext& ctx)
        : field_(field), fixed_(fixed, ctx), moving_(moving, ctx), ctx_(ctx) {
        for (const ConventionReading& reading : readings())
            maps_.emplace_back(
                reading.convention ? *reading.convention : fieldConventions().front(),
                field.geometry, isBackward(reading) ? fixed_.geometry() : moving_.geometry());
    }

    /// Blocks whose fixed image has most structure: at most half of all and `maxBlocks`.
    std::vector<Block> chosenBlocks() const {
        const std::vector<Block> all = blocksOf(field_.geometry.size());
        std::vector<double> variance(all.size());
        overItems(all.size(), 16, ctx_,
                  [&](std::size_t i) { variance[i] = varianceOf(standing(fixed_, all[i])); });
        std::vector<std::size_t> order(all.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater<>(),
                                 [&](std::size_t i) { return variance[i]; });
        order.resize(std::min(maxBlocks, (all.size() + 1) / 2));
        std::vector<Block> chosen;
        for (const std::size_t i : order)
            if (variance[i] > 0)
                chosen.push_back(all[i]);
        return chosen;
    }

    /// Correlation of the block for each reading.
    std::vector<double> correlationsIn(const Block& block) const {
        const std::vector<double> fixed = standing(fixed_, block),
                                  moving = standing(moving_, block);
        std::vector<double> found{correlation(fixed, moving)};
        for (std::size_t i = 1; i < readings().size(); ++i)
            found.push_back(isBackward(readings()[i])
                                ? correlation(moving, moved(fixed_, block, i))
                                : correlation(fixed, moved(moving_, block, i)));
        return found;
    }

private:
    static bool isBackward(const ConventionReading& reading) {
        return reading.convention && reading.convention->backward;
    }

    std::vector<double> standing(const SmoothImage& image, const Block& block) const {
        std::vector<double> values;
        values.reserve(block.voxels());
        block.overVoxels([&](int x, int y, int z) {
            values.push_back(image.at(centerOfVoxel(field_.geometry, x, y, z)));
        });
        return values;
    }

    std::vector<double> moved(const SmoothImage& image, const Block& block,
                              std::size_t reading) const {
        const VolumeView<const float> voxels(nullptr, field_.geometry.size());
        const std::array<bool, 3>& flipped = readings()[reading].flipped;
        std::vector<double> values;
        values.reserve(block.voxels());
        block.overVoxels([&](int x, int y, int z) {
            const float* const stored = field_.vectors.data() + 3 * voxels.offset(x, y, z);
            Vec3 vector;
            for (int axis = 0; axis < 3; ++axis)
                vector[axis] =
                    flipped[static_cast<std::size_t>(axis)] ? -stored[axis] : stored[axis];
            values.push_back(image.at(centerOfVoxel(field_.geometry, x, y, z) +
                                      maps_[reading].displacement(voxelPoint(x, y, z), vector)));
        });
        return values;
    }

    const RawField& field_;
    SmoothImage fixed_, moving_;
    std::vector<ConventionMap> maps_; ///< a map per reading
    const ExecContext& ctx_;
};

} // namespace

std::string ConventionReading::text() const {
    if (!convention)
        return "no motion";
    std::string text = convention->name;
    if (isFlipped()) {
        text += " with ";
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (flipped[axis])
                text += "xyz"[axis];
        text += " flipped";
    }
    return text;
}

void ConventionTrial::add(const RawField& field, const Volume& fixed, const Volume& moving,
                          const ExecContext& ctx) {
    const Comparison comparison(field, fixed, moving, ctx);
    const std::vector<Block> blocks = comparison.chosenBlocks();
    std::vector<std::vector<double>> found(blocks.size());
    overItems(blocks.size(), 4, ctx, [&](std::size_t i) {
        ctx.throwIfCancelled();
        found[i] = comparison.correlationsIn(blocks[i]);
    });
    correlations_.resize(readings().size());
    for (const std::vector<double>& block : found)
        for (std::size_t i = 0; i < block.size(); ++i)
            correlations_[i].push_back(block[i]);
}

double ConventionTrial::gain(std::size_t reading) const {
    return meanOf(correlations_[reading]) - meanOf(correlations_[0]);
}

bool ConventionTrial::significantlyBetter(std::size_t a, std::size_t b) const {
    std::vector<double> differences;
    for (std::size_t i = 0; i < correlations_[a].size(); ++i)
        differences.push_back(correlations_[a][i] - correlations_[b][i]);
    const TTest test = tTestAgainstZero(differences);
    return test.mean > 0 && test.p < significance;
}

bool ConventionTrial::better(std::size_t a, std::size_t b) const {
    return gain(b) < muchLess * gain(a) && significantlyBetter(a, b);
}

bool ConventionTrial::same(std::size_t a, std::size_t b) const {
    return std::ranges::equal(correlations_[a], correlations_[b],
                              [](double x, double y) { return std::abs(x - y) < equalWithin; });
}

/// Best of the readings of the allowed conventions; null: of all readings. The first of equal ones.
std::size_t ConventionTrial::best(const StatedConvention* allowed) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < correlations_.size(); ++i) {
        const ConventionReading& reading = readings()[i];
        const bool counts =
            !allowed || (!reading.isFlipped() && allowed->allows(*reading.convention));
        if (counts && (best == 0 || gain(i) > gain(best)))
            best = i;
    }
    return best;
}

std::vector<ConventionTrial::Score> ConventionTrial::scores() const {
    std::vector<Score> scores;
    for (std::size_t i = 0; i < correlations_.size(); ++i)
        if (!readings()[i].isFlipped())
            scores.push_back({readings()[i], meanOf(correlations_[i])});
    return scores;
}

namespace {

std::string numbersOf(const std::vector<std::vector<double>>& correlations,
                      std::initializer_list<std::size_t> which) {
    std::string text;
    for (const std::size_t i : which)
        text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", readings()[i].text(),
                            meanOf(correlations[i]));
    return text;
}

} // namespace

ConventionTrial::Verdict ConventionTrial::judgeClaimed(std::size_t claimed) const {
    const std::size_t rival = best(nullptr);
    const FieldConvention* const convention = readings()[claimed].convention;
    const std::string numbers = numbersOf(correlations_, {claimed, 0, rival});
    if (rival != claimed && better(rival, claimed))
        return {Outcome::Refused, convention,
                fmt::format("the images are more alike through another reading (correlation: {})",
                            numbers)};
    if (significantlyBetter(0, claimed))
        return {Outcome::Refused, convention,
                fmt::format("it makes the images less alike (correlation: {})",
                            numbersOf(correlations_, {claimed, 0}))};
    if (significantlyBetter(claimed, 0))
        return {
            Outcome::Proved, convention,
            fmt::format("correlation of the images: {}", numbersOf(correlations_, {claimed, 0}))};
    return {Outcome::Unclear, convention,
            fmt::format("the images don't tell (correlation: {})", numbers)};
}

ConventionTrial::Verdict ConventionTrial::judge(const FieldConvention* claimed,
                                                const StatedConvention& stated) const {
    if (correlations_.empty() || correlations_.front().size() < fewestBlocks)
        return {Outcome::Unclear, claimed, "the images have too little structure on the field"};
    if (claimed)
        return judgeClaimed(readingOf(claimed));
    const std::size_t found = best(&stated), any = best(nullptr);
    const std::string numbers = numbersOf(correlations_, {found, 0});
    if (any != found && better(any, found))
        return {Outcome::Refused, nullptr,
                fmt::format("no convention fits (correlation of the images: {})",
                            numbersOf(correlations_, {found, 0, any}))};
    if (!significantlyBetter(found, 0))
        return {
            significantlyBetter(0, found) ? Outcome::Refused : Outcome::Unclear, nullptr,
            fmt::format("no convention makes the images more alike (correlation: {})", numbers)};
    for (std::size_t i = 1; i <= fieldConventions().size(); ++i)
        if (i != found && stated.allows(*readings()[i].convention) && !same(i, found) &&
            (gain(i) >= asMuch * gain(found) || !significantlyBetter(found, i)))
            return {Outcome::Unclear, nullptr,
                    fmt::format("several conventions fit (correlation of the images: {})",
                                numbersOf(correlations_, {found, i, 0}))};
    return {Outcome::Proved, readings()[found].convention,
            fmt::format("correlation of the images: {}", numbers)};
}

} // namespace systole
