// Finished results of one set of parameters, cached under byte budgets so that a looping sequence
// reuses its fields.
#pragma once

#include "compute/core/frame_result.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

namespace systole {

/// Bytes of host and of device memory.
struct ResidentBytes {
    std::size_t host = 0, device = 0;
    bool within(const ResidentBytes& budget) const {
        return host <= budget.host && device <= budget.device;
    }
    bool operator==(const ResidentBytes&) const = default;
};

/// Memory held only by a result: field and warped frame; the frames belong to the stream.
ResidentBytes residentBytes(const FrameResult& result);

/// A cache keyed by the fixed frame. The least recently used entry is evicted first. Not
/// thread-safe.
class FieldCache {
public:
    explicit FieldCache(ResidentBytes budget) : budget_(budget) {}

    /// Replaces the frame's earlier result. A result larger than a whole budget is not stored.
    void put(std::shared_ptr<const FrameResult> result);
    /// Returns null if the frame isn't cached.
    std::shared_ptr<const FrameResult> find(int fixedFrame);
    bool contains(int fixedFrame) const { return entries_.count(fixedFrame) > 0; }
    /// Like find(), without counting as a use.
    const FrameResult* peek(int fixedFrame) const {
        const auto entry = entries_.find(fixedFrame);
        return entry == entries_.end() ? nullptr : entry->second.result.get();
    }
    void clear();
    /// Evicts what exceeds the new budget.
    void setBudget(ResidentBytes budget);

    ResidentBytes bytes() const { return bytes_; }
    ResidentBytes budget() const { return budget_; }
    std::vector<int> frames() const; ///< ascending

private:
    struct Entry {
        std::shared_ptr<const FrameResult> result;
        std::list<int>::iterator use;
    };
    void erase(std::map<int, Entry>::iterator entry);
    void makeRoom(const ResidentBytes& wanted);

    ResidentBytes budget_, bytes_;
    std::map<int, Entry> entries_;
    std::list<int> uses_; ///< frames, most recently used first
};

} // namespace systole
