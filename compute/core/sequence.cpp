#include "compute/core/sequence.h"

#include <algorithm>

namespace systole {
namespace {
constexpr double assumedFrameSeconds = 0.04;
}

double Sequence::timeOf(int frame) const {
    return timeKnown() ? timesSeconds.at(static_cast<std::size_t>(frame)) : unknownTime;
}

double Sequence::secondsToNext(int frame) const {
    if (!timeKnown() || frames < 2)
        return assumedFrameSeconds;
    const auto i = static_cast<std::size_t>(frame);
    if (i + 1 < timesSeconds.size())
        return timesSeconds[i + 1] - timesSeconds[i];
    if (closingSeconds > 0)
        return closingSeconds;
    return (timesSeconds.back() - timesSeconds.front()) / (frames - 1);
}

double Sequence::cycleSeconds() const {
    double sum = 0;
    for (int frame = 0; frame < frames; ++frame)
        sum += secondsToNext(frame);
    return sum;
}

Volume decodeFrame(const Sequence& sequence, int index, BufferPool& pool, const std::string& name) {
    Volume frame(sequence.geometry, pool, name);
    frame.timeSeconds = sequence.timeOf(index);
    sequence.source->read(index, frame.view());
    if (const auto known = sequence.source->known(); !known.empty()) {
        auto mask = std::make_shared<Volume>(sequence.geometry, pool, name + ": known voxels");
        std::ranges::copy(known, mask->voxels.data());
        frame.known = std::move(mask);
    }
    return frame;
}

} // namespace systole
