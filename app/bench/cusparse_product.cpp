// The library is loaded by name, and the few functions and numbers of its documented interface that
// are needed stand here: no build needs its header.
#include "app/bench/cusparse_product.h"

#include "compute/core/error.h"
#include "compute/core/shared_library.h"
#include "compute/cuda/context.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace systole {
namespace {

using Handle = void*;
using Matrix = void*;
using Description = void*;

// Values of cusparse.h and library_types.h.
constexpr int index32 = 2, baseZero = 0, real32 = 0, notTransposed = 0;
struct Algorithm {
    const char* name;
    int value;
    bool estimates; ///< whether the memory is estimated between the two phases
};
constexpr Algorithm listed[] = {{"ALG1", 3, false}, {"ALG2", 4, true}, {"ALG3", 5, true}};

} // namespace

struct CusparseProduct::Impl {
    SharedLibrary library{
        "cuSPARSE",
        {"libcusparse.so.12", "/usr/local/cuda/lib64/libcusparse.so.12", "libcusparse.so"}};

    int (*create)(Handle*) = nullptr;
    int (*destroy)(Handle) = nullptr;
    int (*setStream)(Handle, void*) = nullptr;
    int (*getVersion)(Handle, int*) = nullptr;
    int (*createCsr)(Matrix*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int,
                     int, int, int) = nullptr;
    int (*destroyMatrix)(Matrix) = nullptr;
    int (*matrixSize)(Matrix, std::int64_t*, std::int64_t*, std::int64_t*) = nullptr;
    int (*setPointers)(Matrix, void*, void*, void*) = nullptr;
    int (*createDescription)(Description*) = nullptr;
    int (*destroyDescription)(Description) = nullptr;
    int (*estimateWork)(Handle, int, int, const void*, Matrix, Matrix, const void*, Matrix, int,
                        int, Description, std::size_t*, void*) = nullptr;
    int (*estimateMemory)(Handle, int, int, const void*, Matrix, Matrix, const void*, Matrix, int,
                          int, Description, float, std::size_t*, void*, std::size_t*) = nullptr;
    int (*compute)(Handle, int, int, const void*, Matrix, Matrix, const void*, Matrix, int, int,
                   Description, std::size_t*, void*) = nullptr;
    int (*copy)(Handle, int, int, const void*, Matrix, Matrix, const void*, Matrix, int, int,
                Description) = nullptr;
    std::unique_ptr<void, int (*)(Handle)> handle{nullptr, nullptr};

    explicit Impl(const ExecContext& ctx) {
        library.find(create, "cusparseCreate");
        library.find(destroy, "cusparseDestroy");
        library.find(setStream, "cusparseSetStream");
        library.find(getVersion, "cusparseGetVersion");
        library.find(createCsr, "cusparseCreateCsr");
        library.find(destroyMatrix, "cusparseDestroySpMat");
        library.find(matrixSize, "cusparseSpMatGetSize");
        library.find(setPointers, "cusparseCsrSetPointers");
        library.find(createDescription, "cusparseSpGEMM_createDescr");
        library.find(destroyDescription, "cusparseSpGEMM_destroyDescr");
        library.find(estimateWork, "cusparseSpGEMM_workEstimation");
        library.find(estimateMemory, "cusparseSpGEMM_estimateMemory");
        library.find(compute, "cusparseSpGEMM_compute");
        library.find(copy, "cusparseSpGEMM_copy");
        Handle started = nullptr;
        check(create(&started), "starting");
        handle = {started, destroy};
        check(setStream(started, ctx.cuda->handle(CudaStream::Compute)), "setting the stream");
    }
    void check(int status, const char* what) const { library.check(status, what); }
    Matrix matrixOf(std::int64_t rows, std::int64_t columns, std::int64_t entries, void* starts,
                    void* columnOf, void* values) const {
        Matrix made = nullptr;
        check(createCsr(&made, rows, columns, entries, starts, columnOf, values, index32, index32,
                        baseZero, real32),
              "describing a matrix");
        return made;
    }
};

CusparseProduct::CusparseProduct(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CusparseProduct::~CusparseProduct() = default;

std::unique_ptr<CusparseProduct> CusparseProduct::load(const ExecContext& ctx,
                                                       std::string& reason) {
    try {
        return std::unique_ptr<CusparseProduct>(new CusparseProduct(std::make_unique<Impl>(ctx)));
    } catch (const ComputeError& error) {
        reason = error.what();
        return nullptr;
    }
}

std::string CusparseProduct::version() const {
    int number = 0;
    impl_->check(impl_->getVersion(impl_->handle.get(), &number), "asking for the version");
    return fmt::format("{}.{}.{}", number / 1000, number / 100 % 10, number % 100);
}

const std::vector<std::string>& CusparseProduct::algorithms() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Algorithm& each : listed)
            all.emplace_back(each.name);
        return all;
    }();
    return names;
}

