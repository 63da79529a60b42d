// Undo, redo and resets of what the user changed.
#pragma once

#include "app/live/history.h"

#include <functional>

namespace systole {

class Scene;
class Tools;
struct Session;

/// Parts of the user's state that EditHistory::reset() resets.
enum class Resets { Views, Display, Parameters, Marks, Tools, All };

class EditHistory {
public:
    /// Session, tools and scene outlive this object. `tick` updates what is shown.
    EditHistory(Session& session, Tools& tools, Scene& scene, std::function<void()> tick);

    const History& history() const { return history_; }
    /// Forgets all changes: the state as it is now is the first one.
    void clear();
    /// Records what changed since the last call; forgets all changes of another sequence.
    void follow(bool otherSequence);
    void undo(); ///< nothing when there is nothing to undo
    void redo();
    void reset(Resets what);

private:
    void restoreState(UserState state);

    Session& session_;
    Tools& tools_;
    Scene& scene_;
    std::function<void()> tick_;
    History history_;
};

} // namespace systole
