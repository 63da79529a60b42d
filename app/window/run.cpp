#include "app/window/run.h"

#include "app/base/assets.h"
#include "app/base/error.h"
#include "app/base/lessons.h"
#include "app/feature/tools.h"
#include "app/window/display_log.h"
#include "app/window/window.h"
#include "app/window/work_keeper.h"
#include "io/base/error.h"
#include "io/formats/writer.h"
#include "render/base/error.h"
#include "render/gl/room_to_draw.h"

#include <QApplication>
#include <QOpenGLContext>
#include <QPalette>
#include <QStyleFactory>
#include <QSurfaceFormat>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <stdexcept>
#include <utility>

namespace systole {
namespace {

/// A connection to the display; null when it can't be reached. Checked first, because Qt would end
/// the whole program.
std::shared_ptr<void> connectToDisplay() {
    const std::shared_ptr<void> library(dlopen("libxcb.so.1", RTLD_NOW), [](void* handle) {
        if (handle)
            dlclose(handle);
    });
    if (!library)
        throw std::runtime_error("the viewer needs the library libxcb.so.1, which isn't installed");
    const auto connect =
        reinterpret_cast<void* (*)(const char*, int*)>(dlsym(library.get(), "xcb_connect"));
    const auto hasError =
        reinterpret_cast<int (*)(void*)>(dlsym(library.get(), "xcb_connection_has_error"));
    const auto disconnect =
        reinterpret_cast<void (*)(void*)>(dlsym(library.get(), "xcb_disconnect"));
    if (!connect || !hasError || !disconnect)
        throw std::runtime_error("the viewer can't use the library libxcb.so.1 of this system");
    std::shared_ptr<void> connection(connect(nullptr, nullptr),
                                     [library, disconnect](void* open) { disconnect(open); });
    return hasError(connection.get()) == 0 ? connection : nullptr;
}

/// VTK needs X11 with GLX; on Wayland that is XWayland.
std::shared_ptr<void> preparePlatform() {
    if (const char* chosen = std::getenv("QT_QPA_PLATFORM")) {
        if (std::string(chosen).rfind("xcb", 0) != 0)
            throw std::runtime_error("the viewer needs X11 (QT_QPA_PLATFORM is '" +
                                     std::string(chosen) + "' instead of 'xcb')");
    } else {
        setenv("QT_QPA_PLATFORM", "xcb", 0);
    }
    setenv("QT_XCB_GL_INTEGRATION", "xcb_glx", 0);
    const char* display = std::getenv("DISPLAY");
    if (!display || !*display)
        throw std::runtime_error("the viewer needs a display and the environment variable DISPLAY "
                                 "isn't set; 'systole snapshot' draws without one");
    std::shared_ptr<void> connection = connectToDisplay();
    if (!connection)
        throw std::runtime_error("the viewer can't reach the display '" + std::string(display) +
                                 "'; 'systole snapshot' draws without one");
    return connection;
}

QSurfaceFormat surfaceFormat() {
    QSurfaceFormat format;
    format.setVersion(4, 5);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    format.setStencilBufferSize(8);
    // Samples stay 0: the scene multisamples in its own framebuffer.
    return format;
}

QPalette darkPalette() {
    QPalette palette;
    const QColor window(38, 40, 45), base(28, 29, 33), text(222, 224, 228), dim(130, 133, 140);
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, window);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::Button, QColor(50, 53, 60));
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, QColor(255, 120, 100));
    palette.setColor(QPalette::ToolTipBase, QColor(50, 53, 60));
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::PlaceholderText, dim);
    palette.setColor(QPalette::Highlight, QColor(74, 144, 217));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor(122, 184, 245));
    palette.setColor(QPalette::Light, QColor(96, 100, 110));
    palette.setColor(QPalette::Mid, QColor(66, 70, 78));
    palette.setColor(QPalette::Dark, QColor(22, 23, 26));
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, dim);
    return palette;
}

constexpr double estimationRetrySeconds = 0.05; ///< interval between two looks at an estimation

Loader::Begun beginLoading(const ViewerOptions& options) {
    std::vector<std::string> files = options.files;
    if (files.empty())
        files.push_back(assetPath(demoSequenceName).string());
    return Loader::begin(std::move(files),
                         {.frameTimeMilliseconds = options.frameTimeMilliseconds});
}

