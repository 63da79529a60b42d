#include "app/task/backend.h"

#include "app/base/error.h"
#include "compute/core/error.h"
#include "compute/cuda/priority.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace systole {
namespace {

constexpr std::string_view numberedDevice = "cuda:";

bool has(const std::vector<Backend>& backends, Backend backend) {
    return std::ranges::find(backends, backend) != backends.end();
}

/// The reason why the method can't run on a CUDA device here; empty: it can.
std::string whyNoCuda(const std::string& method, const std::vector<Backend>& backends,
                      const CudaStatus& status) {
    if (!status.usable())
        return status.reason;
    return has(backends, Backend::Cuda)
               ? std::string{}
               : fmt::format("the method {} has no CUDA implementation", method);
}

/// The N of "cuda:N"; -1: it is none.
int deviceOf(const std::string& asked) {
    if (asked == name(Backend::Cuda))
        return 0;
    int number = -1;
    if (asked.starts_with(numberedDevice)) {
        const char* const end = asked.data() + asked.size();
        const auto parsed = std::from_chars(asked.data() + numberedDevice.size(), end, number);
        if (parsed.ec != std::errc{} || parsed.ptr != end)
            return -1;
    }
    return number;
}

CudaContext::Options onDevice(CudaContext::Options options, const BackendChoice& choice) {
    options.device = choice.device;
    if (choice.deviceBytes > 0)
        options.deviceBudget = choice.deviceBytes;
    return options;
}

} // namespace

const std::vector<std::string>& backendNames() {
    static const std::vector<std::string> names{"auto", "cpu", "cpu-reference", "cuda"};
    return names;
}

BackendChoice chooseBackend(const std::string& asked, const MotionMethod& method,
                            const CudaStatus& status) {
    return chooseBackend(asked, method.name, method.backends, status);
}

BackendChoice chooseBackend(const std::string& asked, const std::string& method,
                            const std::vector<Backend>& backends, const CudaStatus& status) {
    const int device = deviceOf(asked);
    if (asked == "auto" || device >= 0) {
        const std::string objection = whyNoCuda(method, backends, status);
        if (objection.empty() && asked == "auto")
            return {Backend::Cuda, "auto: a CUDA device is usable", true};
        if (asked == "auto")
            return {Backend::Cpu, "auto: " + objection};
        if (!objection.empty())
            throw ComputeError(fmt::format("the backend cuda is unavailable: {}", objection));
        const auto devices = status.devices.size();
        if (static_cast<std::size_t>(device) >= devices)
            throw ComputeError(fmt::format("the backend {} is unavailable: this machine has {} "
                                           "CUDA device{}, counted from 0",
                                           asked, devices, devices == 1 ? "" : "s"));
        return {Backend::Cuda, "requested", false, device};
    }
    for (const Backend backend : {Backend::Cpu, Backend::CpuReference})
        if (asked == name(backend)) {
            if (!has(backends, backend))
                throw ComputeError(fmt::format(
                    "the method {} has no implementation for the backend {}", method, asked));
            return {backend, "requested"};
        }
    throw UsageError(
        fmt::format("--backend: '{}' is not one of {}", asked, fmt::join(backendNames(), ", ")));
}

BackendChoice preferred(Backend backend, int device) {
    return {backend, "chosen in the window", backend == Backend::Cuda, device};
}

std::shared_ptr<CudaContext> openDevice(BackendChoice& choice) {
    DevicePolicy device(choice);
    std::shared_ptr<CudaContext> opened = device.open();
    choice = device.choice();
    return opened;
}

DevicePolicy::DevicePolicy(BackendChoice choice, CudaContext::Options options, DeviceAccess access)
    : wanted_(std::move(choice))
    , options_(onDevice(options, wanted_))
    , access_(std::move(access))
    , choice_(wanted_) {}

void DevicePolicy::changeToCpu(const std::string& why) {
    choice_ = {Backend::Cpu, "auto: " + why};
    fallback_ = "on the CPU instead: " + why;
}

void DevicePolicy::openDevice() {
    if (!std::exchange(isOpen_, true))
        try {
            device_ = access_.open(options_);
            if constexpr (cudaIsBuilt)
                if (device_)
                    giveWay(*device_);
        } catch (...) {
            isOpen_ = false;
            throw;
        }
}

std::shared_ptr<CudaContext> DevicePolicy::open() {
    if (choice_.backend == Backend::Cuda)
        try {
            openDevice();
        } catch (const ComputeError& error) {
            if (!wanted_.mayChange)
                throw;
            changeToCpu(error.what());
        }
    return choice_.backend == Backend::Cuda ? device_ : nullptr;
}

void DevicePolicy::perform(const ExecContext& base, const DeviceWork& work) {
    ExecContext ctx = base;
    std::string why; // the device failed
    bool lacksMemory = false;
    if (choice_.backend == Backend::Cuda) {
        try {
            openDevice();
            ctx.backend = Backend::Cuda;
            ctx.cuda = device_.get();
            return access_.work(ctx, work);
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError& error) {
            if (!wanted_.mayChange)
                throw;
            why = error.what();
            lacksMemory = dynamic_cast<const OutOfMemory*>(&error) != nullptr;
        }
        if (device_ && lacksMemory)
            device_->devicePool().trim();
    }
    ctx.backend = choice_.backend == Backend::Cuda ? Backend::Cpu : choice_.backend;
    ctx.cuda = nullptr;
    work(ctx);
    if (why.empty())
        return;
    changeToCpu(why);
    if (!lacksMemory) { // a lost one is of no use to anyone
        device_.reset();
        isOpen_ = false;
    }
}

void DevicePolicy::tryAgain() {
    if (isOpen_) {
        choice_ = wanted_;
        fallback_.clear();
    }
}

} // namespace systole
