// The option --variant STAGE=NAME: which variant of a CUDA kernel computes a stage.
#pragma once

#include "compute/core/params.h"

#include <string>

namespace systole {

/// Parameters that choose a kernel: "variant-STAGE".
inline constexpr const char* variantPrefix = "variant-";

inline constexpr const char* variantOptionHelp =
    "STAGE=NAME, again for other stages: the CUDA kernel that computes a stage of the estimation, "
    "such as smooth=shared; the same as --variant-STAGE NAME";

/// Sets the parameter variant-STAGE and returns its id. Throws UsageError listing the stages, or
/// the variants of a stage.
std::string setVariant(ParamSet& parameters, const std::string& stageAndName);

} // namespace systole
