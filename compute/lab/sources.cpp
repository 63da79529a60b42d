#include "compute/core/error.h"
#include "compute/lab/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace systole::lab {
namespace {

// --- a record

/// Interpolates on the power law through (fromSide, from) and (toSide, to).
double interpolated(int side, int fromSide, double from, int toSide, double to) {
    const auto logOf = [](int s) { return std::log(static_cast<double>(s)); };
    const double fraction = (logOf(side) - logOf(fromSide)) / (logOf(toSide) - logOf(fromSide));
    return from > 0 && to > 0 ? from * std::pow(to / from, fraction)
                              : from + fraction * (to - from);
}

int blocksFor(int side, int blockSide) { return (side + blockSide - 1) / blockSide; }

/// One extent of a grid: the blocks that cover the volume, if that holds at both neighboring sides.
int gridBetween(int side, const LabPoint& a, const LabPoint& b, std::size_t launch, int axis) {
    const ProfileSpan& from = a.launches[launch];
    const ProfileSpan& to = b.launches[launch];
    if (from.grid[axis] == blocksFor(a.side, from.block[axis]) &&
        to.grid[axis] == blocksFor(b.side, to.block[axis]))
        return blocksFor(side, from.block[axis]);
    return static_cast<int>(
        std::lround(interpolated(side, a.side, from.grid[axis], b.side, to.grid[axis])));
}

LabPoint pointBetween(int side, const LabPoint& a, const LabPoint& b) {
    LabPoint point = side - a.side <= b.side - side ? a : b;
    const auto value = [&](double from, double to) {
        return interpolated(side, a.side, from, b.side, to);
    };
    for (std::size_t i = 0; i < point.launches.size(); ++i) {
        ProfileSpan& launch = point.launches[i];
        for (int axis = 0; axis < 3; ++axis)
            launch.grid[axis] = gridBetween(side, a, b, i, axis);
        launch.bytes = value(a.launches[i].bytes, b.launches[i].bytes);
        launch.flops = value(a.launches[i].flops, b.launches[i].flops);
    }
    point.side = side;
    point.uploadBytes = value(a.uploadBytes, b.uploadBytes);
    point.downloadBytes = value(a.downloadBytes, b.downloadBytes);
    return point;
}

void unmeasured(LabPoint& point) {
    point.seconds = point.callSeconds = 0;
    point.deviation = -1;
}

std::string listText(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
    return text;
}

class RecordedPoints {
public:
    explicit RecordedPoints(GpuRecord record) : record_(std::move(record)) {}

    const GpuRecord& record() const { return record_; }

    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int paddingBytes,
                                  std::string& why) const {
        const std::string name = kernel.name();
        if (const LabPoint* found = record_.find(name, side, threads, paddingBytes))
            return *found;
        std::optional<LabPoint> plain = withoutPadding(name, side, threads, why);
        if (!plain || paddingBytes == 0)
            return plain;
        unmeasured(*plain);
        plain->paddingBytes = paddingBytes;
        for (ProfileSpan& launch : plain->launches) {
            launch.sharedBytes += paddingBytes;
            launch.activeBlocks = 0; // unknown: the runtime wasn't asked
        }
        why = "not measured with this padding";
        return plain;
    }

private:
    std::optional<LabPoint> withoutPadding(const std::string& kernel, int side, int threads,
                                           std::string& why) const {
        const LabPoint *exact = nullptr, *below = nullptr, *above = nullptr;
        for (const LabPoint& point : record_.points) {
            if (point.threads != threads || point.paddingBytes != 0 || point.kernel != kernel)
                continue;
            if (point.side == side)
                exact = &point;
            else if (point.side < side && (!below || point.side > below->side))
                below = &point;
            else if (point.side > side && (!above || point.side < above->side))
                above = &point;
        }
        if (exact)
            return *exact;
        if (!below || !above || below->launches.size() != above->launches.size()) {
            const std::vector<int> blocks = record_.blocksAt(kernel, side);
            why = record_.sidesOf(kernel).empty() ? "this kernel isn't in the record"
                  : blocks.empty()
                      ? fmt::format("not recorded at this side with this block; recorded sides: {}",
                                    listText(record_.sidesOf(kernel)))
                      : fmt::format("not recorded with this block; recorded at side {}: {}", side,
                                    listText(blocks));
            return std::nullopt;
        }
        LabPoint point = pointBetween(side, *below, *above);
        unmeasured(point);
        why = "not measured: grid, bytes and operations are interpolated between recorded sides";
        return point;
    }

    GpuRecord record_;
};

std::string capabilityText(int capability) {
    return fmt::format("{}.{}", capability / 10, capability % 10);
}

class RecordedSource : public LabSource {
public:
    explicit RecordedSource(GpuRecord record) : points_(std::move(record)) {}

    const model::GpuMachine& machine() const override { return points_.record().machine; }
    std::string sentence() const override {
        const GpuRecord& record = points_.record();
        return fmt::format("Recorded on {} on {} (driver {}; kernels compiled for compute "
                           "capability {}); nothing was measured now.",
                           record.machine.name, record.when, record.driver,
                           capabilityText(record.compiledFor));
    }
    std::string timesFrom() const override {
        return fmt::format("recorded on {} on {}", machine().name, points_.record().when);
    }
    std::vector<int> sidesOf(const LabKernel& kernel) const override {
        return points_.record().sidesOf(kernel.name());
    }
    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int paddingBytes,
                                  std::string& why) override {
        return points_.point(kernel, side, threads, paddingBytes, why);
    }
    double withTransfers(const LabKernel& kernel, int side, int threads) override {
        const LabPoint* found = points_.record().find(kernel.name(), side, threads);
        return found ? found->callSeconds : 0;
    }

