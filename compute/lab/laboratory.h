// The laboratory: a question (which kernels, over what), a source of measurements (a device, a
// record of one, or a data sheet), and the answer as curves. Command line, panel and lessons show
// the same answer.
#pragma once

#include "compute/lab/bench.h"
#include "compute/lab/kernels.h"
#include "compute/lab/point.h"
#include "compute/model/prediction.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace systole::lab {

enum class LabAxis { BlockSize, Side, Ballast };
const char* name(LabAxis axis); ///< "block size", "side", "shared ballast"

struct LabQuestion {
    std::vector<std::string> kernels{"jacobi/direct"};
    LabAxis axis = LabAxis::BlockSize;
    int side = 200;
    int threads = 0;             ///< of a block, where it isn't the axis; 0: the kernel's standard
    std::vector<int> blockSizes; ///< empty: all that the kernel takes
    std::vector<int> sides;      ///< empty: those that the source has, or 32 to 256
    std::vector<int> ballast;    ///< bytes; empty: steps that lower the occupancy block by block
    bool withTransfers =
        false; ///< predictions and measurements of a call with its data on the host
};

/// One point of a curve.
struct LabRow {
    LabPoint point;
    model::Occupancy occupancy;
    model::Waves waves;
    /// Seconds, in the order of model::performanceModels(); 0: nothing, as by a model without a
    /// term for copies of a call with them.
    std::array<double, 3> predicted{};
    /// The same without the copies of a call whose data are on the host.
    std::array<double, 3> predictedAlone{};
    double measured = 0;                           ///< seconds; 0: there is no measurement
    double bytesPerSecond = 0, flopsPerSecond = 0; ///< by the measured time; 0 without
    double intensity = 0;                          ///< declared flops a byte
    double x = 0;                                  ///< on the axis
};

struct LabCurve {
    std::string kernel;
    std::vector<LabRow> rows; ///< ascending on the axis
    // Rows of the least time, of predictions within 1 % of it that of the block nearest to the
    // kernel's standard; −1: none.
    std::array<int, 3> bestPredicted{-1, -1, -1};
    int bestMeasured = -1;
    /// Mean of |predicted − measured| / measured over the rows that have both; negative: none has.
    std::array<double, 3> meanError{-1, -1, -1};
    /// Measured time at the block that a model chose, over the least measured; 0: not known.
    std::array<double, 3> chosenOverBest{};

    /// Row of one of the indices above; null for −1.
    const LabRow* rowAt(int index) const {
        return index < 0 ? nullptr : &rows[static_cast<std::size_t>(index)];
    }
};

struct LabAnswer {
    LabQuestion question;
    model::GpuMachine machine;
    /// One sentence: measured now on what, recorded on what and when, or catalogue figures with
    /// kernels as compiled for which capability, and that nothing was measured.
    std::string source;
    std::string timesFrom; ///< of the measured times: LabSource::timesFrom()
    std::vector<LabCurve> curves;
    std::vector<std::string> notes; ///< what was left out, and why
};

/// Where measurements come from.
class LabSource {
public:
    virtual ~LabSource() = default;
    virtual const model::GpuMachine& machine() const = 0;
    virtual std::string sentence() const = 0;
    /// "recorded on NVIDIA H200 on 2026-11-21": where and when measured times are from.
    virtual std::string timesFrom() const { return "measured now on " + machine().name; }
    virtual std::vector<int> sidesOf(const LabKernel& kernel) const = 0;
    /// The point, measured, recorded or with resources alone (seconds 0); nothing: it can't be had,
    /// `why` says so. Beside a point, `why` says what of it isn't measured.
    virtual std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads,
                                          int ballastBytes, std::string& why) = 0;
    /// Of a call with its data on the host; 0: not measured.
    virtual double withTransfers(const LabKernel& kernel, int side, int threads) = 0;
};

/// Measures as it is asked. Points at a kernel's standard block also carry their deviation.
std::unique_ptr<LabSource> measuringSource(CudaContext& cuda, model::GpuMachine machine,
                                           const LabTiming& timing = {});
/// What was recorded. Between recorded sides grids, bytes and operations follow from the two
/// neighbours, and nothing counts as measured; nor does ballast that wasn't recorded.
std::unique_ptr<LabSource> recordedSource(GpuRecord record);
/// Another GPU: its figures; grids, registers and shared memory of the record's kernels.
std::unique_ptr<LabSource> catalogSource(model::GpuMachine machine, const GpuRecord& resources);

/// Bytes of ballast that lower a multiprocessor's blocks of this kernel one by one to a single one,
/// ascending from 0.
std::vector<int> ballastSteps(const model::DeviceLimits& limits,
                              const model::KernelResources& kernel);

/// progress: the part done; it may throw Cancelled. Throws ComputeError for a question that has no
/// answer (no such kernel).
LabAnswer ask(const LabQuestion& question, LabSource& source,
              const std::function<void(double)>& progress = {});

/// A line per row under one heading; numbers with enough digits to be read back. `time_origin` says
/// of each row where its measured time is from, or that there is none.
std::string toCsv(const LabAnswer& answer);
std::string toJson(const LabAnswer& answer);

} // namespace systole::lab
