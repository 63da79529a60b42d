// One command line that shows the present state again.
#pragma once

#include "app/feature/tools.h"
#include "app/session/session.h"
#include "render/scene/scene.h"

#include <string>
#include <vector>

namespace systole {

/// A word of a command line, quoted for a POSIX shell where that is needed.
std::string shellWord(const std::string& text);

struct CopiedCommand {
    std::string text; ///< one line
    /// Parts of the state that the command lacks, such as labels that were edited, a sentence each.
    std::vector<std::string> left{};
};

/// `systole snapshot ... -o picture.png`, which draws the views as they are, without panels. A
/// sequence must be open.
CopiedCommand snapshotCommandOf(const Session& session, const Tools& tools, const Scene& scene);

struct WindowState {
    int width = 0, height = 0;       ///< logical pixels
    std::vector<std::string> panels; ///< titles of the open ones
};
/// `systole view ...`, which opens the window as it is, paused in the frame shown.
CopiedCommand viewCommandOf(const Session& session, const Tools& tools, const Scene& scene,
                            const WindowState& window);

/// A camera as --camera takes it, 21 numbers, and back. Throws std::logic_error for another number
/// of them.
std::vector<double> numbersOf(const SceneCamera& camera);
SceneCamera cameraOf(const std::vector<double>& numbers);

} // namespace systole
