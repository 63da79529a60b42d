#include "app/tuning/autotuner.h"

#include "compute/core/error.h"
#include "compute/lab/kernels/task.h"
#include "io/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace systole {
namespace {

/// One measurement takes about 30 ms at most if a run takes less than 3 ms.
constexpr lab::LabTiming idleTiming{.warmUps = 1, .repeats = 7, .budgetSeconds = 0.02};
constexpr lab::LabTiming askedTiming{.warmUps = 2, .repeats = 15, .budgetSeconds = 0.1};
constexpr int minSide = 8;

int sideOf(std::size_t voxels) {
    return std::max(minSide, static_cast<int>(std::lround(std::cbrt(voxels))));
}

const lab::LabKernel* tunable(const std::string& name) {
    for (const lab::LabKernel& kernel : lab::labKernels())
        if (kernel.name() == name)
            return kernel.blockSizes.size() > 1 ? &kernel : nullptr;
    return nullptr;
}

std::string outcome(const TunedKernel& kernel) {
    if (kernel.best.threads == 0)
        return fmt::format("{}: not tuned, {}", kernel.kernel, kernel.failure);
    if (kernel.best.threads == kernel.standard)
        return fmt::format("{}: {} threads stay ({} tried)", kernel.kernel, kernel.standard,
                           kernel.best.tried);
    return fmt::format("{}: {} threads, {:.0f} % faster than {} ({} tried)", kernel.kernel,
                       kernel.best.threads,
                       100 * (kernel.standardSeconds / kernel.best.seconds - 1), kernel.standard,
                       kernel.best.tried);
}

/// Empty: the search runs without a model.
std::optional<model::GpuMachine>
machineOf(const CudaDevice& device,
          const std::function<model::GpuMachine(const CudaDevice&)>& machineFor) {
    try {
        return machineFor(device);
    } catch (const std::runtime_error&) { // no catalogue, no profile
        return std::nullopt;
    }
}

BlockTimer benchTimer(lab::LabBench& bench, const lab::LabTiming& timing) {
    return [&bench, timing](const lab::LabKernel& kernel, int side, int threads) {
        return bench.measure(kernel, side, threads, 0, timing);
    };
}

} // namespace

void Autotuner::useDevice(const CudaDevice& device) {
    if (!fileRead_) {
        fileRead_ = true;
        cache_ = readAutotuneFile(options_.file, fileProblem_);
        if (!fileProblem_.empty())
            fileProblem_ += "; it is replaced";
    }
    if (!key_ || device_.index != device.index || device_.name != device.name) {
        device_ = device;
        key_ = tunedDevice(device);
        machine_.reset();
        tuning_.reset();
        givenUp_.clear();
    }
}

const BlockSizes& Autotuner::blockSizes(const CudaDevice& device, std::size_t voxels) {
    useDevice(device);
    return sizes_ = usableBlockSizes(cache_, *key_, voxels);
}

void Autotuner::finished(const FrameResult& result) {
    if (result.backend != Backend::Cuda || !result.fixed)
        return;
    std::map<std::string, double> bytes;
    for (const ProfileSpan& span : result.profile.spans)
        if (span.stage.empty() && tunable(span.kernel))
            bytes[span.kernel] += span.bytes;
    wanted_.clear();
    for (const auto& [kernel, moved] : bytes)
        wanted_.push_back(kernel);
    std::ranges::stable_sort(wanted_, [&](const std::string& a, const std::string& b) {
        return bytes.at(a) > bytes.at(b);
    });
    const std::size_t voxels = result.fixed->geometry.voxels();
    if (voxels != voxels_)
        tuning_.reset();
    voxels_ = voxels;
}

bool Autotuner::step(CudaContext* cuda) { return cuda && stepOn(cuda->device(), cuda); }

bool Autotuner::stepOn(const CudaDevice& device, CudaContext* cuda) {
    useDevice(device);
    if (!tuning_ && !beginNext())
        return false;
    measure(cuda);
    if (tuning_->done())
        keep();
    if (tuning_ || beginNext())
        return true;
    rest();
    return false;
}

