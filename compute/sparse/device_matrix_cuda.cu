// Sparse matrices in device memory: copied, empty, and one below another.
#include "compute/core/error.h"
#include "compute/cuda/uploaded.h"
#include "compute/sparse/product_cuda.cuh"

#include <limits>
#include <string>

namespace systole::sparse {
namespace {

constexpr std::int64_t maxEntries = std::numeric_limits<std::int32_t>::max();

} // namespace

namespace gpu {

template <typename Value>
DeviceCsr<Value> stacked(const std::vector<DeviceCsr<Value>>& parts, std::int64_t columns,
                         const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    DeviceCsr<Value> all;
    all.columns = columns;
    std::int64_t entries = 0;
    for (const DeviceCsr<Value>& part : parts) {
        all.rows += part.rows;
        entries += part.entries();
    }
    if (entries > maxEntries)
        throw ComputeError("a product of " + std::to_string(entries) +
                           " entries is too large for the device, which counts to 2^31 - 1");
    all.rowStart =
        pool.acquire<int>(static_cast<std::size_t>(all.rows) + 1, "sparse matrix, starts of rows");
    all.columnOf = pool.acquire<int>(static_cast<std::size_t>(entries), "sparse matrix, columns");
    all.values = pool.acquire<Value>(static_cast<std::size_t>(entries), "sparse matrix, values");
    std::vector<int> starts;
    starts.reserve(static_cast<std::size_t>(all.rows) + 1);
    std::size_t at = 0;
    for (const DeviceCsr<Value>& part : parts) {
        std::vector<int> own(static_cast<std::size_t>(part.rows) + 1);
        cuda.download(part.rowStart.data(), own.data(), own.size() * sizeof(int),
                      CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        for (std::size_t row = 0; row + 1 < own.size(); ++row)
            starts.push_back(static_cast<int>(at) + own[row]);
        cuda.copyOnDevice(part.columnOf.data(), all.columnOf.data() + at,
                          part.columnOf.size() * sizeof(int), CudaStream::Compute);
        cuda.copyOnDevice(part.values.data(), all.values.data() + at,
                          part.values.size() * sizeof(Value), CudaStream::Compute);
        at += part.columnOf.size();
    }
    starts.push_back(static_cast<int>(at));
    cuda.upload(starts.data(), all.rowStart.data(), starts.size() * sizeof(int),
                CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return all;
}

template <typename Value>
DeviceCsr<Value> withoutEntries(std::int64_t rows, std::int64_t columns, const ExecContext& ctx) {
    DeviceCsr<Value> c;
    c.rows = rows;
    c.columns = columns;
    c.rowStart = ctx.cuda->devicePool().acquire<int>(static_cast<std::size_t>(rows) + 1,
                                                     "sparse matrix, starts of rows");
    ctx.cuda->zero(c.rowStart.data(), c.rowStart.size() * sizeof(int), CudaStream::Compute);
    return c;
}

} // namespace gpu

template <typename Value>
DeviceCsr<Value> toDevice(const CsrMatrix<Value>& matrix, const ExecContext& ctx) {
    if (matrix.entries() > maxEntries || matrix.rows >= maxEntries)
        throw ComputeError("a matrix of " + std::to_string(matrix.entries()) +
                           " entries is too large for the device, which counts to 2^31 - 1");
    CudaContext& cuda = *ctx.cuda;
    DeviceCsr<Value> copy;
    copy.rows = matrix.rows;
    copy.columns = matrix.columns;
    const std::vector<int> starts(matrix.rowStart.begin(), matrix.rowStart.end());
    copy.rowStart = uploaded(starts, "sparse matrix, starts of rows", cuda);
    copy.columnOf = uploaded(matrix.columnOf, "sparse matrix, columns", cuda);
    copy.values = uploaded(matrix.values, "sparse matrix, values", cuda);
    cuda.synchronize(CudaStream::Compute);
    return copy;
}

template <typename Value>
CsrMatrix<Value> toHost(const DeviceCsr<Value>& matrix, const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    std::vector<int> starts(matrix.rowStart.size());
    CsrMatrix<Value> copy;
    copy.rows = matrix.rows;
    copy.columns = matrix.columns;
    copy.columnOf.resize(matrix.columnOf.size());
    copy.values.resize(matrix.values.size());
    const auto download = [&](const auto& from, auto& to) {
        if (!to.empty())
            cuda.download(from.data(), to.data(), to.size() * sizeof to[0], CudaStream::Compute);
    };
    download(matrix.rowStart, starts);
    download(matrix.columnOf, copy.columnOf);
    download(matrix.values, copy.values);
    cuda.synchronize(CudaStream::Compute);
    copy.rowStart.assign(starts.begin(), starts.end());
    return copy;
}

#define SYSTOLE_MATRICES_OF(Value)                                                                 \
    template DeviceCsr<Value> toDevice(const CsrMatrix<Value>&, const ExecContext&);               \
    template CsrMatrix<Value> toHost(const DeviceCsr<Value>&, const ExecContext&);                 \
    template DeviceCsr<Value> gpu::withoutEntries(std::int64_t, std::int64_t, const ExecContext&); \
    template DeviceCsr<Value> gpu::stacked(const std::vector<DeviceCsr<Value>>&, std::int64_t,     \
                                           const ExecContext&);
SYSTOLE_MATRICES_OF(float)
SYSTOLE_MATRICES_OF(double)
#undef SYSTOLE_MATRICES_OF

} // namespace systole::sparse
