// Maps of the deformation, made once for each field that others hold, so that a cycle that plays
// again isn't computed again; on a thread of its own where the draw doesn't wait.
#pragma once

#include "compute/core/newest_job_thread.h"
#include "render/deformation.h"

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace systole {

class DeformationMaps {
public:
    using Map = std::shared_ptr<const std::vector<float>>;

    explicit DeformationMaps(int threads); ///< 0: all
    /// Not null if `waits`. Else null while the thread makes it, which takes what was asked for
    /// last. An empty map: it couldn't be made.
    Map find(const std::shared_ptr<const VectorField>& field, Deformation quantity, bool waits);
    void clear();
    bool unfinished() const;    ///< the thread has something to do
    std::uint64_t made() const; ///< number of maps that the thread has made

private:
    struct Job {
        std::shared_ptr<const VectorField> field;
        Deformation quantity = Deformation::Jacobian;
        bool operator==(const Job&) const = default;
    };
    struct Made {
        std::weak_ptr<const VectorField> field;
        Deformation quantity = Deformation::Jacobian;
        Map map;
    };
    void work(const Job& job, const CancelToken& cancel);

    ExecResources resources_; ///< resources of the thread
    // Guarded by the thread's lock.
    Job under_; ///< being made; no field: none
    std::list<Made> maps_;
    std::uint64_t made_ = 0;

    NewestJobThread<Job> jobs_; ///< last: it uses all of the above
};

} // namespace systole
