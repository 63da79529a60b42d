// The task of reading labels that another program made, or this one earlier.
#pragma once

#include "app/features/segmentation/opened_labels.h"
#include "app/task/task_run.h"

#include <memory>
#include <string>

namespace systole {

struct LabelReadTask {
    int frame = 0; ///< frame of the labels if the map has only one
    std::string path;
    Geometry grid;
    int frames = 1; ///< number of frames in the sequence
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
