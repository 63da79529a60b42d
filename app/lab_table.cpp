#include "app/lab_table.h"

#include "app/lab_units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using lab::LabAnswer;
using lab::LabAxis;
using lab::LabCurve;
using lab::LabRow;

const char* nameOf(std::size_t model) { return model::performanceModels()[model].shortName; }

const LabRow* rowAt(const LabCurve& curve, int index) {
    return index < 0 ? nullptr : &curve.rows[static_cast<std::size_t>(index)];
}

std::string rateText(double rate) { return rate > 0 ? fmt::format("{:.0f}", 1e-9 * rate) : "–"; }

void addRow(std::string& text, const LabAnswer& answer, const LabRow& row) {
    const ProfileSpan& launch = row.point.largest();
    const std::string waves =
        row.waves.whole > 0
            ? fmt::format("{:.2f}, tail {:.0f} %", row.waves.count, 100 * row.waves.lastFilled)
            : "–";
    const double ofMemory = row.bytesPerSecond / answer.machine.memoryBandwidth;
    text += fmt::format(
        "{:>7.0f} {:>4} {:>6} {:>5}  {:<18} {:>4.0f} %  {:<17}", row.x, launch.registers,
        launch.sharedBytes, launch.localBytes,
        fmt::format("{} ({})", row.occupancy.activeBlocks, model::name(row.occupancy.limit)),
        100 * row.occupancy.fraction, waves);
    for (const double seconds : row.predicted)
        text += fmt::format(" {:>10}", secondsText(seconds));
    text += fmt::format(
        " {:>9} {:>6} {:>7} {:>8}\n", secondsText(row.measured), rateText(row.bytesPerSecond),
        ofMemory > 0 ? fmt::format("{:.0f} %", 100 * ofMemory) : "–", rateText(row.flopsPerSecond));
}

void addHeading(std::string& text, const LabAnswer& answer, const LabCurve& curve) {
    const lab::LabQuestion& question = answer.question;
    const ProfileSpan& launch = curve.rows.front().point.largest();
    std::string held;
    if (question.axis != LabAxis::Side)
        held += fmt::format(", {}", voxelsText(question.side));
    if (question.axis != LabAxis::BlockSize)
        held += fmt::format(", blocks of {}", launch.block[0] * launch.block[1] * launch.block[2]);
    text += fmt::format("\n{}{}{}\n  {}\n", curve.kernel, held,
                        question.withTransfers ? ", data brought from the host and back" : "",
                        lab::labKernel(curve.kernel).summary);
    text += fmt::format("{:>7} {:>4} {:>6} {:>5}  {:<18} {:>6}  {:<17} {:>10} {:>10} {:>10} {:>9} "
                        "{:>6} {:>7} {:>8}\n",
                        question.axis == LabAxis::BlockSize ? "block"
                        : question.axis == LabAxis::Side    ? "side"
                                                            : "ballast",
                        "regs", "shared", "local", "blocks a SM", "occup.", "waves", nameOf(0),
                        nameOf(1), nameOf(2), "measured", "GB/s", "of mem.", "GFLOP/s");
}

/// What is best by whom; over sides the least time is but that of the least work.
void addChoices(std::string& text, const LabAnswer& answer, const LabCurve& curve) {
    if (answer.question.axis != LabAxis::Side) {
        std::string choices;
        if (const LabRow* best = rowAt(curve, curve.bestMeasured))
            choices += fmt::format("measured {:.0f} ({})", best->x, secondsText(best->measured));
        for (std::size_t m = 0; m < curve.meanError.size(); ++m)
            if (const LabRow* chosen = rowAt(curve, curve.bestPredicted[m])) {
                choices +=
                    fmt::format("{}{} {:.0f}", choices.empty() ? "" : "; ", nameOf(m), chosen->x);
                if (curve.chosenOverBest[m] > 0)
                    choices += fmt::format(" ({})",
                                           curve.chosenOverBest[m] < 1.0005
                                               ? "the best"
                                               : partText(curve.chosenOverBest[m] - 1) + " slower");
            }
        if (!choices.empty())
            text += fmt::format("  best {}: {}\n", lab::name(answer.question.axis), choices);
    }
    std::string errors;
    for (std::size_t m = 0; m < curve.meanError.size(); ++m)
        if (curve.meanError[m] >= 0)
            errors += fmt::format("{}{} {}", errors.empty() ? "" : ", ", nameOf(m),
                                  partText(curve.meanError[m]));
    if (!errors.empty())
        text += fmt::format("  mean relative error: {}\n", errors);
}

