// Answers what the tools ask of the window: files, the clipboard, panels, pictures.
#pragma once

#include "app/feature/panel.h"
#include "app/feature/tool_host.h"
#include "app/window/recent_files.h"
#include "app/window/window_links.h"

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace systole {

class Viewport;

class WindowHost : public ToolHost {
public:
    /// `recent` outlives this object.
    WindowHost(WindowLinks links, RecentFiles& recent);
    /// The panels and views that the tools see; both outlive this object. To be called first.
    void attach(Panels& panels, Viewport& viewport);
    /// Waits for all work in the background.
    void finish() { saves_.clear(); }

    void chooseOpen(const FileQuestion& question, Use use) override;
    void chooseSave(const FileQuestion& question, Use use) override;
    /// Called once if the user chooses no file in the next question for a file to write; empty:
    /// nothing is called.
    void setNoFileChosen(std::function<void()> then) { noFileChosen_ = std::move(then); }
    void write(const std::string& what, const std::string& path, std::function<void()> write,
               std::function<void()> then = {}) override;
    void copy(const std::string& text) override;
    void fail(const std::string& sentence) override { links_.fail(sentence); }
    void openPanel(const std::string& title) override;
    RgbaImage picture(const std::function<RgbaImage(double pixelRatio)>& draw) override;
    std::string pdf(const ReportContent& content) override;
    /// Runs the work on a thread, then on this one what it returned. A failure is told.
    void inBackground(std::function<std::function<void()>()> work);

    /// Answers questions for files, with a path or nothing; empty: a dialog does.
    std::function<std::string(const FileQuestion&)> answer;

private:
    void choose(FileQuestion question, bool toSave, Use use);

    WindowLinks links_;
    RecentFiles& recent_;
    Panels* panels_ = nullptr;
    Viewport* viewport_ = nullptr;
    bool asking_ = false;                ///< a question for a file is open
    std::function<void()> noFileChosen_; ///< goes on without a file; empty: nothing does
    std::vector<std::future<void>> saves_;
};

} // namespace systole
