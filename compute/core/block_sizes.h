// Threads of a block, kernel by kernel, where something other than the kernel's own standard is
// wanted: the laboratory sweeps them, the autotuner finds them.
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
    /// Of a kernel by its name with variant ("jacobi/direct").
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
