#include "app/base/lesson_headlines.h"

#include "app/base/units.h"
#include "compute/cuda/kernel_family.h"
#include "compute/lab/kernels/tile_fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using lab::LabAnswer;
using lab::LabCurve;
using lab::LabRow;

constexpr std::size_t wu = 0, ours = 2; // indices in model::performanceModels()

/// Measured time, or this program's prediction if nothing was measured.
double timeOf(const LabRow& row) { return row.measured > 0 ? row.measured : row.predicted[ours]; }

bool anythingMeasured(const LabAnswer& answer) {
    return std::any_of(answer.curves.begin(), answer.curves.end(),
                       [](const LabCurve& curve) { return curve.bestMeasured >= 0; });
}

std::string taskOf(const std::string& kernel) { return kernel.substr(0, kernel.find('/')); }

bool comparesVariants(const LabAnswer& answer) {
    const auto& curves = answer.curves;
    return curves.size() > 1 && taskOf(curves[0].kernel) == taskOf(curves[1].kernel);
}

/// The kernels that were asked for and have no figures, such as those newer than a record.
std::string missingText(const LabAnswer& answer) {
    std::string missing;
    for (const std::string& kernel : answer.question.kernels)
        if (std::none_of(answer.curves.begin(), answer.curves.end(),
                         [&](const LabCurve& curve) { return curve.kernel == kernel; }))
            missing += fmt::format("{}{}", missing.empty() ? "" : ", ", kernel);
    return missing.empty() ? missing : fmt::format(" There are no figures of {} here.", missing);
}

/// Marks predictions, so that they aren't taken for measurements, and names what is missing.
std::string withOrigin(const LabAnswer& answer, std::string text) {
    const std::string missing = missingText(answer);
    if (text.empty())
        return fmt::format("Nothing was measured on {}, and no model gives a prediction.{}",
                           answer.machine.name, missing);
    text += missing;
    if (!anythingMeasured(answer))
        return fmt::format(
            "{} These times are predictions of our model; nothing was measured on {}{}.", text,
            answer.machine.name,
            comparesVariants(answer)
                ? ". No model can tell which memory variant is faster: its errors (`systole lab "
                  "--evaluate`) are larger than such differences"
                : "");
    return text;
}

struct Ranked {
    const LabCurve* curve;
    const LabRow* row;
};

/// Measured times only: predictions don't tell which variant is faster.
std::vector<Ranked> ranking(const LabAnswer& answer) {
    std::vector<Ranked> all;
    for (const LabCurve& curve : answer.curves)
        if (const LabRow* row = curve.rowAt(curve.bestMeasured))
            all.push_back({&curve, row});
    std::sort(all.begin(), all.end(),
              [](const Ranked& a, const Ranked& b) { return timeOf(*a.row) < timeOf(*b.row); });
    return all;
}

/// Predicted times in the order of the question, without a ranking.
std::string predictedText(const LabAnswer& answer) {
    std::string text;
    for (const LabCurve& curve : answer.curves)
        if (const LabRow* row = curve.rowAt(curve.bestPredicted[ours]))
            text += fmt::format("{}{} {} with {} threads per block", text.empty() ? "" : ", ",
                                variantOf(curve.kernel), secondsText(row->predicted[ours]),
                                row->point.threads);
    if (text.empty())
        return text;
    return fmt::format("{} at {}, predicted at the block chosen by our model: {}.",
                       taskOf(answer.curves.front().kernel), voxelsText(answer.question.side),
                       text);
}

std::string fastestText(const LabAnswer& answer) {
    const std::vector<Ranked> all = ranking(answer);
    if (all.empty())
        return predictedText(answer);
    const Ranked& first = all.front();
    std::string text = fmt::format("{} at {}: {} is the fastest with {} at {} threads per block",
                                   taskOf(first.curve->kernel), voxelsText(first.row->point.side),
                                   variantOf(first.curve->kernel), secondsText(timeOf(*first.row)),
                                   first.row->point.threads);
    for (std::size_t i = 1; i < all.size(); ++i)
        text += fmt::format("{} {} takes {} as long ({} at {})", i == 1 ? ";" : ",",
                            variantOf(all[i].curve->kernel),
                            timesText(timeOf(*all[i].row) / timeOf(*first.row)),
                            secondsText(timeOf(*all[i].row)), all[i].row->point.threads);
    return text + ".";
}

