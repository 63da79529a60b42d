#include "app/tuning/kernel_tuning.h"

#include "compute/core/error.h"
#include "compute/model/prediction.h"

#include <utility>
#include <vector>

namespace systole {
namespace {

/// The launch with another block size: the same total number of threads, and proportional shared
/// memory.
model::KernelWork workWith(const ProfileSpan& launch, long threads) {
    const long own = model::threadsOf(launch);
    model::KernelWork work = model::workOf(launch);
    work.resources.threadsPerBlock = static_cast<int>(threads);
    work.resources.sharedBytesPerBlock = static_cast<int>(launch.sharedBytes * threads / own);
    work.blocks = (work.blocks * own + threads - 1) / threads;
    return work;
}

/// Seconds; 0: unknown.
double predicted(const lab::LabKernel& kernel, const lab::LabPoint& standard, int threads,
                 const model::GpuMachine& machine) {
    double seconds = 0;
    for (const ProfileSpan& launch : standard.launches) {
        const long own = model::threadsOf(launch);
        if (own <= 0)
            return 0;
        const long block = launch.kernel == kernel.name() ? threads : own;
        const double part = latencyThroughputModel(machine, workWith(launch, block)).seconds;
        if (part <= 0)
            return 0;
        seconds += part;
    }
    return seconds;
}

} // namespace

std::optional<int> modelChoice(const lab::LabKernel& kernel, const lab::LabPoint& standard,
                               const model::GpuMachine& machine) {
    std::vector<model::BlockPrediction> predictions;
    for (const int threads : kernel.blockSizes)
        predictions.push_back({threads, predicted(kernel, standard, threads, machine)});
    const std::ptrdiff_t chosen = model::chosenBlock(predictions, kernel.standardBlock);
    return chosen < 0 ? std::nullopt
                      : std::optional(predictions[static_cast<std::size_t>(chosen)].threads);
}

KernelTuning::KernelTuning(const lab::LabKernel& kernel, int side,
                           std::optional<model::GpuMachine> machine)
    : kernel_(kernel), machine_(std::move(machine)), search_({}, {}) {
    result_.kernel = kernel.name();
    result_.side = side;
    result_.standard = kernel.standardBlock;
}

void KernelTuning::step(const BlockTimer& timer) {
    if (!started_) {
        measureStandard(timer);
    } else if (const std::optional<int> threads = search_.next()) {
        const double seconds = timed(*threads, timer, nullptr);
        if (*threads == result_.modelChoice)
            result_.modelSeconds = seconds;
        search_.record(seconds);
    }
    result_.best = {search_.best(), search_.bestSeconds(),
                    static_cast<int>(search_.measured().size())};
    if (search_.best() > 0)
        result_.failure.clear();
}

void KernelTuning::giveUp(const std::string& why) {
    givenUp_ = true;
    result_.best = {};
    result_.failure = why;
}

void KernelTuning::measureStandard(const BlockTimer& timer) {
    lab::LabPoint point;
    const double seconds = timed(kernel_.standardBlock, timer, &point);
    std::vector<int> starts{kernel_.standardBlock};
    if (seconds > 0 && machine_)
        if (const std::optional<int> choice = modelChoice(kernel_, point, *machine_)) {
            result_.modelChoice = *choice;
            starts.push_back(*choice);
        }
    search_ = lab::BlockSearch(kernel_.blockSizes, starts);
    result_.standardSeconds = seconds;
    if (result_.modelChoice == kernel_.standardBlock)
        result_.modelSeconds = seconds;
    if (search_.next() == kernel_.standardBlock)
        search_.record(seconds);
    started_ = true;
}

/// Seconds; 0: it can't be launched.
double KernelTuning::timed(int threads, const BlockTimer& timer, lab::LabPoint* point) {
    try {
        lab::LabPoint measured = timer(kernel_, result_.side, threads);
        const double seconds = measured.seconds;
        if (point)
            *point = std::move(measured);
        return seconds;
    } catch (const OutOfMemory&) {
        throw;
    } catch (const ComputeError& problem) {
        result_.failure = problem.what();
        return 0;
    }
}

} // namespace systole
