#include "app/features/laboratory/spgemm_product.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/profile.h"
#include "compute/sparse/product.h"
#include "compute/sparse/tile_product.h"

#include <algorithm>
#include <chrono>

namespace systole {
namespace {

using Matrix = sparse::CsrMatrix<double>;

void phase(SpgemmProduct& out, const char* name, const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    out.phases.emplace_back(name, secondsSince(begin));
}

SpgemmProduct onHost(const Matrix& a, const Matrix& b, ExecContext ctx) {
    SpgemmProduct out;
    phase(out, "numeric", [&] { out.matrix = sparse::multiply(a, b, ctx); });
    out.seconds = out.phases.back().second;
    return out;
}

template <typename Value>
sparse::CsrMatrix<Value> as(const Matrix& matrix) {
    sparse::CsrMatrix<Value> copy{
        matrix.rows, matrix.columns, matrix.rowStart, matrix.columnOf, {}};
    copy.values.resize(matrix.values.size());
    std::ranges::transform(matrix.values, copy.values.begin(),
                           [](double value) { return static_cast<Value>(value); });
    return copy;
}

template <typename Value, typename Multiply>
SpgemmProduct onDevice(const Matrix& a, const Matrix* b, ExecContext ctx,
                       const Multiply& multiply) {
    SpgemmProduct out;
    sparse::DeviceCsr<Value> left, right, product;
    phase(out, "copy to the device", [&] {
        left = sparse::toDevice(as<Value>(a), ctx);
        if (b)
            right = sparse::toDevice(as<Value>(*b), ctx);
    });
    KernelProfile profile;
    ctx.profile = &profile;
    profile.beginFrame(0);
    product = multiply(left, b ? right : left, ctx);
    const FrameProfile frame = profile.endFrame();
    ctx.profile = nullptr;
    for (const std::string& stage : frame.stages()) {
        out.phases.emplace_back(stage, frame.seconds(stage));
        out.seconds += frame.seconds(stage);
    }
    phase(out, "copy to the host", [&] {
        const sparse::CsrMatrix<Value> copy = sparse::toHost(product, ctx);
        out.matrix = {copy.rows, copy.columns, copy.rowStart, copy.columnOf,
                      std::vector<double>(copy.values.begin(), copy.values.end())};
    });
    return out;
}

SpgemmProduct onDevice(const std::string& variant, const Matrix& a, const Matrix* b,
                       const ExecContext& ctx) {
    if constexpr (cudaIsBuilt) {
        const std::vector<std::string> tiles = sparse::tileProductFamily.names();
        if (std::ranges::find(tiles, variant) != tiles.end())
            return onDevice<float>(
                a, b, ctx, [&](const auto& left, const auto& right, const auto& on) {
                    return sparse::multiplyTilesOnDevice(
                        left, right, sparse::tileProductFamily.named(variant), on);
                });
        return onDevice<double>(a, b, ctx,
                                [&](const auto& left, const auto& right, const auto& on) {
                                    return sparse::multiplyOnDevice(
                                        left, right, sparse::productFamily.named(variant), on);
                                });
    }
    throw ComputeError("the program was built without CUDA");
}

} // namespace

std::vector<std::string> spgemmVariants() {
    std::vector<std::string> names = sparse::productFamily.names();
    for (const std::string& name : sparse::tileProductFamily.names())
        names.push_back(name);
    return names;
}

SpgemmProduct multiplyBy(BackendChoice& choice, const std::string& variant, const Matrix& a,
                         const Matrix* b, const ExecContext& ctx) {
    DevicePolicy device(choice);
    try {
        SpgemmProduct product = device.run(ctx, [&](const ExecContext& where) {
            return where.backend == Backend::Cuda ? onDevice(variant, a, b, where)
                                                  : onHost(a, b ? *b : a, where);
        });
        choice = device.choice();
        return product;
    } catch (const ComputeError&) {
        if (choice.mayChange)
            choice = {Backend::Cpu, "auto"}; // the backend that was tried last
        throw;
    }
}

} // namespace systole
