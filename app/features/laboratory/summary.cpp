#include "app/features/laboratory/summary.h"

#include "app/base/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

using lab::LabAnswer;
using lab::LabAxis;
using lab::LabCurve;
using lab::LabRow;

std::string rateText(const LabAnswer& answer, double bytesPerSecond, double flopsPerSecond) {
    std::string text = quantity(figureText(1e-9 * bytesPerSecond), "GB/s");
    if (answer.machine.memoryBandwidth > 0)
        text += fmt::format(", {} of memory bandwidth",
                            percentText(bytesPerSecond / answer.machine.memoryBandwidth));
    if (flopsPerSecond > 0)
        text += "; " + quantity(figureText(1e-9 * flopsPerSecond), "GFLOP/s");
    return text;
}

/// A call with copies isn't comparable with memory bandwidth; the kernel within it is.
std::string measuredText(const LabAnswer& answer, const LabRow& row) {
    if (!answer.question.withTransfers)
        return fmt::format("measured {}, {}", secondsText(row.measured),
                           rateText(answer, row.bytesPerSecond, row.flopsPerSecond));
    std::string text = fmt::format("measured {} with copies", secondsText(row.measured));
    if (const double alone = row.point.seconds; alone > 0)
        text += fmt::format("; kernel only {}, {}", secondsText(alone),
                            rateText(answer, row.point.bytes() / alone, row.point.flops() / alone));
    return text;
}

/// Short enough for one line of the panel column.
std::string choiceText(const LabCurve& curve, std::size_t model) {
    const LabRow& chosen = *curve.rowAt(curve.bestPredicted[model]);
    const double ratio = curve.chosenOverBest[model];
    return fmt::format("{} chooses {:.0f}, {}", shortModelName(model), chosen.x,
                       ratio > 1.0005 ? percentText(ratio - 1) + " slower"
                       : ratio > 0    ? "the fastest"
                                      : "predicts " + secondsText(chosen.predicted[model]));
}

/// Block size of a question over another axis: one for all, or each kernel's default.
std::string blockText(const lab::LabQuestion& question) {
    std::vector<int> blocks;
    for (const std::string& kernel : question.kernels)
        blocks.push_back(question.threads > 0 ? question.threads
                                              : lab::labKernel(kernel).standardBlock);
    if (std::adjacent_find(blocks.begin(), blocks.end(), std::not_equal_to<>()) == blocks.end())
        return fmt::format("{} threads per block", blocks.front());
    return fmt::format("{} threads per block, in this order", fmt::join(blocks, ", "));
}

std::string wavesText(const model::Waves& waves) {
    return fmt::format("{} waves, last wave {:.0f} % filled, wave efficiency {:.0f} %",
                       figureText(waves.count), 100 * waves.lastFilled, 100 * waves.efficiency);
}

} // namespace

const char* shortModelName(std::size_t model) {
    return model::performanceModels()[model].shortName;
}

std::string placeText(LabAxis axis, double x) {
    if (axis == LabAxis::BlockSize)
        return fmt::format("{:.0f} threads", x);
    if (axis == LabAxis::Side)
        return fmt::format("side {:.0f}", x);
    return x > 0 ? fmt::format("{:.1f} KB padding", x / 1024) : "no padding";
}

std::string conditionsText(const lab::LabQuestion& question) {
    const std::string block = blockText(question);
    const std::string side = fmt::format("side {}", question.side);
    return fmt::format("over {}, {}{}", lab::name(question.axis),
                       question.axis == LabAxis::BlockSize ? side
                       : question.axis == LabAxis::Side    ? block
                                                           : side + ", " + block,
                       question.withTransfers ? ", data on the host" : "");
}

std::vector<std::string> summaryOf(const LabAnswer& answer, const LabCurve& curve) {
    std::vector<std::string> lines;
    // The minimum over sides is only the smallest problem, and padding isn't a choice.
    const bool choosing = answer.question.axis == LabAxis::BlockSize;
    if (curve.bestMeasured >= 0 && choosing) {
        const LabRow& best = *curve.rowAt(curve.bestMeasured);
        lines.push_back(fmt::format("best measured: {}, {}",
                                    placeText(answer.question.axis, best.x),
                                    secondsText(best.measured)));
        if (!answer.question.withTransfers)
            lines.push_back(rateText(answer, best.bytesPerSecond, best.flopsPerSecond));
    }
    for (std::size_t model = 0; choosing && model < curve.bestPredicted.size(); ++model)
        if (curve.bestPredicted[model] >= 0)
            lines.push_back(choiceText(curve, model));
    std::string errors;
    for (std::size_t model = 0; model < curve.meanError.size(); ++model)
        if (curve.meanError[model] >= 0)
            errors += fmt::format("{}{} {:.0f} %", errors.empty() ? "mean error: " : ", ",
                                  shortModelName(model), 100 * curve.meanError[model]);
    lines.push_back(errors.empty() ? "no measurements to compare the models with" : errors);
    return lines;
}

std::vector<std::string> figuresOf(const LabAnswer& answer, const LabCurve& curve,
                                   const LabRow& row) {
    const ProfileSpan& largest = row.point.largest();
    std::vector<std::string> lines{fmt::format("{}, side {}, {} threads per block", curve.kernel,
                                               row.point.side, row.point.threads)};
    if (row.point.paddingBytes > 0)
        lines.push_back(placeText(LabAxis::Padding, row.point.paddingBytes));
    lines.push_back(row.measured > 0 ? measuredText(answer, row) : std::string("not measured"));
    std::string predicted;
    for (std::size_t model = 0; model < row.predicted.size(); ++model)
        if (row.predicted[model] > 0)
            predicted += fmt::format("{}{} {}", predicted.empty() ? "predicted: " : ", ",
                                     shortModelName(model), secondsText(row.predicted[model]));
    lines.push_back(predicted.empty() ? "no cost declared: no prediction" : predicted);
    lines.push_back(fmt::format("occupancy {:.0f} %: {} blocks, {} warps; limited by {}",
                                100 * row.occupancy.fraction, row.occupancy.activeBlocks,
                                row.occupancy.activeWarps, model::name(row.occupancy.limit)));
    if (row.waves.whole > 0)
        lines.push_back(wavesText(row.waves));
    lines.push_back(fmt::format("{} registers and {} B local per thread, {} B shared per block",
                                largest.registers, largest.localBytes, largest.sharedBytes));
    if (row.intensity > 0)
        lines.push_back(fmt::format("{} FLOP per byte", figureText(row.intensity)));
    if (row.point.deviation >= 0)
        lines.push_back(fmt::format("result differs from the task's first variant by {:.2g} of "
                                    "the maximum",
                                    row.point.deviation));
    return lines;
}

} // namespace systole
