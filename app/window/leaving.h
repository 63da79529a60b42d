// Check before the sequence goes, with another file or with the window: what isn't saved is named,
// and saved where the user wants it.
#pragma once

#include "app/feature/tools.h"
#include "app/session/session.h"
#include "app/window/exports.h"
#include "app/window/window_host.h"
#include "app/window/window_links.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

/// Fate of work that would be lost.
enum class Leaving { Save, Discard, Cancel };
/// Text of the dialog that names the work.
std::string leavingText(const std::vector<UnsavedWork>& work);

class LeavingCheck {
public:
    /// References outlive this object. `remembers`: marks are kept with the recent files, and the
    /// user is there to be asked.
    LeavingCheck(WindowLinks links, WindowHost& host, Exports& exports, const Session& session,
                 const Tools& tools, bool remembers);

    std::vector<UnsavedWork> unsaved();
    /// True: the sequence may go. False: it stays, or `afterSaving` is called as soon as everything
    /// is saved; where the user chose no file for some of it, a message names what is unsaved.
    bool mayLeave(std::function<void()> afterSaving);

    /// Answers what becomes of unsaved work; empty: a dialog does, and when unattended it may go.
    std::function<Leaving(const std::vector<UnsavedWork>&)> answer;

private:
    Leaving ask(const std::vector<UnsavedWork>& work);
    /// One after the other, then `then` with whether each has a file, as those before (`all`).
    void saveInTurn(std::vector<UnsavedWork> work, bool all,
                    const std::function<void(bool all)>& then);

    WindowLinks links_;
    WindowHost& host_;
    Exports& exports_;
    const Session& session_;
    const Tools& tools_;
    bool remembers_;
};

} // namespace systole
