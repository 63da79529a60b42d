#include "compute/methods/clg/variants.h"

namespace systole {

const std::vector<VariantStage>& clgVariantStages() {
    static const std::vector<VariantStage> stages{
        {"gradient",
         {"direct", "shared", "l2-only", "register"},
         "direct",
         "How the CUDA kernel of gradient and products reads the frames."},
        {"smooth",
         {"direct", "shared", "l2-only", "register", "fused"},
         "fused",
         "How the CUDA kernels of the tensor's smoothing read a pass."},
        {"sweep",
         {"direct", "shared", "l2-only", "register", "fused"},
         "fused",
         "How a CUDA Jacobi sweep reads the field; fused: two sweeps a launch."},
        {"warp",
         {"direct", "texture", "texture-filter"},
         "direct",
         "How the CUDA warp reads the moving frame; texture-filter is inexact."},
    };
    return stages;
}

MemoryVariant memoryVariant(const std::string& name) {
    return name == "direct"    ? MemoryVariant::Direct
           : name == "shared"  ? MemoryVariant::Shared
           : name == "l2-only" ? MemoryVariant::L2Only
           : name == "fused"   ? MemoryVariant::Fused
                               : MemoryVariant::Register;
}

WarpVariant warpVariant(const std::string& name) {
    return name == "direct"    ? WarpVariant::Direct
           : name == "texture" ? WarpVariant::Texture
                               : WarpVariant::TextureFilter;
}

} // namespace systole
