// Products of a band of tiles as a task.
#include "compute/cuda/uploaded.h"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/lab/kernels/tile_fill.h"
#include "compute/sparse/generate.h"
#include "compute/sparse/product.h"
#include "compute/sparse/product_cuda.cuh"
#include "compute/sparse/tile_product_cuda.cuh"

#include <algorithm>
#include <numeric>

namespace systole::lab {
using namespace sparse;
namespace {

using namespace gpu;

constexpr int tileRows = 8192, halfBand = 4;

struct TileFillData {
    CsrMatrix<float> matrix;
    DeviceCsr<float> a;
    TilePlan plan;
    Buffer<int> rows, low, window; ///< all rows, and the columns of their products
    Buffer<int> column;
    Buffer<float> value;
    double products = 0;

    void addRows(const char* name, LaunchLog& log) {
        const Factors<float> factors{
            static_cast<int>(a.rows), a.rowStart.data(), a.columnOf.data(), a.values.data(),
            a.rowStart.data(),        a.columnOf.data(), a.values.data(),   true};
        constexpr int widest = 8 * (4 * halfBand + 1);
        const RowList list{rows.data(),
                           factors.rows,
                           widest,
                           name,
                           4.0 * static_cast<double>(a.rows) +
                               8.0 * static_cast<double>(a.entries()) +
                               8.0 * static_cast<double>(plan.entries),
                           2 * products};
        arrayRows<float>({Array1024,
                          factors,
                          {nullptr, low.data(), window.data(), nullptr},
                          list,
                          {plan.starts.data(), column.data(), value.data(), nullptr}},
                         log);
    }
};

CsrMatrix<float> filled(int side) {
    const CsrMatrix<double> band = tiledBand(tileRows, halfBand, entriesOfTile(side), 17);
    return {band.rows, band.columns, band.rowStart, band.columnOf,
            std::vector<float>(band.values.begin(), band.values.end())};
}

} // namespace

KernelTask makeTileFillTask(CudaContext& cuda, int side) {
    ExecContext ctx;
    ctx.backend = Backend::Cuda;
    ctx.cuda = &cuda;
    const auto d = std::make_shared<TileFillData>();
    d->matrix = filled(side);
    d->products = static_cast<double>(productsOf(d->matrix, d->matrix));
    d->a = toDevice(d->matrix, ctx);
    d->plan = planTiles(d->a, nullptr, ctx);
    const int count = static_cast<int>(d->a.rows);
    std::vector<int> rows(static_cast<std::size_t>(count)), low(rows.size()), window(rows.size());
    std::iota(rows.begin(), rows.end(), 0);
    for (const int row : rows) {
        const int first = std::max(0, row / 8 - 2 * halfBand),
                  last = std::min(tileRows - 1, row / 8 + 2 * halfBand);
        low[static_cast<std::size_t>(row)] = 8 * first;
        window[static_cast<std::size_t>(row)] = 8 * (last - first + 1);
    }
    constexpr const char* name = "laboratory, rows of a product";
    d->rows = uploaded(rows, name, cuda);
    d->low = uploaded(low, name, cuda);
    d->window = uploaded(window, name, cuda);
    const std::size_t entries = static_cast<std::size_t>(d->plan.entries);
    d->column = cuda.devicePool().acquire<int>(entries, "laboratory, columns of a product");
    cuda.synchronize(CudaStream::Compute);
    d->value = cuda.devicePool().acquire<float>(entries, "laboratory, values of a product");

    KernelTask task = taskOf(d->value.data(), entries,
                             d->matrix.rowStart.size() * sizeof(int) +
                                 d->matrix.values.size() * (sizeof(int) + sizeof(float)));
    task.launch = [d](int variant, LaunchLog& to) {
        const std::string name = tileFillFamily.kernel(variant);
        const std::string_view unit = tileFillFamily.at(variant).name;
        if (unit == "rows")
            d->addRows(name.c_str(), to);
        else
            multiplyTiles(d->plan, tileUnit(unit), name, d->column.data(), d->value.data(), to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        ExecContext host = ctx;
        return multiply(d->matrix, d->matrix, host).values;
    };
    task.downloadBytes = entries * (sizeof(int) + sizeof(float));
    return task;
}

} // namespace systole::lab
