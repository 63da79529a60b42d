// Finished results of one set of parameters, cached under byte budgets so that a looping sequence
// reuses its fields.
#pragma once

#include "compute/core/frame_result.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>
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

/// The start of an estimation. A field that started from zero depends only on its two frames; one
/// that started from the last pair's field also on the order of estimations.
enum class FieldStart { Zero, LastPair };

/// A cache keyed by FrameResult::pictureFrame() and by what the estimation started from. The least
/// recently used entry is evicted first. Not thread-safe.
class FieldCache {
public:
    explicit FieldCache(ResidentBytes budget) : budget_(budget) {}

    /// Replaces the frame's earlier result, except that one from zero stays beside a later one from
    /// the last pair's field. A result larger than a whole budget is not stored.
    void put(std::shared_ptr<const FrameResult> result, FieldStart start = FieldStart::LastPair);
    /// The last result put of this frame, or with Zero only one that started from zero. Null if it
    /// isn't cached.
    std::shared_ptr<const FrameResult> find(int frame, FieldStart start = FieldStart::LastPair);
    bool contains(int frame, FieldStart start = FieldStart::LastPair) const {
        return peek(frame, start) != nullptr;
    }
    /// find() without counting as a use.
    const FrameResult* peek(int frame, FieldStart start = FieldStart::LastPair) const;
    void clear();
    /// Evicts what exceeds the new budget.
    void setBudget(ResidentBytes budget);

    ResidentBytes bytes() const { return bytes_; }
    ResidentBytes budget() const { return budget_; }
    /// The frames that find() finds, ascending.
    std::vector<int> frames(FieldStart start = FieldStart::LastPair) const;

private:
    using Key = std::pair<int, FieldStart>;
    struct Entry {
        std::shared_ptr<const FrameResult> result;
        std::list<Key>::iterator use;
    };
    using Entries = std::map<Key, Entry>;
    Entries::const_iterator locate(int frame, FieldStart start) const;
    void erase(Entries::const_iterator entry);
    void makeRoom(const ResidentBytes& wanted);

    ResidentBytes budget_, bytes_;
    Entries entries_;
    std::list<Key> uses_; ///< most recently used first
};

} // namespace systole
