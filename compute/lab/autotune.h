// Search for the fastest block size of a kernel on a device, and a cache of the results.
// Independent of CUDA and files: the caller measures one size after the other, and the cache is
// text.
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

namespace systole::lab {

/// Size class: exponent of the power of two at or below the number of voxels; 22 for 200³.
int sizeClass(std::size_t voxels);

/// Sequence of block sizes to measure: the starting sizes, then the neighbors of the best so far
/// until none is faster. Neighbors are the next smaller and larger size in the list and those
/// nearest to half and twice the size. Deterministic for given times.
class BlockSearch {
public:
    /// `sizes`: all that the kernel supports, ascending. `starts`: measured first, in this order;
    /// those not among the sizes are skipped. Without any, the search starts in the middle.
    BlockSearch(std::vector<int> sizes, std::span<const int> starts);

    /// The next size to measure; empty: the search is finished.
    std::optional<int> next() const;
    /// Records the time measured for next(); 0: it couldn't be launched.
    void record(double seconds);

    int best() const { return best_; } ///< 0: no size could be launched
    double bestSeconds() const { return bestSeconds_; }
    const std::map<int, double>& measured() const { return measured_; } ///< seconds by size

    /// Relative improvement needed to replace the best: the noise between two measurements.
    static constexpr double margin = 0.02;

private:
    void addNeighbors();
    void want(int size);

    std::vector<int> sizes_;
    std::vector<int> queue_; ///< sizes to measure, next one last
    std::map<int, double> measured_;
    int best_ = 0;
    double bestSeconds_ = 0;
};

/// Identifies a device for tuning.
struct TunedDevice {
    std::string name;
    int computeCapability = 0;
    int driver = 0; ///< version as CudaStatus::driverVersion

    auto operator<=>(const TunedDevice&) const = default;
};

/// Result of a search.
struct TunedBlock {
    int threads = 0;
    double seconds = 0;
    int tried = 0; ///< number of sizes measured

    bool operator==(const TunedBlock&) const = default;
};

/// The best block size by device, kernel and size class.
class AutotuneCache {
public:
    const TunedBlock* find(const TunedDevice& device, const std::string& kernel,
                           int sizeClass) const;
    void put(const TunedDevice& device, const std::string& kernel, int sizeClass,
             const TunedBlock& block);
    /// Adds all entries of the other cache, which replace existing ones.
    void merge(const AutotuneCache& other);
    /// Block sizes of all kernels with an entry for this device and size class.
    BlockSizes blockSizes(const TunedDevice& device, int sizeClass) const;
    bool empty() const { return entries_.empty(); }
    bool operator==(const AutotuneCache&) const = default;

    std::string toJson() const;
    /// Throws ComputeError if the text is malformed, has another version, or contains implausible
    /// figures.
    static AutotuneCache parse(std::string_view json);

private:
    std::map<std::tuple<TunedDevice, std::string, int>, TunedBlock> entries_;
};

} // namespace systole::lab