/// The row with a time at the largest side; null: none.
const LabRow* lastWithTime(const LabCurve& curve) {
    for (auto row = curve.rows.rbegin(); row != curve.rows.rend(); ++row)
        if (curve.bestMeasured < 0 ? timeOf(*row) > 0 : row->measured > 0)
            return &*row;
    return nullptr;
}

double timePerVoxel(const LabRow& row) { return timeOf(row) / std::pow(row.x, 3); }

/// True if a new last wave that is nearly empty begins between the two sides.
bool beginsAWave(const LabRow& before, const LabRow& after) {
    constexpr double nearlyEmpty = 0.25;
    return before.waves.whole > 0 && after.waves.whole > before.waves.whole &&
           after.waves.lastFilled <= nearlyEmpty;
}

/// Relative rise of the time per voxel if every wave took as long as a full one. A larger rise has
/// another cause, such as unaligned rows or arrays that outgrow a cache.
double maxRiseByWaves(const LabRow& before, const LabRow& after) {
    const auto wavesOfBlock = [](const LabRow& row) {
        return static_cast<double>(row.waves.whole) / row.waves.count;
    };
    return wavesOfBlock(after) / wavesOfBlock(before) - 1;
}

} // namespace

std::string fastestHeadline(const LabAnswer& answer) {
    return withOrigin(answer, fastestText(answer));
}

std::string textureHeadline(const LabAnswer& answer) {
    std::string text = fastestText(answer);
    std::string differences;
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows)
            if (row.point.deviation > 0) {
                constexpr double rounding = 1e-5; // relative deviation of sums in another order
                differences += fmt::format(
                    "{}{} by {}", differences.empty() ? "" : ", ", variantOf(curve.kernel),
                    row.point.deviation < rounding ? "rounding alone"
                                                   : "up to " + percentText(row.point.deviation));
                break;
            }
    if (!text.empty() && !differences.empty())
        text += fmt::format(" Results differ from those of {}, relative to the maximum: {}.",
                            variantOf(answer.curves.front().kernel), differences);
    return withOrigin(answer, text);
}

std::string againstFirstHeadline(const LabAnswer& answer) {
    const bool measured = anythingMeasured(answer);
    std::string text;
    const LabCurve* first = nullptr; // first variant of the current task
    for (const LabCurve& curve : answer.curves) {
        const LabRow* row = curve.rowAt(measured ? curve.bestMeasured : curve.bestPredicted[ours]);
        if (!row)
            continue;
        const std::string task = taskOf(curve.kernel), time = secondsText(timeOf(*row));
        const LabRow* base =
            first && taskOf(first->kernel) == task
                ? first->rowAt(measured ? first->bestMeasured : first->bestPredicted[ours])
                : nullptr;
        if (!base) {
            text += fmt::format("{}{}: {} {}", text.empty() ? "" : "; ", task,
                                variantOf(curve.kernel), time);
            first = &curve;
        } else {
            text += fmt::format(", {} {}", variantOf(curve.kernel), time);
            if (measured)
                text += fmt::format(" ({} as long)", timesText(timeOf(*row) / timeOf(*base)));
        }
    }
    if (!text.empty())
        text = fmt::format("At {}, at the best block: {}.", voxelsText(answer.question.side), text);
    return withOrigin(answer, text);
}

