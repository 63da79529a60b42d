// Common parts of the methods' descriptions of their implementations: the backends of this build,
// and the choice of a kernel's variant (kernel_family.h) as a parameter.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/cuda/kernel_family.h"

namespace systole {

/// The given backends, and CUDA's in a build with it.
std::vector<Backend> builtBackends(std::vector<Backend> onHost);
/// Throws ComputeError: a method has no CUDA implementation in this build.
[[noreturn]] void throwNoCuda(const std::string& method);

/// "variant-STAGE", of a family of which a user may choose the variant.
std::string variantParameter(const KernelFamily& family);
ParamRow variantParam(const KernelFamily& family);
/// Every variant with the preset "default".
std::vector<MethodVariation> variantVariations(const KernelFamily& family);

} // namespace systole
