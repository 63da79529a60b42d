// The laboratory: a question (kernels and an axis), a source of measurements (a device, a record,
// or a data sheet), and the answer as curves. Command line, panel and lessons show the same answer.
#pragma once

#include "compute/lab/bench.h"
#include "compute/lab/kernels/kernels.h"
#include "compute/lab/point.h"
#include "compute/model/prediction.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace systole::lab {

enum class LabAxis { BlockSize, Side, Padding };
const char* name(LabAxis axis); ///< "block size", "side", "padding shared memory"

struct LabQuestion {
    std::vector<std::string> kernels{"jacobi/direct"};
    LabAxis axis = LabAxis::BlockSize;
    int side = 200;
    int threads = 0;             ///< threads per block, if not the axis; 0: the default
    std::vector<int> blockSizes; ///< empty: all that the kernel supports
    std::vector<int> sides;      ///< empty: the source's sides, or 32 to 256
    std::vector<int> padding;    ///< padding bytes; empty: one step per resident block
    bool withTransfers = false;  ///< times of a call with its data on the host, copies included
};

/// One point of a curve.
struct LabRow {
    LabPoint point;
    model::Occupancy occupancy;
    model::Waves waves;
    /// Seconds, in the order of model::performanceModels(); 0: no prediction, e.g. from a model
    /// without a term for copies.
    std::array<double, 3> predicted{};
    /// Predictions for the kernel only, without copies.
    std::array<double, 3> predictedAlone{};
    double measured = 0;                           ///< seconds; 0: not measured
    double bytesPerSecond = 0, flopsPerSecond = 0; ///< rates from the measured time; 0: unknown
    double intensity = 0;                          ///< declared FLOP per byte
    double x = 0;                                  ///< value on the axis
};

struct LabCurve {
    std::string kernel;
    std::vector<LabRow> rows; ///< ascending on the axis
    // Indices of the rows with the minimum time; among predictions within 1 % of it, the block
    // nearest to the kernel's default. −1: none.
    std::array<int, 3> bestPredicted{-1, -1, -1};
    int bestMeasured = -1;
    /// Mean of |predicted − measured| / measured over the rows with both; negative: unknown.
    std::array<double, 3> meanError{-1, -1, -1};
    /// Measured time at the block chosen by each model over the minimum; 0: unknown.
    std::array<double, 3> chosenOverBest{};

    /// Row of one of the indices above; null for −1.
    const LabRow* rowAt(int index) const {
        return index < 0 ? nullptr : &rows[static_cast<std::size_t>(index)];
    }
};

struct LabAnswer {
    LabQuestion question;
    model::GpuMachine machine;
    /// One sentence: measured now, or recorded on which GPU and when, or catalogue figures with the
    /// compute capability of the kernels, and that nothing was measured.
    std::string source;
    std::string timesFrom; ///< origin of measured times, from LabSource::timesFrom()
    std::vector<LabCurve> curves;
    std::vector<std::string> notes; ///< omissions, with the reason
};

/// A source of measurements.
class LabSource {
public:
    virtual ~LabSource() = default;
    virtual const model::GpuMachine& machine() const = 0;
    virtual std::string sentence() const = 0;
    /// Origin of measured times: "recorded on NVIDIA H200 on 2026-11-21".
    virtual std::string timesFrom() const { return "measured now on " + machine().name; }
    virtual std::vector<int> sidesOf(const LabKernel& kernel) const = 0;
    /// The point: measured, recorded, or with resources only (seconds 0). Empty if unavailable,
    /// with the reason in `why`; with a point, `why` says which of its figures aren't measured.
    virtual std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads,
                                          int paddingBytes, std::string& why) = 0;
    /// Seconds of a call with its data on the host; 0: not measured.
    virtual double withTransfers(const LabKernel& kernel, int side, int threads) = 0;
};

/// Measures on demand. Points at a kernel's default block also have their deviation.
std::unique_ptr<LabSource> measuringSource(CudaContext& cuda, model::GpuMachine machine,
                                           const LabTiming& timing = {});
/// Recorded measurements. Between recorded sides, grids, bytes and operations are interpolated and
/// the point counts as not measured; so does padding that wasn't recorded.
std::unique_ptr<LabSource> recordedSource(GpuRecord record);
/// Another GPU: its own figures with the grids, registers and shared memory of a record's kernels.
std::unique_ptr<LabSource> catalogSource(model::GpuMachine machine, const GpuRecord& resources);

/// Padding bytes that lower the resident blocks per multiprocessor one by one down to one,
/// ascending from 0.
std::vector<int> paddingSteps(const model::DeviceLimits& limits,
                              const model::KernelResources& kernel);

/// progress: fraction done; it may throw Cancelled. Throws ComputeError for a question without an
/// answer (unknown kernel).
LabAnswer ask(const LabQuestion& question, LabSource& source,
              const std::function<void(double)>& progress = {});

/// One line per row; numbers with enough digits to be read back. `time_origin` is the origin of
/// each row's measured time, if any.
std::string toCsv(const LabAnswer& answer);
std::string toJson(const LabAnswer& answer);

} // namespace systole::lab
