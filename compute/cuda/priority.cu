#include "compute/cuda/launch.cuh"
#include "compute/cuda/priority.h"

namespace systole {

void giveWay(CudaContext& cuda) {
    const cudaStream_t stream = streamOf(cuda);
    cudaStreamAttrValue value{};
    cudaCheck(cudaDeviceGetStreamPriorityRange(&value.priority, nullptr),
              "asking for the streams' priorities");
    cudaCheck(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &value),
              "giving way to other work");
}

} // namespace systole
