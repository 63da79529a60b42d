// The task of reading fields of another program as the motion of a sequence.
#pragma once

#include "app/fields/given_field.h"
#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

struct GivenMotionTask {
    int frame = 0;                     ///< the first, from which all fields lead
    std::vector<std::string> sequence; ///< its files
    std::vector<std::string> files;    ///< a field to each other frame, in their order
    const FieldConvention* named = nullptr;
};

struct GivenMotionOutcome {
    int frame = 0;
    std::string failure; ///< one sentence
    FieldReading reading;
    /// Motions since the first frame, by frame, on the host; that of the first frame is zero.
    std::vector<FrameResult> motions;
};

/// Throws FileError for another number of fields than frames after the first.
void requireFieldOfEachFrame(const Sequence& sequence, std::size_t fields);

/// See TaskRun.
class GivenMotionWork {
public:
    using Task = GivenMotionTask;
    using Outcome = GivenMotionOutcome;

    /// The frames of the sequence prove the convention (readingOf()). Throws what that and
    /// readGivenField() and requireFieldOfEachFrame() throw; FileError for a field on another grid.
    void run(const GivenMotionTask& task, GivenMotionOutcome& made, ExecContext& ctx);
};

} // namespace systole
