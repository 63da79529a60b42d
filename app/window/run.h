// Starts the viewer: application object, window, event loop. Independent of the toolkit's types.
#pragma once

#include "render/scene/scene.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct Session;
class Tools;

struct ViewerOptions {
    std::vector<std::string> files; ///< empty: the bundled demo sequence
    double frameTimeMilliseconds = 0;
    std::optional<int> frame;            ///< frame to start at
    std::optional<bool> play;            ///< unset: play unless `frame` is given
    int width = 0, height = 0;           ///< window size; 0: as last time
    bool keepEstimating = false;         ///< estimate every pair anew during playback
    std::vector<std::string> openPanels; ///< titles; empty: the default panels
    int lesson = 0;                      ///< lesson to open and run; 0: none
    /// Called before the first file is opened, to set up the session; may throw.
    std::function<void(Session&, Tools&)> prepare;
    /// Called when the first file is open: its window of gray values, and where the views look.
    std::function<void(Session&, Scene&)> prepareViews;
    UploadPath upload = UploadPath::Auto;

    // --- unattended screenshots and measurements; quitAfterSeconds or screenshot ends the program
    /// Counted from the first displayed frame; longer if no motion is estimated by then.
    std::optional<double> quitAfterSeconds;
    /// PNG of the whole window, or of the lessons window if open; taken at the end.
    std::string screenshot;
    std::string report; ///< JSON file with the measurements of the run
    /// Writes each of the two, unless its path is empty; `writer` gets a path to write the content
    /// to. Throws if it may not replace what exists.
    std::function<void(const std::string& path,
                       const std::function<void(const std::string& path)>& writer)>
        write;
    bool unattended() const { return quitAfterSeconds || !screenshot.empty(); }
};

/// Call before creating the application object: selects the platform and OpenGL version. Throws
/// when no display can be reached. Keep the returned connection until the application object
/// exists: an X server that loses its only client may reset and refuse new clients meanwhile.
std::shared_ptr<void> prepareApplication();

/// Returns the exit code. Throws std::runtime_error without a display, FileError for files that
/// can't be opened; when unattended, also errors that the window would show as messages.
int runViewer(const ViewerOptions& options);

} // namespace systole
