#include "compute/lab/laboratory.h"

#include "compute/core/enum_text.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole::lab {
namespace {

constexpr int minSide = 8, maxSide = 1024;
constexpr int maxPadding = 1 << 20; ///< more shared memory than any multiprocessor has

struct Place {
    int side, threads, paddingBytes;
};

double onAxis(LabAxis axis, const Place& place) {
    return axis == LabAxis::BlockSize ? place.threads
           : axis == LabAxis::Side    ? place.side
                                      : place.paddingBytes;
}

/// Remarks about points, merged per kernel and reason.
class Remarks {
public:
    void add(const std::string& kernel, const std::string& why, LabAxis axis, double x) {
        const auto same = [&](const Entry& e) { return e.kernel == kernel && e.why == why; };
        auto entry = std::find_if(entries_.begin(), entries_.end(), same);
        if (entry == entries_.end())
            entry = entries_.insert(entries_.end(), {kernel, why, axis, {}});
        entry->places.push_back(x);
    }
    std::vector<std::string> sentences() const {
        std::vector<std::string> all;
        for (const Entry& e : entries_) {
            std::string places;
            constexpr std::size_t max = 12;
            for (std::size_t i = 0; i < std::min(max, e.places.size()); ++i)
                places += fmt::format("{}{}", i ? ", " : "", e.places[i]);
            if (e.places.size() > max)
                places += fmt::format(" … {} ({} in total)", e.places.back(), e.places.size());
            all.push_back(fmt::format("{}, {} {}: {}", e.kernel, name(e.axis), places, e.why));
        }
        return all;
    }

private:
    struct Entry {
        std::string kernel, why;
        LabAxis axis;
        std::vector<double> places;
    };
    std::vector<Entry> entries_;
};

/// Time of the call by each model: the sum of its launches, plus the copies once; 0 for a model
/// without a term for copies if there are any.
std::array<double, 3> predict(const model::GpuMachine& machine, const LabPoint& point,
                              bool withTransfers) {
    std::array<double, 3> seconds{};
    const auto models = model::performanceModels();
    for (std::size_t m = 0; m < seconds.size(); ++m) {
        if (withTransfers && !models[m].countsTransfers)
            continue;
        double copies = withTransfers ? point.uploadBytes + point.downloadBytes : 0;
        for (const ProfileSpan& launch : point.launches) {
            model::KernelWork work = model::workOf(launch);
            work.transferBytes = std::exchange(copies, 0);
            const double part = models[m].predict(machine, work).seconds;
            if (part <= 0) { // an unpredictable launch makes the sum unknown
                seconds[m] = 0;
                break;
            }
            seconds[m] += part;
        }
    }
    return seconds;
}

LabRow makeRow(const LabQuestion& question, const LabKernel& kernel, LabPoint point,
               LabSource& source) {
    const model::GpuMachine& machine = source.machine();
    LabRow row;
    const ProfileSpan& largest = point.largest();
    row.occupancy = model::occupancy(machine.limits(), model::resourcesOf(largest));
    if (row.occupancy.activeBlocks > 0)
        row.waves = model::waves(model::blocksOf(largest), row.occupancy.activeBlocks,
                                 machine.multiprocessors);
    row.predictedAlone = predict(machine, point, false);
    row.predicted = question.withTransfers ? predict(machine, point, true) : row.predictedAlone;
    if (question.withTransfers && point.callSeconds == 0 && point.paddingBytes == 0)
        point.callSeconds = source.withTransfers(kernel, point.side, point.threads);
    row.measured = question.withTransfers ? point.callSeconds : point.seconds;
    if (row.measured > 0) {
        row.bytesPerSecond = point.bytes() / row.measured;
        row.flopsPerSecond = point.flops() / row.measured;
    }
    row.intensity = point.bytes() > 0 ? point.flops() / point.bytes() : 0;
    row.x = onAxis(question.axis, {point.side, point.threads, point.paddingBytes});
    row.point = std::move(point);
    return row;
}

/// Index of the row with the smallest positive value; −1: none.
template <typename Value>
int rowOfMinimum(const std::vector<LabRow>& rows, const Value& valueOf) {
    int best = -1;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (valueOf(rows[i]) > 0 &&
            (best < 0 || valueOf(rows[i]) < valueOf(rows[static_cast<std::size_t>(best)])))
            best = static_cast<int>(i);
    return best;
}

/// Index of the row that a model would choose.
int chosenRow(const LabCurve& curve, std::size_t m) {
    std::vector<model::BlockPrediction> predictions;
    for (const LabRow& row : curve.rows)
        predictions.push_back({row.point.threads, row.predicted[m]});
    return static_cast<int>(model::chosenBlock(predictions, labKernel(curve.kernel).standardBlock));
}

void judge(LabCurve& curve) {
    curve.bestMeasured = rowOfMinimum(curve.rows, [](const LabRow& r) { return r.measured; });
    for (std::size_t m = 0; m < curve.meanError.size(); ++m) {
        const auto predicted = [m](const LabRow& r) { return r.predicted[m]; };
        curve.bestPredicted[m] = chosenRow(curve, m);
        double sum = 0;
        int count = 0;
        for (const LabRow& r : curve.rows)
            if (r.measured > 0 && predicted(r) > 0) {
                sum += std::abs(predicted(r) - r.measured) / r.measured;
                ++count;
            }
        curve.meanError[m] = count > 0 ? sum / count : -1;
        if (curve.bestMeasured >= 0 && curve.bestPredicted[m] >= 0)
            curve.chosenOverBest[m] = curve.rowAt(curve.bestPredicted[m])->measured /
                                      curve.rowAt(curve.bestMeasured)->measured;
    }
}

void checkSide(int side) {
    if (side < minSide || side > maxSide)
        throw ComputeError(fmt::format("the laboratory supports sides from {} to {}, not {}",
                                       minSide, maxSide, side));
}

/// Points on the axis for a kernel.
std::vector<Place> placesOf(const LabQuestion& question, const LabKernel& kernel, LabSource& source,
                            Remarks& remarks) {
    const int threads = question.threads > 0 ? question.threads : kernel.standardBlock;
    std::vector<Place> places;
    switch (question.axis) {
    case LabAxis::BlockSize:
        for (const int size :
             ascending(question.blockSizes.empty() ? kernel.blockSizes : question.blockSizes))
            places.push_back({question.side, size, 0});
        break;
    case LabAxis::Side: {
        std::vector<int> sides = question.sides;
        if (sides.empty())
            sides = source.sidesOf(kernel);
        if (sides.empty())
            sides = {32, 48, 64, 96, 128, 160, 200, 256};
        for (const int side : ascending(sides))
            places.push_back({side, threads, 0});
        break;
    }
    case LabAxis::Padding: {
        std::vector<int> padding = question.padding;
        std::string why;
        if (padding.empty() && kernel.takes(threads)) {
            const auto plain = source.point(kernel, question.side, threads, 0, why);
            padding = plain ? paddingSteps(source.machine().limits(),
                                           model::resourcesOf(plain->largest()))
                            : std::vector<int>{0};
        } else if (padding.empty()) {
            padding = {0};
        }
        for (const int bytes : ascending(padding))
            places.push_back({question.side, threads, bytes});
        break;
    }
    }
    std::erase_if(places, [&](const Place& place) {
        const bool taken = kernel.takes(place.threads);
        if (!taken)
            remarks.add(kernel.name(),
                        fmt::format("blocks of {} threads aren't supported", place.threads),
                        question.axis, onAxis(question.axis, place));
        return !taken;
    });
    return places;
}

} // namespace

