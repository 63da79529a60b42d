#include "compute/cuda/kernel_choice.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"

namespace systole {

std::vector<Backend> builtBackends(std::vector<Backend> onHost) {
    if (cudaIsBuilt)
        onHost.push_back(Backend::Cuda);
    return onHost;
}

void throwNoCuda(const std::string& method) {
    throw ComputeError(method + " has no CUDA implementation here: " + cudaStatus().reason);
}

std::string variantParameter(const KernelFamily& family) {
    return std::string("variant-") + family.stage;
}

ParamRow variantParam(const KernelFamily& family) {
    return choiceParam(variantParameter(family), family.standard, family.names(), family.help)
        .titled(std::string(family.stage) + " kernel")
        .forCudaOnly();
}

std::vector<MethodVariation> variantVariations(const KernelFamily& family) {
    std::vector<MethodVariation> all;
    for (const std::string& variant : family.names())
        all.push_back({"default", {}, {{variantParameter(family), variant}}, true, family.stage});
    return all;
}

} // namespace systole
