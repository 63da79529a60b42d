#include "compute/motion/methods.h"

#include "compute/core/error.h"
#include "compute/methods/clg/clg.h"
#include "compute/methods/demons/demons.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/landmarks/landmarks.h"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/motion/host_frames.h"
#include "compute/motion/refined_method.h"

#include <fmt/format.h>

namespace systole {

const std::vector<MotionMethod>& motionMethods() {
    static const std::vector<MotionMethod> methods{
        clgMethod(),
        demonsMethod(),
        ffdMethod(),
        unbiasedMethod(),
        withHostFrames(withRefinement(landmarksMethod(), {clgMethod(), ffdMethod()})),
    };
    return methods;
}

std::vector<std::string> motionMethodNames() {
    std::vector<std::string> names;
    for (const MotionMethod& method : motionMethods())
        names.push_back(method.name);
    return names;
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
