#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/replay.cuh"

namespace systole::gpu {
namespace {

__global__ void copyFinite(FieldView<const float> field, FieldView<float> out,
                           const int* notFinite) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= field.size.voxels() || notFinite[0] || notFinite[1])
        return;
    for (int k = 0; k < 3; ++k)
        out.component(k)[i] = field.component(k)[i];
}

} // namespace

void copyResult(FieldView<const float> field, FieldView<float> out, const int* notFinite,
                LaunchLog& log) {
    const std::size_t n = field.size.voxels();
    log.launch({"copy result", 24 * static_cast<double>(n)}, copyFinite, threadsOver(n), field, out,
               notFinite);
}

} // namespace systole::gpu