const char* name(LabAxis axis) {
    return enumText(axis, {"block size", "side", "padding shared memory"});
}

std::vector<int> paddingSteps(const model::DeviceLimits& limits,
                              const model::KernelResources& kernel) {
    const auto blocksWith = [&](int padding) {
        model::KernelResources heavier = kernel;
        heavier.sharedBytesPerBlock += padding;
        return model::occupancy(limits, heavier).activeBlocks;
    };
    std::vector<int> steps{0};
    for (int wanted = blocksWith(0) - 1; wanted >= 1; --wanted) {
        // The maximum that leaves room for this many blocks.
        const int room = limits.sharedBytes / wanted / limits.sharedUnit * limits.sharedUnit -
                         limits.reservedSharedBytes;
        const int padding = std::min(room, limits.maxSharedPerBlock) - kernel.sharedBytesPerBlock;
        if (padding > steps.back() && blocksWith(padding) == wanted)
            steps.push_back(padding);
    }
    return steps;
}

LabAnswer ask(const LabQuestion& question, LabSource& source,
              const std::function<void(double)>& progress) {
    if (question.kernels.empty())
        throw ComputeError("a question to the laboratory needs at least one kernel");
    checkSide(question.side);
    for (const int side : question.sides)
        checkSide(side);
    for (const int bytes : question.padding)
        if (bytes < 0 || bytes > maxPadding)
            throw ComputeError(
                fmt::format("padding must be 0 to {} bytes, not {}", maxPadding, bytes));
    LabAnswer answer;
    answer.question = question;
    answer.machine = source.machine();
    Remarks remarks;
    for (std::size_t k = 0; k < question.kernels.size(); ++k) {
        const LabKernel& kernel = labKernel(question.kernels[k]);
        LabCurve curve;
        curve.kernel = kernel.name();
        const std::vector<Place> places = placesOf(question, kernel, source, remarks);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (progress)
                progress((static_cast<double>(k) +
                          static_cast<double>(i) / static_cast<double>(places.size())) /
                         static_cast<double>(question.kernels.size()));
            const Place& place = places[i];
            std::string why;
            std::optional<LabPoint> point =
                source.point(kernel, place.side, place.threads, place.paddingBytes, why);
            const double x = onAxis(question.axis, place);
            if (!why.empty())
                remarks.add(curve.kernel, why, question.axis, x);
            if (!point)
                continue;
            curve.rows.push_back(makeRow(question, kernel, std::move(*point), source));
            if (curve.rows.back().occupancy.activeBlocks == 0)
                remarks.add(curve.kernel,
                            fmt::format("no block fits on a multiprocessor (limit: {})",
                                        model::name(curve.rows.back().occupancy.limit)),
                            question.axis, x);
        }
        judge(curve);
        if (!curve.rows.empty())
            answer.curves.push_back(std::move(curve));
    }
    answer.notes = remarks.sentences();
    for (const model::PerformanceModel& model : model::performanceModels())
        if (question.withTransfers && !model.countsTransfers)
            answer.notes.push_back(fmt::format("the model of {} has no term for copies and gives "
                                               "no prediction for calls with them",
                                               model.name));
    if (answer.curves.empty())
        throw ComputeError(answer.notes.empty() ? "there are no points on this axis"
                                                : answer.notes.front());
    answer.source = source.sentence();
    answer.timesFrom = source.timesFrom();
    if (progress)
        progress(1);
    return answer;
}

} // namespace systole::lab
