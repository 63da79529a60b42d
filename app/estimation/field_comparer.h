// Compares the fields of two results on its own thread: the newest requested pair first, finished
// comparisons cached for a looping sequence.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/newest_job_thread.h"
#include "compute/ops/field_difference.h"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>

namespace systole {

struct FieldComparison {
    std::weak_ptr<const FrameResult> left, right; ///< the compared results, not kept alive
    std::shared_ptr<const Volume> millimeters;    ///< |left − right|; null if it failed
    FieldDifference difference;
    std::string failure; ///< one sentence; empty: success
};

/// True if both fields belong to one pair of frames.
bool comparable(const FrameResult& left, const FrameResult& right);

class FieldComparer {
public:
    /// `notify` is called on the comparing thread after each comparison; it must not block.
    FieldComparer(std::size_t cacheBytes, std::function<void()> notify);

    /// Returns the finished comparison of these two; else null, and requests it: earlier requests
    /// that have not started are dropped. Both results need their field on the host. Never waits.
    std::shared_ptr<const FieldComparison> find(const std::shared_ptr<const FrameResult>& left,
                                                const std::shared_ptr<const FrameResult>& right);
    /// Forgets everything, for a new sequence.
    void clear();

private:
    struct Pair {
        std::shared_ptr<const FrameResult> left, right;
        bool operator==(const Pair&) const = default;
    };

    void work(const Pair& pair, const CancelToken& cancel);
    std::shared_ptr<const FieldComparison> compare(const Pair& pair, const CancelToken& cancel);
    void keep(std::shared_ptr<const FieldComparison> comparison);

    const std::size_t budget_;
    const std::function<void()> notify_;
    BufferPool pool_;
    ThreadTeam team_{1};

    // Guarded by the thread's lock.
    Pair under_;                                                 ///< the pair being compared
    std::list<std::shared_ptr<const FieldComparison>> finished_; ///< most recently used first

    NewestJobThread<Pair> jobs_; ///< last: it uses all of the above
};

} // namespace systole
