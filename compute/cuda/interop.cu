#include "compute/core/error.h"
#include "compute/cuda/interop.cuh"
#include "compute/cuda/texture.cuh"

#include <algorithm>
#include <cuda_fp16.h>
#include <cuda_gl_interop.h>
#include <utility>

namespace systole {
namespace {

constexpr unsigned texture3D = 0x806F; // GL_TEXTURE_3D, which the oldest gl.h doesn't have
constexpr std::size_t scratchBudget = std::size_t{256} << 20;
constexpr const char* stage = "field to GL";

class Registered : public InteropObject {
public:
    static std::shared_ptr<Registered> texture(unsigned name) {
        cudaGraphicsResource_t resource = nullptr;
        // Kernels write through surfaces, which can't be combined with "write discard".
        cudaCheck(cudaGraphicsGLRegisterImage(&resource, name, texture3D,
                                              cudaGraphicsRegisterFlagsSurfaceLoadStore),
                  "registering a texture of OpenGL");
        return std::make_shared<Registered>(resource, true);
    }
    static std::shared_ptr<Registered> buffer(unsigned name) {
        cudaGraphicsResource_t resource = nullptr;
        cudaCheck(
            cudaGraphicsGLRegisterBuffer(&resource, name, cudaGraphicsRegisterFlagsWriteDiscard),
            "registering a buffer of OpenGL");
        return std::make_shared<Registered>(resource, false);
    }
    Registered(cudaGraphicsResource_t resource, bool isTexture)
        : resource_(resource), isTexture_(isTexture) {}
    ~Registered() override {
        cudaGraphicsUnregisterResource(resource_);
        cudaGetLastError(); // the context may be gone already, and the resource with it
    }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    cudaGraphicsResource_t resource() const { return resource_; }

    /// Valid only while mapped.
    InteropTarget target(CudaContext& cuda, LaunchLog& log,
                         std::vector<std::shared_ptr<const void>>& kept) const {
        InteropTarget target{.cuda = cuda, .log = log, .kept = kept};
        if (isTexture_)
            cudaCheck(cudaGraphicsSubResourceGetMappedArray(&target.array, resource_, 0, 0),
                      "reaching a texture of OpenGL");
        else
            cudaCheck(
                cudaGraphicsResourceGetMappedPointer(&target.memory, &target.bytes, resource_),
                "reaching a buffer of OpenGL");
        return target;
    }

private:
    cudaGraphicsResource_t resource_;
    bool isTexture_;
};

/// Keeps the objects mapped during its lifetime.
class Mapping {
public:
    Mapping(std::vector<cudaGraphicsResource_t> resources, cudaStream_t stream)
        : resources_(std::move(resources)), stream_(stream) {
        cudaCheck(cudaGraphicsMapResources(count(), resources_.data(), stream_),
                  "taking over OpenGL's objects");
    }
    void end() {
        const int mapped = count();
        std::vector<cudaGraphicsResource_t> resources = std::exchange(resources_, {});
        cudaCheck(cudaGraphicsUnmapResources(mapped, resources.data(), stream_),
                  "giving OpenGL its objects back");
    }
    ~Mapping() {
        if (!resources_.empty()) {
            cudaGraphicsUnmapResources(count(), resources_.data(), stream_);
            cudaGetLastError();
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

private:
    int count() const { return static_cast<int>(resources_.size()); }
    std::vector<cudaGraphicsResource_t> resources_;
    cudaStream_t stream_;
};

/// The CUDA device that draws the current OpenGL context; throws if there is none.
int drawingDevice() {
    unsigned count = 0;
    int device = -1;
    const cudaError_t answer = cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll);
    cudaGetLastError(); // a later call must not report this failed query
    if (answer != cudaSuccess || count == 0)
        throw ComputeError(std::string("no CUDA device draws this OpenGL context (CUDA says: ") +
                           cudaGetErrorString(answer == cudaSuccess ? cudaErrorNoDevice : answer) +
                           ")");
    return device;
}

__global__ void writeHalf(const float* voxels, Size3 size, cudaSurfaceObject_t surface) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= size.x || y >= size.y || z >= size.z)
        return;
    const float value = VolumeView<const float>(voxels, size)(x, y, z);
    surf3Dwrite(__half_as_ushort(__float2half_rn(value)), surface,
                x * static_cast<int>(sizeof(__half)), y, z);
}

void copyFrame(const Volume& frame, const InteropTarget& target) {
    const Size3 size = frame.geometry.size();
    const auto bytes = static_cast<double>(frame.voxels.size() * sizeof(float));
    target.cuda.waitFor(CudaStream::Display, frame.ready);
    if (target.halfFloat()) {
        target.log.launch({"texture/half", 1.5 * bytes}, writeHalf, overVoxels(size),
                          frame.voxels.data(), size, target.surface());
        return;
    }
    gpu::copyToArray(frame.voxels.data(), size, target.array, "texture/copy", target.log);
}

} // namespace

cudaSurfaceObject_t InteropTarget::surface() const {
    cudaResourceDesc description{};
    description.resType = cudaResourceTypeArray;
    description.res.array.array = array;
    cudaSurfaceObject_t made = 0;
    cudaCheck(cudaCreateSurfaceObject(&made, &description), "making a surface");
    kept.push_back(std::shared_ptr<const cudaSurfaceObject_t>(
        new cudaSurfaceObject_t(made), [](const cudaSurfaceObject_t* surface) {
            cudaDestroySurfaceObject(*surface);
            delete surface;
        }));
    return made;
}

bool InteropTarget::halfFloat() const {
    cudaChannelFormatDesc format{};
    cudaCheck(cudaGetChannelDesc(&format, array), "asking for a texture's format");
    return format.x == 16;
}

