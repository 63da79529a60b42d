#include "app/estimation/field_cache.h"

#include <utility>

namespace systole {
namespace {

ResidentBytes sum(const ResidentBytes& a, const ResidentBytes& b) {
    return {a.host + b.host, a.device + b.device};
}

} // namespace

ResidentBytes residentBytes(const FrameResult& result) {
    ResidentBytes bytes;
    const auto count = [](const auto& of, std::size_t& bytesThere) {
        if (of.field)
            bytesThere += of.field->components.size() * sizeof(float);
        if (of.warped)
            bytesThere += of.warped->voxels.size() * sizeof(float);
    };
    count(result, bytes.host);
    if (result.device)
        count(*result.device, bytes.device);
    return bytes;
}

void FieldCache::put(std::shared_ptr<const FrameResult> result) {
    const int frame = result->fixedFrame;
    const ResidentBytes size = residentBytes(*result);
    if (const auto old = entries_.find(frame); old != entries_.end())
        erase(old);
    if (!size.within(budget_))
        return;
    makeRoom(size);
    uses_.push_front(frame);
    entries_.emplace(frame, Entry{std::move(result), uses_.begin()});
    bytes_ = sum(bytes_, size);
}

void FieldCache::makeRoom(const ResidentBytes& wanted) {
    while (!entries_.empty() && !sum(bytes_, wanted).within(budget_))
        erase(entries_.find(uses_.back()));
}

void FieldCache::setBudget(ResidentBytes budget) {
    budget_ = budget;
    makeRoom({});
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
    const ResidentBytes size = residentBytes(*entry->second.result);
    bytes_ = {bytes_.host - size.host, bytes_.device - size.device};
    uses_.erase(entry->second.use);
    entries_.erase(entry);
}

void FieldCache::clear() {
    entries_.clear();
    uses_.clear();
    bytes_ = {};
}

} // namespace systole
