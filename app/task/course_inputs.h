// Inputs of a course: frames of a sequence, and the motion in it. The window gives what is there, a
// command reads what is asked for.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "compute/core/volume.h"

#include <memory>
#include <optional>
#include <vector>

namespace systole {

class CourseInputs {
public:
    /// A frame of the sequence; null: not decoded yet, or unreadable.
    virtual std::shared_ptr<const Volume> frame(int index) = 0;
    virtual bool readable(int index) const = 0;
    /// The finished motion from the first frame into this one, as ToolNeeds::sinceFirst has it
    /// estimated, and where ToolNeeds::hostFields wants it; null: not there.
    virtual std::shared_ptr<const FrameResult> motionSinceFirst(int frame) = 0;
    /// Finished motion that the views show, by frame: as it is estimated, or given.
    virtual std::vector<std::shared_ptr<const FrameResult>> motions() const = 0;

protected:
    ~CourseInputs() = default;
};

/// Inputs that remember which frame was asked for and isn't there.
class AwaitedInputs {
public:
    explicit AwaitedInputs(CourseInputs& from) : from_(from) {}

    std::shared_ptr<const Volume> frame(int index) {
        std::shared_ptr<const Volume> volume = from_.frame(index);
        if (!volume && !missing_)
            missing_ = index;
        if (!volume && !unreadable_ && !from_.readable(index))
            unreadable_ = index;
        return volume;
    }
    std::shared_ptr<const FrameResult> motionSinceFirst(int frame) const {
        return from_.motionSinceFirst(frame);
    }
    std::vector<std::shared_ptr<const FrameResult>> motions() const { return from_.motions(); }

    /// The first frame that frame() didn't have; none: it had all.
    std::optional<int> missing() const { return missing_; }
    /// The first one that it will never have; none: those that are missing are being decoded.
    std::optional<int> unreadable() const { return unreadable_; }

private:
    CourseInputs& from_;
    std::optional<int> missing_, unreadable_;
};

/// Frames of a sequence, read as they are asked for; the last one is kept. No motion.
class SequenceInputs final : public CourseInputs {
public:
    /// Both must outlive this.
    SequenceInputs(const Sequence& sequence, BufferPool& pool) : sequence_(sequence), pool_(pool) {}

    /// Throws what FrameSource::read() throws.
    std::shared_ptr<const Volume> frame(int index) override {
        if (last_ && lastIndex_ == index)
            return last_;
        last_.reset(); // its memory may serve the next one
        const auto volume = std::make_shared<Volume>(sequence_.geometry, pool_, "frame");
        sequence_.source->read(index, volume->view());
        lastIndex_ = index;
        return last_ = volume;
    }
    bool readable(int) const override { return true; }
    std::shared_ptr<const FrameResult> motionSinceFirst(int) override { return nullptr; }
    std::vector<std::shared_ptr<const FrameResult>> motions() const override { return {}; }

private:
    const Sequence& sequence_;
    BufferPool& pool_;
    int lastIndex_ = -1;
    std::shared_ptr<const Volume> last_;
};

} // namespace systole
