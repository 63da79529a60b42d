// Frames and fields of pictures that are drawn without the live view.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"

#include <memory>
#include <string>

namespace systole {

std::shared_ptr<const Volume> readFrame(const Sequence& sequence, int frame, BufferPool& pool);

/// The motion in a file, on the grid of `fixed`, which is frame `fixedFrame`. Throws FileError.
std::shared_ptr<FrameResult> motionFromFile(const std::string& path, int fixedFrame,
                                            int movingFrame,
                                            const std::shared_ptr<const Volume>& fixed,
                                            BufferPool& pool);

} // namespace systole
