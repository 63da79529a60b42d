#include "compute/core/error.h"
#include "compute/ops/weighted_sum.h"

#include <algorithm>

namespace systole {
namespace {

/// Values per block: the block of the result stays in the first cache while summands stream by.
constexpr std::size_t blockValues = 4096;

} // namespace

void checkWeightedSum(std::span<const Summand> summands, std::span<const float> out) {
    if (summands.size() > maxSummands)
        throw ComputeError("a weighted sum takes at most " + std::to_string(maxSummands) +
                           " summands");
    for (const Summand& summand : summands)
        if (summand.values.size() != out.size())
            throw ComputeError("the summands of a weighted sum must have the length of the result");
}

void weightedSum(std::span<const Summand> summands, std::span<float> out, const ExecContext& ctx) {
    checkWeightedSum(summands, out);
    const auto blocks = static_cast<int>((out.size() + blockValues - 1) / blockValues);
    parallelFor(ctx, blocks, 16, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int block = begin; block < end; ++block) {
            const std::size_t first = static_cast<std::size_t>(block) * blockValues;
            const std::size_t count = std::min(blockValues, out.size() - first);
            float* const sum = out.data() + first;
            std::fill_n(sum, count, 0.0f);
            for (const Summand& summand : summands) {
                const float* const values = summand.values.data() + first;
                const float weight = summand.weight;
                for (std::size_t i = 0; i < count; ++i)
                    sum[i] += weight * values[i];
            }
        }
    });
}

} // namespace systole
