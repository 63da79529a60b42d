// Finding the block size that a device runs a kernel fastest with, and keeping what was found.
// Knows neither CUDA nor files: whoever measures is asked for one time after the other, and what is
// kept is text.
#pragma once

#include "compute/core/block_sizes.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace systole::model {

/// Sizes alike: the power of two at or below the number of voxels. 200³ is 2^22.
int sizeClass(std::size_t voxels);

/// Which block sizes to measure, one after the other: those it is told to start with, then the
/// neighbours of the best so far until none is faster. Neighbours are the next smaller and larger
/// size and those nearest to half and to twice the size, of the list. Deterministic: the same times
/// lead the same way.
class BlockSearch {
public:
    /// `sizes`: all that the kernel takes, ascending. `starts`: measured first, in this order;
    /// those that aren't among the sizes are passed over. Without any it begins in the middle.
    BlockSearch(std::vector<int> sizes, std::span<const int> starts);

    /// The size to measure; nothing: the search is over.
    std::optional<int> next() const;
    /// Of next(); 0 where it couldn't be run.
    void record(double seconds);

    int best() const { return best_; } ///< 0: nothing could be run
    double bestSeconds() const { return bestSeconds_; }
    const std::map<int, double>& measured() const { return measured_; } ///< seconds by size

    /// A time must be less by this part to count as less: what two measurements of the same differ
    /// by. Of equals the first measured stays.
    static constexpr double margin = 0.02;

private:
    void addNeighbours();
    void want(int size);

    std::vector<int> sizes_;
    std::vector<int> queue_; ///< to measure, the next one last
    std::map<int, double> measured_;
    int best_ = 0;
    double bestSeconds_ = 0;
};

/// A device as far as times depend on it.
struct TunedDevice {
    std::string name;
    int computeCapability = 0;
    int driver = 0; ///< as CudaStatus::driverVersion

    auto operator<=>(const TunedDevice&) const = default;
};

/// What a search came to.
struct TunedBlock {
    int threads = 0;
    double seconds = 0;
    int tried = 0; ///< sizes that were measured

    bool operator==(const TunedBlock&) const = default;
};

/// The best block by device, kernel and size class.
class AutotuneCache {
public:
    const TunedBlock* find(const TunedDevice& device, const std::string& kernel,
                           int sizeClass) const;
    void put(const TunedDevice& device, const std::string& kernel, int sizeClass,
             const TunedBlock& block);
    /// Everything of the other; where both know something the other's word counts.
    void merge(const AutotuneCache& other);
    /// Of all kernels that are known at this size class.
    BlockSizes blockSizes(const TunedDevice& device, int sizeClass) const;
    bool empty() const { return entries_.empty(); }
    bool operator==(const AutotuneCache&) const = default;

    std::string toJson() const;
    /// Throws ComputeError, one sentence, for text that is none, of another version, or with
    /// figures that no search comes to.
    static AutotuneCache parse(std::string_view json);

private:
    std::map<std::tuple<TunedDevice, std::string, int>, TunedBlock> entries_;
};

} // namespace systole::model
