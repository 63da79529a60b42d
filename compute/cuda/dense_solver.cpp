// The few functions and numbers of cuSOLVER's documented interface that are needed stand here: no
// build needs its header.
#include "compute/cuda/dense_solver.h"

#include "compute/core/error.h"
#include "compute/core/shared_library.h"
#include "compute/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace systole {
namespace {

using Handle = void*;
constexpr int lowerTriangle = 0; // cublasFillMode_t

} // namespace

struct DenseSolver::Impl {
    SharedLibrary library{"cuSOLVER",
                          {"libcusolver.so.12", "/usr/local/cuda/lib64/libcusolver.so.12",
                           "libcusolver.so.11", "libcusolver.so"}};
    std::mutex inUse;
    std::string version;

    int (*create)(Handle*) = library["cusolverDnCreate"];
    int (*destroy)(Handle) = library["cusolverDnDestroy"];
    int (*setStream)(Handle, void*) = library["cusolverDnSetStream"];
    int (*getProperty)(int, int*) = library["cusolverGetProperty"];
    int (*factorSize)(Handle, int, int, double*, int,
                      int*) = library["cusolverDnDpotrf_bufferSize"];
    int (*factor)(Handle, int, int, double*, int, double*, int, int*) = library["cusolverDnDpotrf"];
    int (*solve)(Handle, int, int, int, const double*, int, double*, int,
                 int*) = library["cusolverDnDpotrs"];
    std::unique_ptr<void, int (*)(Handle)> handle{nullptr, nullptr};

    Impl() {
        for (int part = 0; part < 3; ++part) { // major, minor and patch
            int number = 0;
            check(getProperty(part, &number), "asking for the version");
            version += fmt::format("{}{}", part == 0 ? "" : ".", number);
        }
        Handle started = nullptr;
        check(create(&started), "starting");
        handle = {started, destroy};
    }
    void check(int status, const char* what) const { library.check(status, what); }
};

DenseSolver::DenseSolver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DenseSolver::~DenseSolver() = default;

std::unique_ptr<DenseSolver> DenseSolver::load(std::string& reason) {
    try {
        return std::unique_ptr<DenseSolver>(new DenseSolver(std::make_unique<Impl>()));
    } catch (const ComputeError& error) {
        reason = error.what();
        return nullptr;
    }
}

std::string DenseSolver::version() const { return impl_->version; }

bool DenseSolver::solvePositive(double* a, int n, double* b, int columns, CudaContext& cuda) const {
    const std::scoped_lock lock(impl_->inUse);
    impl_->check(impl_->setStream(impl_->handle.get(), cuda.handle(CudaStream::Compute)),
                 "choosing a stream");
    int room = 0;
    impl_->check(impl_->factorSize(impl_->handle.get(), lowerTriangle, n, a, n, &room),
                 "asking for memory");
    Buffer<double> work = cuda.devicePool().acquire<double>(
        static_cast<std::size_t>(std::max(room, 1)), "dense solve, work");
    Buffer<int> info = cuda.devicePool().acquire<int>(1, "dense solve, outcome");
    impl_->check(
        impl_->factor(impl_->handle.get(), lowerTriangle, n, a, n, work.data(), room, info.data()),
        "the decomposition");
    int outcome = 0;
    cuda.download(info.data(), &outcome, sizeof outcome, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    if (outcome != 0)
        return false;
    impl_->check(
        impl_->solve(impl_->handle.get(), lowerTriangle, n, columns, a, n, b, n, info.data()),
        "the solution");
    cuda.synchronize(CudaStream::Compute);
    return true;
}

} // namespace systole
