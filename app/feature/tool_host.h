// Services that the program offers to tools: dialogs for files, and messages to the user.
#pragma once

#include "render/base/image.h"

#include <functional>
#include <string>

namespace systole {

struct FileQuestion {
    std::string title;
    std::string types{}; ///< "Meshes (*.vtp *.stl)"; several kinds are separated by ;;
    std::string name{};  ///< suggested, of a file to write
    /// Folder in which the dialog starts; empty: the one that the window used last.
    std::string folder{};
};

struct ReportContent;

/// The window's. As it stands it does nothing: without a window there is nobody to ask or to tell.
/// All calls come from the thread of the panels, maybe while they draw.
class ToolHost {
public:
    using Use = std::function<void(const std::string& path)>;

    virtual ~ToolHost() = default;
    /// Asks for a file to read. `use` gets it later, when nothing is being drawn; never, if the
    /// user chose none or another question is still open.
    virtual void chooseOpen(const FileQuestion&, Use) {}
    /// Asks for a file to write. The user has confirmed that an existing file is replaced.
    virtual void chooseSave(const FileQuestion&, Use) {}
    /// Runs `write` on a thread of its own; then, on this one, says that `name` is saved and calls
    /// `then`, or says why it isn't.
    virtual void write(const std::string& /*name*/, const std::string& /*path*/,
                       std::function<void()> /*write*/, std::function<void()> /*then*/ = {}) {}
    virtual void copy(const std::string& /*text*/) {}
    virtual void fail(const std::string& /*sentence*/) {}
    /// Shows this panel and no other.
    virtual void openPanel(const std::string& /*title*/) {}
    /// Runs `draw` with the views' OpenGL context; not while panels draw.
    virtual RgbaImage picture(const std::function<RgbaImage(double pixelRatio)>&) { return {}; }
    /// The bytes of a report as PDF.
    virtual std::string pdf(const ReportContent&) { return {}; }

    /// Asks for a file and writes it, then calls `then`.
    void save(const std::string& what, const FileQuestion& question,
              std::function<void(const std::string& path)> write, std::function<void()> then = {}) {
        chooseSave(question, [this, what, write = std::move(write),
                              then = std::move(then)](const std::string& path) {
            this->write(
                what, path, [write, path] { write(path); }, then);
        });
    }
};

} // namespace systole
