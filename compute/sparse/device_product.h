// C = A B of two sparse matrices in device memory, in compressed rows: the device's product.h.
//
// Every row of C is made by the accumulator that suits it. All add the products of an entry in one
// order that depends on the factors alone, so that the same bits come from every run.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/exec.h"
#include "compute/cuda/kernel_family.h"
#include "compute/sparse/csr_matrix.h"

#include <array>
#include <cstdint>

namespace systole::sparse {

/// As CsrMatrix, with 32-bit positions: at most 2^31 − 1 entries.
template <typename Value>
struct DeviceCsr {
    std::int64_t rows = 0, columns = 0;
    Buffer<std::int32_t> rowStart; ///< rows + 1
    Buffer<std::int32_t> columnOf;
    Buffer<Value> values;

    std::int64_t entries() const { return static_cast<std::int64_t>(columnOf.size()); }
};

/// Which accumulators a product may use.
inline constexpr KernelVariant productVariants[] = {
    {"expand-sort", "All products are written out, sorted and added up.", 256, {256, 256}},
    {"row-hash",
     "A hash table in shared memory per row; rows too long for it as expand-sort.",
     256,
     {256, 256}},
    {"row-dense",
     "An array over a row's columns in shared memory; rows too wide for it as expand-sort.",
     256,
     {256, 256}},
    {"row-ranked",
     "A bitmap of a row's columns in shared memory says where each one's sum lies; rows too wide "
     "for it as expand-sort.",
     256,
     {256, 256}},
    {"adaptive",
     "Sorted in registers or by a block, hash table, array or bitmap: by the row's products and "
     "columns.",
     256,
     {256, 256}},
};
inline constexpr KernelFamily productFamily{
    "spgemm", productVariants, "product", "adaptive",
    "Which accumulators the CUDA kernels of a sparse product use."};

/// Rows of a product by the accumulator that summed them.
struct DeviceProductFigures {
    static constexpr const char* names[] = {
        "sort 8",          "sort 16",          "sort 32",
        "sort 64",         "block sort 256",   "block sort 512",
        "block sort 1024", "block sort 4096",  "hash 256",
        "hash 1024",       "hash 4096",        "array 1024",
        "array 4096",      "array 12288",      "array 12288, long rows",
        "array, widest",   "ranked by 1 warp", "ranked by 4",
        "ranked by 8",     "ranked by 16",     "expand and sort"};
    static constexpr std::size_t accumulators = std::size(names);
    std::array<std::int64_t, accumulators> rows{};
    std::int64_t boundEntries = 0; ///< max entries that were expected
    int passes = 0;
};

/// The symbolic phase: what products of factors with the same patterns can use again.
struct DeviceProductPlan {
    std::int64_t rows = 0, inner = 0, columns = 0, entries = 0;
    Buffer<std::int32_t> rowStart, columnOf; ///< pattern of the product
    Buffer<long long> writeAt;               ///< rowStart, wider
    Buffer<std::int32_t> lists;              ///< rows by accumulator
    Buffer<std::int32_t> bound, low, window; ///< max entries and range of columns of each row
    /// The widest range of columns by accumulator.
    std::array<std::int32_t, DeviceProductFigures::accumulators> windows{};
    DeviceProductFigures figures;
};

/// Copies; entries beyond 2^31 − 1 are refused with ComputeError. On the Compute stream of
/// ctx.cuda, done when they return. All functions are for float and double, and defined in builds
/// with CUDA (cudaIsBuilt).
template <typename Value>
DeviceCsr<Value> toDevice(const CsrMatrix<Value>& matrix, const ExecContext& ctx);
template <typename Value>
CsrMatrix<Value> toHost(const DeviceCsr<Value>& matrix, const ExecContext& ctx);

/// The product by a variant of productFamily: the pattern of multiply(), values added in single or
/// double precision as they are given. Products that don't fit the device's memory are made in
/// passes over rows. Waits for the numbers of entries. Throws ComputeError if the sizes don't fit,
/// or for a product of 2^31 entries or more; OutOfMemory.
template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int variant,
                                  const ExecContext& ctx, DeviceProductFigures* figures = nullptr);

/// R A P with the sums of (R A) P; R A is made for some rows at a time and never whole. Figures are
/// those of the second product. Errors as above.
template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& r, const DeviceCsr<Value>& a,
                                  const DeviceCsr<Value>& p, int variant, const ExecContext& ctx,
                                  DeviceProductFigures* figures = nullptr);

/// The symbolic phase alone, in one pass, for the variant `adaptive`; rows that need expand-sort
/// can't be planned: ComputeError.
template <typename Value>
DeviceProductPlan planOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b,
                               const ExecContext& ctx);
/// The product of factors with the plan's patterns; the same bits as without one. Only enqueues.
template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b,
                                  const DeviceProductPlan& plan, const ExecContext& ctx);

} // namespace systole::sparse
