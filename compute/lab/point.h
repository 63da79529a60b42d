// One measurement of the laboratory, and files of them: what a machine without a GPU explores.
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
    int threads = 0;          ///< of a block
    int ballastBytes = 0;     ///< dynamic shared memory added only to lower the occupancy
    double seconds = 0;       ///< median of one run; 0: not measured
    double uploadBytes = 0;   ///< that a call with its data on the host would bring,
    double downloadBytes = 0; ///< and take back
    double callSeconds = 0;   ///< median of such a call, from pinned memory; 0: not measured
    /// Largest difference of the result from that of the task's first variant, as a part of the
    /// largest value there; negative: not compared.
    double deviation = -1;
    /// What the run launched, a span for each launch: shape, registers, shared, local, declared
    /// bytes, flops and cost, and the runtime's answer for active blocks.
    std::vector<ProfileSpan> launches;

    double bytes() const; ///< declared, of all launches
    double flops() const;
    const ProfileSpan& largest() const; ///< of most threads; there is at least one
};

/// What was measured on one GPU. A file without points is the measured machine alone.
struct GpuRecord {
    model::GpuMachine machine;
    std::string when;    ///< "2026-11-21"
    std::string driver;  ///< "580.159, CUDA 13.0"
    int compiledFor = 0; ///< compute capability of the code whose registers these are
    std::vector<LabPoint> points;

    /// The point of this kernel, side, block and ballast; null: there is none.
    const LabPoint* find(std::string_view kernel, int side, int threads,
                         int ballastBytes = 0) const;
    std::vector<int> sidesOf(std::string_view kernel) const; ///< ascending
    /// Threads that this kernel has points of at this side, without ballast; ascending.
    std::vector<int> blocksAt(std::string_view kernel, int side) const;
};

/// Throws ComputeError, one sentence, for text that is no record: not JSON, a figure missing, not
/// finite or outside what any GPU has.
GpuRecord parseGpuRecord(std::string_view json);
/// Everything but the times of single launches and their stages.
std::string toJson(const GpuRecord& record);

} // namespace systole::lab
