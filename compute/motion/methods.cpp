#include "compute/core/error.h"
#include "compute/core/motion_estimator.h"
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/clg_cuda.h"

#include <fmt/format.h>

namespace systole {
namespace {

std::vector<Backend> clgBackends() {
    std::vector<Backend> backends{Backend::Cpu, Backend::CpuReference};
    if (clgCudaIsBuilt())
        backends.push_back(Backend::Cuda);
    return backends;
}

} // namespace

const std::vector<MotionMethod>& motionMethods() {
    static const std::vector<MotionMethod> methods{
        {"clg", "Combined local-global flow", &clgParameterTable(), clgBackends(), makeClg},
    };
    return methods;
}

const MotionMethod& motionMethod(const std::string& name) {
    std::string known;
    for (const MotionMethod& method : motionMethods()) {
        if (method.name == name)
            return method;
        known += (known.empty() ? "" : ", ") + method.name;
    }
    throw ComputeError(fmt::format("no motion method '{}'; there are {}", name, known));
}

} // namespace systole
