// Finds, in idle moments or on demand, the block sizes that a device runs the product's kernels
// fastest with, and keeps them in a file of the user.
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

/// Tunes those kernels of the last estimation that the laboratory knows, the ones that move most
/// bytes first, at the cube of as many voxels; each once per device and size class.
class Autotuner : public BlockTuner {
public:
    struct Options {
        std::string file = autotuneFile(); ///< empty: nothing is kept
        /// What the model is given for a device.
        std::function<model::GpuMachine(const CudaDevice&)> machineFor;
        /// Measures in place of the device, for tests; null: lab::LabBench does.
        BlockTimer timer{};
    };
    explicit Autotuner(Options options) : options_(std::move(options)) {}

    const BlockSizes& blockSizes(const CudaDevice& device, std::size_t voxels) override;
    void finished(const FrameResult& result) override;
    bool step(CudaContext* cuda) override;
    void rest() override { bench_.reset(); }
    std::vector<std::string> text() const override;

    /// step() on a device of this description; without `cuda` only with a timer of the test's own.
    bool stepOn(const CudaDevice& device, CudaContext* cuda);

private:
    void useDevice(const CudaDevice& device);
    bool beginNext();
    void measure(CudaContext* cuda);
    void keep();

    Options options_;
    bool fileRead_ = false;
    std::string fileProblem_;
    model::AutotuneCache cache_;
    CudaDevice device_;
    std::optional<model::TunedDevice> key_; ///< of the device; nothing: none was used yet
    std::optional<model::GpuMachine> machine_;
    BlockSizes sizes_;
    std::size_t voxels_ = 0;          ///< of the last estimation
    std::vector<std::string> wanted_; ///< its kernels that can be tuned, the most bytes first
    std::set<std::pair<std::string, int>> givenUp_; ///< kernels and size classes that failed on it
    std::optional<KernelTuning> tuning_;
    std::vector<TunedKernel> found_; ///< by this one, not read from the file
    std::unique_ptr<lab::LabBench> bench_;
};

/// Tunes kernels (of the laboratory, by name; empty: all that take several block sizes) at a side,
/// whatever was found before, and keeps the outcome in the user's file. A result for each kernel
/// in turn. `progress`: what is being measured and the part done; it may throw Cancelled. Throws
/// ComputeError for a kernel that there isn't, FileError where the file can't be written.
std::vector<TunedKernel>
autotuneNow(CudaContext& cuda, const std::vector<std::string>& kernels, int side,
            const std::function<model::GpuMachine(const CudaDevice&)>& machineFor,
            const std::function<void(const std::string&, double)>& progress = {});

} // namespace systole
