#include "compute/motion/estimator.h"

#include "compute/core/error.h"
#include "compute/motion/clg.h"

#include <fmt/format.h>

namespace systole {

const std::vector<MotionMethod>& motionMethods() {
    static const std::vector<MotionMethod> methods{
        {"clg",
         "Combined local-global flow",
         &clgParameterTable(),
         {Backend::Cpu, Backend::CpuReference},
         makeClg},
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
