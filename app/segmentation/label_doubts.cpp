#include "app/segmentation/label_doubts.h"

#include "app/segmentation/plausible_heart.h"
#include "compute/surface/segment.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace systole {
namespace {

std::size_t indexOf(int frame) { return static_cast<std::size_t>(frame); }

/// That of the first frame that has one, and in how many others; `of(frame)` is a frame's.
std::string ofFirstFrame(int frames, const std::function<std::string(int frame)>& of) {
    std::string first;
    int others = 0;
    for (int frame = 0; frame < frames; ++frame) {
        const std::string doubt = of(frame);
        if (doubt.empty())
            continue;
        if (first.empty())
            first = fmt::format("Frame {}: {}", frame, doubt);
        else
            ++others;
    }
    if (first.empty())
        return "";
    return first + (others == 0 ? "."
                                : fmt::format("; {} other frame{} to be looked at, too.", others,
                                              others == 1 ? " is" : "s are"));
}

} // namespace

void LabelDoubts::begin(int firstFrame) {
    first_ = firstFrame;
    for (Frame& frame : frames_)
        frame.found.reset();
}

void LabelDoubts::found(const LabelHistory& labels, int frame, std::string doubt) {
    frames_.resize(indexOf(labels.frames()));
    frames_[indexOf(frame)].found = labels.labels(frame);
    frames_[indexOf(frame)].doubt = std::move(doubt);
}

bool LabelDoubts::isAsFound(const LabelHistory& labels, int frame) const {
    if (frame >= labels.frames() || indexOf(frame) >= frames_.size() || !labels.has(frame))
        return false;
    return frames_[indexOf(frame)].found == labels.labels(frame);
}

std::optional<int> LabelDoubts::origin(const LabelHistory& labels) const {
    for (int frame = 0; frame < labels.frames(); ++frame)
        if (frame != first_ && isAsFound(labels, frame))
            return first_;
    return std::nullopt;
}

std::string LabelDoubts::ofFinding(const LabelHistory& labels) const {
    return ofFirstFrame(labels.frames(), [&](int frame) {
        return isAsFound(labels, frame) ? frames_[indexOf(frame)].doubt : "";
    });
}

void LabelDoubts::count(const LabelHistory& labels) {
    frames_.resize(indexOf(labels.frames()));
    for (int i = 0; i < labels.frames(); ++i) {
        Frame& frame = frames_[indexOf(i)];
        if (std::exchange(frame.revision, labels.revision(i)) == labels.revision(i))
            continue;
        frame.chamber = labels.milliliters(i, chamberLabel);
        frame.wall = labels.milliliters(i, wallLabel);
    }
}

std::string LabelDoubts::ofOrigin(const LabelHistory& labels) const {
    if (!origin(labels))
        return "";
    std::vector<ChamberInFrame> chambers;
    for (int frame = 0; frame < labels.frames(); ++frame)
        if (labels.has(frame))
            chambers.push_back({frame, frames_[indexOf(frame)].chamber});
    return farFromDiastole(chambers, first_);
}

std::vector<std::string> LabelDoubts::all(const LabelHistory& labels) {
    count(labels);
    std::vector<std::string> doubts{
        ofFinding(labels), ofOrigin(labels), ofFirstFrame(labels.frames(), [&](int i) {
            const Frame& frame = frames_[indexOf(i)];
            return frame.chamber > 0 ? implausible(frame.chamber, frame.wall) : "";
        })};
    std::vector<WallInFrame> walls;
    for (int frame = 0; frame < labels.frames(); ++frame)
        walls.push_back({frame, frames_[indexOf(frame)].wall});
    if (const std::string unsteady = unsteadyWall(walls); !unsteady.empty())
        doubts.push_back("Unlikely: " + unsteady + ".");
    std::erase(doubts, "");
    return doubts;
}

} // namespace systole
