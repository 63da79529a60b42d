// The memory variants of CLG's CUDA kernels as data: command line, panel, parity test, benchmark
// and laboratory go through this one list. All of a stage compute the same numbers, but
// `texture-filter`, whose weights have 8 bits.
#pragma once

#include "compute/cuda/memory_variant.h"

#include <string>
#include <vector>

namespace systole {

struct VariantStage {
    std::string stage; ///< as in --variant STAGE=NAME; the parameter is "variant-STAGE"
    std::vector<std::string> variants; ///< the simplest, for reading, first
    std::string standard;              ///< the fastest measured
    std::string help;
};

/// gradient, smooth, sweep (Jacobi), warp.
const std::vector<VariantStage>& clgVariantStages();

enum class WarpVariant { Direct, Texture, TextureFilter };

/// The variants of one run.
struct ClgVariants {
    MemoryVariant gradient = MemoryVariant::Direct;
    MemoryVariant smooth = MemoryVariant::Fused;
    MemoryVariant sweep = MemoryVariant::Fused;
    WarpVariant warp = WarpVariant::Direct;
    bool halfTensor = false; ///< J stored in 16 bits while it is solved
};

/// By the name in the lists above.
MemoryVariant memoryVariant(const std::string& name);
WarpVariant warpVariant(const std::string& name);

} // namespace systole
