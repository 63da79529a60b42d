// Times of measuring a left ventricle: once for its labels, for each new field, and for all frames
// so far; on the CPU and on a device.
#include "bench/benchmarks.h"
#include "bench/figure_table.h"
#include "bench/stage_rows.h"
#include "bench/studied_heart.h"
#include "bench/timing.h"
#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/gap_on_device.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

using cardiac::FrameChange;
using cardiac::FrameChanges;

constexpr int frames = 20;
constexpr double budget = 2; ///< seconds a figure

const std::vector<std::string> columns{"once, ms", "a field, ms", "2 frames, ms", "20 frames, ms"};

/// `made`: seconds for what is made once; `change` makes that of a field.
template <typename Change>
FigureRow rowOf(const char* name, double made, const cardiac::VentricleFits& fits,
                const std::shared_ptr<const FrameChange>& still, const Change& change, int repeats,
                const ExecContext& ctx) {
    const double ofField = warmMedian(repeats, budget, ctx, change);
    const cardiac::VentricleMeter meter(fits, {}, ctx);
    const auto now = std::make_shared<const FrameChange>(change());
    cardiac::VentricleMotion motion;
    FrameChanges changes;
    const auto measured = [&](int count) {
        while (static_cast<int>(changes.size()) < count) {
            motion.frame.push_back(static_cast<int>(changes.size()));
            motion.timeSeconds.push_back(0.04 * static_cast<double>(changes.size()));
            changes.push_back(changes.empty() ? still : now);
        }
        return warmMedian(repeats, budget, ctx, [&] { meter.measure(motion, changes, ctx); });
    };
    const double ofTwo = measured(2);
    return {name, {1e3 * made, 1e3 * ofField, 1e3 * ofTwo, 1e3 * measured(frames)}};
}

/// A row of times on the device, for the same motion; records its kernels, with those that close a
/// cycle.
FigureRow rowOnDevice(const StageBench& bench, const cardiac::VentricleFits& fits,
                      const VectorField& motion, int repeats, Json& record) {
    CudaContext& cuda = bench.device->cuda;
    const auto field = std::make_shared<VectorField>(motion.geometry, cuda.devicePool(), "motion");
    const VectorField& there = *field;
    cuda.upload(motion.components.data(), field->components.data(),
                motion.components.size() * sizeof(float), CudaStream::Compute);
    const auto begin = BenchClock::now();
    const cardiac::FitsOnDevice onDevice(fits, bench.ctx);
    const double made = secondsSince(begin);
    const auto still = std::make_shared<const FrameChange>(onDevice.atRest(bench.ctx));
    FigureRow row = rowOf(
        "device", made, fits, still, [&] { return onDevice.change(there, bench.ctx); }, repeats,
        bench.ctx);
    const cardiac::TissueOnDevice tissue(fits.ventricle(), bench.ctx);
    const std::vector<std::shared_ptr<const VectorField>> step{field};
    printStageRows(
        stageRows(profileOf(bench.ctx, true,
                            [&](const ExecContext& ctx) {
                                const cardiac::TissueMotion moved = tissue.motionIn(there, ctx),
                                                            gap = tissue.followed(moved, step, ctx);
                                onDevice.change(tissue.closed(moved, gap, 0.5, ctx), ctx);
                            }),
                  CpuCall::Longest),
        bench.bytesPerSecond, record);
    return row;
}

} // namespace

void benchVentricle(const BenchOptions& options, const ExecContext& base, Json& record) {
    const StageBench bench = openStageBench("ventricle", motionMethod("clg"), base, record);
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    fmt::print("ventricle: the usual phantom; what its labels alone say (on a device: copied "
               "there), a field that arrives, measures of 2 and of {} frames\n",
               frames);
    for (const int side : options.sides.empty() ? std::vector{64, 128} : options.sides) {
        const PhantomPair pair(phantomCases({side, side, side}, options.seed).front(), ctx);
        const StudiedHeart heart(pair, ctx);
        Json& entry = record[std::to_string(side)];
        std::unique_ptr<cardiac::VentricleFits> fits;
        const double made = medianSeconds(options.repeats, budget, [&] {
            fits = std::make_unique<cardiac::VentricleFits>(heart.ventricle(),
                                                            cardiac::MeasureOptions().order, ctx);
        });
        const MillimeterField field = toMillimeters(pair.truth, *ctx.pool);
        const cardiac::Displacements wall = displacementsIn(heart.ventricle().wall, field),
                                     cavity = displacementsIn(heart.ventricle().cavity, field);
        const auto still = std::make_shared<const FrameChange>(fits->change(
            cardiac::Displacements(wall.size()), cardiac::Displacements(cavity.size()), ctx));
        std::vector<FigureRow> rows{rowOf(
            "CPU", made, *fits, still, [&] { return fits->change(wall, cavity, ctx); },
            options.repeats, ctx)};
        if constexpr (cudaIsBuilt)
            if (bench.device)
                rows.push_back(
                    rowOnDevice(bench, *fits, pair.truth, options.repeats, entry["kernels"]));
        for (const FigureRow& row : rows)
            for (std::size_t i = 0; i < columns.size(); ++i)
                entry[row.name][columns[i]] = row.figures[i];
        printFigures(fmt::format("{}³, {} voxels of wall", side, wall.size()), columns, rows, 3);
    }
}

} // namespace systole
