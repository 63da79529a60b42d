#include "compute/methods/ffd/affine_steps.h"
#include "compute/ops/resample.h"

#include <algorithm>
#include <array>
#include <utility>

namespace systole::affine {
namespace {

/// An image, or its mask, at every resolution: the finest is the caller's.
class Resolutions {
public:
    Resolutions(VolumeView<const float> finest, const ImageLevels& levels, const ExecContext& ctx) {
        if (finest.empty())
            return;
        views_.push_back(finest);
        for (std::size_t n = 0; n < levels.factors.size(); ++n) {
            ctx.throwIfCancelled();
            const Size3 size = levels.grids[n + 1].size();
            coarser_.push_back(ctx.pool->acquire<float>(size.voxels(), "affine, images"));
            const VolumeView<float> coarse(coarser_.back().data(), size);
            decimate(views_.back(), levels.factors[n], coarse, ctx);
            views_.emplace_back(coarse);
        }
    }
    VolumeView<const float> operator[](std::size_t grid) const {
        return views_.empty() ? VolumeView<const float>{} : views_[grid];
    }

private:
    std::vector<Buffer<float>> coarser_;
    std::vector<VolumeView<const float>> views_;
};

class StepsCpu : public Steps {
public:
    StepsCpu(const MotionInput& input, const PairLevels& levels, const ExecContext& ctx)
        : sides_{OneSide{levels.fixed, Resolutions(input.fixed, levels.fixed, ctx),
                         Resolutions(input.fixedMask, levels.fixed, ctx)},
                 OneSide{levels.moving, Resolutions(input.moving, levels.moving, ctx),
                         Resolutions(input.movingMask, levels.moving, ctx)}}
        , ctx_(ctx)
        , warped_(ctx.pool->acquire<float>(
              std::max(sides_[0].gray(0).voxels(), sides_[1].gray(0).voxels()),
              "affine, warped image")) {}

    HostImage image(Side side, int level) override {
        const auto values = [](VolumeView<const float> view) {
            return view.empty() ? std::vector<float>{}
                                : std::vector<float>(view.data, view.data + view.voxels());
        };
        const OneSide& s = of(side);
        return {s.grid(level), values(s.gray(level)), values(s.mask(level))};
    }
    std::vector<float> variances(Side side, int level) override {
        const VolumeView<const float> image = of(side).gray(level);
        std::vector<float> values(static_cast<std::size_t>(BlockGrid{image.size}.blocks()));
        blockVariances(image, of(side).mask(level), values.data(), ctx_);
        return values;
    }
    void setBlocks(Side side, std::vector<int> blocks) override {
        of(side).blocks = std::move(blocks);
    }
    std::span<const BlockMatch> matchItself(Side side, int level, Search search) override {
        return matchIn(of(side).gray(level), side, level, search);
    }
    std::span<const BlockMatch> match(Side side, int level, const VoxelMap& map,
                                      Search search) override {
        const OneSide& here = of(side);
        const OneSide& other = of(side == Side::Fixed ? Side::Moving : Side::Fixed);
        const VolumeView<const float> image = here.gray(level);
        const VolumeView<float> warped(warped_.data(), image.size);
        {
            const ScopedSpan span(ctx_.profile, "warp", "warp image",
                                  8.0 * static_cast<double>(image.voxels()));
            warpByMap(other.gray(level), other.mask(level), map, warped, ctx_);
        }
        return matchIn(warped, side, level, search);
    }

private:
    struct OneSide {
        const ImageLevels& levels;
        Resolutions grays, masks;
        std::vector<int> blocks{};

        std::size_t gridOf(int level) const {
            return levels.ofLevel[static_cast<std::size_t>(level)];
        }
        const Geometry& grid(int level) const { return levels.grids[gridOf(level)]; }
        VolumeView<const float> gray(int level) const { return grays[gridOf(level)]; }
        VolumeView<const float> mask(int level) const { return masks[gridOf(level)]; }
    };
    OneSide& of(Side side) { return sides_[side == Side::Fixed ? 0 : 1]; }

    std::span<const BlockMatch> matchIn(VolumeView<const float> other, Side side, int level,
                                        Search search) {
        const OneSide& here = of(side);
        matches_.resize(here.blocks.size());
        const ScopedSpan span(ctx_.profile, "match", "match blocks",
                              8.0 * static_cast<double>(other.voxels()),
                              2.0 * blockSide * blockSide * blockSide * candidates *
                                  static_cast<double>(here.blocks.size()));
        matchBlocks(here.gray(level), other, here.blocks, search, matches_.data(), ctx_);
        return matches_;
    }

    std::array<OneSide, 2> sides_;
    const ExecContext& ctx_;
    Buffer<float> warped_;
    std::vector<BlockMatch> matches_;
};

} // namespace

std::unique_ptr<Steps> makeSteps(const MotionInput& input, const PairLevels& levels,
                                 const ExecContext& ctx) {
    const ScopedSpan span(ctx.profile, "pyramid", "pyramid");
    return std::make_unique<StepsCpu>(input, levels, ctx);
}

} // namespace systole::affine
