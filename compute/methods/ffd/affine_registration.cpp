#include "compute/methods/ffd/affine_registration.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole::affine {
namespace {

/// A single correction beyond this (of the linear part's entries) isn't one.
constexpr double largestCorrection = 0.5;
/// A level that ends with less similarity than it had by this went astray.
constexpr double similarityLost = 0.02;

Vec3 voxels(const BlockMatch& m) {
    return {static_cast<double>(m.x), static_cast<double>(m.y), static_cast<double>(m.z)};
}

VoxelMap voxelMap(const Geometry& from, const Geometry& to, const AffineMap& map) {
    const auto image = [&](Vec3 voxel) {
        return to.physicalToIndex(map(from.indexToPhysical(voxel)));
    };
    const Vec3 origin = image({0, 0, 0});
    const Vec3 columns[] = {image({1, 0, 0}) - origin, image({0, 1, 0}) - origin,
                            image({0, 0, 1}) - origin, origin};
    VoxelMap result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column)
            result[row][column] = static_cast<float>(columns[column][static_cast<int>(row)]);
    return result;
}

AffineMap inverseOf(const AffineMap& map) {
    const std::optional<AffineMap> inverse = map.inverse();
    if (!inverse)
        throw ComputeError("the affine map from the fixed to the moving image has no inverse");
    return *inverse;
}

double largestEntry(const AffineMap& map) {
    double largest = 0;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            largest =
                std::max(largest, std::abs(map.matrix[row][column] - (row == column ? 1.0 : 0.0)));
    return largest;
}

} // namespace

std::vector<int> blocksThatVary(const std::vector<float>& variances, double share,
                                const char* image) {
    std::vector<int> chosen;
    int inMask = 0;
    for (std::size_t b = 0; b < variances.size(); ++b) {
        inMask += variances[b] >= 0 ? 1 : 0;
        if (variances[b] > 0)
            chosen.push_back(static_cast<int>(b));
    }
    if (inMask == 0)
        throw ComputeError(fmt::format("the mask of the {} image leaves nothing to compare: no "
                                       "block of 4×4×4 voxels is half in it",
                                       image));
    if (chosen.empty())
        throw ComputeError(fmt::format(
            "the {} image can't be registered: it is constant, so all its places are alike",
            image));
    const auto keep = std::min(
        chosen.size(), static_cast<std::size_t>(std::ceil(share * static_cast<double>(inMask))));
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(keep - 1),
                     chosen.end(), [&](int a, int b) {
                         const float va = variances[static_cast<std::size_t>(a)],
                                     vb = variances[static_cast<std::size_t>(b)];
                         return va > vb || (va == vb && a < b);
                     });
    chosen.resize(keep);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

const Geometry& Registration::gridAt(Side side) const {
    const ImageLevels& of = side == Side::Fixed ? levels_.fixed : levels_.moving;
    return of.grids[of.ofLevel[static_cast<std::size_t>(level_)]];
}

void Registration::enter(int level) {
    level_ = level;
    // A coarse level has few blocks: all of them are used on the coarsest.
    const double share = level == coarsest_ ? 1 : p_.blocks;
    choose(Side::Fixed, share);
    if (p_.symmetric)
        choose(Side::Moving, share);
    const Geometry& grid = gridAt(Side::Fixed);
    first_ = last_ = BlockGrid{grid.size()}.center(blocks(Side::Fixed)[0]);
    for (const int block : blocks(Side::Fixed)) {
        const Vec3 center = BlockGrid{grid.size()}.center(block);
        for (int axis = 0; axis < 3; ++axis) {
            first_[axis] = std::min(first_[axis], center[axis]);
            last_[axis] = std::max(last_[axis], center[axis]);
        }
    }
    report_ = {grid.size(), grid.spacing(), static_cast<int>(blocks(Side::Fixed).size()),
               false,       true,           {}};
}

void Registration::observe(bool observed, const AffineMap& map, double similarity) const {
    if (observed && observe_)
        observe_({map, level_, static_cast<int>(report_.iterations.size()), 1 - similarity});
}

bool Registration::settle(AffineMap& map, Freedom freedom, bool observed) {
    AffineMap best = map;
    double bestSimilarity = -2;
    report_.converged = false;
    for (int n = 0; n < p_.iterations; ++n) {
        ctx_.throwIfCancelled();
        AffineMap next;
        const std::optional<AffineIteration> done = iterate(map, freedom, next);
        if (!done)
            return false;
        report_.iterations.push_back(*done);
        if (done->similarity > bestSimilarity) {
            bestSimilarity = done->similarity;
            best = map;
        } else if (done->similarity < bestSimilarity - similarityLost) {
            map = best;
            observe(observed, map, bestSimilarity);
            return true;
        }
        map = next;
        observe(observed, map, done->similarity);
        if (done->change < p_.tolerance) {
            report_.converged = true;
            return true;
        }
    }
    return true;
}

