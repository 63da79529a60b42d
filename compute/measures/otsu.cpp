#include "compute/measures/otsu.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace systole {

float otsuThreshold(std::span<const float> values) {
    const auto [low, high] = std::ranges::minmax(values);
    if (!(high > low))
        return low;
    constexpr std::size_t bins = 256;
    const double width = (static_cast<double>(high) - static_cast<double>(low)) / bins;
    const auto binOf = [&](float value) {
        const double at = (static_cast<double>(value) - static_cast<double>(low)) / width;
        return std::min(bins - 1, static_cast<std::size_t>(at));
    };
    std::array<double, bins> counts{};
    double sum = 0; // sum of the bins' numbers
    for (const float value : values) {
        ++counts[binOf(value)];
        sum += static_cast<double>(binOf(value));
    }
    const auto all = static_cast<double>(values.size());
    // The least variance within the classes is the largest between them.
    double best = -1, darker = 0, darkerSum = 0;
    std::size_t first = 0, last = 0;
    for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
        darker += counts[bin];
        darkerSum += counts[bin] * static_cast<double>(bin);
        const double difference = sum * darker - all * darkerSum;
        const double between = difference * difference / (darker * (all - darker));
        if (between > best) {
            best = between;
            first = bin;
        }
        if (between >= best)
            last = bin;
    }
    return static_cast<float>(static_cast<double>(low) +
                              0.5 * static_cast<double>(first + last + 2) * width);
}

} // namespace systole
