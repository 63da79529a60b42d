#include "compute/methods/clg/solver/jacobi_cuda.cuh"

#include <algorithm>

namespace systole::clg {

// Each variant is defined in its own file, jacobi_*_cuda.cu.
extern const JacobiKernel jacobiDirect, jacobiShared, jacobiL2Only, jacobiRegister, jacobiFused;

const JacobiKernel& jacobiKernel(int variant) {
    /// Variants in the order of jacobiVariants.
    static constexpr const JacobiKernel* kernels[] = {&jacobiDirect, &jacobiShared, &jacobiL2Only,
                                                      &jacobiRegister, &jacobiFused};
    static_assert(std::size(kernels) == std::size(jacobiVariants));
    return *kernels[variant];
}

std::vector<CompiledCost> compiledJacobiCosts() {
    constexpr int rows = jacobiFamily["shared"].standardThreads / gpu::tileX;
    std::vector<CompiledCost> all;
    for (const DivergenceStencil stencil : {DivergenceStencil::Energy, DivergenceStencil::Paper})
        for (const bool half : {false, true})
            for (int variant = 0; variant < jacobiFamily.count(); ++variant) {
                const JacobiKernel& kernel = jacobiKernel(variant);
                CompiledCost compiled{
                    jacobiFamily.kernel(variant) +
                        (stencil == DivergenceStencil::Energy ? " energy" : " paper") +
                        (half ? " 16 bits" : ""),
                    std::string(kernel.symbol) + ".*" + mangledView(stencil, half), "loop", "STG",
                    kernel.cost({stencil, false, half, rows})};
                if (kernel.fills)
                    compiled.without = {"LDG", "LDS+STS"};
                all.push_back(std::move(compiled));
            }
    return all;
}

int marchOf(const CudaContext& cuda, Size3 size, int columnsOfBlock, int longest) {
    // Enough blocks for a few on every multiprocessor.
    const int columns = size.x * size.y;
    const int blocks = (columns + columnsOfBlock - 1) / columnsOfBlock;
    const int wanted = 8 * cuda.device().multiprocessors;
    const int marches = std::max(1, wanted / blocks);
    return std::clamp((size.z + marches - 1) / marches, 1, longest);
}

} // namespace systole::clg
