#include "app/session/paired_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
namespace {

bool samePair(const TimingSample& a, const TimingSample& b) {
    return a.fixedFrame == b.fixedFrame && a.movingFrame == b.movingFrame;
}

const TimingSample* newestOf(const TimingLog& log, const TimingSample& pair) {
    const auto& samples = log.samples();
    const auto found = std::find_if(samples.rbegin(), samples.rend(),
                                    [&](const TimingSample& each) { return samePair(each, pair); });
    return found == samples.rend() ? nullptr : &*found;
}

} // namespace

TimeSpread spreadOf(std::vector<double> values) {
    std::ranges::sort(values);
    const auto quantile = [&](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(std::floor(place));
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] +
               (place - static_cast<double>(below)) * (values[above] - values[below]);
    };
    return {quantile(0.5), quantile(0.25), quantile(0.75)};
}

std::optional<double> PairedTimes::ratio() const {
    std::vector<double> ratios;
    for (const auto& [onLeft, onRight] : pairs)
        if (onLeft->estimationSeconds > 0)
            ratios.push_back(onRight->estimationSeconds / onLeft->estimationSeconds);
    return ratios.empty() ? std::nullopt : std::optional(spreadOf(std::move(ratios)).median);
}

PairedTimes pairedTimes(const TimingLog& left, const TimingLog& right) {
    PairedTimes times;
    for (const TimingSample& sample : right.samples()) {
        const TimingSample* const onLeft = newestOf(left, sample);
        if (onLeft && newestOf(right, sample) == &sample)
            times.pairs.push_back({onLeft, &sample});
    }
    if (times.pairs.empty())
        return times;
    std::vector<double> onLeft, onRight;
    for (const PairTime& pair : times.pairs) {
        onLeft.push_back(pair.left->estimationSeconds);
        onRight.push_back(pair.right->estimationSeconds);
    }
    times.left = spreadOf(std::move(onLeft));
    times.right = spreadOf(std::move(onRight));
    return times;
}

} // namespace systole
