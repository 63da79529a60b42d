#include "compute/cuda/texture.cuh"

namespace systole::gpu {

DeviceTexture::DeviceTexture(Size3 size, bool filter) : size_(size) {
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    const cudaExtent extent =
        make_cudaExtent(static_cast<std::size_t>(size.x), static_cast<std::size_t>(size.y),
                        static_cast<std::size_t>(size.z));
    const cudaError_t answer = cudaMalloc3DArray(&array_, &channel, extent);
    if (answer == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw OutOfMemory("out of device memory: " + bytesText(4 * size.voxels()) +
                          " requested 'texture'");
    }
    cudaCheck(answer, "making a texture's memory");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc description{};
    for (cudaTextureAddressMode& mode : description.addressMode)
        mode = cudaAddressModeClamp;
    description.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    const cudaError_t made = cudaCreateTextureObject(&texture_, &resource, &description, nullptr);
    if (made != cudaSuccess) {
        cudaFreeArray(array_);
        cudaCheck(made, "making a texture");
    }
}

DeviceTexture::~DeviceTexture() {
    cudaDestroyTextureObject(texture_);
    cudaFreeArray(array_);
    cudaGetLastError();
}

void copyToArray(const float* voxels, Size3 size, cudaArray_t array, const char* name,
                 LaunchLog& log) {
    cudaMemcpy3DParms copy{};
    const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(voxels), nx * sizeof(float), nx, ny);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(nx, ny, static_cast<std::size_t>(size.z));
    copy.kind = cudaMemcpyDeviceToDevice;
    log.begin({name, 8.0 * static_cast<double>(size.voxels())}, nullptr, {});
    cudaCheck(cudaMemcpy3DAsync(&copy, log.stream()), "copying to a texture");
    log.end();
}

LinearTexture::LinearTexture(CudaContext& cuda, const float* values, std::size_t count) {
    int device = 0, alignment = 0;
    cudaCheck(cudaGetDevice(&device), "making a linear texture");
    cudaCheck(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device),
              "making a linear texture");
    if (reinterpret_cast<std::uintptr_t>(values) % static_cast<std::uintptr_t>(alignment) != 0) {
        copy_ = cuda.devicePool().acquire<float>(count, "linear texture");
        cuda.copyOnDevice(values, copy_.data(), count * sizeof(float), CudaStream::Compute);
        values = copy_.data();
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(values);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = count * sizeof(float);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    cudaCheck(cudaCreateTextureObject(&texture_, &resource, &description, nullptr),
              "making a linear texture");
}

LinearTexture::~LinearTexture() {
    cudaDestroyTextureObject(texture_);
    cudaGetLastError();
}

} // namespace systole::gpu
