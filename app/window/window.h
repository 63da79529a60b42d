// The main window: picture and panels, transport bar, menus, status line, messages. Connects Qt to
// LiveView, which does the work.
#pragma once

#include "app/base/rate_meter.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/live/live_view.h"
#include "app/session/session.h"
#include "app/window/bars.h"
#include "app/window/edit_history.h"
#include "app/window/exports.h"
#include "app/window/help_windows.h"
#include "app/window/leaving.h"
#include "app/window/lesson_runs.h"
#include "app/window/menus.h"
#include "app/window/messages.h"
#include "app/window/pictures.h"
#include "app/window/recent_files.h"
#include "app/window/recovery.h"
#include "app/window/status_line.h"
#include "app/window/transport_bar.h"
#include "app/window/viewport.h"
#include "app/window/window_host.h"
#include "app/window/window_links.h"
#include "render/display_rows.h"

#include <QElapsedTimer>
#include <QMainWindow>
#include <QTimer>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct WindowOptions {
    bool remember = true;              ///< keep the window's view and recent files between sessions
    std::filesystem::path recovered{}; ///< folder of what sessions left that died; empty: none
    UploadPath upload = UploadPath::Auto;
};

class Window : public QMainWindow {
public:
    explicit Window(const WindowOptions& options = {});
    ~Window() override;

    /// `work` is brought back as soon as they are open.
    void open(const std::vector<std::string>& paths, double frameTimeMilliseconds = 0,
              std::optional<RecoveredWork> work = {});
    /// The first file, whose reading began before the window was made.
    void open(Loader::Begun begun, double frameTimeMilliseconds);
    void openNames(const QStringList& names); ///< local files

    Session& session() { return session_; }
    const Session& session() const { return session_; }
    Tools& tools() { return tools_; }
    Panels& panels() { return panels_; }
    Viewport& viewport() { return *viewport_; }
    Scene& scene() { return scene_; }
    bool loading() const { return live_.loading(); }
    RecentFiles& recent() { return recent_; }
    EditHistory& edits() { return edits_; }
    LessonRuns& lessons() { return *lessons_; }
    HelpWindows& help() { return *help_; }
    Messages& messages() { return *messages_; }
    WindowHost& host() { return host_; }
    Pictures& pictures() { return *pictures_; }
    Exports& exports() { return *exports_; }
    LeavingCheck& leaving() { return *leaving_; }

    // --- what the menus do: files (opening.cpp)
    void openFiles();
    void openFolder();
    std::vector<RecoveredWork> recovered() const; ///< newest first
    /// Opens its files; shows the folder if they are unknown.
    void reopen(const RecoveredWork& work);
    void askFrameTime();
    // --- display and playback
    void togglePlay();
    void stepSlice(int steps);
    void toggle(const DisplayRow& row);
    /// True if the column of panels is shown.
    bool showsColumn() const { return layer_.columnShown; }
    void showColumn(bool shown);
    void setFullScreen(bool full);

    /// Call after changing the session: updates what is shown.
    void refresh() { tick(); }

    /// Called after each draw of the scene that shows a frame.
    std::function<void(RateMeter::Clock::time_point)> onScenePainted;
    /// Called when opening ended, with an empty text or the error.
    std::function<void(const std::string&)> onOpened;
    /// Called when OpenGL is insufficient: there will be no picture.
    std::function<void(const std::string&)> onDrawingFailed;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // window.cpp
    WindowLinks links();
    void build();
    Viewport::Hooks viewportHooks();
    TransportBar::Hooks transportHooks();
    void tick();
    void scheduleTick();
    void tickFromAnyThread();
    void painted(bool sceneDrawn);
    void opened();
    void openFailed();
    void showLoading();
    std::string waitingFor() const;
    void showStatus();
    void showProbe(double x, double y);
    void fail(const std::string& sentence);
    // opening.cpp
    bool dropsOnSegment(QPoint place);
    void bringBack(); ///< the work of `reopening_`

    WindowOptions options_;
    Session session_;
    RecentFiles recent_;
    WindowHost host_; ///< host of the tools
    Tools tools_;
    Panels panels_;
    ImGuiLayer layer_;
    Scene scene_;
    std::atomic<bool> tickPosted_{false};
    LiveView live_;
    EditHistory edits_;

    Viewport* viewport_ = nullptr; ///< a child widget, but deleted before the scene
    TransportBar* transport_ = nullptr;
    LoadingBar* loadingBar_ = nullptr;
    QTimer tickTimer_;
    QElapsedTimer sinceTick_;

    std::pair<double, double> probeAt_{-1, -1}; ///< pointer position over the scene
    std::unique_ptr<StatusLine> status_;

    std::unique_ptr<Menus> menus_;
    std::unique_ptr<LessonRuns> lessons_;
    std::unique_ptr<HelpWindows> help_;
    std::unique_ptr<Messages> messages_;
    std::unique_ptr<Pictures> pictures_;
    std::unique_ptr<Exports> exports_;
    std::unique_ptr<LeavingCheck> leaving_;

    std::optional<RecoveredWork> reopening_; ///< work of the files that are being opened
    bool mayClose_ = false;                  ///< unsaved work is saved
};

} // namespace systole
