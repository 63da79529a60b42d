#include "compute/cuda/launch.cuh"
#include "compute/methods/ffd/affine_blocks_cuda.cuh"
#include "compute/methods/ffd/affine_steps.h"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>

namespace systole::affine {
namespace {

/// An image, or its mask, at every resolution in device memory.
class DeviceResolutions {
public:
    DeviceResolutions(bool any, const ImageLevels& levels, BufferPool& pool) {
        for (std::size_t n = 0; any && n < levels.grids.size(); ++n)
            buffers_.push_back(pool.acquire<float>(levels.grids[n].voxels(), "affine, images"));
    }
    bool empty() const { return buffers_.empty(); }
    float* data(std::size_t grid) { return buffers_[grid].data(); }
    VolumeView<const float> view(std::size_t grid, Size3 size) const {
        return empty() ? VolumeView<const float>{}
                       : VolumeView<const float>{buffers_[grid].data(), size};
    }
    void decimate(const ImageLevels& levels, float* scratch, LaunchLog& log) {
        for (std::size_t n = 0; !empty() && n < levels.factors.size(); ++n) {
            const Size3 fine = levels.grids[n].size(), coarse = levels.grids[n + 1].size();
            gpu::decimateStack({data(n), 1, fine}, levels.factors[n], {data(n + 1), 1, coarse},
                               {scratch, fine.voxels()}, log);
        }
    }

private:
    std::vector<Buffer<float>> buffers_;
};

class StepsCuda : public Steps {
public:
    StepsCuda(const MotionInput& input, const PairLevels& levels, int variant,
              const ExecContext& ctx)
        : ctx_(ctx)
        , cuda_(*ctx.cuda)
        , variant_(variant)
        , sides_{OneSide(levels.fixed, !input.fixedMask.empty(), cuda_),
                 OneSide(levels.moving, !input.movingMask.empty(), cuda_)}
        , warped_(cuda_.devicePool().acquire<float>(
              std::max(input.fixed.voxels(), input.moving.voxels()), "affine, warped image")) {
        Buffer<int> notFinite = cuda_.devicePool().acquire<int>(2, "affine, report");
        cuda_.zero(notFinite.data(), 2 * sizeof(int), CudaStream::Compute);
        loggedCall(ctx_, "pyramid", [&](LaunchLog& log) {
            begin(sides_[0], input.fixed, input.fixedMask, input.space, notFinite.data(), log);
            begin(sides_[1], input.moving, input.movingMask, input.space, notFinite.data() + 1,
                  log);
        });
        int found[2];
        cuda_.download(notFinite.data(), found, sizeof found, CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        for (const int side : {0, 1})
            if (found[side])
                throwNotFinite(side == 0 ? "fixed" : "moving");
    }

    HostImage image(Side side, int level) override {
        OneSide& s = of(side);
        HostImage host{s.grid(level), std::vector<float>(s.grid(level).voxels()), {}};
        const std::size_t bytes = host.gray.size() * sizeof(float);
        cuda_.download(s.grays.data(s.gridOf(level)), host.gray.data(), bytes, CudaStream::Compute);
        if (!s.masks.empty()) {
            host.mask.resize(host.gray.size());
            cuda_.download(s.masks.data(s.gridOf(level)), host.mask.data(), bytes,
                           CudaStream::Compute);
        }
        cuda_.synchronize(CudaStream::Compute);
        return host;
    }

    std::vector<float> variances(Side side, int level) override {
        OneSide& s = of(side);
        std::vector<float> values(
            static_cast<std::size_t>(BlockGrid{s.grid(level).size()}.blocks()));
        Buffer<float> device = cuda_.devicePool().acquire<float>(values.size(), "affine, blocks");
        loggedCall(ctx_, "match", [&](LaunchLog& log) {
            gpu::blockVariances(s.gray(level), s.mask(level), device.data(), log);
        });
        cuda_.download(device.data(), values.data(), values.size() * sizeof(float),
                       CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        return values;
    }

    void setBlocks(Side side, std::vector<int> blocks) override {
        OneSide& s = of(side);
        s.count = blocks.size();
        s.blocks = cuda_.devicePool().acquire<int>(s.count, "affine, blocks");
        s.matches = cuda_.devicePool().acquire<BlockMatch>(s.count, "affine, matches");
        s.onHost = cuda_.pinnedPool().acquire<BlockMatch>(s.count, "affine, matches");
        cuda_.upload(blocks.data(), s.blocks.data(), s.count * sizeof(int), CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
    }

    std::span<const BlockMatch> matchItself(Side side, int level, Search search) override {
        return matchIn(of(side).gray(level), side, level, search);
    }

    std::span<const BlockMatch> match(Side side, int level, const VoxelMap& map,
                                      Search search) override {
        OneSide& other = of(side == Side::Fixed ? Side::Moving : Side::Fixed);
        const VolumeView<float> warped(warped_.data(), of(side).grid(level).size());
        loggedCall(ctx_, "warp", [&](LaunchLog& log) {
            gpu::warpByMap(other.gray(level), other.mask(level), map, warped, log);
        });
        return matchIn(warped, side, level, search);
    }

private:
    struct OneSide {
        const ImageLevels& levels;
        DeviceResolutions grays, masks;
        std::size_t count = 0;
        Buffer<int> blocks;
        Buffer<BlockMatch> matches, onHost;

        OneSide(const ImageLevels& of, bool masked, CudaContext& cuda)
            : levels(of)
            , grays(true, of, cuda.devicePool())
            , masks(masked, of, cuda.devicePool()) {}

        std::size_t gridOf(int level) const {
            return levels.ofLevel[static_cast<std::size_t>(level)];
        }
        const Geometry& grid(int level) const { return levels.grids[gridOf(level)]; }
        VolumeView<const float> gray(int level) const {
            return grays.view(gridOf(level), grid(level).size());
        }
        VolumeView<const float> mask(int level) const {
            return masks.view(gridOf(level), grid(level).size());
        }
    };
    OneSide& of(Side side) { return sides_[side == Side::Fixed ? 0 : 1]; }

    std::span<const BlockMatch> matchIn(VolumeView<const float> other, Side side, int level,
                                        Search search) {
        OneSide& here = of(side);
        loggedCall(ctx_, "match", [&](LaunchLog& log) {
            gpu::matchBlocks(
                variant_,
                {here.gray(level), other, here.blocks.data(), search, here.matches.data()},
                static_cast<int>(here.count), log);
        });
        cuda_.download(here.matches.data(), here.onHost.data(), here.count * sizeof(BlockMatch),
                       CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        return {here.onHost.data(), here.count};
    }

    void copyIn(VolumeView<const float> from, MemorySpace space, float* to) {
        const std::size_t bytes = from.voxels() * sizeof(float);
        if (space == MemorySpace::Device)
            cuda_.copyOnDevice(from.data, to, bytes, CudaStream::Compute);
        else
            cuda_.upload(from.data, to, bytes, CudaStream::Compute);
    }

    /// The images pass through the buffer of the warped image, for the check of their values, and
    /// the decimations use it as scratch.
    void begin(OneSide& side, VolumeView<const float> image, VolumeView<const float> mask,
               MemorySpace space, int* notFinite, LaunchLog& log) {
        copyIn(image, space, warped_.data());
        gpu::scaleGray(warped_.data(), side.grays.data(0), image.voxels(), 1, 0, notFinite, log);
        side.grays.decimate(side.levels, warped_.data(), log);
        if (!mask.empty())
            copyIn(mask, space, side.masks.data(0));
        side.masks.decimate(side.levels, warped_.data(), log);
    }

    const ExecContext& ctx_;
    CudaContext& cuda_;
    int variant_;
    OneSide sides_[2];
    Buffer<float> warped_;
};

} // namespace

std::unique_ptr<Steps> makeStepsOnDevice(const MotionInput& input, const PairLevels& levels,
                                         int matchVariant, const ExecContext& ctx) {
    return std::make_unique<StepsCuda>(input, levels, matchVariant, ctx);
}

} // namespace systole::affine
