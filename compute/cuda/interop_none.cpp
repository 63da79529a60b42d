// Interop in a build without CUDA: unavailable.
#include "compute/core/error.h"
#include "compute/cuda/interop.h"

namespace systole {
namespace {

[[noreturn]] void none() { throw ComputeError(cudaStatus().reason); }

} // namespace

struct CudaInterop::Impl {};

CudaInterop::Answer CudaInterop::tryOn(unsigned) { return {nullptr, cudaStatus().reason}; }
// No instance is ever created, so that these functions are never called.
CudaInterop::CudaInterop(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CudaInterop::~CudaInterop() = default;
int CudaInterop::device() const { none(); }
bool CudaInterop::reaches(const void*) const { return false; }
CudaContext& CudaInterop::cuda() const { none(); }
std::shared_ptr<InteropObject> CudaInterop::texture(unsigned) const { none(); }
std::shared_ptr<InteropObject> CudaInterop::buffer(unsigned) const { none(); }
void CudaInterop::write(std::shared_ptr<InteropObject>, InteropWrite) { none(); }
void CudaInterop::flush() { none(); }
double CudaInterop::lastSeconds() { none(); }
InteropWrite copyToTexture(std::shared_ptr<const Volume>) { none(); }
InteropWrite copyToBuffer(const void*, std::size_t, std::size_t, std::shared_ptr<const CudaEvent>,
                          std::shared_ptr<const void>) {
    none();
}

} // namespace systole