bool Autotuner::beginNext() {
    const int size = lab::sizeClass(voxels_);
    for (const std::string& name : wanted_) {
        if (cache_.find(*key_, name, size) || givenUp_.count({name, size}) > 0)
            continue;
        if (!machine_)
            machine_ = machineOf(device_, options_.machineFor);
        tuning_.emplace(*tunable(name), sideOf(voxels_), machine_);
        return true;
    }
    return false;
}

void Autotuner::measure(CudaContext* cuda) {
    try {
        if (options_.timer) {
            tuning_->step(options_.timer);
        } else {
            if (!bench_)
                bench_ = std::make_unique<lab::LabBench>(*cuda);
            tuning_->step(benchTimer(*bench_, idleTiming));
        }
    } catch (const OutOfMemory& problem) {
        tuning_->giveUp(problem.what());
        bench_.reset();
    }
}

/// Stores a finished search.
void Autotuner::keep() {
    const TunedKernel& result = tuning_->result();
    found_.push_back(result);
    const int size = lab::sizeClass(voxels_);
    if (result.best.threads > 0) {
        lab::AutotuneCache found;
        found.put(*key_, result.kernel, size, result.best);
        cache_.merge(found);
        try {
            addToAutotuneFile(options_.file, found);
        } catch (const FileError& problem) {
            fileProblem_ = problem.what();
        }
    } else {
        givenUp_.insert({result.kernel, size});
    }
    tuning_.reset();
}

std::vector<std::string> Autotuner::text() const {
    std::vector<std::string> lines;
    if (!fileProblem_.empty())
        lines.push_back(fileProblem_);
    if (tuning_)
        lines.push_back(fmt::format("trying block sizes of {} at {}³ voxels",
                                    tuning_->result().kernel, tuning_->result().side));
    for (const std::string& kernel : wanted_) {
        const auto same = [&](const TunedKernel& k) {
            return k.kernel == kernel && k.side == sideOf(voxels_);
        };
        const auto own = std::find_if(found_.rbegin(), found_.rend(), same);
        if (own != found_.rend())
            lines.push_back(outcome(*own));
        else if (const lab::TunedBlock* block =
                     key_ ? cache_.find(*key_, kernel, lab::sizeClass(voxels_)) : nullptr)
            lines.push_back(fmt::format("{}: {} threads, found earlier", kernel, block->threads));
    }
    return lines;
}

std::vector<TunedKernel>
autotuneNow(CudaContext& cuda, const std::vector<std::string>& kernels, int side,
            const std::function<model::GpuMachine(const CudaDevice&)>& machineFor,
            const std::function<void(const std::string&, double)>& progress) {
    std::vector<lab::LabKernel> wanted;
    wanted.reserve(kernels.size());
    for (const std::string& name : kernels)
        wanted.push_back(lab::labKernel(name));
    if (kernels.empty())
        for (const lab::LabKernel& kernel : lab::labKernels())
            if (kernel.blockSizes.size() > 1)
                wanted.push_back(kernel);
    const lab::TunedDevice device = tunedDevice(cuda.device());
    const std::optional<model::GpuMachine> machine = machineOf(cuda.device(), machineFor);
    const int size = lab::sizeClass(lab::labSize(side).voxels());

    lab::LabBench bench(cuda);
    const BlockTimer timer = benchTimer(bench, askedTiming);
    lab::AutotuneCache found;
    std::vector<TunedKernel> results;
    for (const lab::LabKernel& kernel : wanted) {
        KernelTuning tuning(kernel, side, machine);
        while (!tuning.done()) {
            if (progress)
                progress(
                    fmt::format("{}, {} sizes tried", kernel.name(), tuning.result().best.tried),
                    static_cast<double>(results.size()) / static_cast<double>(wanted.size()));
            try {
                tuning.step(timer);
            } catch (const OutOfMemory& problem) {
                tuning.giveUp(problem.what());
            }
        }
        results.push_back(tuning.result());
        if (tuning.result().best.threads > 0)
            found.put(device, kernel.name(), size, tuning.result().best);
    }
    addToAutotuneFile(autotuneFile(), found);
    return results;
}

} // namespace systole
