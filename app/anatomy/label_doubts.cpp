#include "app/anatomy/label_doubts.h"

#include "app/anatomy/plausible_heart.h"
#include "compute/surface/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace systole {
namespace {

/// Factor by which a heart's chamber hardly ever fills from one frame to the next.
constexpr double suddenGrowth = 1.35;
/// Fraction of the found volume up to which it counts as unchanged: correcting a leak changes more.
constexpr double sameVolume = 0.05;

/// The doubt of the first frame that has one, and the number of others; `of(i)` is that of frame i.
std::string ofFirstFrame(std::size_t frames, const std::function<std::string(std::size_t i)>& of) {
    std::string first;
    int others = 0;
    for (std::size_t i = 0; i < frames; ++i) {
        const std::string doubt = of(i);
        if (doubt.empty())
            continue;
        if (first.empty())
            first = fmt::format("Frame {}: {}", i, doubt);
        else
            ++others;
    }
    if (others > 0)
        first += fmt::format("; {} other frame{} to be looked at, too", others,
                             others == 1 ? " is" : "s are");
    return first.empty() ? "" : first + ".";
}

} // namespace

void LabelDoubts::begin(int firstFrame) {
    first_ = firstFrame;
    for (Frame& frame : frames_)
        frame.found = 0;
}

LabelDoubts::Frame& LabelDoubts::at(int frame) {
    frames_.resize(std::max(frames_.size(), static_cast<std::size_t>(frame) + 1));
    return frames_[static_cast<std::size_t>(frame)];
}

void LabelDoubts::found(int frame, double milliliters, std::string doubt) {
    at(frame).found = milliliters;
    at(frame).doubt = std::move(doubt);
}

void LabelDoubts::count(int frame, double chamber, double wall) {
    at(frame).chamber = chamber;
    at(frame).wall = wall;
}

void LabelDoubts::follow(const LabelHistory& labels) {
    frames_.resize(static_cast<std::size_t>(labels.frames()));
    for (int i = 0; i < labels.frames(); ++i)
        if (std::exchange(at(i).revision, labels.revision(i)) != labels.revision(i))
            count(i, labels.milliliters(i, chamberLabel), labels.milliliters(i, wallLabel));
}

std::optional<int> LabelDoubts::origin() const {
    for (std::size_t i = 0; i < frames_.size(); ++i)
        if (i != static_cast<std::size_t>(first_) && frames_[i].found > 0 && frames_[i].chamber > 0)
            return first_;
    return std::nullopt;
}

std::string LabelDoubts::ofFrame(std::size_t i) const {
    const Frame& frame = frames_[i];
    if (frame.found <= 0 || std::abs(frame.chamber - frame.found) > sameVolume * frame.found)
        return "";
    const double before = i > static_cast<std::size_t>(first_) ? frames_[i - 1].found : 0;
    if (before > 0 && frame.found > suddenGrowth * before)
        return fmt::format("the chamber is {:.0f} % larger than in frame {}; look whether it has "
                           "run into its neighbor",
                           100 * (frame.found / before - 1), i - 1);
    return frame.doubt;
}

std::string LabelDoubts::ofFinding() const {
    return ofFirstFrame(frames_.size(), [&](std::size_t i) { return ofFrame(i); });
}

std::string LabelDoubts::ofOrigin() const {
    if (!origin())
        return "";
    std::vector<VolumeInFrame> chambers;
    for (std::size_t i = 0; i < frames_.size(); ++i)
        if (frames_[i].chamber > 0)
            chambers.push_back({static_cast<int>(i), frames_[i].chamber});
    return farFromDiastole(chambers, first_);
}

std::vector<std::string> LabelDoubts::all() const {
    std::vector<std::string> doubts{
        ofFinding(), ofOrigin(), ofFirstFrame(frames_.size(), [&](std::size_t i) {
            const Frame& frame = frames_[i];
            return frame.chamber > 0 ? implausible(frame.chamber, frame.wall) : "";
        })};
    std::vector<VolumeInFrame> walls;
    for (std::size_t i = 0; i < frames_.size(); ++i)
        walls.push_back({static_cast<int>(i), frames_[i].wall});
    if (const std::string unsteady = unsteadyWall(walls); !unsteady.empty())
        doubts.push_back("Unlikely: " + unsteady + ".");
    std::erase(doubts, "");
    return doubts;
}

} // namespace systole
