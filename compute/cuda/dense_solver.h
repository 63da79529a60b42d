// Dense systems on the device by NVIDIA's cuSOLVER. The library is loaded when it is first needed,
// so that programs start on machines that don't have it. CudaContext::denseSolver() makes one.
#pragma once

#include <memory>
#include <string>

namespace systole {

class CudaContext;

class DenseSolver {
public:
    /// Null where the library isn't found or can't start, with the reason.
    static std::unique_ptr<DenseSolver> load(std::string& reason);
    ~DenseSolver();
    DenseSolver(const DenseSolver&) = delete;
    DenseSolver& operator=(const DenseSolver&) = delete;

    std::string version() const; ///< "12.0.4"

    /// Overwrites the lower triangle of the symmetric n × n matrix `a`, of which only it is read,
    /// with its Cholesky factor, and the n × columns matrix `b` with the solution of A X = B. Both
    /// in device memory, column after column. On the context's Compute stream; waits. Returns
    /// whether A is positive definite; b is undefined if not. Any thread may call, one at a time
    /// computes. Throws ComputeError and OutOfMemory.
    bool solvePositive(double* a, int n, double* b, int columns, CudaContext& cuda) const;

private:
    struct Impl;
    explicit DenseSolver(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
