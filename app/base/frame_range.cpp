#include "app/base/frame_range.h"

#include "app/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

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

std::pair<int, int> parseRange(const std::string& option, const std::string& text,
                               const std::string& what, const Sequence& sequence) {
    const std::vector<std::string_view> ends =
        partsOf(text.empty() ? std::string_view(":") : text, ':');
    const auto frame = [](std::string_view part, long long standard) {
        return part.empty() ? std::optional(standard) : parseInteger(part);
    };
    const auto first = frame(ends.front(), 0), last = frame(ends.back(), sequence.frames - 1);
    if (ends.size() != 2 || !first || !last)
        throw UsageError(fmt::format("{}: '{}' is not of the form FIRST:LAST", option, text));
    if (sequence.frames < 2)
        throw UsageError(
            fmt::format("{} needs two or more frames; {} has only one", what, sequence.name));
    for (const long long frame : {*first, *last})
        if (frame < 0 || frame >= sequence.frames)
            throw UsageError(fmt::format("{}: there is no frame {}; {} has the frames 0 to {}",
                                         option, frame, sequence.name, sequence.frames - 1));
    if (*first >= *last)
        throw UsageError(
            fmt::format("{}: {} needs two or more frames, the first before the last; '{}' isn't so",
                        option, what, text));
    return {static_cast<int>(*first), static_cast<int>(*last)};
}

} // namespace systole
