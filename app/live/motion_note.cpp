#include "app/live/motion_note.h"

#include "app/live/comparison.h"

#include <fmt/format.h>

namespace systole {
namespace {

std::string noteOf(const Session& session, const MotionChoice& choice, const FrameResult* result,
                   const PipelineStatus& estimation) {
    if (isReference(choice, session.shownFrame))
        return {};
    const bool estimating = whyIdle(session).empty() && estimation.message.empty();
    if (!result) // side by side, the labels of the views report it
        return estimating && session.shownFrame >= 0 && !sideBySide(session) ? "estimating …" : "";
    const bool earlierParameters = result->generation != estimation.generation;
    if (!earlierParameters && result->pictureFrame() == session.shownFrame)
        return {};
    std::string note = fmt::format("motion {} to {}", result->fixedFrame, result->movingFrame);
    if (earlierParameters)
        note += "\nearlier parameters";
    if (estimating)
        note += "\nestimating …";
    return note;
}

} // namespace

MotionNotes motionNotes(const Session& session) {
    MotionNotes notes;
    notes.left = noteOf(session, session.motion, session.result.get(), session.estimation);
    if (!sideBySide(session))
        return notes;
    notes.right =
        noteOf(session, session.compared, session.right.result.get(), session.right.estimation);
    if (session.right.comparison)
        notes.difference = !notes.left.empty() ? notes.left : notes.right;
    return notes;
}

} // namespace systole
