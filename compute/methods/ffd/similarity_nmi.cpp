#include "compute/methods/ffd/similarity_nmi.h"

#include "compute/methods/ffd/similarity_nmi_math.h"
#include "compute/methods/ffd/similarity_rows.h"
#include "compute/methods/ffd/vector_products.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace systole {
namespace {

IntensityScale rangeOf(VolumeView<const float> image) {
    const std::vector<float> ends = quantiles(image, {nmiDarkest, nmiBrightest});
    if (ends[1] > ends[0])
        return {ends[0], ends[1]};
    const auto [lowest, highest] = std::minmax_element(image.data, image.data + image.voxels());
    return {*lowest, *highest > *lowest ? *highest : *lowest + 1};
}

BinScale binsBetween(IntensityScale range, float first, float last) {
    const float scale = (last - first) / (range.high - range.low);
    return {scale, first - scale * range.low, first, last};
}

/// Numbers whose products are added by halves: as many as lanes of a warp.
constexpr std::size_t lanes = 32;

/// Σ n log n of a margin; the logarithms are kept. The order is that of the device.
double sumOfMargin(const std::array<double, nmiBins>& counts,
                   std::array<double, nmiBins>& logarithms) {
    std::array<double, nmiBins> products{};
    for (std::size_t i = 0; i < nmiBins; ++i) {
        logarithms[i] = logOfCount(std::max(1.0, counts[i]));
        products[i] = counts[i] * logarithms[i];
    }
    const std::span<double> all(products);
    return strands::byHalves(all.first(lanes)) + strands::byHalves(all.last(lanes));
}

/// Σ n log n over the counts n of the pairs of bins, and their logarithms.
double sumOfPairs(const JointHistogram& histogram,
                  std::array<double, nmiBins * nmiBins>& logarithms) {
    constexpr std::size_t own = nmiBins * nmiBins / (lanes * lanes); // pairs per thread
    std::array<double, lanes> groups{};
    for (std::size_t group = 0; group < lanes; ++group) {
        std::array<double, lanes> sums{};
        for (std::size_t i = 0; i < own * lanes; ++i) {
            const std::size_t pair = group * own * lanes + i;
            const auto count = static_cast<double>(histogram[pair]);
            logarithms[pair] = logOfCount(std::max(1.0, count));
            sums[i / own] += count * logarithms[pair];
        }
        groups[group] = strands::byHalves(sums);
    }
    return strands::byHalves(groups);
}

class Nmi : public Similarity {
public:
    Nmi(Size3 finest, Workspace& space)
        : space_(space), rows_(space.add<float>("fixed image's bins", finest.voxels())) {}

    void begin(const Level& level, const ExecContext& ctx) override {
        const BinScale fixed = fixedBins(rangeOf(level.fixed));
        bins_ = warpedBins(rangeOf(level.moving));
        float* const rows = space_.data(rows_);
        overVoxels(level.fixed.size, ctx, [&](int x, int y, int z) {
            rows[level.fixed.offset(x, y, z)] =
                nmiBins * std::floor(fixed.position(level.fixed(x, y, z)) + 0.5f);
        });
    }

