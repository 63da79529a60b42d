#include "app/live/timing_log.h"

#include <fmt/format.h>

#include <numeric>
#include <string_view>

namespace systole {
namespace {

std::size_t stageIndex(std::string_view stage) {
    std::size_t index = 0;
    while (stage != profileStages[index])
        ++index;
    return index;
}

} // namespace

double TimingSample::totalSeconds() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

TimingSample timingSample(const FrameResult& result, double readSeconds, double toGlSeconds,
                          double toGlBytes, double renderSeconds) {
    TimingSample sample;
    sample.fixedFrame = result.fixedFrame;
    sample.movingFrame = result.movingFrame;
    for (std::size_t stage = 0; stage < profileStageCount; ++stage)
        sample.seconds[stage] = result.profile.seconds(profileStages[stage]);
    sample.seconds[stageIndex("read")] = readSeconds;
    sample.seconds[stageIndex("field to GL")] = toGlSeconds;
    sample.seconds[stageIndex("render")] = renderSeconds;
    sample.estimationSeconds = result.seconds;
    sample.toDeviceBytes = static_cast<double>(result.bytesToDevice);
    sample.toHostBytes = static_cast<double>(result.bytesToHost);
    sample.toGlBytes = toGlBytes;
    sample.sweeps = result.sweeps;
    sample.backend = result.backend;
    return sample;
}

void TimingLog::add(const TimingSample& sample) {
    samples_.push_back(sample);
    if (samples_.size() > capacity)
        samples_.pop_front();
}

std::string TimingLog::text() const {
    std::string text = "fixed\tmoving\tbackend";
    for (const char* stage : profileStages)
        text += fmt::format("\t{} ms", stage);
    text += "\testimation ms\tsweeps\tto device bytes\tto host bytes\tto OpenGL bytes\n";
    for (const TimingSample& sample : samples_) {
        text +=
            fmt::format("{}\t{}\t{}", sample.fixedFrame, sample.movingFrame, name(sample.backend));
        for (const double seconds : sample.seconds)
            text += fmt::format("\t{:.3f}", 1000 * seconds);
        text +=
            fmt::format("\t{:.3f}\t{}\t{:.0f}\t{:.0f}\t{:.0f}\n", 1000 * sample.estimationSeconds,
                        sample.sweeps, sample.toDeviceBytes, sample.toHostBytes, sample.toGlBytes);
    }
    return text;
}

} // namespace systole
