#include "app/features/laboratory/table.h"

#include "app/base/units.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <set>
#include <utility>
#include <vector>

namespace systole {
namespace {

using lab::LabAnswer;
using lab::LabAxis;
using lab::LabCurve;
using lab::LabRow;

constexpr std::size_t ours = 2; // index in model::performanceModels()

const char* nameOf(std::size_t model) { return model::performanceModels()[model].shortName; }

std::string rateText(double rate) { return rate > 0 ? fmt::format("{:.0f}", 1e-9 * rate) : "–"; }

void addRow(std::string& text, const LabAnswer& answer, const LabRow& row) {
    const ProfileSpan& launch = row.point.largest();
    const std::string waves =
        row.waves.whole > 0
            ? fmt::format("{:.2f}, last {:.0f} %", row.waves.count, 100 * row.waves.lastFilled)
            : "–";
    const double ofMemory = row.bytesPerSecond / answer.machine.memoryBandwidth;
    text += fmt::format(
        "{:>7.0f} {:>4} {:>6} {:>5}  {:<18} {:>4.0f} %  {:<17}", row.x, launch.registers,
        launch.sharedBytes, launch.localBytes,
        fmt::format("{} ({})", row.occupancy.activeBlocks, model::name(row.occupancy.limit)),
        100 * row.occupancy.fraction, waves);
    for (const double seconds : row.predicted)
        text += fmt::format(" {:>10}", secondsText(seconds));
    text += fmt::format(" {:>9}", secondsText(row.measured));
    if (answer.question.withTransfers)
        text += fmt::format(" {:>10} {:>9}", secondsText(row.predictedAlone[ours]),
                            secondsText(row.point.seconds));
    text += fmt::format(" {:>6} {:>7} {:>8}\n", rateText(row.bytesPerSecond),
                        ofMemory > 0 ? fmt::format("{:.0f} %", 100 * ofMemory) : "–",
                        rateText(row.flopsPerSecond));
}

void addHeading(std::string& text, const LabAnswer& answer, const LabCurve& curve) {
    const lab::LabQuestion& question = answer.question;
    const ProfileSpan& launch = curve.rows.front().point.largest();
    std::string held;
    if (question.axis != LabAxis::Side)
        held += fmt::format(", {}", voxelsText(question.side));
    if (question.axis != LabAxis::BlockSize)
        held += fmt::format(", {} threads per block",
                            launch.block[0] * launch.block[1] * launch.block[2]);
    text += fmt::format("\n{}{}{}\n  {}\n", curve.kernel, held,
                        question.withTransfers ? ", data copied from and to the host" : "",
                        lab::labKernel(curve.kernel).summary);
    text += fmt::format("{:>7} {:>4} {:>6} {:>5}  {:<18} {:>6}  {:<17} {:>10} {:>10} {:>10} {:>9}",
                        question.axis == LabAxis::BlockSize ? "block"
                        : question.axis == LabAxis::Side    ? "side"
                                                            : "padding",
                        "regs", "shared", "local", "blocks/SM", "occup.", "waves", nameOf(0),
                        nameOf(1), nameOf(ours), "measured");
    if (question.withTransfers)
        text += fmt::format(" {:>10} {:>9}", "ours kern.", "kernel");
    text += fmt::format(" {:>6} {:>7} {:>8}\n", "GB/s", "of mem.", "GFLOP/s");
}

/// Best block measured and per model; the minimum over sides is only the smallest problem.
void addChoices(std::string& text, const LabAnswer& answer, const LabCurve& curve) {
    if (answer.question.axis != LabAxis::Side) {
        std::string choices;
        if (const LabRow* best = curve.rowAt(curve.bestMeasured))
            choices += fmt::format("measured {:.0f} ({})", best->x, secondsText(best->measured));
        for (std::size_t m = 0; m < curve.meanError.size(); ++m)
            if (const LabRow* chosen = curve.rowAt(curve.bestPredicted[m])) {
                choices +=
                    fmt::format("{}{} {:.0f}", choices.empty() ? "" : "; ", nameOf(m), chosen->x);
                if (curve.chosenOverBest[m] > 0)
                    choices += fmt::format(" ({})", curve.chosenOverBest[m] < 1.0005
                                                        ? "the fastest"
                                                        : percentText(curve.chosenOverBest[m] - 1) +
                                                              " slower");
            }
        if (!choices.empty())
            text += fmt::format("  best {}: {}\n", lab::name(answer.question.axis), choices);
    }
    std::string errors;
    for (std::size_t m = 0; m < curve.meanError.size(); ++m)
        if (curve.meanError[m] >= 0)
            errors += fmt::format("{}{} {}", errors.empty() ? "" : ", ", nameOf(m),
                                  percentText(curve.meanError[m]));
    if (!errors.empty())
        text += fmt::format("  mean relative error: {}\n", errors);
}

void addNotes(std::string& text, const LabAnswer& answer) {
    if (!answer.notes.empty())
        text += '\n';
    for (const std::string& note : answer.notes)
        text += fmt::format("note: {}\n", note);
}

/// Explains the columns.
void addLegend(std::string& text, const LabAnswer& answer) {
    const model::GpuMachine& machine = answer.machine;
    text += fmt::format("\nwaves: blocks over the blocks that are resident at once; last: fill of "
                        "the last wave\nof mem.: declared bytes per second relative to the memory "
                        "bandwidth of {:.0f} GB/s, {}\n",
                        1e-9 * machine.memoryBandwidth,
                        machine.measured ? "measured on this GPU" : "from its data sheet");
    if (answer.question.withTransfers)
        text += "kernel: without the copies; other times, GB/s and GFLOP/s include them\n";
}

constexpr std::size_t fewRows = 16;

/// Rows to show of a sweep. Block sizes: powers of two, the default, the best measured and the
/// models' choices. Other axes: both ends, and the rows where another wave begins, from the small
/// end.
std::set<std::size_t> fewRowsOf(const LabAnswer& answer, const LabCurve& curve) {
    std::set<std::size_t> shown;
    const std::vector<LabRow>& rows = curve.rows;
    if (answer.question.axis == LabAxis::BlockSize) {
        const int standard = lab::labKernel(curve.kernel).standardBlock;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (std::has_single_bit(static_cast<unsigned>(rows[i].point.threads)) ||
                rows[i].point.threads == standard)
                shown.insert(i);
        if (curve.bestMeasured >= 0)
            shown.insert(static_cast<std::size_t>(curve.bestMeasured));
        for (const int chosen : curve.bestPredicted)
            if (chosen >= 0)
                shown.insert(static_cast<std::size_t>(chosen));
        return shown;
    }
    shown = {0, rows.size() - 1};
    for (std::size_t i = 1; i < rows.size() && shown.size() + 2 <= fewRows; ++i)
        if (rows[i].waves.whole != rows[i - 1].waves.whole)
            shown.insert({i - 1, i});
    return shown;
}

/// Measured time at the kernel's default block over the minimum; 0: not measured.
double standardOverBest(const LabCurve& curve) {
    const LabRow* best = curve.rowAt(curve.bestMeasured);
    for (const LabRow& row : curve.rows)
        if (best && row.point.threads == lab::labKernel(curve.kernel).standardBlock)
            return row.measured / best->measured;
    return 0;
}

std::string ratioText(double ratio) { return ratio > 0 ? fmt::format("{:.3f}", ratio) : "–"; }

/// Means over kernels.
struct Means {
    int kernels = 0;
    std::array<double, 3> error{};
    std::array<double, 3> chosen{}; ///< time at the model's block over the minimum
    std::array<int, 3> close{};     ///< number of kernels whose `chosen` is at most 1.05
    double standard = 0;            ///< time at the default block over the minimum
    int standardClose = 0;

