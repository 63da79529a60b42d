#include "app/estimation/field_cache.h"

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

void FieldCache::put(std::shared_ptr<const FrameResult> result, FieldStart start) {
    const int frame = result->pictureFrame();
    const ResidentBytes size = residentBytes(*result);
    erase(entries_.find({frame, FieldStart::LastPair}));
    if (start == FieldStart::Zero)
        erase(entries_.find({frame, FieldStart::Zero}));
    if (!size.within(budget_))
        return;
    makeRoom(size);
    uses_.push_front({frame, start});
    entries_.emplace(Key{frame, start}, Entry{std::move(result), uses_.begin()});
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

FieldCache::Entries::const_iterator FieldCache::locate(int frame, FieldStart start) const {
    // One from the last pair's field was put after the one from zero beside it.
    const auto last =
        start == FieldStart::Zero ? entries_.end() : entries_.find({frame, FieldStart::LastPair});
    return last != entries_.end() ? last : entries_.find({frame, FieldStart::Zero});
}

std::shared_ptr<const FrameResult> FieldCache::find(int frame, FieldStart start) {
    const auto entry = locate(frame, start);
    if (entry == entries_.end())
        return nullptr;
    uses_.splice(uses_.begin(), uses_, entry->second.use);
    return entry->second.result;
}

const FrameResult* FieldCache::peek(int frame, FieldStart start) const {
    const auto entry = locate(frame, start);
    return entry == entries_.end() ? nullptr : entry->second.result.get();
}

std::vector<int> FieldCache::frames(FieldStart start) const {
    std::vector<int> frames;
    for (const auto& [key, entry] : entries_)
        if ((start == FieldStart::LastPair || key.second == FieldStart::Zero) &&
            (frames.empty() || frames.back() != key.first))
            frames.push_back(key.first);
    return frames;
}

void FieldCache::erase(Entries::const_iterator entry) {
    if (entry == entries_.end())
        return;
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
