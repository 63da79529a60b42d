// The filter of the frames that comes before everything else, on the device: each level's beside
// the levels below it, which don't need it.
#pragma once

#include "compute/cuda/side_branch.cuh"
#include "compute/methods/clg/level_cuda.cuh"

#include <deque>
#include <vector>

namespace systole::clg {

class PrefilterOnDevice {
public:
    PrefilterOnDevice(const ClgParameters& p, std::size_t maxLevels, Workspace& space)
        : p_(p)
        , space_(space)
        , correlation_(space.add<float>("neighbor correlation", maxLevels * correlationRoom))
        , taps_(space.add<gpu::DeviceTaps>("prefilter", 3 * maxLevels)) {}

    void acquire(CudaContext& cuda, std::size_t levels) {
        for (std::size_t level = 0; level < levels; ++level)
            branches_.emplace_back(cuda);
    }

    /// Filters images(level) of every level, with the tensor of the finest one as scratch; before
    /// a level is used, join(). `then(level)` is called behind a level's filter. `levels` have
    /// their state behind `states`.
    template <typename Images, typename Then>
    void run(const std::vector<LevelBuffers>& levels, const Images& images, DeviceState* states,
             const Then& then, LaunchLog& log) {
        const gpu::Scratch whole{levels[0].tensor.data, 9 * levels[0].size().voxels()};
        // Coarser levels use the beginning of the tensor meanwhile.
        std::size_t used = levels.size() > 1 ? aligned(9 * levels[1].size().voxels()) : 0;
        for (const LevelBuffers& b : levels) {
            const std::size_t needed = 4 * b.size().voxels();
            const bool beside = b.level + 1 < levels.size() && used + needed <= whole.floats;
            const gpu::Scratch scratch = beside ? gpu::Scratch{whole.data + used, needed} : whole;
            const auto filter = [&] {
                filterLevel(b, images(b.level), states + b.level, scratch, log);
                then(b);
            };
            if (!beside) {
                filter();
                continue;
            }
            used += needed;
            branches_[b.level].run(log, filter);
        }
    }
    void join(std::size_t level, const LaunchLog& log) { branches_[level].join(log); }
    void abandon() {
        for (SideBranch& branch : branches_)
            branch.abandon();
    }

private:
    void filterLevel(const LevelBuffers& b, const gpu::VolumeStack& images, DeviceState* state,
                     const gpu::Scratch& scratch, LaunchLog& log) const {
        if (p_.adaptive) {
            gpu::DeviceTaps* const taps = space_.data(taps_) + 3 * b.level;
            findPrefilter(b.fixed, b.grid.scale(), p_.prefilter,
                          space_.data(correlation_) + b.level * correlationRoom, taps, state, log);
            gpu::smoothStackBy(taps, images, scratch, log);
        } else if (p_.prefilter > 0) {
            gpu::smoothStack(smoothFamily.named("fused"), images,
                             gpu::gaussianTapsFor(b.grid.alongAxes(p_.prefilter)), scratch, log);
        }
    }

    ClgParameters p_;
    Workspace& space_;
    Workspace::Block<float> correlation_;
    Workspace::Block<gpu::DeviceTaps> taps_; ///< three of each level: one for each axis
    std::deque<SideBranch> branches_;        ///< side branch of each level
};

} // namespace systole::clg
