// Undo and redo of what the user sets: display options, motion choices, marks, what the tools have
// to undo, and where the views look. Playback and results aren't part of it.
#pragma once

#include "app/feature/tools.h"
#include "app/session/session.h"
#include "render/scene/scene.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// Everything that one step back restores.
struct UserState {
    DisplayOptions display;
    MotionChoice motion, compared;
    CardiacMarks marks;
    SceneCamera camera;
    Vec3 crosshair;                    ///< LPS mm
    std::vector<ToolSnapshot> tools{}; ///< Tools::states()
};
UserState userState(const Session& session, const Tools& tools, const Scene& scene);

/// Difference between two states; an empty text: none. Continuous: it is of one number, or of the
/// views' position.
using UserChange = NamedChange;
UserChange changeBetween(const UserState& before, const UserState& after);

/// Sets session and tools to the state, except for camera and crosshair. The estimation notices
/// only what it depends on.
void restore(Session& session, Tools& tools, const UserState& state);

class History {
public:
    static constexpr std::size_t maxSteps = 200;

    /// Forgets all steps, for another sequence.
    void clear(const UserState& now);
    /// Takes a change since the last call as a step. Consecutive changes of the same number, as a
    /// slider makes, become one step.
    void record(const UserState& now);
    /// Takes changes since the last call as given, without a step: the program made them.
    void adopt(const UserState& now) { known_ = now; }
    /// Names the step that the next record() takes.
    void nameNext(std::string text) { nextName_ = std::move(text); }

    bool canUndo() const { return position_ > 0; }
    bool canRedo() const { return position_ < steps_.size(); }
    std::string undoText() const { return canUndo() ? steps_[position_ - 1].text : ""; }
    std::string redoText() const { return canRedo() ? steps_[position_].text : ""; }
    /// The state to restore; there must be one.
    const UserState& undo();
    const UserState& redo();

private:
    struct Step {
        std::string text;
        bool continuous = false;
        UserState before, after;
    };
    UserState known_; ///< state at the last call
    std::vector<Step> steps_;
    std::size_t position_ = 0; ///< steps that are in effect
    bool mayMerge_ = false;    ///< the last step is that of the last change
    std::string nextName_;
};

} // namespace systole
