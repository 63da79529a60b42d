#include "compute/methods/ffd/unfold.h"

#include "compute/core/neighbors.h"
#include "compute/methods/ffd/determinant_bound.h"
#include "compute/ops/exponential.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Rounds of averaging. From the second number on, points that were marked stay so, and every few
/// rounds those around them are, too, until there is room for the displacement.
constexpr int maxRounds = 96, firstGrowingRound = 24, roundsOfGrowth = 4;
/// Then all points are halved until nothing folds; those that fold even then become 0.
constexpr int maxHalvings = 64;

class Unfolding {
public:
    Unfolding(ControlPointsView<float> points, FieldView<const float> start, Vec3 unit,
              const ExecContext& ctx)
        : points_(points.values)
        , start_(start)
        , tiles_(points.grid.tiles())
        , bound_(points.grid, unit)
        , ctx_(ctx)
        , marks_(points_.size.voxels()) {}

    bool run() {
        std::vector<char> tiles(tiles_.voxels(), 1), folded(tiles.size());
        if (!start_.empty() && findFolded(start_, 2 * minFfdDeterminant, tiles, folded))
            return false;
        int round = 0;
        for (; findFolded(sum(), minFfdDeterminant, tiles, folded); ++round) {
            ctx_.throwIfCancelled();
            if (round < maxRounds) {
                mark(folded, round);
                average();
                tiles = tilesOfMarks();
            } else {
                shorten(round < maxRounds + maxHalvings ? 0.5f : 0.0f);
                std::fill(tiles.begin(), tiles.end(), 1);
            }
        }
        return round > 0;
    }

private:
    /// Points and start.
    FieldView<const float> sum() {
        if (start_.empty())
            return points_;
        sum_.resize(3 * points_.size.voxels());
        const FieldView<float> all(sum_.data(), points_.size);
        for (int c = 0; c < 3; ++c)
            for (std::size_t i = 0; i < points_.size.voxels(); ++i)
                all.component(c)[i] = points_.component(c)[i] + start_.component(c)[i];
        return all;
    }
    /// folded[tile] ← 1 for those of `tiles` that may have a determinant below `bound`, 0 for the
    /// others of them. Returns whether any is 1.
    bool findFolded(FieldView<const float> points, double bound, const std::vector<char>& tiles,
                    std::vector<char>& folded) const {
        // Row by row: most tiles that take long lie in few planes.
        overItems(rowIndex(tiles_, 0, tiles_.z), 1, ctx_, [&](std::size_t number) {
            const int ty = static_cast<int>(number) % tiles_.y,
                      tz = static_cast<int>(number) / tiles_.y;
            std::size_t tile = VolumeView<char>(nullptr, tiles_).offset(0, ty, tz);
            const auto row = tiles.begin() + static_cast<std::ptrdiff_t>(tile);
            if (std::find(row, row + tiles_.x, 1) == row + tiles_.x)
                return;
            std::vector<char> mild;
            bound_.mildTilesOfRow(points, ty, tz, bound, mild);
            for (int tx = 0; tx < tiles_.x; ++tx, ++tile)
                if (tiles[tile] != 0)
                    folded[tile] = mild[static_cast<std::size_t>(tx)] == 0 &&
                                   !bound_.isAtLeast(bound, points, tx, ty, tz);
        });
        return std::find(folded.begin(), folded.end(), 1) != folded.end();
    }
    /// Calls body(point) for the 64 points of a tile.
    template <typename Body>
    void overPointsOf(int tx, int ty, int tz, const Body& body) const {
        const VolumeView<const float> points = points_.componentView(0);
        for (int n = 0; n < 64; ++n)
            body(points.offset(tx + n % 4, ty + n / 4 % 4, tz + n / 16));
    }
    template <typename Body>
    void overTiles(const Body& body) const {
        std::size_t tile = 0;
        for (int tz = 0; tz < tiles_.z; ++tz)
            for (int ty = 0; ty < tiles_.y; ++ty)
                for (int tx = 0; tx < tiles_.x; ++tx)
                    body(tile++, tx, ty, tz);
    }
    /// Marks the points of folded tiles.
    void mark(const std::vector<char>& folded, int round) {
        if (round <= firstGrowingRound)
            std::fill(marks_.begin(), marks_.end(), 0);
        else if (round % roundsOfGrowth == 0) {
            const std::vector<char> before = marks_;
            const VolumeView<const char> old(before.data(), points_.size);
            const VolumeView<char> out(marks_.data(), points_.size);
            overVoxels(points_.size, ctx_, [&](int x, int y, int z) {
                overFaces(points_.size, x, y, z, [&](int i, int j, int k) {
                    if (old(i, j, k) != 0)
                        out(x, y, z) = 1;
                });
            });
        }
        overTiles([&](std::size_t tile, int tx, int ty, int tz) {
            if (folded[tile] != 0)
                overPointsOf(tx, ty, tz, [&](std::size_t point) { marks_[point] = 1; });
        });
    }
    /// The tiles that depend on marked points.
    std::vector<char> tilesOfMarks() const {
        std::vector<char> tiles(tiles_.voxels());
        overTiles([&](std::size_t tile, int tx, int ty, int tz) {
            overPointsOf(tx, ty, tz, [&](std::size_t point) { tiles[tile] |= marks_[point]; });
        });
        return tiles;
    }
    /// Marked points go halfway to the mean of their neighbors.
    void average() {
        const Size3 size = points_.size;
        for (int c = 0; c < 3; ++c) {
            const std::vector<float> before(points_.component(c),
                                            points_.component(c) + size.voxels());
            const VolumeView<const float> old(before.data(), size);
            const VolumeView<float> out = points_.componentView(c);
            overVoxels(size, ctx_, [&](int x, int y, int z) {
                if (marks_[old.offset(x, y, z)] == 0)
                    return;
                float sum = 0;
                int count = 0;
                overFaces(size, x, y, z, [&](int i, int j, int k) {
                    sum += old(i, j, k);
                    ++count;
                });
                out(x, y, z) = 0.5f * (old(x, y, z) + sum / static_cast<float>(count));
            });
        }
    }
    /// All points, times `factor`; 0: also those that aren't finite.
    void shorten(float factor) {
        for (int c = 0; c < 3; ++c)
            for (float& value : points_.componentView(c).span())
                value = factor > 0 ? factor * value : 0;
    }

