// systole spgemm: the product of two sparse matrices.
#include "app/base/error.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/common_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/cli/record_parts.h"
#include "app/features/laboratory/spgemm_product.h"
#include "compute/core/elapsed.h"
#include "compute/sparse/product.h"
#include "io/formats/writer.h"
#include "io/matrices/matrix_market.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace systole {
namespace {

using Matrix = sparse::CsrMatrix<double>;

/// Runs a phase and returns its seconds.
double timed(const auto& phase) {
    const auto begin = std::chrono::steady_clock::now();
    phase();
    return secondsSince(begin);
}

StoredMatrix readFactor(const std::string& path, bool transposed) {
    StoredMatrix stored = readMatrixMarket(path);
    if (transposed)
        stored.matrix = sparse::transpose(stored.matrix);
    return stored;
}

void print(const char* name, const Matrix& matrix) {
    fmt::print("{}: {} × {}, {} entries in {} tiles of 8 × 8\n", name, matrix.rows, matrix.columns,
               matrix.entries(), sparse::tilesOf(matrix));
}

Json figuresOf(const Matrix& matrix) {
    return {{"rows", matrix.rows},
            {"columns", matrix.columns},
            {"entries", matrix.entries()},
            {"tiles", sparse::tilesOf(matrix)}};
}

Json recordOf(const std::string& path, const StoredMatrix& stored, bool transposed) {
    Json record{{"file", path},
                {"field", stored.field},
                {"symmetry", stored.symmetry},
                {"stored_entries", stored.storedEntries},
                {"duplicates", stored.duplicates},
                {"transposed", transposed}};
    record.update(figuresOf(stored.matrix));
    return record;
}

class SpgemmCommand : public Command {
public:
    SpgemmCommand()
        : Command("spgemm", "Multiply two sparse matrices and report figures of the product") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::string left_, right_, output_, json_, backend_ = "auto", variant_ = "adaptive";
    bool chosenVariant_ = false;
    bool transposeLeft_ = false, transposeRight_ = false;
    int threads_ = 0;
    OverwriteOption overwrite_;
};

void SpgemmCommand::addOptions(CLI::App& app) {
    app.add_option("A", left_, "Left factor, Matrix Market (.mtx, .mtx.gz)")->required();
    app.add_option("B", right_, "Right factor; without it the product is A A");
    app.add_option("-o,--output", output_, "Matrix Market file to write (.mtx, .mtx.gz)")
        ->required();
    overwrite_.addTo(app);
    app.add_flag("--transpose-a", transposeLeft_, "Multiply the transpose of A");
    app.add_flag("--transpose-b", transposeRight_,
                 "Multiply by the transpose of B; without B, of A");
    addBackend(app, backend_);
    addChoice(app, "--variant", variant_, spgemmVariants(),
              "CUDA kernels of the product, in double precision; the tile variants are in single "
              "precision (tile-tensor: factors rounded to half)")
        ->each([this](const std::string&) { chosenVariant_ = true; });
    addJsonFile(app, json_);
    addThreads(app, threads_);
}

int SpgemmCommand::run() {
    CommandWork work(threads_);
    if (!output_.ends_with(".mtx") && !output_.ends_with(".mtx.gz"))
        throw UsageError(fmt::format("--output: '{}' must end with .mtx or .mtx.gz", output_));
    const auto check = [&] { overwrite_.checkAll({output_, json_}, {left_, right_}); };
    check();
    BackendChoice choice = chooseBackend(backend_, "spgemm", {Backend::Cpu, Backend::Cuda});
    if (chosenVariant_ && choice.backend != Backend::Cuda)
        throw UsageError(fmt::format(
            "--variant: chooses CUDA kernels, and this is a run on the CPU ({})", choice.reason));
    // Whoever chose kernels wants no other arithmetic.
    choice.mayChange = choice.mayChange && !chosenVariant_;
    const ExecContext ctx = work.context();

    const std::string& right = right_.empty() ? left_ : right_;
    StoredMatrix a, b;
    const double readSeconds = timed([&] {
        a = readFactor(left_, transposeLeft_);
        b = readFactor(right, transposeRight_);
    });
    if (a.matrix.columns != b.matrix.rows)
        throw UsageError(fmt::format("spgemm: the left factor has {} columns and the right one {} "
                                     "rows; they must be equal{}",
                                     a.matrix.columns, b.matrix.rows,
                                     right_.empty() ? "; name a second matrix" : ""));
    const bool square = right_.empty() && transposeLeft_ == transposeRight_;
    const SpgemmProduct made =
        multiplyBy(choice, variant_, a.matrix, square ? nullptr : &b.matrix, ctx);
    const Matrix& product = made.matrix;
    check();
    const double writeSeconds = timed([&] {
        overwrite_.write(output_,
                         [&](const std::string& path) { writeMatrixMarket(path, product); });
    });

    const auto products = static_cast<double>(sparse::productsOf(a.matrix, b.matrix));
    const double compression =
        product.entries() > 0 ? products / static_cast<double>(product.entries()) : 0;
    print("A", a.matrix);
    print("B", b.matrix);
    print("C", product);
    fmt::print("{:.4g} floating-point operations, {:.2f} products for an entry of C, {:.3g} "
               "GFLOP/s\n",
               2 * products, compression, 2e-9 * products / made.seconds);
    fmt::print("{} ({}): read {:.1f} ms", systole::name(choice.backend), choice.reason,
               1e3 * readSeconds);
    Json seconds{{"read", readSeconds}};
    for (const auto& [phase, taken] : made.phases) {
        fmt::print(", {} {:.3g} ms", phase, 1e3 * taken);
        seconds[phase] = taken;
    }
    seconds["write"] = writeSeconds;
    fmt::print(", written in {:.1f} ms\nwrote {}\n", 1e3 * writeSeconds, output_);
    const Json record{{"program", programOf()},
                      {"finished", timeNow()},
                      {"a", recordOf(left_, a, transposeLeft_)},
                      {"b", recordOf(right, b, transposeRight_)},
                      {"c", figuresOf(product)},
                      {"output", output_},
                      {"backend", systole::name(choice.backend)},
                      {"backend_reason", choice.reason},
                      {"variant", choice.backend == Backend::Cuda ? variant_ : ""},
                      {"floating_point_operations", 2 * products},
                      {"compression_ratio", compression},
                      {"seconds", seconds},
                      {"machine", machineOf(work.threads())},
                      {"libraries", librariesOf()}};
    overwrite_.writeText(json_, record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return 0;
}

} // namespace

std::unique_ptr<Command> makeSpgemmCommand() { return std::make_unique<SpgemmCommand>(); }

} // namespace systole
