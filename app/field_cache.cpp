#include "app/field_cache.h"

#include <utility>

namespace systole {

std::size_t residentBytes(const FrameResult& result) {
    std::size_t bytes = 0;
    if (result.field)
        bytes += result.field->components.size() * sizeof(float);
    if (result.warped)
        bytes += result.warped->voxels.size() * sizeof(float);
    return bytes;
}

void FieldCache::put(std::shared_ptr<const FrameResult> result) {
    const int frame = result->fixedFrame;
    const std::size_t size = residentBytes(*result);
    if (const auto old = entries_.find(frame); old != entries_.end())
        erase(old);
    if (size > budget_)
        return;
    while (bytes_ + size > budget_)
        erase(entries_.find(uses_.back()));
    uses_.push_front(frame);
    entries_.emplace(frame, Entry{std::move(result), uses_.begin()});
    bytes_ += size;
}

std::shared_ptr<const FrameResult> FieldCache::find(int fixedFrame) {
    const auto entry = entries_.find(fixedFrame);
    if (entry == entries_.end())
        return nullptr;
    uses_.splice(uses_.begin(), uses_, entry->second.use);
    return entry->second.result;
}

std::vector<int> FieldCache::frames() const {
    std::vector<int> frames;
    frames.reserve(entries_.size());
    for (const auto& [frame, entry] : entries_)
        frames.push_back(frame);
    return frames;
}

void FieldCache::erase(std::map<int, Entry>::iterator entry) {
    bytes_ -= residentBytes(*entry->second.result);
    uses_.erase(entry->second.use);
    entries_.erase(entry);
}

void FieldCache::clear() {
    entries_.clear();
    uses_.clear();
    bytes_ = 0;
}

} // namespace systole
