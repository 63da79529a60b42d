// Finds the fastest block sizes of the product's kernels on a device, while idle or on demand, and
// stores them in a file of the user.
#pragma once

#include "app/tuning/autotune_file.h"
#include "app/tuning/block_tuner.h"
#include "app/tuning/kernel_tuning.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace systole {

/// Tunes the kernels of the last estimation that the laboratory lists, in order of decreasing
/// memory traffic, on a cube with as many voxels; each once per device and size class.
class Autotuner : public BlockTuner {
public:
    struct Options {
        std::string file = autotuneFile(); ///< empty: nothing is stored
        /// Figures of a device for the model.
        std::function<model::GpuMachine(const CudaDevice&)> machineFor;
        /// Replaces measurements on the device in tests; null: lab::LabBench.
        BlockTimer timer{};
    };
    explicit Autotuner(Options options) : options_(std::move(options)) {}

    const BlockSizes& blockSizes(const CudaDevice& device, std::size_t voxels) override;
    void finished(const FrameResult& result) override;
    bool step(CudaContext* cuda) override;
    void rest() override { bench_.reset(); }
    std::vector<std::string> text() const override;

    /// step() for a device of this description; `cuda` may be null only with a replaced timer.
    bool stepOn(const CudaDevice& device, CudaContext* cuda);

private:
    void useDevice(const CudaDevice& device);
    bool beginNext();
    void measure(CudaContext* cuda);
    void keep();

    Options options_;
    bool fileRead_ = false;
    std::string fileProblem_;
    lab::AutotuneCache cache_;
    CudaDevice device_;
    std::optional<lab::TunedDevice> key_; ///< device in use; empty: none so far
    std::optional<model::GpuMachine> machine_;
    BlockSizes sizes_;
    std::size_t voxels_ = 0;                        ///< voxels of the last estimation
    std::vector<std::string> wanted_;               ///< its tunable kernels, by decreasing traffic
    std::set<std::pair<std::string, int>> givenUp_; ///< kernels and size classes that failed
    std::optional<KernelTuning> tuning_;
    std::vector<TunedKernel> found_; ///< found in this run, not read from the file
    std::unique_ptr<lab::LabBench> bench_;
};

/// Tunes kernels of the laboratory (by name; empty: all with several block sizes) at a side,
/// regardless of earlier results, and stores the outcome in the user's file. Returns one result per
/// kernel. `progress`: what is being measured and the fraction done; it may throw Cancelled. Throws
/// ComputeError for an unknown kernel, FileError if the file can't be written.
std::vector<TunedKernel>
autotuneNow(CudaContext& cuda, const std::vector<std::string>& kernels, int side,
            const std::function<model::GpuMachine(const CudaDevice&)>& machineFor,
            const std::function<void(const std::string&, double)>& progress = {});

} // namespace systole
