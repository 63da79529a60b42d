#include "app/window/edit_history.h"

#include "app/feature/tools.h"
#include "app/session/resets.h"
#include "app/session/session.h"
#include "render/scene/scene.h"

#include <cstddef>
#include <utility>

namespace systole {

EditHistory::EditHistory(Session& session, Tools& tools, Scene& scene, std::function<void()> tick)
    : session_(session), tools_(tools), scene_(scene), tick_(std::move(tick)) {}

void EditHistory::clear() { history_.clear(userState(session_, tools_, scene_)); }

void EditHistory::follow(bool otherSequence) {
    const UserState now = userState(session_, tools_, scene_);
    if (otherSequence)
        history_.clear(now);
    else
        history_.record(now);
}

void EditHistory::undo() {
    if (history_.canUndo())
        restoreState(history_.undo());
}

void EditHistory::redo() {
    if (history_.canRedo())
        restoreState(history_.redo());
}

void EditHistory::restoreState(UserState state) {
    restore(session_, tools_, state);
    scene_.setCamera(state.camera);
    scene_.setCrosshair(state.crosshair);
    history_.adopt(userState(session_, tools_, scene_));
    tick_();
}

void EditHistory::reset(Resets what) {
    const bool all = what == Resets::All;
    static constexpr const char* names[] = {
        "reset of the views",   "reset of the display options", "reset of the motion parameters",
        "removal of the marks", "reset of the tools",           "reset of everything"};
    history_.nameNext(names[static_cast<std::size_t>(what)]);
    if (all || what == Resets::Views)
        scene_.resetCameras();
    if (all || what == Resets::Display)
        resetDisplay(session_);
    if (all || what == Resets::Parameters)
        resetParameters(session_);
    if (all || what == Resets::Marks)
        resetMarks(session_);
    if (all || what == Resets::Tools)
        tools_.reset();
    tick_();
}

} // namespace systole
