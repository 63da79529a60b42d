// Threads per block by kernel, where they differ from the kernel's default: set by the laboratory
// and the autotuner.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace systole {

class BlockSizes {
public:
    BlockSizes() = default;
    explicit BlockSizes(std::map<std::string, int> threads) : threads_(std::move(threads)) {}

    void set(const std::string& kernel, int threads) { threads_[kernel] = threads; }
    /// Block size of the kernel ("jacobi/direct"), or `standard` where none is set.
    int threadsFor(const std::string& kernel, int standard) const {
        const auto found = threads_.find(kernel);
        return found == threads_.end() ? standard : found->second;
    }
    const std::map<std::string, int>& all() const { return threads_; }
    bool operator==(const BlockSizes&) const = default;

private:
    std::map<std::string, int> threads_;
};

} // namespace systole
