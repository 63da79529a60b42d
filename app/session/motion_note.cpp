#include "app/session/motion_note.h"

#include "app/session/comparison.h"
#include "compute/motion/residual_warning.h"
#include "compute/ops/residual.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

namespace systole {
namespace {

/// A side's motion: what the user chose, what is shown, and the choice that this was found with.
struct SideMotion {
    const MotionChoice& choice;
    const FrameResult* result;
    const MotionChoice& resultChoice;
    const PipelineStatus& estimation;
};

std::string outdatedNote(const Session& session, const SideMotion& side) {
    const auto& [choice, result, resultChoice, estimation] = side;
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
        note += "\n" + earlierSettings(choice, resultChoice);
    if (estimating)
        note += "\nestimating …";
    return note;
}

/// A short note on why a motion means nothing (compute/motion/residual_warning.h has the sentence);
/// empty: it may mean something.
std::string meaninglessNote(const Session& session, const SideMotion& side) {
    const auto& [choice, result, resultChoice, estimation] = side;
    if (!result || !session.opened)
        return {};
    const IntensityScale& scale = session.opened->scale;
    if (contrastIsInverted(result->residual))
        return "opposite contrast:\nthis motion means nothing";
    if (result->generation == estimation.generation)
        if (const std::string cause = hindranceOf(*result, scale, choice.parameters);
            !cause.empty())
            return cause + "\nleaves hardly any motion";
    return residualStays(result->residual, static_cast<double>(scale.high - scale.low))
               ? "this motion doesn't bring\nthe frames closer"
               : "";
}

SideMotion left(const Session& session) {
    return {session.motion, session.result.get(), session.resultChoice, session.estimation};
}

std::string noteOf(const Session& session, const SideMotion& side) {
    // A motion that isn't shown needs no note that it is missing or outdated.
    const bool shown = sideBySide(session) || showsMotionOverlays(session.display);
    std::string note = shown ? outdatedNote(session, side) : "";
    const std::string meaningless = meaninglessNote(session, side);
    if (!note.empty() && !meaningless.empty())
        note += '\n';
    return note + meaningless;
}

} // namespace

std::string earlierSettings(const MotionChoice& now, const MotionChoice& before) {
    return before.method == now.method ? std::string("earlier parameters")
                                       : "earlier method: " + before.method->name;
}

bool motionIsOutdated(const Session& session) {
    return !outdatedNote(session, left(session)).empty();
}

MotionNotes motionNotes(const Session& session) {
    MotionNotes notes;
    notes.left = noteOf(session, left(session));
    if (!sideBySide(session))
        return notes;
    const ComparedMotion& right = session.right;
    notes.right = noteOf(
        session, {session.compared, right.result.get(), right.resultChoice, right.estimation});
    if (session.right.comparison)
        notes.difference = !notes.left.empty() ? notes.left : notes.right;
    return notes;
}

} // namespace systole
