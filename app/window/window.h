// The main window: picture and panels, transport bar, menus, status line, messages. Connects Qt to
// LiveView, which does the work.
#pragma once

#include "app/base/file_hash.h"
#include "app/base/rate_meter.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/live/history.h"
#include "app/live/live_view.h"
#include "app/live/picture_record.h"
#include "app/session/message_log.h"
#include "app/session/session.h"
#include "app/window/bars.h"
#include "app/window/lessons_window.h"
#include "app/window/menus.h"
#include "app/window/notice.h"
#include "app/window/recovery.h"
#include "app/window/status_line.h"
#include "app/window/transport_bar.h"
#include "app/window/viewport.h"
#include "render/display_rows.h"

#include <QElapsedTimer>
#include <QMainWindow>
#include <QPointer>
#include <QRegion>
#include <QTimer>

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class KeySheet;
class MessagesWindow;

struct WindowOptions {
    bool remember = true;              ///< keep the window's view and recent files between sessions
    std::filesystem::path recovered{}; ///< folder of what sessions left that died; empty: none
    UploadPath upload = UploadPath::Auto;
};

/// The user's choice for unsaved work.
enum class Leaving { Save, Discard, Cancel };
/// Text of the dialog that asks for it.
std::string leavingText(const std::vector<UnsavedWork>& work);

/// Parts of the settings that Window::reset() resets.
enum class Resets { Views, Display, Parameters, Marks, Tools, All };

class Window : public QMainWindow, private ToolHost {
public:
    explicit Window(const WindowOptions& options = {});
    ~Window() override;

    void rememberFolderOf(const std::string& path); ///< file dialogs start in it
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
    /// Shows the page of a lesson; 0: the one shown last.
    void showLessons(int number = 0);
    /// Asks the laboratory the lesson's question and opens its panel; of one without kernels or a
    /// command the frame shown is registered with itself under fresh noise; of one with a command
    /// nothing.
    void runExperiment(const Lesson& lesson);
    LessonsWindow* lessonsWindow() { return lessons_.get(); } ///< null before showLessons()
    const History& history() const { return history_; }
    const MessageLog& log() const { return log_; }

    // --- what the menus do: files (opening.cpp, pictures.cpp, saving.cpp)
    void openFiles();
    void openFolder();
    std::vector<QStringList> recentFiles() const; ///< newest first
    std::vector<RecoveredWork> recovered() const; ///< newest first
    /// Opens its files; shows the folder if they are unknown.
    void reopen(const RecoveredWork& work);
    void askFrameTime();
    void savePictureToPictures();
    void savePictureAs();
    void saveScreenshotAs();
    void saveMotionAs();
    /// Writes the motion in the background; a failure becomes the session's message.
    void saveMotion(const std::string& path, std::shared_ptr<const FrameResult> motion);
    void exportNumbers();
    // --- display and playback
    void togglePlay();
    void stepSlice(int steps);
    void toggle(const DisplayRow& row);
    /// True if the column of panels is shown.
    bool showsColumn() const { return layer_.columnShown; }
    void showColumn(bool shown);
    void setFullScreen(bool full);
    void undo(); ///< nothing when there is nothing to undo
    void redo();
    void reset(Resets what);
    // --- help (messages.cpp)
    void showManual();
    PagesWindow* manualWindow() { return manual_.get(); } ///< null before showManual()
    void showMessages();
    void toggleKeySheet();
    void showAbout();

    /// Call after changing the session: updates what is shown.
    void refresh() { tick(); }
    /// Writes a PNG of the whole window, or of the lessons window while it is shown. Throws
    /// RenderError, FileError.
    void saveScreenshot(const std::string& path);
    /// Writes the scene, with its caption and what makes it again, as a PNG. Returns at once; the
    /// file is written in the background, and a failure becomes the session's message.
    void savePicture(const std::string& path);
    /// Copies the picture, with its caption and the data that makes it again, into the clipboard.
    void copyPicture();
    /// Copies what is shown as one command line: a snapshot of the views, or the whole window.
    void copyCommand(bool wholeWindow);

