#include "app/commands/value_statistics.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t sampleLimit = std::size_t{4} << 20;

double percentile(std::vector<float>& values, double part) {
    const auto rank = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return static_cast<double>(values[static_cast<std::size_t>(rank)]);
}

} // namespace

ValueStatistics valueStatistics(const Sequence& sequence, BufferPool& pool) {
    ValueStatistics result;
    result.minimum = std::numeric_limits<double>::infinity();
    result.maximum = -result.minimum;
    Volume frame(sequence.geometry, pool, "statistics");
    const std::size_t all = frame.voxels.size() * static_cast<std::size_t>(sequence.frames);
    const std::size_t step = 1 + all / sampleLimit;
    std::vector<float> sample;
    sample.reserve(all / step + static_cast<std::size_t>(sequence.frames));
    double sum = 0;
    std::size_t next = 0; // index of the next voxel of the sequence to be sampled
    std::size_t seen = 0;
    for (int index = 0; index < sequence.frames; ++index) {
        sequence.source->read(index, frame.view());
        for (const float value : frame.voxels.span()) {
            const auto wide = static_cast<double>(value);
            result.minimum = std::min(result.minimum, wide);
            result.maximum = std::max(result.maximum, wide);
            sum += wide;
            if (seen++ == next) {
                sample.push_back(value);
                next += step;
            }
        }
    }
    result.mean = sum / static_cast<double>(all);
    result.percentile1 = percentile(sample, 0.01);
    result.median = percentile(sample, 0.5);
    result.percentile99 = percentile(sample, 0.99);
    result.sampledVoxels = sample.size();
    return result;
}

} // namespace systole
