// The main window: picture and panels, transport bar, menus, status line, messages. Connects Qt to
// LiveView, which does the work.
#pragma once

#include "app/estimation/rate_meter.h"
#include "app/live/live_view.h"
#include "app/live/picture_record.h"
#include "app/live/session.h"
#include "app/panels/panel.h"
#include "app/window/bars.h"
#include "app/window/file_hash.h"
#include "app/window/lessons_window.h"
#include "app/window/status_line.h"
#include "app/window/transport_bar.h"
#include "app/window/viewport.h"
#include "render/display_rows.h"

#include <QElapsedTimer>
#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

class QAction;
class QDialog;
class QMenu;

namespace systole {

struct WindowOptions {
    bool remember = true; ///< keep geometry and recent files between sessions
    UploadPath upload = UploadPath::Auto;
};

class Window : public QMainWindow {
public:
    explicit Window(const WindowOptions& options = {});
    ~Window() override;

    void open(const std::vector<std::string>& paths, double frameTimeMilliseconds = 0);

    Session& session() { return session_; }
    const Session& session() const { return session_; }
    Panels& panels() { return panels_; }
    Viewport& viewport() { return *viewport_; }
    Scene& scene() { return scene_; }
    bool loading() const { return live_.loading(); }
    /// Shows the page of a lesson; 0: the one shown last.
    void showLessons(int number = 0);
    /// Asks the laboratory the lesson's question and opens its panel.
    void runExperiment(const Lesson& lesson);
    LessonsWindow* lessonsWindow() { return lessons_.get(); } ///< null before showLessons()

    /// Call after changing the session: updates what is shown.
    void refresh() { tick(); }
    /// Writes a PNG of the whole window, or of the lessons window while it is shown. Throws
    /// RenderError, FileError.
    void saveScreenshot(const std::string& path);
    /// Writes the scene, with its caption and what makes it again, as a PNG. Returns at once; the
    /// file is written in the background, and a failure becomes the session's message.
    void savePicture(const std::string& path);
    /// The same into the clipboard.
    void copyPicture();

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

private:
    // window.cpp
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
    void fail(const std::string& sentence);
    void showStatus();
    void showProbe(double x, double y);
    /// Screen areas of the laboratory's plots and of the view above them.
    std::pair<QRect, QRect> curvesOnScreen() const;
    // menus.cpp
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void buildPlaybackMenu();
    void buildHelpMenu();
    QAction* addAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                       std::function<void()> act);
    void followMenus();
    void showRecentFiles();
    void rememberFile(const std::vector<std::string>& paths);
    void openFiles();
    void openFolder();
    void askFrameTime();
    void exportNumbers();
    void exportLaboratory(LabExport kind); ///< export.cpp
    void toggleKeySheet();
    void showAbout();
    void togglePlay();
    void stepSlice(int steps);
    void toggle(const DisplayRow& row);

    // pictures.cpp
    struct Picture;
    Picture takePicture();
    std::string encoded(const Picture& picture);
    void savePictureToPictures();
    void savePictureAs();
    void saveScreenshotAs();
    /// Takes a picture, calls `use` on a thread, then on this one what it returned.
    void usePicture(std::function<std::function<void()>(const Picture&)> use);

    WindowOptions options_;
    Session session_;
    Panels panels_;
    ImGuiLayer layer_;
    Scene scene_;
    std::atomic<bool> tickPosted_{false};
    LiveView live_;

    Viewport* viewport_ = nullptr; ///< a child widget, but deleted before the scene
    TransportBar* transport_ = nullptr;
    MessageBar* messages_ = nullptr;
    LoadingBar* loadingBar_ = nullptr;
    QTimer tickTimer_;
    QElapsedTimer sinceTick_;
    std::string shownMessage_;

    std::pair<double, double> probeAt_{-1, -1}; ///< pointer position over the scene
    std::unique_ptr<StatusLine> status_;

    struct ActionState {
        QAction* action;
        std::function<bool()> on;
    };
    std::vector<ActionState> checkable_; ///< kept in step with the session
    QMenu* recent_ = nullptr;
    QPointer<QDialog> keySheet_;
    std::unique_ptr<LessonsWindow> lessons_; ///< null until first shown

    FileHash hash_;
    std::vector<std::future<void>> saves_; ///< last: they use what is above
};

} // namespace systole
