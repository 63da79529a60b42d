// Fields on their way to disk, beside the estimation of the next.
#pragma once

#include "app/cli/run_folder.h"
#include "compute/core/newest_job_thread.h"
#include "compute/core/volume.h"
#include "io/formats/writer.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace systole {

using SharedField = std::shared_ptr<const MillimeterField>;

/// Writes fields into a folder on a thread of its own, in the order of put(). Until finish() or its
/// end nobody else may use the folder, and once a field can't be written none after it is.
class FieldQueue {
public:
    /// Fields that it holds at a time: the one being written and one that waits.
    static constexpr std::size_t maxHeld = 2;

    FieldQueue(RunFolder& folder, FieldFormat format);
    /// Writes what it still has: whole results, also of a run that was cancelled.
    ~FieldQueue();
    FieldQueue(const FieldQueue&) = delete;
    FieldQueue& operator=(const FieldQueue&) = delete;

    /// Waits while it is full. `field` mustn't change any more. Throws what an earlier field
    /// failed of.
    void put(std::string file, SharedField field);
    /// Waits until all are written. Returns what each has taken, s, in order. Throws what one
    /// failed of.
    std::vector<double> finish();

private:
    struct Job {
        std::string file;
        SharedField field;
    };
    using Thread = NewestJobThread<Job>;

    void write(Job& job);
    /// Waits until all fields are written. `held`: the thread's lock.
    void drain(Thread::Lock& held);

    RunFolder& folder_;
    const FieldFormat format_;
    std::size_t unwritten_ = 0;
    std::vector<double> seconds_;
    std::exception_ptr failure_;
    Thread thread_; ///< its lock guards the three above; last, since it uses all
};

} // namespace systole
