// The few functions and numbers of cuSOLVER's documented interface that are needed stand here: no
// build needs its header.
#include "compute/cuda/dense_solver.h"

#include "compute/core/error.h"
#include "compute/cuda/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <mutex>

namespace systole {
namespace {

using Handle = void*;
constexpr int lowerTriangle = 0; // cublasFillMode_t

void check(int status, const char* what) {
    if (status != 0)
        throw ComputeError(fmt::format("cuSOLVER: {} failed with status {}", what, status));
}

} // namespace

struct DenseSolver::Impl {
    void* library = nullptr;
    Handle handle = nullptr;
    std::mutex inUse;
    std::string version;

    int (*create)(Handle*) = nullptr;
    int (*destroy)(Handle) = nullptr;
    int (*setStream)(Handle, void*) = nullptr;
    int (*getProperty)(int, int*) = nullptr;
    int (*factorSize)(Handle, int, int, double*, int, int*) = nullptr;
    int (*factor)(Handle, int, int, double*, int, double*, int, int*) = nullptr;
    int (*solve)(Handle, int, int, int, const double*, int, double*, int, int*) = nullptr;

    ~Impl() {
        if (handle)
            destroy(handle);
        if (library)
            dlclose(library);
    }
    template <typename Function>
    void find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (!function)
            throw ComputeError(fmt::format("cuSOLVER has no {}", name));
    }
    void start() {
        find(create, "cusolverDnCreate");
        find(destroy, "cusolverDnDestroy");
        find(setStream, "cusolverDnSetStream");
        find(getProperty, "cusolverGetProperty");
        find(factorSize, "cusolverDnDpotrf_bufferSize");
        find(factor, "cusolverDnDpotrf");
        find(solve, "cusolverDnDpotrs");
        for (int part = 0; part < 3; ++part) { // major, minor and patch
            int number = 0;
            check(getProperty(part, &number), "asking for the version");
            version += fmt::format("{}{}", part == 0 ? "" : ".", number);
        }
        check(create(&handle), "starting");
    }
};

DenseSolver::DenseSolver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DenseSolver::~DenseSolver() = default;

std::unique_ptr<DenseSolver> DenseSolver::load(std::string& reason) {
    auto impl = std::make_unique<Impl>();
    for (const char* name : {"libcusolver.so.12", "/usr/local/cuda/lib64/libcusolver.so.12",
                             "libcusolver.so.11", "libcusolver.so"})
        if (!impl->library)
            impl->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!impl->library) {
        reason = "cuSOLVER (libcusolver.so.12) isn't installed";
        return nullptr;
    }
    try {
        impl->start();
    } catch (const ComputeError& error) {
        reason = error.what();
        return nullptr;
    }
    return std::unique_ptr<DenseSolver>(new DenseSolver(std::move(impl)));
}

std::string DenseSolver::version() const { return impl_->version; }

bool DenseSolver::solvePositive(double* a, int n, double* b, int columns, CudaContext& cuda) const {
    const std::scoped_lock lock(impl_->inUse);
    check(impl_->setStream(impl_->handle, cuda.handle(CudaStream::Compute)), "choosing a stream");
    int room = 0;
    check(impl_->factorSize(impl_->handle, lowerTriangle, n, a, n, &room), "asking for memory");
    Buffer<double> work = cuda.devicePool().acquire<double>(
        static_cast<std::size_t>(std::max(room, 1)), "dense solve, work");
    Buffer<int> info = cuda.devicePool().acquire<int>(1, "dense solve, outcome");
    check(impl_->factor(impl_->handle, lowerTriangle, n, a, n, work.data(), room, info.data()),
          "the decomposition");
    int outcome = 0;
    cuda.download(info.data(), &outcome, sizeof outcome, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    if (outcome != 0)
        return false;
    check(impl_->solve(impl_->handle, lowerTriangle, n, columns, a, n, b, n, info.data()),
          "the solution");
    cuda.synchronize(CudaStream::Compute);
    return true;
}

} // namespace systole
