// Makes a saved picture again from its record, the same pixels on the same machine; and what it
// shares with pictures that are drawn without the live view.
#pragma once

#include "app/live/picture_record.h"
#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "compute/motion/pair_estimator.h"
#include "render/base/image.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct Remade {
    RgbaImage image;                   ///< picture without a caption
    PictureRecord record;              ///< describes the new picture
    std::vector<std::string> warnings; ///< one sentence each: why it may differ
};

/// `picture` is the name of the picture's file, for messages. `files`: the image now; empty: where
/// the record says, or else beside the picture. Throws FileError, ComputeError (the motion can't be
/// estimated here) and RenderError.
Remade remakePicture(const PictureRecord& record, const std::string& picture,
                     const std::vector<std::string>& files, int threads,
                     const std::function<void(const std::string& phase, double part)>& progress);

std::shared_ptr<const Volume> readFrame(const Sequence& sequence, int frame, BufferPool& pool);

/// The motion in a file, on the grid of the fixed frame. With a moving frame the result has it, and
/// warped onto the fixed one. Throws FileError.
std::shared_ptr<FrameResult> motionFromFile(const std::string& path, const FramePair& pair,
                                            const ExecContext& ctx);

} // namespace systole