std::string registersHeadline(const LabAnswer& answer) {
    // The largest block that all variants support and have a time for.
    int threads = 0;
    for (const LabRow& candidate : answer.curves.front().rows) {
        const bool everywhere =
            std::all_of(answer.curves.begin(), answer.curves.end(), [&](const LabCurve& curve) {
                return std::any_of(curve.rows.begin(), curve.rows.end(), [&](const LabRow& row) {
                    return row.point.threads == candidate.point.threads && timeOf(row) > 0;
                });
            });
        // Registers limit occupancy only up to 256 threads per block, above it the number of
        // blocks.
        if (everywhere && candidate.point.threads <= 256)
            threads = std::max(threads, candidate.point.threads);
    }
    std::string text;
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows)
            if (row.point.threads == threads) {
                const ProfileSpan& launch = row.point.largest();
                text += fmt::format("{}{}: {} registers and {} bytes spilled per thread, {} "
                                    "occupancy, {}",
                                    text.empty() ? "" : "; ", variantOf(curve.kernel),
                                    launch.registers, launch.localBytes,
                                    percentText(row.occupancy.fraction), secondsText(timeOf(row)));
            }
    if (!text.empty())
        text = fmt::format("{} at {} with {} threads per block: {}.",
                           taskOf(answer.curves.front().kernel), voxelsText(answer.question.side),
                           threads, text);
    return withOrigin(answer, text);
}

std::string occupancyHeadline(const LabAnswer& answer) {
    std::string text;
    for (const LabCurve& curve : answer.curves) {
        const LabRow *full = nullptr, *least = nullptr;
        for (const LabRow& row : curve.rows)
            if (timeOf(row) > 0 && (curve.bestMeasured < 0 || row.measured > 0)) {
                full = full ? full : &row;
                least = &row;
            }
        if (full && full != least)
            text += fmt::format("{}{}: {} at {} occupancy, {} ({}) at {}", text.empty() ? "" : "; ",
                                variantOf(curve.kernel), secondsText(timeOf(*full)),
                                percentText(full->occupancy.fraction), secondsText(timeOf(*least)),
                                timesText(timeOf(*least) / timeOf(*full)),
                                percentText(least->occupancy.fraction));
    }
    if (!text.empty())
        text = fmt::format("{} at {}: {}.", taskOf(answer.curves.front().kernel),
                           voxelsText(answer.question.side), text);
    return withOrigin(answer, text);
}

std::string tailHeadline(const LabAnswer& answer) {
    std::string text;
    for (const LabCurve& curve : answer.curves) {
        const LabRow *before = nullptr, *after = nullptr, *last = nullptr;
        constexpr double minRise = 0.02; // less is noise
        double largest = minRise;
        for (const LabRow& row : curve.rows) {
            if (timeOf(row) <= 0 || (curve.bestMeasured >= 0 && row.measured <= 0))
                continue;
            if (last && beginsAWave(*last, row)) {
                const double rise = timePerVoxel(row) / timePerVoxel(*last) - 1;
                if (rise >= largest && rise <= maxRiseByWaves(*last, row))
                    largest = rise, before = last, after = &row;
            }
            last = &row;
        }
        if (!last)
            continue;
        text += fmt::format("{}{}: ", text.empty() ? "" : "; ", curve.kernel);
        if (after)
            text += fmt::format("from side {} to {} the time per voxel rises by {}, where the grid "
                                "grows from {:.2f} to {:.2f} waves and the last of {} is {} "
                                "filled",
                                before->x, after->x, percentText(largest), before->waves.count,
                                after->waves.count, after->waves.whole,
                                percentText(after->waves.lastFilled));
        else
            text += fmt::format("no rise of more than {} is explained by a nearly empty wave",
                                percentText(minRise));
    }
    return withOrigin(answer, text.empty() ? text : text + ".");
}

std::string transferHeadline(const LabAnswer& answer) {
    std::string text;
    for (const LabCurve& curve : answer.curves) {
        const LabRow* row = lastWithTime(curve);
        if (!row)
            continue;
        text += fmt::format("{}{} at {}: ", text.empty() ? "" : "; ", curve.kernel,
                            voxelsText(row->point.side));
        const bool measured = row->measured > 0;
        const double alone = measured ? row->point.seconds : row->predictedAlone[ours];
        if (alone > 0)
            text += fmt::format("kernel only {}, with copies to and from the host {}: {} as long",
                                secondsText(alone), secondsText(timeOf(*row)),
                                timesText(timeOf(*row) / alone));
        else
            text += fmt::format("{} with copies to and from the host", secondsText(timeOf(*row)));
    }
    return withOrigin(answer, text.empty() ? text : text + ".");
}

