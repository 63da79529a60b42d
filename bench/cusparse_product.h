// The product of two sparse matrices by NVIDIA's cuSPARSE, which is loaded if it is there: the
// peer of `systole bench spgemm`.
#pragma once

#include "compute/core/exec.h"
#include "compute/sparse/device_product.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

class CusparseProduct {
public:
    /// Null where the library isn't found; `reason` then says so.
    static std::unique_ptr<CusparseProduct> load(const ExecContext& ctx, std::string& reason);
    ~CusparseProduct();
    CusparseProduct(const CusparseProduct&) = delete;
    CusparseProduct& operator=(const CusparseProduct&) = delete;

    std::string version() const;
    /// The names of its algorithms.
    static const std::vector<std::string>& algorithms();
    /// C = A B by one of them, from the factors to the packed product, memory from the device pool;
    /// done when it returns. Throws ComputeError with cuSPARSE's status.
    sparse::DeviceCsr<float> multiply(std::size_t algorithm, const sparse::DeviceCsr<float>& a,
                                      const sparse::DeviceCsr<float>& b, const ExecContext& ctx);

private:
    struct Impl;
    explicit CusparseProduct(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
