// Measurements on a device, in a build without CUDA: unavailable.
#include "compute/core/error.h"
#include "compute/lab/bench.h"
#include "compute/lab/microbench.h"

namespace systole::lab {
namespace {

[[noreturn]] void none() { throw ComputeError(cudaStatus().reason); }

} // namespace

struct LabBench::Impl {};

LabBench::LabBench(CudaContext&) { none(); }
LabBench::~LabBench() = default;
// The constructor throws, so that these functions are never called.
LabPoint LabBench::measure(const LabKernel&, int, int, int, const LabTiming&) { none(); }
double LabBench::measureWithTransfers(const LabKernel&, int, int, bool, const LabTiming&) {
    none();
}
std::vector<float> LabBench::output() const { none(); }
std::vector<float> LabBench::onHost(const ExecContext&) const { none(); }

model::GpuMachine measureMachine(CudaContext&,
                                 const std::function<void(const std::string&, double)>&) {
    none();
}

} // namespace systole::lab
