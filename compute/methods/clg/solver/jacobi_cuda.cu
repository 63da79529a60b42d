#include "compute/methods/clg/solver/jacobi_cuda.cuh"

#include <algorithm>
#include <array>

namespace systole::clg {

std::span<const SweepVariant> sweepVariants() {
    static constexpr std::array<SweepVariant, 5> variants{{
        {MemoryVariant::Direct, "jacobi/direct", 1, sweepDirect},
        {MemoryVariant::Shared, "jacobi/shared", 1, sweepShared},
        {MemoryVariant::L2Only, "jacobi/l2-only", 1, sweepL2Only},
        {MemoryVariant::Register, "jacobi/register", 1, sweepRegister},
        {MemoryVariant::Fused, "jacobi/fused", 2, sweepFused},
    }};
    return variants;
}

const SweepVariant& sweepVariant(MemoryVariant variant) {
    const std::span<const SweepVariant> all = sweepVariants();
    return *std::find_if(all.begin(), all.end(),
                         [&](const SweepVariant& v) { return v.variant == variant; });
}

void launchSweeps(const SweepVariant& variant, const SweepJob& job, LaunchLog& log) {
    const auto voxels = static_cast<double>(job.system.voxels());
    variant.launch(job, {variant.kernel, (coefficientBytes(job.half) + 24) * voxels}, log);
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
