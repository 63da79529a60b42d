#include "app/session/timing_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
double TimingSample::totalSeconds() const {
    double sum = 0;
    for (const StageTime& stage : stages)
        sum += stage.seconds;
    return sum;
}

double TimingSample::seconds(const std::string& name) const {
    for (const StageTime& stage : stages)
        if (stage.stage == name)
            return stage.seconds;
    return 0;
}

TimingSample timingSample(const FrameResult& result, const std::vector<std::string>& stages,
                          const FrameCosts& costs) {
    TimingSample sample;
    sample.fixedFrame = result.fixedFrame;
    sample.movingFrame = result.movingFrame;
    double other = result.seconds;
    for (const std::string& stage : stages) {
        const bool isCost = stage == "read" || stage == "field to GL" || stage == "render";
        const double ofEstimation = isCost ? 0 : result.profile.seconds(stage);
        other -= ofEstimation;
        sample.stages.push_back({stage, stage == "read"          ? costs.readSeconds
                                        : stage == "field to GL" ? costs.toGlSeconds
                                        : stage == "render"      ? costs.renderSeconds
                                                                 : ofEstimation});
    }
    sample.stages.push_back({"other", std::max(0.0, other)});
    sample.estimationSeconds = result.seconds;
    sample.toDeviceBytes = static_cast<double>(result.bytesToDevice);
    sample.toHostBytes = static_cast<double>(result.bytesToHost);
    sample.toGlBytes = costs.toGlBytes;
    sample.iterations = result.iterations;
    sample.backend = result.backend;
    return sample;
}

void TimingLog::add(const TimingSample& sample) {
    samples_.push_back(sample);
    if (samples_.size() > capacity)
        samples_.pop_front();
}

std::string TimingLog::text() const {
    std::vector<std::string> stages; // stages of all samples: methods have different ones
    for (const TimingSample& sample : samples_)
        for (const StageTime& stage : sample.stages)
            if (std::ranges::find(stages, stage.stage) == stages.end())
                stages.push_back(stage.stage);
    std::string text = "fixed\tmoving\tbackend";
    for (const std::string& stage : stages)
        text += fmt::format("\t{} ms", stage);
    text += "\testimation ms\titerations\tto device bytes\tto host bytes\tto OpenGL bytes\n";
    for (const TimingSample& sample : samples_) {
        text +=
            fmt::format("{}\t{}\t{}", sample.fixedFrame, sample.movingFrame, name(sample.backend));
        for (const std::string& stage : stages)
            text += fmt::format("\t{:.3f}", 1000 * sample.seconds(stage));
        text += fmt::format("\t{:.3f}\t{}\t{:.0f}\t{:.0f}\t{:.0f}\n",
                            1000 * sample.estimationSeconds, sample.iterations,
                            sample.toDeviceBytes, sample.toHostBytes, sample.toGlBytes);
    }
    return text;
}

} // namespace systole
