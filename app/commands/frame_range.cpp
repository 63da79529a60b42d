#include "app/commands/frame_range.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace systole {
namespace {

class FrameRange : public FrameSource {
public:
    FrameRange(std::shared_ptr<FrameSource> source, int first)
        : source_(std::move(source)), first_(first) {}
    void read(int index, VolumeView<float> voxels) override {
        source_->read(first_ + index, voxels);
    }
    std::span<const std::uint8_t> known() const override { return source_->known(); }

private:
    std::shared_ptr<FrameSource> source_;
    int first_;
};

} // namespace

Sequence rangeOf(const Sequence& sequence, int first, int last) {
    Sequence part = sequence;
    part.frames = last - first + 1;
    if (sequence.timeKnown())
        part.timesSeconds.assign(sequence.timesSeconds.begin() + first,
                                 sequence.timesSeconds.begin() + last + 1);
    part.source = std::make_shared<FrameRange>(sequence.source, first);
    return part;
}

} // namespace systole