void addNotes(std::string& text, const LabAnswer& answer) {
    if (!answer.notes.empty())
        text += '\n';
    for (const std::string& note : answer.notes)
        text += fmt::format("note: {}\n", note);
}

/// Means over kernels.
struct Means {
    int kernels = 0;
    std::array<double, 3> error{};
    std::array<double, 3> chosen{}; ///< time at the model's block over the best
    std::array<int, 3> close{};     ///< within 5 %

    void add(const LabCurve& curve) {
        ++kernels;
        for (std::size_t m = 0; m < error.size(); ++m) {
            error[m] += curve.meanError[m];
            chosen[m] += curve.chosenOverBest[m];
            close[m] += curve.chosenOverBest[m] > 0 && curve.chosenOverBest[m] <= 1.05;
        }
    }
    std::string line(const std::string& name) const {
        std::string text = fmt::format("{:<24} {:>6}", name, kernels);
        for (std::size_t m = 0; m < error.size(); ++m)
            text += fmt::format(" {:>8} {:>7.3f} {:>6}", partText(error[m] / kernels),
                                chosen[m] / kernels, fmt::format("{}/{}", close[m], kernels));
        return text + '\n';
    }
};

} // namespace

std::string tableOf(const LabAnswer& answer) {
    std::string text = answer.source + "\n";
    for (const LabCurve& curve : answer.curves) {
        addHeading(text, answer, curve);
        for (const LabRow& row : curve.rows)
            addRow(text, answer, row);
        addChoices(text, answer, curve);
    }
    addNotes(text, answer);
    return text;
}

std::string evaluationOf(const LabAnswer& answer) {
    std::string text =
        fmt::format("{}\nBlock sizes at {}. For each model: mean relative error over "
                    "the sweep, the block that it chooses, and the time there over "
                    "the least measured.\n\n",
                    answer.source, voxelsText(answer.question.side));
    text += fmt::format("{:<24} {:>6} {:>9}", "kernel", "blocks", "best");
    for (const model::PerformanceModel& model : model::performanceModels())
        text += fmt::format("  {:>11} {:>6} {:>6}", model.shortName, "block", "ratio");
    text += '\n';
    std::vector<std::pair<std::string, Means>> tasks;
    Means all;
    for (const LabCurve& curve : answer.curves) {
        const LabRow* best = rowAt(curve, curve.bestMeasured);
        int measured = 0;
        for (const LabRow& row : curve.rows)
            measured += row.measured > 0;
        // One block size is no choice.
        if (!best || measured < 2)
            continue;
        text += fmt::format("{:<24} {:>6} {:>9.0f}", curve.kernel, measured, best->x);
        for (std::size_t m = 0; m < curve.meanError.size(); ++m) {
            const LabRow* chosen = rowAt(curve, curve.bestPredicted[m]);
            text += fmt::format(
                "  {:>11} {:>6} {:>6}", curve.meanError[m] < 0 ? "–" : partText(curve.meanError[m]),
                chosen ? fmt::format("{:.0f}", chosen->x) : "–",
                curve.chosenOverBest[m] > 0 ? fmt::format("{:.3f}", curve.chosenOverBest[m]) : "–");
        }
        text += '\n';
        const bool judged = curve.meanError[0] >= 0 && curve.meanError[1] >= 0 &&
                            curve.meanError[2] >= 0 && curve.chosenOverBest[0] > 0 &&
                            curve.chosenOverBest[1] > 0 && curve.chosenOverBest[2] > 0;
        if (!judged)
            continue;
        const std::string task = curve.kernel.substr(0, curve.kernel.find('/'));
        if (tasks.empty() || tasks.back().first != task)
            tasks.push_back({task, {}});
        tasks.back().second.add(curve);
        all.add(curve);
    }
    if (all.kernels > 0) {
        text += fmt::format("\n{:<24} {:>6}", "means", "of");
        for (const model::PerformanceModel& model : model::performanceModels())
            text += fmt::format(" {:>8} {:>7} {:>6}", model.shortName, "ratio", "≤ 5 %");
        text += '\n';
        for (const auto& [task, means] : tasks)
            text += means.line(task);
        text += all.line("all");
    }
    addNotes(text, answer);
    return text;
}

} // namespace systole
