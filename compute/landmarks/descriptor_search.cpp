#include "compute/landmarks/descriptor_search.h"

#include "compute/landmarks/descriptor_rows.h"
#include "compute/landmarks/sest_math.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace systole::sest {
namespace {

/// Rows of a tile share sums over z; wider tiles waste fewer margins, and this still lies in the L2
/// cache.
constexpr int greatestTileWidth = rows::greatestWidth, tileHeight = 32;
constexpr int lanes = 16; ///< floats of the widest vectors: what starts at a multiple is aligned

constexpr int roundedUp(int n) { return (n + lanes - 1) / lanes * lanes; }

/// Places that one landmark asks for, within the frame: from low up to but without high.
struct Box {
    Voxel low, high;
    bool empty() const { return low.x >= high.x || low.y >= high.y || low.z >= high.z; }
};

Box boxAround(Voxel center, Size3 radius, Size3 size) {
    Box box{};
    const auto clip = [](int center, int radius, int n, int& low, int& high) {
        low = std::max(center - radius, 0);
        high = std::min(center + radius + 1, n);
    };
    clip(center.x, radius.x, size.x, box.low.x, box.high.x);
    clip(center.y, radius.y, size.y, box.low.y, box.high.y);
    clip(center.z, radius.z, size.z, box.low.z, box.high.z);
    return box;
}

/// Tiles of one plane each, and the boxes that reach into them.
class Tiling {
public:
    Tiling(Size3 size, std::span<const Box> boxes) : size_(size) {
        acrossX_ = (size.x + greatestTileWidth - 1) / greatestTileWidth;
        width_ = roundedUp((size.x + acrossX_ - 1) / acrossX_);
        acrossY_ = (size.y + tileHeight - 1) / tileHeight;
        std::vector<int> count(static_cast<std::size_t>(acrossX_ * acrossY_ * size.z) + 1);
        forTiles(boxes, [&](std::size_t tile, int) { ++count[tile + 1]; });
        for (std::size_t tile = 1; tile < count.size(); ++tile)
            count[tile] += count[tile - 1];
        members_.resize(static_cast<std::size_t>(count.back()));
        std::vector<int> next(count);
        forTiles(boxes, [&](std::size_t tile, int box) {
            members_[static_cast<std::size_t>(next[tile]++)] = box;
        });
        first_ = std::move(count);
        for (std::size_t tile = 0; tile + 1 < first_.size(); ++tile)
            if (first_[tile] < first_[tile + 1])
                used_.push_back(static_cast<int>(tile));
    }

    /// Tiles that a box reaches into.
    std::span<const int> used() const { return used_; }
    std::span<const int> boxesOf(int tile) const {
        const auto t = static_cast<std::size_t>(tile);
        return {members_.data() + first_[t], static_cast<std::size_t>(first_[t + 1] - first_[t])};
    }
    Box range(int tile) const {
        const int x = tile % acrossX_ * width_, y = tile / acrossX_ % acrossY_ * tileHeight,
                  z = tile / (acrossX_ * acrossY_);
        return {{x, y, z},
                {std::min(x + width_, size_.x), std::min(y + tileHeight, size_.y), z + 1}};
    }
    int width() const { return width_; }

private:
    void forTiles(std::span<const Box> boxes, const auto& visit) const {
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            const Box& box = boxes[b];
            if (box.empty())
                continue;
            for (int z = box.low.z; z < box.high.z; ++z)
                for (int y = box.low.y / tileHeight; y <= (box.high.y - 1) / tileHeight; ++y)
                    for (int x = box.low.x / width_; x <= (box.high.x - 1) / width_; ++x)
                        visit(static_cast<std::size_t>((z * acrossY_ + y) * acrossX_ + x),
                              static_cast<int>(b));
        }
    }

    Size3 size_;
    int acrossX_ = 1, acrossY_ = 1, width_ = 0;
    std::vector<int> first_, members_, used_;
};

/// The descriptors of one tile, made row by row where they are asked for.
class TileRows {
public:
    /// Descriptors of places from x on.
    struct Row {
        const float* numbers;
        std::ptrdiff_t stride;
    };

