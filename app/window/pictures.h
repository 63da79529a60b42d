// Saves and copies pictures of the scene and of the window, and the commands that make them again.
#pragma once

#include "app/base/file_hash.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/live/picture_record.h"
#include "app/session/session.h"
#include "app/window/window_host.h"
#include "app/window/window_links.h"
#include "render/scene/scene.h"

#include <functional>
#include <string>

namespace systole {

class LessonRuns;
class Viewport;

class Pictures {
public:
    /// The parts of the window that a picture shows.
    struct Source {
        Session& session;
        Tools& tools;
        Scene& scene;
        Panels& panels;
        Viewport& viewport;
    };
    /// All outlive this object, which outlives the work that `host` does in the background.
    Pictures(WindowLinks links, WindowHost& host, const Source& source, LessonRuns& lessons);

    /// Writes the scene, with its caption and what makes it again, as a PNG. Returns at once; the
    /// file is written in the background, and a failure becomes the session's message.
    void save(const std::string& path);
    void saveAs();
    void saveToPictures();
    void copy(); ///< the picture that save() would write, into the clipboard
    /// Copies what is shown as one command line: a snapshot of the views, or the whole window.
    void copyCommand(bool wholeWindow);
    /// Writes a PNG of the whole window, or of the lessons window while it is shown. Throws
    /// RenderError, FileError.
    void saveScreenshot(const std::string& path);
    void saveScreenshotAs();

private:
    struct Picture;
    Picture takePicture();
    std::string encoded(const Picture& picture);
    /// Takes a picture, calls `with` with it as WindowHost::inBackground().
    void use(std::function<std::function<void()>(const Picture&)> with);

    WindowLinks links_;
    WindowHost& host_;
    Session& session_;
    Tools& tools_;
    Scene& scene_;
    Panels& panels_;
    Viewport& viewport_;
    LessonRuns& lessons_;
    FileHash hash_;
};

} // namespace systole
