// The library is loaded by name, and the few functions and numbers of its documented interface that
// are needed stand here: no build needs its header.
#include "bench/cusparse_product.h"

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
    bool estimates; ///< the memory is estimated between the two phases
};
constexpr Algorithm listed[] = {{"ALG1", 3, false}, {"ALG2", 4, true}, {"ALG3", 5, true}};

} // namespace

struct CusparseProduct::Impl {
    SharedLibrary library{
        "cuSPARSE",
        {"libcusparse.so.12", "/usr/local/cuda/lib64/libcusparse.so.12", "libcusparse.so"}};

    int (*create)(Handle*) = library["cusparseCreate"];
    int (*destroy)(Handle) = library["cusparseDestroy"];
    int (*setStream)(Handle, void*) = library["cusparseSetStream"];
    int (*getVersion)(Handle, int*) = library["cusparseGetVersion"];
    int (*createCsr)(Matrix*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int,
                     int, int, int) = library["cusparseCreateCsr"];
    int (*destroyMatrix)(Matrix) = library["cusparseDestroySpMat"];
    int (*matrixSize)(Matrix, std::int64_t*, std::int64_t*,
                      std::int64_t*) = library["cusparseSpMatGetSize"];
    int (*setPointers)(Matrix, void*, void*, void*) = library["cusparseCsrSetPointers"];
    int (*createDescription)(Description*) = library["cusparseSpGEMM_createDescr"];
    int (*destroyDescription)(Description) = library["cusparseSpGEMM_destroyDescr"];
    /// A step of a product; all begin with the same arguments.
    template <typename... More>
    using Step = int (*)(Handle, int, int, const void*, Matrix, Matrix, const void*, Matrix, int,
                         int, Description, More...);
    Step<std::size_t*, void*> estimateWork = library["cusparseSpGEMM_workEstimation"];
    Step<float, std::size_t*, void*, std::size_t*> estimateMemory =
        library["cusparseSpGEMM_estimateMemory"];
    Step<std::size_t*, void*> compute = library["cusparseSpGEMM_compute"];
    Step<> copy = library["cusparseSpGEMM_copy"];
    std::unique_ptr<void, int (*)(Handle)> handle{nullptr, nullptr};

    explicit Impl(const ExecContext& ctx) {
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
    const auto step = [&](const char* what, auto function, auto... more) {
        impl_->check(function(f.handle.get(), notTransposed, notTransposed, &one, o.a, o.b, &zero,
                              o.c, real32, chosen.value, o.description, more...),
                     what);
    };
    constexpr std::nullptr_t ask = nullptr; // makes a call return the size of its memory
    std::size_t workBytes = 0, memoryBytes = 0, computeBytes = 0;
    step("estimating the work", f.estimateWork, &workBytes, ask);
    Buffer<std::byte> work = pool.acquire<std::byte>(workBytes, "cuSPARSE, work");
    step("estimating the work", f.estimateWork, &workBytes, work.data());
    if (chosen.estimates) {
        constexpr float chunk = 0.2f;
        const char* const what = "estimating the memory";
        step(what, f.estimateMemory, chunk, &memoryBytes, ask, ask);
        Buffer<std::byte> memory = pool.acquire<std::byte>(memoryBytes, "cuSPARSE, estimate");
        step(what, f.estimateMemory, chunk, &memoryBytes, memory.data(), &computeBytes);
    } else {
        step("computing", f.compute, &computeBytes, ask);
    }
    Buffer<std::byte> room = pool.acquire<std::byte>(computeBytes, "cuSPARSE, product");
    step("computing", f.compute, &computeBytes, room.data());

    std::int64_t rows = 0, columns = 0, entries = 0;
    impl_->check(f.matrixSize(o.c, &rows, &columns, &entries), "asking for the size");
    c.columnOf = pool.acquire<int>(static_cast<std::size_t>(entries), "cuSPARSE, columns");
    c.values = pool.acquire<float>(static_cast<std::size_t>(entries), "cuSPARSE, values");
    impl_->check(f.setPointers(o.c, c.rowStart.data(), c.columnOf.data(), c.values.data()),
                 "setting the product");
    step("copying the product", f.copy);
    ctx.cuda->synchronize(CudaStream::Compute);
    return c;
}

} // namespace systole
