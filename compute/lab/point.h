// One measurement of the laboratory, and files of measurements for machines without a GPU.
#pragma once

#include "compute/core/profile.h"
#include "compute/model/machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace systole::lab {

/// A kernel at one block size and one side.
struct LabPoint {
    std::string kernel; ///< "jacobi/direct"
    int side = 0;
    int threads = 0;          ///< threads per block
    int paddingBytes = 0;     ///< padding shared memory, to lower the occupancy
    double seconds = 0;       ///< median of one run; 0: not measured
    double uploadBytes = 0;   ///< copied to the device by a call with host data
    double downloadBytes = 0; ///< copied back by such a call
    double callSeconds = 0;   ///< median of such a call, from pinned memory; 0: not measured
    /// Maximum difference from the result of the task's first variant, relative to that result's
    /// maximum; negative: not compared.
    double deviation = -1;
    /// One span per launch of the run: shape, registers, shared, local, declared bytes, flops and
    /// cost, and the runtime's active blocks.
    std::vector<ProfileSpan> launches;

    double bytes() const; ///< declared, sum over all launches
    double flops() const;
    const ProfileSpan& largest() const; ///< launch with the most threads; there is at least one
};

/// Measurements of one GPU. A file without points has only the figures of the machine.
struct GpuRecord {
    model::GpuMachine machine;
    std::string when;    ///< "2026-11-21"
    std::string driver;  ///< "580.159, CUDA 13.0"
    int compiledFor = 0; ///< compute capability of the measured code
    std::vector<LabPoint> points;

    /// The point of this kernel, side, block and padding; null: none.
    const LabPoint* find(std::string_view kernel, int side, int threads,
                         int paddingBytes = 0) const;
    std::vector<int> sidesOf(std::string_view kernel) const; ///< ascending
    /// Block sizes of this kernel's points at this side, without padding; ascending.
    std::vector<int> blocksAt(std::string_view kernel, int side) const;
};

/// Throws ComputeError if the text isn't a record: not JSON, or a figure missing, not finite or
/// implausible.
GpuRecord parseGpuRecord(std::string_view json);
/// All fields except the times of single launches and their stages.
std::string toJson(const GpuRecord& record);

/// Each number once.
std::vector<int> ascending(std::vector<int> numbers);

} // namespace systole::lab