private:
    RecordedPoints points_;
};

// --- a catalogue's entry

class CatalogSource : public LabSource {
public:
    CatalogSource(model::GpuMachine machine, const GpuRecord& resources)
        : machine_(std::move(machine)), points_(resources) {}

    const model::GpuMachine& machine() const override { return machine_; }
    std::string sentence() const override {
        return fmt::format(
            "{} of {}; kernels as launched on {}, compiled for compute capability {}; "
            "all times are predictions, no kernel was measured.",
            machine_.measured ? "Measured latencies and bandwidths" : "Catalogue figures",
            machine_.name, points_.record().machine.name,
            capabilityText(points_.record().compiledFor));
    }
    std::vector<int> sidesOf(const LabKernel& kernel) const override {
        return points_.record().sidesOf(kernel.name());
    }
    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int paddingBytes,
                                  std::string& why) override {
        std::string remark; // nothing is measured here, so remarks about points are dropped
        std::optional<LabPoint> point = points_.point(kernel, side, threads, paddingBytes, remark);
        if (!point) {
            why = remark;
            return point;
        }
        unmeasured(*point);
        for (ProfileSpan& launch : point->launches) {
            launch.activeBlocks = 0;
            if (launch.registers > machine_.limits().maxRegistersPerThread)
                why = fmt::format("compiled for compute capability {} it needs more than the {} "
                                  "registers per thread of this GPU",
                                  capabilityText(points_.record().compiledFor),
                                  machine_.limits().maxRegistersPerThread);
        }
        return point;
    }
    double withTransfers(const LabKernel&, int, int) override { return 0; }

private:
    model::GpuMachine machine_;
    RecordedPoints points_;
};

// --- a device

double largestDifference(const std::vector<float>& values, const std::vector<float>& reference) {
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        difference = std::max(difference, std::abs(static_cast<double>(values[i]) - reference[i]));
        largest = std::max(largest, std::abs(static_cast<double>(reference[i])));
    }
    return largest > 0 ? difference / largest : difference;
}

class MeasuringSource : public LabSource {
public:
    MeasuringSource(CudaContext& cuda, model::GpuMachine machine, const LabTiming& timing)
        : machine_(std::move(machine)), timing_(timing), bench_(cuda) {}

    const model::GpuMachine& machine() const override { return machine_; }
    std::string sentence() const override {
        return fmt::format("Measured now on {}; the models use {}.", machine_.name,
                           machine_.measured ? "measured latencies and bandwidths"
                                             : "data sheet figures (`systole lab --measure` "
                                               "measures this machine)");
    }
    std::vector<int> sidesOf(const LabKernel&) const override { return {}; }

    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int paddingBytes,
                                  std::string& why) override {
        try {
            // The reference first: the output of the last measurement is kept.
            if (threads == kernel.standardBlock && paddingBytes == 0)
                prepareReference(kernel.task, side);
            LabPoint point = bench_.measure(kernel, side, threads, paddingBytes, timing_);
            if (threads == kernel.standardBlock && paddingBytes == 0)
                point.deviation = deviation();
            return point;
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError& error) {
            why = error.what();
            return std::nullopt;
        }
    }

    double withTransfers(const LabKernel& kernel, int side, int threads) override {
        try {
            return bench_.measureWithTransfers(kernel, side, threads, true, timing_);
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError&) {
            return 0;
        }
    }

private:
    /// Runs the task's first variant; its output is cached until task or side changes.
    void prepareReference(const std::string& task, int side) {
        if (task == referenceTask_ && side == referenceSide_)
            return;
        const LabKernel& first = *variantsOf(task).front();
        LabTiming once;
        once.warmUps = 0;
        once.repeats = 1;
        referenceTask_.clear();
        bench_.measure(first, side, first.standardBlock, 0, once);
        reference_ = bench_.output();
        referenceTask_ = task;
        referenceSide_ = side;
    }

    double deviation() const {
        const std::vector<float> output = bench_.output();
        return output.size() == reference_.size() ? largestDifference(output, reference_) : -1;
    }

    model::GpuMachine machine_;
    LabTiming timing_;
    LabBench bench_;
    std::string referenceTask_;
    int referenceSide_ = 0;
    std::vector<float> reference_;
};

} // namespace

std::unique_ptr<LabSource> measuringSource(CudaContext& cuda, model::GpuMachine machine,
                                           const LabTiming& timing) {
    return std::make_unique<MeasuringSource>(cuda, std::move(machine), timing);
}

std::unique_ptr<LabSource> recordedSource(GpuRecord record) {
    return std::make_unique<RecordedSource>(std::move(record));
}

std::unique_ptr<LabSource> catalogSource(model::GpuMachine machine, const GpuRecord& resources) {
    return std::make_unique<CatalogSource>(std::move(machine), resources);
}

} // namespace systole::lab
