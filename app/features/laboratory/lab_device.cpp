// The parts of `systole lab` that concern only this machine's device: measuring it for the models,
// recording its kernels, tuning block sizes.
#include "app/base/driver_release.h"
#include "app/base/error.h"
#include "app/base/units.h"
#include "app/features/laboratory/lab_command.h"
#include "app/features/laboratory/recorder.h"
#include "app/tuning/autotuner.h"
#include "compute/core/error.h"
#include "compute/lab/microbench.h"
#include "io/base/error.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>

namespace systole {
namespace {

std::unique_ptr<CudaContext> openLabDevice() {
    const CudaStatus status = cudaStatus();
    if (!status.usable())
        throw ComputeError(fmt::format("this needs a CUDA device: {}", status.reason));
    return std::make_unique<CudaContext>();
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", &local);
    return text;
}

/// Returns a record of the device without points yet.
lab::GpuRecord measured(CudaContext& cuda,
                        const std::function<void(const std::string&, double)>& progress) {
    lab::GpuRecord record;
    record.machine = lab::measureMachine(cuda, progress);
    record.when = today();
    const CudaStatus status = cudaStatus();
    const std::string release = driverRelease();
    record.driver = fmt::format("{}, CUDA {}", release.empty() ? "?" : release,
                                cudaVersionText(status.runtimeVersion));
    record.compiledFor = cuda.device().compiledFor;
    return record;
}

void print(const model::GpuMachine& m) {
    fmt::print("{}: compute capability {}.{}, {} multiprocessors at {:.0f} MHz\n", m.name,
               m.computeCapability / 10, m.computeCapability % 10, m.multiprocessors,
               m.clockHertz / 1e6);
    fmt::print("  latency in cycles: global {:.0f}, L2 {:.0f}, L1 {:.0f}, shared {:.0f}; departure "
               "delay {:.2f}\n",
               m.globalLatency, m.l2Latency, m.l1Latency, m.sharedLatency, m.departureDelay);
    const model::OperationLatencies& o = m.latency;
    fmt::print("  operations: add {:.1f}, mul {:.1f}, fma {:.1f}, div {:.1f}, sqrt {:.1f}, exp "
               "{:.1f}, log {:.1f}, integer {:.1f}\n",
               o.add, o.multiply, o.fusedMultiplyAdd, o.divide, o.squareRoot, o.exponential,
               o.logarithm, o.integer);
    fmt::print("  GB/s: memory {:.0f}, L2 {:.0f}; over the bus pinned {:.1f} up, {:.1f} down, "
               "pageable {:.1f} up, {:.1f} down\n",
               m.memoryBandwidth / 1e9, m.l2Bandwidth / 1e9, m.uploadPinned / 1e9,
               m.downloadPinned / 1e9, m.uploadPageable / 1e9, m.downloadPageable / 1e9);
}

/// True for what an earlier --measure stored; a record of kernels has points.
bool isStoredProfile(const std::filesystem::path& path) {
    try {
        return readGpuRecord(path).points.empty();
    } catch (const FileError&) {
        return false;
    }
}

} // namespace

int LabCommand::measure(const Progress& progress) const {
    const std::unique_ptr<CudaContext> cuda = openLabDevice();
    const std::filesystem::path path =
        output_.empty() ? userProfile(cuda->device().name) : std::filesystem::path(output_);
    const bool replaced = output_.empty() && isStoredProfile(path);
    const auto checkOutput = [&] {
        if (!replaced)
            overwrite_.checkAll({path.string()}, {});
    };
    if (output_.empty())
        ensureFolder(userProfileFolder().string());
    checkOutput();
    const lab::GpuRecord record = measured(*cuda, progress);
    print(record.machine);
    checkOutput();
    if (replaced)
        writeTextAtomically(path.string(), lab::toJson(record));
    else
        overwrite_.writeText(path.string(), lab::toJson(record));
    fmt::print("stored in {}\n", path.string());
    return 0;
}

int LabCommand::record(const Progress& progress) const {
    RecordingPlan plan;
    plan.seconds = recordSeconds_;
    for (const lab::LabKernel* kernel : chosenKernels())
        plan.kernels.push_back(kernel->name());
    const std::unique_ptr<CudaContext> cuda = openLabDevice();
    const bool addsTo = !plan.kernels.empty() && std::filesystem::exists(record_);
    lab::GpuRecord record =
        addsTo ? readGpuRecord(record_) : measured(*cuda, [&](const std::string& what, double) {
            progress(what, 0); // takes seconds, the recording minutes
        });
    if (record.machine.name != cuda->device().name)
        throw UsageError(fmt::format("--record: {} is of a {}, and this is a {}", record_,
                                     record.machine.name, cuda->device().name));
    print(record.machine);
    if (!sides_.empty()) {
        plan.fullSides = sides_;
        plan.coarseSides.clear();
    }
    // Many points: few runs of each, since they are medians on an idle device.
    lab::LabTiming timing;
    timing.warmUps = 1;
    timing.repeats = 7;
    timing.budgetSeconds = 0.02;
    const auto source = lab::measuringSource(*cuda, record.machine, timing);
    const auto begin = std::chrono::steady_clock::now();
    const auto clock = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    Recording recording = recordKernels(*source, plan, clock, progress);
    const std::size_t measuredPoints = recording.points.size();
    replacePoints(record, plan.kernels, std::move(recording.points));
    checkOutputs();
    overwrite_.writeText(record_, lab::toJson(record));
    for (const std::string& note : recording.notes)
        fmt::print("note: {}\n", note);
    fmt::print("{} points in {:.0f} s, of {} in {}\n", measuredPoints, clock(),
               record.points.size(), record_);
    return 0;
}

int LabCommand::autotune(const Progress& progress) const {
    std::vector<std::string> names;
    for (const lab::LabKernel* kernel : chosenKernels())
        names.push_back(kernel->name());
    const std::unique_ptr<CudaContext> cuda = openLabDevice();
    const std::vector<TunedKernel> tuned = autotuneNow(*cuda, names, side_, machineFor, progress);
    fmt::print("{:<26} {:>9} {:>10} {:>9} {:>10} {:>9} {:>10} {:>6}\n", "kernel", "default", "",
               "model's", "", "best", "", "tried");
    const auto seconds = [](double time) { return plainSpaces(secondsText(time)); };
    const auto threads = [](int count) { return count > 0 ? fmt::format("{}", count) : "–"; };
    for (const TunedKernel& k : tuned) {
        fmt::print("{:<26} {:>9} {:>10} {:>9} {:>10} {:>9} {:>10} {:>6}\n", k.kernel,
                   threads(k.standard), seconds(k.standardSeconds), threads(k.modelChoice),
                   seconds(k.modelSeconds), threads(k.best.threads), seconds(k.best.seconds),
                   k.best.tried);
        if (!k.failure.empty())
            fmt::print("  {}\n", k.failure);
    }
    if (const std::string file = autotuneFile(); !file.empty())
        fmt::print("stored in {}\n", file);
    return 0;
}

} // namespace systole