    TileRows(const PaddedFrame& frame, Size3 patch, int tileWidth, BufferPool& pool)
        : frame_(frame)
        , patch_(patch)
        , stride_(roundedUp(tileWidth + 2 * patch.x) + rows::slack)
        , ringRows_(2 * patch.y + 1)
        , ring_(pool.acquire<float>(static_cast<std::size_t>(ringRows_) * 2 * sumsPerRow(),
                                    "landmark descriptors"))
        , sums_(pool.acquire<float>(rows::slack + sumsPerRow(), "landmark descriptors"))
        , numbers_(pool.acquire<float>(static_cast<std::size_t>(numbers) *
                                           static_cast<std::size_t>(stride_),
                                       "landmark descriptors"))
        , rowInRing_(static_cast<std::size_t>(ringRows_), -1) {}

    /// Begins a tile: places of plane z from xLow up to but without xHigh.
    void begin(int z, int xLow, int xHigh) {
        z_ = z;
        xLow_ = xLow;
        xHigh_ = xHigh;
        std::fill(rowInRing_.begin(), rowInRing_.end(), -1);
    }

    /// Makes the descriptors of row y, places first … last − 1 of the tile; valid until the next
    /// call for another row.
    void describe(int y, int first, int last) {
        for (int half = 0; half < 4; ++half) {
            const int upperZ = half / 2, upperY = half % 2;
            const Half range = halfOf(patch_.y, upperY == 1);
            const float* in[2 * greatestPatchRadius + 1];
            for (int dy = range.first; dy <= range.last; ++dy)
                in[dy - range.first] =
                    sumsOfRow(clampedIndex(y + dy, frame_.size().y), upperZ) + (first - xLow_);
            // Sums over y of places first − patch.x … last − 1 + patch.x.
            float* const sums = sums_.data() + rows::slack;
            rows::addRows(in, range.last - range.first + 1, last - first + 2 * patch_.x, stride_,
                          sums);
            const int octant = 4 * upperZ + 2 * upperY;
            float* const lower = numbersAt(first) + octant * triangle * stride_;
            rows::decomposeHalves(sums + patch_.x, stride_, patch_.x, last - first, lower,
                                  lower + triangle * stride_, stride_);
        }
    }
    Row at(int x) { return {numbersAt(x), stride_}; }

private:
    std::size_t sumsPerRow() const {
        return static_cast<std::size_t>(triangle) * static_cast<std::size_t>(stride_);
    }
    float* numbersAt(int x) { return numbers_.data() + (x - xLow_); }

    /// Sums over z of a row of the frame, in the lower or upper half of the patch. Place xLow_ −
    /// patch.x is the first.
    const float* sumsOfRow(int y, int upperZ) {
        const auto slot = static_cast<std::size_t>(y % ringRows_);
        float* const sums = ring_.data() + slot * 2 * sumsPerRow();
        if (rowInRing_[slot] != y) {
            rowInRing_[slot] = y;
            for (const bool upper : {false, true})
                sumOverZ(y, upper, sums + (upper ? sumsPerRow() : 0));
        }
        return sums + (upperZ ? sumsPerRow() : 0);
    }

    void sumOverZ(int y, bool upper, float* sums) const {
        const Half range = halfOf(patch_.z, upper);
        rows::FrameRows planes[greatestPatchRadius + 1];
        for (int dz = range.first; dz <= range.last; ++dz)
            for (int j = -1; j <= 1; ++j)
                for (int k = -1; k <= 1; ++k)
                    planes[dz - range.first].at[1 + k][1 + j] =
                        frame_.row(y + j, clampedIndex(z_ + dz, frame_.size().z) + k);
        const int low = xLow_ - patch_.x, high = xHigh_ + patch_.x; // may lie outside the frame
        const int first = std::max(low, 0), last = std::min(high, frame_.size().x);
        rows::sumProducts(planes, range.last - range.first + 1, first, last - first, stride_,
                          sums + (first - low));
        // Places beyond the border are those at it, features and all.
        for (int k = 0; k < triangle; ++k) {
            float* const row = sums + k * stride_;
            std::fill(row, row + (first - low), row[first - low]);
            std::fill(row + (last - low), row + (high - low), row[last - 1 - low]);
        }
    }

    const PaddedFrame& frame_;
    Size3 patch_;
    std::ptrdiff_t stride_;
    int ringRows_;
    Buffer<float> ring_, sums_, numbers_;
    std::vector<int> rowInRing_; ///< row of the frame in each slot of the ring; −1: none
    int z_ = 0, xLow_ = 0, xHigh_ = 0;
};