void Registration::choose(Side side, double share) {
    blocks(side) = blocksThatVary(steps_.variances(side, level_), share,
                                  side == Side::Fixed ? "fixed" : "moving");
    steps_.setBlocks(side, blocks(side));
    // The parabola errs where a block's surroundings differ to either side: by as much as when
    // it is looked for in its own image, where the answer is known.
    Bias& bias = side == Side::Fixed ? bias_[0] : bias_[1];
    bias.clear();
    for (const BlockMatch& m : steps_.matchItself(side, level_, {1, sign()}))
        bias.push_back(voxels(m));
}

Registration::Found Registration::find(Side side, const AffineMap& map) {
    // The motion that coarser levels have found leaves little to search for, and fewer of few
    // windows are alike by chance.
    const int radius = level_ == coarsest_ ? searchRadius : report_.iterations.empty() ? 2 : 1;
    const Geometry& here = gridAt(side);
    const Geometry& there = gridAt(side == Side::Fixed ? Side::Moving : Side::Fixed);
    const std::span<const BlockMatch> matches =
        steps_.match(side, level_, voxelMap(here, there, map), {radius, sign()});
    const Bias& bias = side == Side::Fixed ? bias_[0] : bias_[1];
    const BlockGrid grid{here.size()};
    const AffineMap toThere = compose(map, {here.voxelToPhysicalMatrix(), here.origin()});
    Found found;
    found.pairs.reserve(matches.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        const BlockMatch& m = matches[i];
        if (!std::isnan(m.here))
            found.similarity += static_cast<double>(m.here);
        if (!(m.correlation > 0))
            continue;
        const Vec3 center = grid.center(blocks(side)[i]);
        found.pairs.push_back({toThere(center), toThere(center + voxels(m) - bias[i])});
    }
    found.similarity /= static_cast<double>(matches.size());
    return found;
}

TrimmedFit Registration::correction(const std::vector<PointPair>& pairs, Freedom freedom) const {
    // The first one of all is the whole search from the fit of all pairs. From then on the map is
    // nearly right, and a single C-step from the pairs that it already fits is taken before the
    // blocks are matched again: where most have no counterpart, as in the brains of two people, the
    // squares of the best half have minima everywhere, and more steps would lead to any.
    const ScopedSpan span(ctx_.profile, "fit", "least trimmed squares");
    const bool first = level_ == coarsest_ && report_.iterations.empty();
    if (freedom == Freedom::Affine && static_cast<int>(pairs.size()) >= minPairsForAffine) {
        TrimmedFit fit = leastTrimmedSquares(pairs, p_.inliers, freedom, {}, 1);
        if (largestEntry(fit.map) <= largestCorrection)
            return fit;
    }
    if (first)
        return leastTrimmedSquares(pairs, p_.inliers, Freedom::Rigid,
                                   leastSquares(pairs, Freedom::Rigid), 30);
    return leastTrimmedSquares(pairs, p_.inliers, Freedom::Rigid, {}, 1);
}

std::optional<AffineIteration> Registration::iterate(const AffineMap& map, Freedom freedom,
                                                     AffineMap& next) {
    const Found forward = find(Side::Fixed, map);
    if (static_cast<int>(forward.pairs.size()) < minPairs)
        return std::nullopt;
    const TrimmedFit fit = correction(forward.pairs, freedom);
    next = compose(fit.map, map);
    if (p_.symmetric) {
        const AffineMap back = inverseOf(map);
        const Found backward = find(Side::Moving, back);
        if (static_cast<int>(backward.pairs.size()) < minPairs)
            return std::nullopt;
        const AffineMap other = inverseOf(compose(correction(backward.pairs, freedom).map, back));
        if (const std::optional<AffineMap> middle = halfWay(next, other))
            next = *middle;
    }
    AffineIteration done;
    done.rigid = freedom == Freedom::Rigid;
    done.similarity = forward.similarity;
    done.change = change(map, next);
    done.pairs = static_cast<int>(forward.pairs.size());
    done.kept = static_cast<int>(fit.kept.size());
    done.rms = fit.rms;
    return done;
}

double Registration::change(const AffineMap& before, const AffineMap& after) const {
    const Geometry& here = gridAt(Side::Fixed);
    double largest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p =
            here.indexToPhysical({(corner & 1 ? last_ : first_).x, (corner & 2 ? last_ : first_).y,
                                  (corner & 4 ? last_ : first_).z});
        largest = std::max(largest, length(after(p) - before(p)));
    }
    return largest / smallestSpacing(here);
}

} // namespace systole::affine