/// Applies the options to the window, and ends an unattended run.
class Run {
public:
    Run(Window& window, const ViewerOptions& options) : window_(window), options_(options) {
        window_.onOpened = [this](const std::string& error) { opened(error); };
        window_.onDrawingFailed = [this](const std::string& error) {
            if (options_.unattended())
                end(std::make_exception_ptr(RenderError(error)));
        };
        window_.onScenePainted = [this](RateMeter::Clock::time_point now) {
            log_.painted(now, window_.session());
            if (!timer_.isActive() && options_.unattended())
                timer_.start(static_cast<int>(1000 * options_.quitAfterSeconds.value_or(3)));
        };
        timer_.setSingleShot(true);
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { finish(); });
    }

    ~Run() {
        // The window outlives this.
        window_.onOpened = {};
        window_.onDrawingFailed = {};
        window_.onScenePainted = {};
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void begin(Loader::Begun begun) {
        Session& session = window_.session();
        session.motion.keepEstimating = options_.keepEstimating;
        if (options_.prepare)
            options_.prepare(session, window_.tools());
        if (!options_.openPanels.empty())
            openPanels(window_.panels(), options_.openPanels);
        if (options_.width > 0 && options_.height > 0) {
            window_.setWindowState(Qt::WindowNoState); // it may have been maximized
            window_.resize(options_.width, options_.height);
        }
        window_.show();
        if (!options_.files.empty())
            window_.recent().rememberFolderOf(options_.files.front());
        window_.open(std::move(begun), options_.frameTimeMilliseconds);
        if (options_.lesson > 0) {
            window_.lessons().show(options_.lesson);
            window_.lessons().run(lesson(options_.lesson));
        }
    }

    void writeReport() {
        options_.write(options_.report, [&](const std::string& path) {
            writeTextAtomically(path, log_.report(window_.session(), window_.width(),
                                                  window_.height(), window_.devicePixelRatioF()));
        });
    }

    /// Error of an unattended run; null: none.
    std::exception_ptr failure() const { return failure_; }

private:
    void opened(const std::string& error) {
        if (!error.empty()) {
            if (options_.unattended())
                end(std::make_exception_ptr(FileError(error)));
            return;
        }
        Playback& playback = window_.session().playback;
        if (std::exchange(begun_, true))
            return;
        if (options_.frame) {
            if (*options_.frame >= playback.frames())
                return end(std::make_exception_ptr(
                    UsageError("--frame: there is no frame " + std::to_string(*options_.frame) +
                               ", only 0 to " + std::to_string(playback.frames() - 1))));
            playback.seek(*options_.frame);
        }
        if (options_.prepareViews)
            options_.prepareViews(window_.session(), window_.scene());
        const bool held = std::ranges::any_of(
            window_.tools(), [](const auto& tool) { return tool->holdsPlayback(); });
        try {
            startChosen(window_.tools(), options_.openPanels);
        } catch (const std::exception& failed) {
            if (options_.unattended())
                return end(std::current_exception());
            window_.session().message = failed.what();
        }
        const bool play = options_.play.value_or(!options_.frame && !held);
        play ? playback.play() : playback.pause();
    }

    /// True while what a screenshot or report is to show isn't estimated yet.
    bool awaitsEstimation() const {
        const Session& session = window_.session();
        if (!window_.tools().failure().empty())
            return false;
        if (window_.tools().unfinished())
            return true;
        const bool both = sideBySide(session);
        const bool failed =
            !session.estimation.message.empty() || !session.right.estimation.message.empty();
        if (failed || !session.motion.enabled || session.opened->sequence.frames < 2)
            return false;
        if (!session.inPlace.empty())
            return false;
        const bool paused = !session.playback.playing();
        if (paused && isReference(session.motion, session.shownFrame))
            return false;
        if (!session.result || session.timing.empty() ||
            (paused && awaitsWindow(session.motion, *session.result)))
            return true;
        const bool right = sidesCompare(session)
                               ? session.right.comparison != nullptr
                               : session.right.result != nullptr ||
                                     isReference(session.compared, session.shownFrame);
        return both && (!right || session.right.timing.empty());
    }

    /// The window of the shown frame isn't complete yet.
    bool awaitsWindow(const MotionChoice& choice, const FrameResult& result) const {
        return choice.window > 0 &&
               (result.window == 0 || result.pictureFrame() != window_.session().shownFrame);
    }

    void finish() {
        if (awaitsEstimation())
            return timer_.start(static_cast<int>(1000 * estimationRetrySeconds));
        try {
            if (const std::string failure = window_.tools().failure(); !failure.empty())
                throw std::runtime_error(failure);
            options_.write(options_.screenshot, [&](const std::string& path) {
                window_.pictures().saveScreenshot(path);
            });
            end(nullptr);
        } catch (const std::exception&) {
            end(std::current_exception());
        }
    }

    void end(std::exception_ptr failure) {
        failure_ = std::move(failure);
        // Queued: a file may fail to open before the event loop has started.
        QMetaObject::invokeMethod(qApp, &QCoreApplication::quit, Qt::QueuedConnection);
    }

    Window& window_;
    const ViewerOptions& options_;
    DisplayLog log_;
    QTimer timer_;
    std::exception_ptr failure_;
    bool begun_ = false;
};

} // namespace

std::shared_ptr<void> prepareApplication() {
    // Qt gives an OpenGL view and its bars too little space if the factor is below 1: they stay
    // empty.
    constexpr const char* factorName = "QT_SCALE_FACTOR";
    bool isNumber = false;
    const double factor = qEnvironmentVariable(factorName).toDouble(&isNumber);
    if (isNumber && factor < 1)
        qunsetenv(factorName);
    std::shared_ptr<void> connection = preparePlatform();
    QSurfaceFormat::setDefaultFormat(surfaceFormat());
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    return connection;
}

int runViewer(const ViewerOptions& options) {
    requireRoomToDraw();
    std::shared_ptr<void> connection = prepareApplication();
    // While Qt and OpenGL start.
    Loader::Begun begun = beginLoading(options);
    QCoreApplication::setOrganizationName(QStringLiteral("systole"));
    QCoreApplication::setApplicationName(QStringLiteral("systole"));
    int argc = 1;
    char programName[] = "systole";
    char* argv[] = {programName, nullptr};
    QApplication application(argc, argv);
    connection.reset();
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setPalette(darkPalette());
    if (!QOpenGLContext().create())
        throw RenderError(
            "OpenGL is unavailable on this display; 'systole doctor' reports details");
    if (!options.files.empty())
        begun.header.get(); // throws here if it can't be opened: no empty window

    WindowOptions windowOptions;
    windowOptions.remember = !options.unattended();
    windowOptions.upload = options.upload;
    windowOptions.recovered = options.unattended() ? "" : recoveryFolder();
    Window window(windowOptions);
    Run run(window, options);
    run.begin(std::move(begun));
    const WorkKeeper keeper(window, windowOptions.recovered);
    const int code = QApplication::exec();
    if (run.failure())
        std::rethrow_exception(run.failure());
    run.writeReport();
    return code;
}

} // namespace systole
