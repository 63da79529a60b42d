// The task of reading labels that another program made, or this one earlier.
#pragma once

#include "app/features/segmentation/opened_labels.h"
#include "app/task/task_run.h"

#include <memory>
#include <string>

namespace systole {

struct LabelReadTask {
    int frame = 0; ///< that a map of one frame goes to
    std::string path;
    Geometry grid;
    int frames = 1; ///< of the sequence
};

struct LabelReadOutcome {
    int frame = 0;
    std::shared_ptr<const OpenedLabels> opened; ///< null: see `failure`
    std::string failure;                        ///< one sentence
};

/// See TaskRun.
class LabelReadWork {
public:
    using Task = LabelReadTask;
    using Outcome = LabelReadOutcome;

    /// Throws what readOpenedLabels() throws.
    void run(const LabelReadTask& task, LabelReadOutcome& made, const ExecContext& ctx) {
        made.opened = std::make_shared<const OpenedLabels>(
            readOpenedLabels(task.path, {task.grid, task.frames, task.frame}, ctx));
    }
};

} // namespace systole