    /// Called after each draw of the scene that shows a frame.
    std::function<void(RateMeter::Clock::time_point)> onScenePainted;
    /// Called when opening ended, with an empty text or the error.
    std::function<void(const std::string&)> onOpened;
    /// Called when OpenGL is insufficient: there will be no picture.
    std::function<void(const std::string&)> onDrawingFailed;
    /// Answers what becomes of unsaved work; empty: a dialog does, and when unattended it may go.
    std::function<Leaving(const std::vector<UnsavedWork>&)> answerLeaving;
    /// Answers questions for files, with a path or nothing; empty: a dialog does.
    std::function<std::string(const FileQuestion&)> answer;
    /// Shows a folder to the user; empty: the desktop's file manager does.
    std::function<void(const std::string&)> openFolderWith;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

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
    std::string waitingFor() const;
    void showStatus();
    void showProbe(double x, double y);
    void followHistory(bool otherSequence);
    void restoreState(UserState state);
    // lesson_runs.cpp
    /// Screen areas of an experiment, its plots and the panels, and of the views above the plots.
    std::pair<QRegion, QRect> experimentOnScreen() const;
    void uncoverExperiment();
    // kept_view.cpp
    /// Where the window was at the last end, its layout, overlays and panels; what the settings
    /// don't have, or not as it was written, stays as it is.
    void recallView();
    void keepView();
    // opening.cpp, saving.cpp, export.cpp
    bool dropsOnSegment(QPoint place);
    void rememberFile(const std::vector<std::string>& paths);
    void bringBack(); ///< the work of `reopening_`
    void recallMarks();
    void keepMarks();
    void saved(const std::string& what, const std::string& path);
    void showInFolder(const std::string& path);
    // leaving.cpp
    std::vector<UnsavedWork> unsaved();
    UnsavedWork unsavedMotion();
    void saveMotions(const std::vector<std::shared_ptr<const FrameResult>>& results,
                     std::function<void()> then);
    Leaving askLeaving(const std::vector<UnsavedWork>& work);
    /// One after the other, then `then` with whether each has a file, as those before (`all`).
    void saveInTurn(std::vector<UnsavedWork> work, bool all,
                    const std::function<void(bool all)>& then);
    /// True: the sequence may go. False: it stays, or `afterSaving` is called as soon as everything
    /// is saved; where the user chose no file for some of it, a message names what is unsaved.
    bool mayLeave(std::function<void()> afterSaving);
    // tool_host.cpp
    void chooseOpen(const FileQuestion& question, Use use) override;
    void chooseSave(const FileQuestion& question, Use use) override;
    void choose(FileQuestion question, bool toSave, Use use);
    std::string lastFolder() const; ///< folder in which a dialog starts; empty: none yet
    void write(const std::string& what, const std::string& path, std::function<void()> write,
               std::function<void()> then = {}) override;
    void copy(const std::string& text) override;
    void openPanel(const std::string& title) override;
    RgbaImage picture(const std::function<RgbaImage(double pixelRatio)>& draw) override;
    std::string pdf(const ReportContent& content) override;
    /// Runs the work on a thread, then on this one what it returned. A failure is told.
    void inBackground(std::function<std::function<void()>()> work);
    // messages.cpp
    void fail(const std::string& sentence) override;
    void report(Message message); ///< its time is now
    void followMessages();
    void reportFile();
    void showFileNotes();
    void placeNotice();

    // pictures.cpp
    struct Picture;
    Picture takePicture();
    std::string encoded(const Picture& picture);
    /// Takes a picture, calls `use` with it as inBackground().
    void usePicture(std::function<std::function<void()>(const Picture&)> use);

    WindowOptions options_;
    Session session_;
    Tools tools_;
    Panels panels_;
    ImGuiLayer layer_;
    Scene scene_;
    std::atomic<bool> tickPosted_{false};
    LiveView live_;

    Viewport* viewport_ = nullptr; ///< a child widget, but deleted before the scene
    TransportBar* transport_ = nullptr;
    MessageBar* messages_ = nullptr;  ///< failures
    MessageBar* fileNotes_ = nullptr; ///< notes about the open file
    Notice* notice_ = nullptr;
    LoadingBar* loadingBar_ = nullptr;
    QTimer tickTimer_;
    QElapsedTimer sinceTick_;
    std::vector<std::string> told_; ///< messages of session and tools as last reported
    MessageLog log_;
    History history_;

    std::pair<double, double> probeAt_{-1, -1}; ///< pointer position over the scene
    std::unique_ptr<StatusLine> status_;

    std::unique_ptr<Menus> menus_;
    QPointer<KeySheet> keySheet_;
    QPointer<MessagesWindow> messagesWindow_;
    std::unique_ptr<LessonsWindow> lessons_; ///< null until first shown
    std::unique_ptr<PagesWindow> manual_;    ///< null until first shown

    std::optional<RecoveredWork> reopening_; ///< work whose files are being opened
    bool asking_ = false;                    ///< a dialog for a file is open
    /// Called if the user chooses no file; empty: nothing happens then.
    std::function<void()> noFileChosen_;
    std::string lastFolder_;
    CardiacMarks keptMarks_; ///< marks of the open sequence in the settings
    bool mayClose_ = false;  ///< unsaved work is saved
    std::vector<std::weak_ptr<const FrameResult>> savedMotions_;
    FileHash hash_;
    std::vector<std::future<void>> saves_; ///< last: they use what is above
};

} // namespace systole
