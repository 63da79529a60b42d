#include "app/estimation/backend.h"

#include "app/error.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

bool has(const std::vector<Backend>& backends, Backend backend) {
    return std::ranges::find(backends, backend) != backends.end();
}

/// Why the method can't run on a CUDA device here; empty if it can.
std::string whyNoCuda(const std::string& method, const std::vector<Backend>& backends,
                      const CudaStatus& status) {
    if (!status.usable())
        return status.reason;
    return has(backends, Backend::Cuda)
               ? std::string{}
               : fmt::format("the method {} has no CUDA implementation", method);
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
    if (asked == "auto" || asked == "cuda") {
        const std::string objection = whyNoCuda(method, backends, status);
        if (objection.empty())
            return asked == "auto"
                       ? BackendChoice{Backend::Cuda, "auto: a CUDA device is usable", true}
                       : BackendChoice{Backend::Cuda, "requested"};
        if (asked == "cuda")
            throw ComputeError(fmt::format("the backend cuda is unavailable: {}", objection));
        return {Backend::Cpu, "auto: " + objection};
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

std::shared_ptr<CudaContext> openDevice(BackendChoice& choice) {
    if (choice.backend != Backend::Cuda)
        return nullptr;
    try {
        return std::make_shared<CudaContext>();
    } catch (const ComputeError& error) {
        if (!choice.mayChange)
            throw;
        choice = {Backend::Cpu, fmt::format("auto: {}", error.what())};
        return nullptr;
    }
}

} // namespace systole