/// The part of one row of a box that lies in a tile.
struct Part {
    int box, y, z, first, last;
};
using UsePart = std::function<void(const Part& part, TileRows::Row row)>;

/// Visits every row of every box, in parallel, with the descriptors from part.first on.
void visitRows(const PaddedFrame& frame, Size3 patch, std::span<const Box> boxes,
               const UsePart& use, const ExecContext& ctx) {
    const Tiling tiling(frame.size(), boxes);
    const auto tiles = tiling.used();
    parallelFor(ctx, static_cast<int>(tiles.size()), 1, [&](int begin, int end) {
        TileRows rows(frame, patch, tiling.width(), *ctx.pool);
        std::vector<Part> parts;
        for (int i = begin; i < end; ++i) {
            ctx.throwIfCancelled();
            const int tile = tiles[static_cast<std::size_t>(i)];
            const Box range = tiling.range(tile);
            int low = range.high.x, high = range.low.x;
            const auto reachOf = [&](int b) {
                const Box& box = boxes[static_cast<std::size_t>(b)];
                return std::pair{std::max(box.low.x, range.low.x),
                                 std::min(box.high.x, range.high.x)};
            };
            for (const int b : tiling.boxesOf(tile)) {
                const auto [first, last] = reachOf(b);
                low = std::min(low, first);
                high = std::max(high, last);
            }
            rows.begin(range.low.z, low, high);
            for (int y = range.low.y; y < range.high.y; ++y) {
                parts.clear();
                for (const int b : tiling.boxesOf(tile)) {
                    const Box& box = boxes[static_cast<std::size_t>(b)];
                    if (y < box.low.y || y >= box.high.y)
                        continue;
                    const auto [first, last] = reachOf(b);
                    parts.push_back({b, y, range.low.z, first, last});
                }
                std::ranges::sort(parts, {}, &Part::first);
                // Parts that overlap or nearly touch are described together.
                for (std::size_t p = 0; p < parts.size();) {
                    int last = parts[p].last;
                    std::size_t next = p + 1;
                    for (; next < parts.size() && parts[next].first <= last + lanes; ++next)
                        last = std::max(last, parts[next].last);
                    rows.describe(y, parts[p].first, last);
                    for (; p < next; ++p)
                        use(parts[p], rows.at(parts[p].first));
                }
            }
        }
    });
}

} // namespace

void describePlaces(const PaddedFrame& frame, Size3 patch, std::span<const Voxel> places,
                    float* descriptors, const ExecContext& ctx) {
    std::vector<Box> boxes;
    boxes.reserve(places.size());
    for (const Voxel& place : places)
        boxes.push_back(boxAround(place, {0, 0, 0}, frame.size()));
    visitRows(
        frame, patch, boxes,
        [&](const Part& part, TileRows::Row row) {
            float* const out = descriptors + std::ptrdiff_t{part.box} * numbers;
            for (int n = 0; n < numbers; ++n)
                out[n] = row.numbers[n * row.stride];
        },
        ctx);
}

void findSquaredDistances(const PaddedFrame& target, const Window& window,
                          std::span<const Voxel> centers, const float* descriptors, float* squared,
                          const ExecContext& ctx) {
    const Size3 size = window.searchSize();
    const std::size_t candidates = window.candidates();
    std::vector<Box> boxes;
    boxes.reserve(centers.size());
    for (const Voxel& center : centers)
        boxes.push_back(boxAround(center, window.search, target.size()));
    parallelFor(ctx, static_cast<int>(centers.size()), 16, [&](int begin, int end) {
        std::fill(squared + static_cast<std::size_t>(begin) * candidates,
                  squared + static_cast<std::size_t>(end) * candidates,
                  std::numeric_limits<float>::infinity());
    });
    visitRows(
        target, window.patch, boxes,
        [&](const Part& part, TileRows::Row row) {
            const auto landmark = static_cast<std::size_t>(part.box);
            const Voxel low{centers[landmark].x - window.search.x,
                            centers[landmark].y - window.search.y,
                            centers[landmark].z - window.search.z};
            const VolumeView<float> region(squared + landmark * candidates, size);
            rows::squaredDistances(
                row.numbers, row.stride, descriptors + landmark * numbers, part.last - part.first,
                region.row(part.y - low.y, part.z - low.z) + (part.first - low.x));
        },
        ctx);
}

} // namespace systole::sest