struct CudaInterop::Impl {
    explicit Impl(int device) : cuda({.device = device, .deviceBudget = scratchBudget}) {}

    /// Writes that may still be running on the device.
    struct Flight {
        std::unique_ptr<LaunchLog> log;
        std::vector<std::shared_ptr<const void>> kept;
        std::shared_ptr<const CudaEvent> done;
    };
    struct Pending {
        std::shared_ptr<const Registered> object;
        InteropWrite write;
    };

    void land() {
        while (!flights.empty() && flights.front().done->done()) {
            Flight flight = std::move(flights.front());
            flights.erase(flights.begin());
            KernelProfile profile;
            profile.beginFrame(0);
            flight.log->resolve(profile);
            lastSeconds = profile.endFrame().seconds(stage);
            flight.log->clear();
            idleLogs.push_back(std::move(flight.log));
        }
    }

    CudaContext cuda;
    std::vector<Pending> pending;
    std::vector<Flight> flights; ///< oldest first
    std::vector<std::unique_ptr<LaunchLog>> idleLogs;
    double lastSeconds = 0;
};

CudaInterop::CudaInterop(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

CudaInterop::~CudaInterop() {
    try {
        impl_->cuda.synchronize(CudaStream::Display);
    } catch (const ComputeError&) {
        // A lost device no longer reads the sources.
    }
}

CudaInterop::Answer CudaInterop::tryOn(unsigned texture) {
    const CudaStatus status = cudaStatus();
    if (!status.usable())
        return {nullptr, status.reason};
    try {
        std::unique_ptr<CudaInterop> interop(
            new CudaInterop(std::make_unique<Impl>(drawingDevice())));
        interop->write(interop->texture(texture),
                       {[](const InteropTarget& target) { target.surface(); }, {}});
        interop->flush();
        interop->cuda().synchronize(CudaStream::Display);
        return {std::move(interop), {}};
    } catch (const ComputeError& error) {
        return {nullptr, error.what()};
    }
}

int CudaInterop::device() const { return impl_->cuda.device().index; }

bool CudaInterop::reaches(const void* memory) const {
    cudaPointerAttributes attributes{};
    const cudaError_t answer = cudaPointerGetAttributes(&attributes, memory);
    cudaGetLastError();
    return answer == cudaSuccess && attributes.type == cudaMemoryTypeDevice &&
           attributes.device == impl_->cuda.device().index;
}

CudaContext& CudaInterop::cuda() const { return impl_->cuda; }

std::shared_ptr<InteropObject> CudaInterop::texture(unsigned name) const {
    cudaCheck(cudaSetDevice(impl_->cuda.device().index), "turning to the device");
    return Registered::texture(name);
}

std::shared_ptr<InteropObject> CudaInterop::buffer(unsigned name) const {
    cudaCheck(cudaSetDevice(impl_->cuda.device().index), "turning to the device");
    return Registered::buffer(name);
}

void CudaInterop::write(std::shared_ptr<InteropObject> object, InteropWrite write) {
    impl_->pending.push_back(
        {std::static_pointer_cast<const Registered>(std::move(object)), std::move(write)});
}

void CudaInterop::flush() {
    Impl& m = *impl_;
    m.land();
    if (m.pending.empty())
        return;
    const std::vector<Impl::Pending> pending = std::exchange(m.pending, {});
    const cudaStream_t stream = streamOf(m.cuda, CudaStream::Display);

    Impl::Flight flight;
    if (m.idleLogs.empty()) {
        flight.log =
            std::make_unique<LaunchLog>(m.cuda, LaunchLog::Timing::Stages, CudaStream::Display);
    } else {
        flight.log = std::move(m.idleLogs.back());
        m.idleLogs.pop_back();
    }
    std::vector<cudaGraphicsResource_t> resources;
    for (const Impl::Pending& each : pending)
        if (std::find(resources.begin(), resources.end(), each.object->resource()) ==
            resources.end())
            resources.push_back(each.object->resource());
    try {
        const LaunchLog::Stage scope(*flight.log, stage);
        Mapping mapping(std::move(resources), stream);
        for (const Impl::Pending& each : pending) {
            flight.kept.insert(flight.kept.end(), each.write.sources.begin(),
                               each.write.sources.end());
            each.write.enqueue(each.object->target(m.cuda, *flight.log, flight.kept));
        }
        mapping.end();
    } catch (...) {
        cudaStreamSynchronize(stream); // enqueued work still reads its sources
        cudaGetLastError();
        throw;
    }
    flight.done = m.cuda.record(CudaStream::Display);
    m.flights.push_back(std::move(flight));
}

double CudaInterop::lastSeconds() {
    impl_->land();
    return impl_->lastSeconds;
}

InteropWrite copyToTexture(std::shared_ptr<const Volume> frame) {
    const Volume& source = *frame;
    return {[&source](const InteropTarget& target) { copyFrame(source, target); },
            {std::move(frame)}};
}

InteropWrite copyToBuffer(const void* memory, std::size_t offset, std::size_t bytes,
                          std::shared_ptr<const CudaEvent> ready,
                          std::shared_ptr<const void> owner) {
    const auto enqueue = [memory, offset, bytes,
                          ready = std::move(ready)](const InteropTarget& target) {
        if (offset + bytes > target.bytes)
            throw ComputeError("an OpenGL buffer is too small for what is copied into it");
        target.cuda.waitFor(CudaStream::Display, ready);
        target.cuda.copyOnDevice(memory, static_cast<std::byte*>(target.memory) + offset, bytes,
                                 CudaStream::Display);
    };
    return {enqueue, {std::move(owner)}};
}

} // namespace systole
