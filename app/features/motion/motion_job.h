// Input of one run of systole motion: its frames, method, device and outputs.
#pragma once

#include "app/task/backend.h"
#include "compute/core/block_sizes.h"
#include "compute/core/sequence.h"
#include "compute/motion/sequence_driver.h"
#include "io/formats/writer.h"

#include <memory>
#include <semaphore>
#include <string>
#include <vector>

namespace systole {

struct MotionJob {
    std::vector<std::string> inputs; ///< paths as the user gave them
    Sequence sequence;
    int firstFrame = 0, lastFrame = 0; ///< both included
    const MotionMethod* method = nullptr;
    std::string preset;
    ParamSet parameters;
    BackendChoice backend;
    std::shared_ptr<CudaContext> device{}; ///< the device in use if the backend is CUDA, else null
    /// Held during each estimation, where others estimate on `device`, too; null: nobody does.
    std::counting_semaphore<>* turn = nullptr;
    BlockSizes blockSizes{}; ///< block sizes of CUDA kernels that differ from the kernels' own
    ReferenceMode reference = ReferenceMode::Previous;
    /// Pairs that start one from the other (SpreadPairs); 0: all of them. With the reference
    /// Previous alone.
    int chain = 0;
    /// Devices of the chains, in place of `device`.
    std::vector<std::shared_ptr<CudaContext>> workers{};
    /// Frames of the TrajectoryFilter's window, with the first frame as reference; 0: no filter.
    int window = 0;
    bool lagrangian = false;
    bool closeCycle = false;
    bool certainty = false; ///< also the standard error of each displacement
    std::shared_ptr<const Volume> incompressibility{}; ///< null: the same everywhere
    std::shared_ptr<const Volume> tissue{}; ///< 1 in the tissue; null: no labels are given
    std::string incompressibilityFile{};
    int tissueLabel = 0; ///< the file is a label map, and this its label of tissue; 0: weights
    std::vector<std::string> stages{}; ///< stages in the format of chosenStages()
    FieldFormat format = FieldFormat::MetaImage;
    std::string trace{}; ///< file for the Chrome trace of all estimations; empty: none

    /// The motion since the first frame is estimated beside that of the pairs.
    bool estimatesSinceFirst() const { return lagrangian && reference == ReferenceMode::Previous; }
};

} // namespace systole
