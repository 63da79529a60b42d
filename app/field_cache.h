// Finished results of one set of parameters, kept under a byte budget so that a looping sequence
// finds its fields again.
#pragma once

#include "compute/core/frame_result.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

namespace systole {

/// Bytes that a result alone keeps alive: field and warped frame; the frames belong to the stream.
std::size_t residentBytes(const FrameResult& result);

/// Keyed by the fixed frame. What was used longest ago goes first. Not thread-safe.
class FieldCache {
public:
    explicit FieldCache(std::size_t budgetBytes) : budget_(budgetBytes) {}

    /// Replaces the frame's earlier result. A result beyond the whole budget is not kept.
    void put(std::shared_ptr<const FrameResult> result);
    /// Null when it isn't there.
    std::shared_ptr<const FrameResult> find(int fixedFrame);
    bool contains(int fixedFrame) const { return entries_.count(fixedFrame) > 0; }
    void clear();

    std::size_t bytes() const { return bytes_; }
    std::size_t budget() const { return budget_; }
    std::vector<int> frames() const; ///< ascending

private:
    struct Entry {
        std::shared_ptr<const FrameResult> result;
        std::list<int>::iterator use;
    };
    void erase(std::map<int, Entry>::iterator entry);

    std::size_t budget_;
    std::size_t bytes_ = 0;
    std::map<int, Entry> entries_;
    std::list<int> uses_; ///< frames, used last in front
};

} // namespace systole