std::string fusedHeadline(const LabAnswer& answer) {
    std::string text;
    double first = 0;
    for (const LabCurve& curve : answer.curves) {
        const LabRow* row = lastWithTime(curve);
        if (!row)
            continue;
        text += fmt::format("{}{} {} ({:.2f} FLOP per byte", text.empty() ? "" : "; ",
                            variantOf(curve.kernel), secondsText(timeOf(*row)), row->intensity);
        text +=
            row->bytesPerSecond > 0
                ? fmt::format(", {})",
                              quantity(fmt::format("{:.0f}", 1e-9 * row->bytesPerSecond), "GB/s"))
                : ")";
        if (first > 0 && row->measured > 0)
            text += fmt::format(", {} as long", timesText(timeOf(*row) / first));
        else if (first <= 0)
            first = timeOf(*row);
    }
    if (!text.empty())
        if (const LabRow* row = lastWithTime(answer.curves.front()))
            text = fmt::format("{} at {}: {}.", taskOf(answer.curves.front().kernel),
                               voxelsText(row->point.side), text);
    return withOrigin(answer, text);
}

namespace {

std::string chosenText(double overBest, int best) {
    constexpr double asGood = 1.0005; // the printed digits don't show the difference
    return overBest < asGood ? "the fastest measured"
                             : fmt::format("{} slower than {}, the fastest measured",
                                           percentText(overBest - 1), best);
}

} // namespace

std::string tileFillHeadline(const LabAnswer& answer) {
    double least = 0, most = 0;
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows)
            if (timeOf(row) > 0) {
                least = least > 0 ? std::min(least, row.x) : row.x;
                most = std::max(most, row.x);
            }
    std::string text;
    for (const double side : least < most ? std::vector{least, most} : std::vector{most}) {
        std::string times;
        for (const LabCurve& curve : answer.curves)
            for (const LabRow& row : curve.rows)
                if (row.x == side && timeOf(row) > 0)
                    times += fmt::format("{}{} {}", times.empty() ? "" : ", ",
                                         variantOf(curve.kernel), secondsText(timeOf(row)));
        if (!times.empty())
            text += fmt::format("{}{} of 64 entries in a tile: {}", text.empty() ? "" : "; ",
                                lab::entriesOfTile(static_cast<int>(side)), times);
    }
    return withOrigin(answer, text.empty() ? text : text + ".");
}

std::string modelsHeadline(const LabAnswer& answer) {
    std::string text;
    double errors[3] = {};
    int counted = 0;
    for (const LabCurve& curve : answer.curves) {
        const LabRow *chosen = curve.rowAt(curve.bestPredicted[wu]),
                     *best = curve.rowAt(curve.bestMeasured);
        if (chosen && best && curve.chosenOverBest[wu] > 0)
            text += fmt::format("{}{}: Wu et al. choose {} threads, {}", text.empty() ? "" : "; ",
                                curve.kernel, chosen->point.threads,
                                chosenText(curve.chosenOverBest[wu], best->point.threads));
        else if (chosen)
            text += fmt::format("{}{}: Wu et al. choose {} threads", text.empty() ? "" : "; ",
                                curve.kernel, chosen->point.threads);
        if (curve.meanError[wu] >= 0) {
            ++counted;
            for (std::size_t m = 0; m < 3; ++m)
                errors[m] += curve.meanError[m];
        }
    }
    if (!text.empty())
        text += ".";
    if (counted > 0)
        text += fmt::format(" Mean relative errors: Wu et al. {}, Hong and Kim {}, ours {}.",
                            percentText(errors[0] / counted), percentText(errors[1] / counted),
                            percentText(errors[2] / counted));
    return withOrigin(answer, text);
}

} // namespace systole
