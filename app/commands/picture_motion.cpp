#include "app/commands/picture_motion.h"

#include "io/error.h"
#include "io/writer.h"

namespace systole {

std::shared_ptr<const Volume> readFrame(const Sequence& sequence, int frame, BufferPool& pool) {
    auto volume = std::make_shared<Volume>(sequence.geometry, pool, "frame");
    volume->timeSeconds = sequence.timeOf(frame);
    sequence.source->read(frame, volume->view());
    return volume;
}

std::shared_ptr<FrameResult> motionFromFile(const std::string& path, int fixedFrame,
                                            int movingFrame,
                                            const std::shared_ptr<const Volume>& fixed,
                                            BufferPool& pool) {
    const MillimeterField millimeters = readField(path, pool);
    if (!millimeters.geometry.matches(fixed->geometry, 1e-2))
        throw FileError(path + ": the field lies on another grid than the frame");
    auto result = std::make_shared<FrameResult>();
    result->field = std::make_shared<VectorField>(toVoxels(millimeters, pool));
    result->fixedFrame = fixedFrame;
    result->movingFrame = movingFrame;
    result->fixed = fixed;
    return result;
}

} // namespace systole