sparse::DeviceCsr<float> CusparseProduct::multiply(std::size_t algorithm,
                                                   const sparse::DeviceCsr<float>& left,
                                                   const sparse::DeviceCsr<float>& right,
                                                   const ExecContext& ctx) {
    const Impl& f = *impl_;
    const Algorithm& chosen = listed[algorithm];
    BufferPool& pool = ctx.cuda->devicePool();
    struct Objects {
        const Impl& f;
        Matrix a = nullptr, b = nullptr, c = nullptr;
        Description description = nullptr;
        ~Objects() {
            if (description)
                f.destroyDescription(description);
            for (const Matrix matrix : {a, b, c})
                if (matrix)
                    f.destroyMatrix(matrix);
        }
    } o{f};
    const auto factor = [&](const sparse::DeviceCsr<float>& m) {
        return f.matrixOf(m.rows, m.columns, m.entries(), const_cast<int*>(m.rowStart.data()),
                          const_cast<int*>(m.columnOf.data()), const_cast<float*>(m.values.data()));
    };
    o.a = factor(left);
    o.b = factor(right);
    sparse::DeviceCsr<float> c;
    c.rows = left.rows;
    c.columns = right.columns;
    c.rowStart = pool.acquire<int>(static_cast<std::size_t>(c.rows) + 1, "cuSPARSE, starts");
    o.c = f.matrixOf(c.rows, c.columns, 0, c.rowStart.data(), nullptr, nullptr);
    impl_->check(f.createDescription(&o.description), "describing a product");
    const float one = 1, zero = 0;
    const auto estimate = [&](std::size_t* bytes, void* memory) {
        impl_->check(f.estimateWork(f.handle.get(), notTransposed, notTransposed, &one, o.a, o.b,
                                    &zero, o.c, real32, chosen.value, o.description, bytes, memory),
                     "estimating the work");
    };
    const auto compute = [&](std::size_t* bytes, void* memory) {
        impl_->check(f.compute(f.handle.get(), notTransposed, notTransposed, &one, o.a, o.b, &zero,
                               o.c, real32, chosen.value, o.description, bytes, memory),
                     "computing");
    };
    std::size_t workBytes = 0, memoryBytes = 0, computeBytes = 0;
    estimate(&workBytes, nullptr);
    Buffer<std::byte> work = pool.acquire<std::byte>(workBytes, "cuSPARSE, work");
    estimate(&workBytes, work.data());
    Buffer<std::byte> memory;
    if (chosen.estimates) {
        constexpr float chunk = 0.2f;
        const auto ask = [&](std::size_t* bytes, void* at, std::size_t* needed) {
            impl_->check(f.estimateMemory(f.handle.get(), notTransposed, notTransposed, &one, o.a,
                                          o.b, &zero, o.c, real32, chosen.value, o.description,
                                          chunk, bytes, at, needed),
                         "estimating the memory");
        };
        ask(&memoryBytes, nullptr, nullptr);
        memory = pool.acquire<std::byte>(memoryBytes, "cuSPARSE, estimate");
        ask(&memoryBytes, memory.data(), &computeBytes);
        memory = {};
    } else {
        compute(&computeBytes, nullptr);
    }
    Buffer<std::byte> room = pool.acquire<std::byte>(computeBytes, "cuSPARSE, product");
    compute(&computeBytes, room.data());
    std::int64_t rows = 0, columns = 0, entries = 0;
    impl_->check(f.matrixSize(o.c, &rows, &columns, &entries), "asking for the size");
    c.columnOf = pool.acquire<int>(static_cast<std::size_t>(entries), "cuSPARSE, columns");
    c.values = pool.acquire<float>(static_cast<std::size_t>(entries), "cuSPARSE, values");
    impl_->check(f.setPointers(o.c, c.rowStart.data(), c.columnOf.data(), c.values.data()),
                 "setting the product");
    impl_->check(f.copy(f.handle.get(), notTransposed, notTransposed, &one, o.a, o.b, &zero, o.c,
                        real32, chosen.value, o.description),
                 "copying the product");
    ctx.cuda->synchronize(CudaStream::Compute);
    return c;
}

} // namespace systole