    FieldView<float> points_;
    FieldView<const float> start_;
    Size3 tiles_;
    DeterminantBound bound_;
    const ExecContext& ctx_;
    std::vector<float> sum_;
    std::vector<char> marks_;
};

} // namespace

bool unfold(ControlPointsView<float> points, FieldView<const float> start, Vec3 unit,
            const ExecContext& ctx) {
    return Unfolding(points, start, unit, ctx).run();
}

bool isAffine(FieldView<const float> points) {
    constexpr float tolerance = 1e-3f;
    const Size3 size = points.size;
    for (int c = 0; c < 3; ++c) {
        const VolumeView<const float> v = points.componentView(c);
        const float origin = v(0, 0, 0);
        const auto slope = [&](float far, int points) {
            return (far - origin) / static_cast<float>(points - 1);
        };
        const float alongX = slope(v(size.x - 1, 0, 0), size.x),
                    alongY = slope(v(0, size.y - 1, 0), size.y),
                    alongZ = slope(v(0, 0, size.z - 1), size.z);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    if (!(std::abs(origin + static_cast<float>(x) * alongX +
                                   static_cast<float>(y) * alongY + static_cast<float>(z) * alongZ -
                                   v(x, y, z)) <= tolerance))
                        return false;
    }
    return true;
}

void unfoldSum(FieldView<float> sum, FieldView<const float> start, const ExecContext& ctx) {
    if (!hasFolds(sum, ctx) || hasFolds(start, ctx))
        return;
    const std::size_t n = sum.size.voxels();
    Buffer<float> scratch = ctx.pool->acquire<float>(unfoldSumScratch(sum.size), "unfolding");
    const FieldView<float> before(scratch.data(), sum.size),
        spare(scratch.data() + 3 * n, sum.size);
    copy(sum, before);
    if (!mendFolds(sum, spare, {scratch.data() + 6 * n, sum.size}, ctx))
        copy(before, sum);
}

} // namespace systole
