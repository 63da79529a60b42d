// Devices, their context and their speed in a build without CUDA: unavailable.
#include "compute/core/error.h"
#include "compute/cuda/context.h"
#include "compute/cuda/speed.h"

namespace systole {
namespace {

[[noreturn]] void none() { throw ComputeError(cudaStatus().reason); }

} // namespace

CudaStatus cudaStatus() {
    CudaStatus status;
    status.reason = "the program was built without CUDA";
    return status;
}

double DeviceSpeed::copyBandwidth() const { return 0; }
DeviceSpeed measureDeviceSpeed(CudaContext&, const std::vector<std::size_t>&) { none(); }

struct CudaContext::Impl {};

CudaContext::CudaContext(const Options&) { none(); }
CudaContext::~CudaContext() = default;
// The constructor throws, so that these functions are never called.
const CudaDevice& CudaContext::device() const { none(); }
BufferPool& CudaContext::devicePool() { none(); }
BufferPool& CudaContext::pinnedPool() { none(); }
std::size_t CudaContext::freeBytes() const { none(); }
void CudaContext::upload(const void*, void*, std::size_t, CudaStream) { none(); }
void CudaContext::download(const void*, void*, std::size_t, CudaStream) { none(); }
void CudaContext::copyOnDevice(const void*, void*, std::size_t, CudaStream) { none(); }
void CudaContext::zero(void*, std::size_t, CudaStream) { none(); }
std::shared_ptr<const CudaEvent> CudaContext::record(CudaStream) { none(); }
void CudaContext::waitFor(CudaStream, const std::shared_ptr<const CudaEvent>&) { none(); }
void CudaContext::synchronize(CudaStream) { none(); }
TransferCounters CudaContext::transfers() const { none(); }
const DenseSolver* CudaContext::denseSolver(std::string*) { none(); }
void* CudaContext::handle(CudaStream) const { none(); }

} // namespace systole