    double value(const ComparedImages& images, const ExecContext& ctx) override {
        JointHistogram histogram{};
        std::mutex merging;
        const Size3 size = images.fixed.size;
        parallelFor(ctx, size.y * size.z, std::max(1, nmiVoxels / size.x), [&](int begin, int end) {
            std::vector<std::uint32_t> counts(nmiBins * nmiBins, 0);
            for (int row = begin; row < end; ++row) {
                const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(size.x);
                if (ctx.backend == Backend::CpuReference)
                    countRow(images, first, size.x, counts);
                else
                    rows::parzenCounts(space_.data(rows_) + first, images.warped.data + first,
                                       images.weight.data + first, {bins_, nmiUnit}, size.x,
                                       counts.data());
            }
            const std::lock_guard lock(merging);
            for (std::size_t i = 0; i < histogram.size(); ++i)
                histogram[i] += counts[i];
        });
        result_ = nmiOf(histogram);
        return -result_.nmi;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out,
                    const ExecContext& ctx) override {
        const Size3 size = images.fixed.size;
        if (ctx.backend == Backend::CpuReference)
            return overVoxels(size, ctx, [&](int x, int y, int z) {
                const std::size_t i = out.offset(x, y, z);
                const float position = bins_.position(images.warped.data[i]);
                const auto bin = static_cast<int>(position);
                float sum = 0;
                for (int k = 0; k < 4; ++k)
                    sum += result_.derivative[cell(i, bin - 1 + k)] *
                           ParzenWindow::derivative(k, position - static_cast<float>(bin));
                const bool limited = position <= bins_.low || position >= bins_.high;
                out.data[i] = limited ? 0 : -bins_.scale * images.weight.data[i] * sum;
            });
        overRows(size, ctx, [&](int y, int z) {
            const std::size_t first = out.offset(0, y, z);
            rows::parzenDerivative(space_.data(rows_) + first, images.warped.data + first,
                                   images.weight.data + first, {bins_, -bins_.scale},
                                   result_.derivative.data(), size.x, out.data + first);
        });
    }

    double known(double energy) const override { return -energy; }

private:
    /// Index of a pair of bins: of voxel i of the fixed image, and a bin of the warped one.
    std::size_t cell(std::size_t i, int bin) const {
        return static_cast<std::size_t>(static_cast<int>(space_.data(rows_)[i]) + bin);
    }

    void countRow(const ComparedImages& images, std::size_t first, int count,
                  std::vector<std::uint32_t>& counts) const {
        for (std::size_t i = first; i < first + static_cast<std::size_t>(count); ++i) {
            const float position = bins_.position(images.warped.data[i]);
            const auto bin = static_cast<int>(position);
            const ParzenWindow window(position - static_cast<float>(bin));
            for (int k = 0; k < 4; ++k)
                counts[cell(i, bin - 1 + k)] += static_cast<std::uint32_t>(
                    nmiUnit * images.weight.data[i] * window.weight[k] + 0.5f);
        }
    }

    Workspace& space_;
    Workspace::Block<float>
        rows_; ///< offset of the histogram's row for each voxel of the fixed image
    BinScale bins_;
    NmiResult result_; ///< result of the last value()
};

} // namespace

BinScale fixedBins(IntensityScale range) {
    return binsBetween(range, 0, static_cast<float>(nmiBins - 1));
}

BinScale warpedBins(IntensityScale range) {
    // Four bins are counted from one before the position's on.
    return binsBetween(range, 1, static_cast<float>(nmiBins - 2) - 0.001f);
}

NmiResult nmiOf(const JointHistogram& histogram) {
    NmiResult result;
    result.nmi = 1;
    std::array<double, nmiBins> ofFixed{}, ofWarped{};
    double total = 0;
    for (std::size_t f = 0; f < nmiBins; ++f)
        for (std::size_t w = 0; w < nmiBins; ++w) {
            const auto count = static_cast<double>(histogram[f * nmiBins + w]);
            ofFixed[f] += count;
            ofWarped[w] += count;
            total += count;
        }
    if (!(total > 0))
        return result;
    std::array<double, nmiBins * nmiBins> logCount{};
    std::array<double, nmiBins> logColumn{}, logRow{};
    const NmiEntropies entropies(total, logOfCount(total),
                                 sumOfMargin(ofWarped, logColumn) + sumOfMargin(ofFixed, logRow),
                                 sumOfPairs(histogram, logCount));
    if (!entropies.comparable())
        return result;
    result.nmi = entropies.nmi();
    for (std::size_t i = 0; i < result.derivative.size(); ++i)
        result.derivative[i] =
            entropies.derivative(static_cast<double>(nmiUnit), logCount[i], logColumn[i % nmiBins]);
    return result;
}

std::unique_ptr<Similarity> makeNmi(Size3 finest, Workspace& space) {
    return std::make_unique<Nmi>(finest, space);
}

} // namespace systole
