// Starts the viewer: application object, window, event loop. Names no windowing toolkit.
#pragma once

#include "render/scene.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct Session;

struct ViewerOptions {
    std::vector<std::string> files; ///< empty: the bundled demo
    double frameTimeMilliseconds = 0;
    std::optional<int> frame;            ///< where to begin
    std::optional<bool> play;            ///< unset: plays unless `frame` is given
    int width = 0, height = 0;           ///< of the window; 0: as it was left
    bool keepEstimating = false;         ///< while playing, also where a finished field is at hand
    std::vector<std::string> openPanels; ///< titles; empty: as they come
    int lesson = 0;                      ///< to open and to run the experiment of; 0: none
    /// Called before the first file is opened, for what else the session begins with; may throw.
    std::function<void(Session&)> prepare;
    UploadPath upload = UploadPath::Auto;

    // For pictures and measurements without hands. Any of these ends the program by itself.
    std::optional<double> quitAfterSeconds; ///< counted from the first picture of the sequence
    /// PNG of the whole window, or of the lesson's where one is open; taken at the end.
    std::string screenshot;
    std::string report; ///< JSON with what was measured until the end
    bool unattended() const { return quitAfterSeconds || !screenshot.empty(); }
};

/// Before the application object: platform and OpenGL as the window needs them. Throws when there
/// is no display to be reached. What it returns is to be kept until the application object is
/// there: an X server that loses its only client may reset, and turns away whoever comes meanwhile.
std::shared_ptr<void> prepareApplication();

/// Returns the exit code. Throws UsageError without a display; when unattended also what a window
/// would show as a message.
int runViewer(const ViewerOptions& options);

} // namespace systole