    void add(const LabCurve& curve) {
        ++kernels;
        const double own = standardOverBest(curve);
        standard += own;
        standardClose += own > 0 && own <= 1.05;
        for (std::size_t m = 0; m < error.size(); ++m) {
            error[m] += curve.meanError[m];
            chosen[m] += curve.chosenOverBest[m];
            close[m] += curve.chosenOverBest[m] > 0 && curve.chosenOverBest[m] <= 1.05;
        }
    }
    std::string line(const std::string& name) const {
        std::string text =
            fmt::format("{:<32} {:>6} {:>8.3f} {:>6}", name, kernels, standard / kernels,
                        fmt::format("{}/{}", standardClose, kernels));
        for (std::size_t m = 0; m < error.size(); ++m)
            text += fmt::format(" {:>8} {:>7.3f} {:>6}", percentText(error[m] / kernels),
                                chosen[m] / kernels, fmt::format("{}/{}", close[m], kernels));
        return text + '\n';
    }
};

} // namespace

std::string tableOf(const LabAnswer& answer, TableRows which) {
    std::string text = answer.source + "\n";
    bool shortened = false;
    for (const LabCurve& curve : answer.curves) {
        const bool all = which == TableRows::All || curve.rows.size() <= fewRows;
        const std::set<std::size_t> shown =
            all ? std::set<std::size_t>{} : fewRowsOf(answer, curve);
        shortened |= !all;
        addHeading(text, answer, curve);
        for (std::size_t i = 0; i < curve.rows.size(); ++i)
            if (all || shown.contains(i))
                addRow(text, answer, curve.rows[i]);
        addChoices(text, answer, curve);
    }
    addLegend(text, answer);
    if (shortened)
        text += "some rows omitted: --all shows them, --csv FILE writes them\n";
    addNotes(text, answer);
    return plainSpaces(std::move(text));
}

std::string evaluationOf(const LabAnswer& answer) {
    std::string text =
        fmt::format("{}\nBlock sizes at {}. Per model: mean relative error over the sweep, "
                    "the chosen block, and its measured time over the minimum; default: the same "
                    "for the kernel's default block.\n\n",
                    answer.source, voxelsText(answer.question.side));
    text += fmt::format("{:<32} {:>6} {:>6} {:>8}", "kernel", "blocks", "best", "default");
    for (const model::PerformanceModel& model : model::performanceModels())
        text += fmt::format("  {:>11} {:>6} {:>6}", model.shortName, "block", "ratio");
    text += '\n';
    std::vector<std::pair<std::string, Means>> tasks;
    Means all;
    int lines = 0;
    for (const LabCurve& curve : answer.curves) {
        const LabRow* best = curve.rowAt(curve.bestMeasured);
        int measured = 0;
        for (const LabRow& row : curve.rows)
            measured += row.measured > 0;
        // A single block size leaves no choice.
        if (!best || measured < 2)
            continue;
        ++lines;
        text += fmt::format("{:<32} {:>6} {:>6.0f} {:>8}", curve.kernel, measured, best->x,
                            ratioText(standardOverBest(curve)));
        for (std::size_t m = 0; m < curve.meanError.size(); ++m) {
            const LabRow* chosen = curve.rowAt(curve.bestPredicted[m]);
            text += fmt::format("  {:>11} {:>6} {:>6}",
                                curve.meanError[m] < 0 ? "–" : percentText(curve.meanError[m]),
                                chosen ? fmt::format("{:.0f}", chosen->x) : "–",
                                ratioText(curve.chosenOverBest[m]));
        }
        text += '\n';
        const bool judged = curve.meanError[0] >= 0 && curve.meanError[1] >= 0 &&
                            curve.meanError[2] >= 0 && curve.chosenOverBest[0] > 0 &&
                            curve.chosenOverBest[1] > 0 && curve.chosenOverBest[2] > 0 &&
                            standardOverBest(curve) > 0;
        if (!judged)
            continue;
        const std::string task = curve.kernel.substr(0, curve.kernel.find('/'));
        if (tasks.empty() || tasks.back().first != task)
            tasks.push_back({task, {}});
        tasks.back().second.add(curve);
        all.add(curve);
    }
    if (lines == 0)
        throw ComputeError(
            fmt::format("nothing to compare the models with: no kernel was measured in "
                        "several block sizes at {} on {}",
                        voxelsText(answer.question.side), answer.machine.name));
    if (all.kernels > 0) {
        text += fmt::format("\n{:<32} {:>6} {:>8} {:>6}", "means", "n", "default", "≤ 5 %");
        for (const model::PerformanceModel& model : model::performanceModels())
            text += fmt::format(" {:>8} {:>7} {:>6}", model.shortName, "ratio", "≤ 5 %");
        text += '\n';
        for (const auto& [task, means] : tasks)
            text += means.line(task);
        text += all.line("all");
    }
    addNotes(text, answer);
    return plainSpaces(std::move(text));
}

} // namespace systole
