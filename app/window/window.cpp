#include "app/window/window.h"

#include "app/session/resets.h"
#include "app/window/key_sheet.h"
#include "app/window/messages_window.h"
#include "app/window/screen_fit.h"
#include "app/window/tooltips_above.h"
#include "io/base/error.h"

#include <QCloseEvent>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>
#include <QVBoxLayout>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
namespace {

/// Says why the files can't be opened, as far as their headers show it; empty: they can.
std::string whyUnreadable(const std::vector<std::string>& paths) {
    try {
        openSequence(paths, {.acceptUnknown = true});
        return "";
    } catch (const FileError& error) {
        return error.what();
    }
}

constexpr double loadingTickSeconds = 0.1;

QString titleOf(const Session& session) {
    if (!session.opened)
        return QStringLiteral("Systole");
    return QStringLiteral("%1 – Systole")
        .arg(QString::fromStdString(session.opened->sequence.title()));
}

} // namespace

Window::Window(const WindowOptions& options)
    : options_(options)
    , tools_(session_)
    , panels_(makePanels(tools_))
    , layer_(panels_)
    , scene_({.upload = options.upload, .slicesFirst = true})
    , live_(session_, tools_, scene_, [this] { tickFromAnyThread(); }) {
    tools_.setHost(*this);
    layer_.copy = [this](const std::string& text) { copy(text); };
    build();
    if (options_.remember)
        recallView();
    else
        fitToScreen(*this);
}

Window::~Window() {
    // The widget that has the keyboard ends its edit now. Child widgets use the members, so they
    // are deleted first, beginning with the views, which release the scene's OpenGL objects.
    if (QWidget* const edited = focusWidget())
        edited->clearFocus();
    delete keySheet_;
    delete messagesWindow_;
    lessons_.reset();
    manual_.reset();
    menus_.reset();
    delete viewport_;
    viewport_ = nullptr;
    delete takeCentralWidget();
}

void Window::build() {
    setWindowTitle(titleOf(session_));
    setAcceptDrops(true);
    resize(1400, 900);
    setMinimumSize(640, 360); // long status texts must not widen the window

    auto* central = new QWidget(this);
    auto* column = new QVBoxLayout(central);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    messages_ = new MessageBar(
        Severity::Error, [this] { showMessages(); }, central);
    fileNotes_ = new MessageBar(
        Severity::Warning, [this] { showMessages(); }, central);
    loadingBar_ = new LoadingBar(
        [this] {
            live_.cancelLoading();
            tick();
        },
        central);
    viewport_ = new Viewport(session_, tools_, scene_, layer_, viewportHooks(), central);
    transport_ = new TransportBar(transportHooks(), central);
    column->addWidget(messages_);
    column->addWidget(fileNotes_);
    column->addWidget(loadingBar_);
    column->addWidget(viewport_, 1);
    column->addWidget(transport_);
    setCentralWidget(central);
    viewport_->setFocus();

    status_ = std::make_unique<StatusLine>(
        statusBar(), StatusLine::Links{.setFrameTime = [this] { askFrameTime(); },
                                       .chooseModality = [this] { menus_->chooseModality(); }});
    menus_ = std::make_unique<Menus>(*this);
    notice_ = new Notice([this](const std::string& path) { showInFolder(path); }, menuBar());
    new TooltipsAbove({transport_, statusBar()}, this);
    history_.clear(userState(session_, tools_, scene_));

    tickTimer_.setSingleShot(true);
    tickTimer_.setTimerType(Qt::PreciseTimer);
    connect(&tickTimer_, &QTimer::timeout, this, [this] { tick(); });
    sinceTick_.start();
    tick();
}

Viewport::Hooks Window::viewportHooks() {
    Viewport::Hooks hooks;
    hooks.painted = [this](bool sceneDrawn) { painted(sceneDrawn); };
    hooks.touched = [this] { tick(); };
    hooks.turning = [this](bool turning) {
        live_.setTurning(turning);
        tick();
    };
    hooks.failed = [this](const std::string& sentence) {
        fail(sentence);
        if (onDrawingFailed)
            onDrawingFailed(sentence);
    };
    hooks.hovered = [this](double x, double y) { showProbe(x, y); };
    hooks.waiting = [this] { return waitingFor(); };
    return hooks;
}

TransportBar::Hooks Window::transportHooks() {
    TransportBar::Hooks hooks;
    hooks.togglePlay = [this] { togglePlay(); };
    hooks.seek = [this](int frame) {
        session_.playback.seek(frame);
        tick();
    };
    hooks.setSpeed = [this](double speed) { session_.playback.setSpeed(speed); };
    hooks.setOrder = [this](PlayOrder order) {
        session_.playback.setOrder(order);
        tick();
    };
    hooks.giveBackFocus = [this] {
        if (viewport_) // not while the window ends
            viewport_->setFocus();
    };
    return hooks;
}

void Window::open(const std::vector<std::string>& paths, double frameTimeMilliseconds,
                  std::optional<RecoveredWork> work) {
    const auto open = [this, paths, frameTimeMilliseconds, work = std::move(work)] {
        session_.message.clear();
        reopening_ = work;
        live_.open(paths, {.frameTimeMilliseconds = frameTimeMilliseconds});
        tick();
    };
    // Nobody is asked about what stays.
    if (const std::string why = unsaved().empty() ? "" : whyUnreadable(paths); !why.empty())
        return fail(why);
    if (mayLeave(open))
        open();
}

void Window::open(Loader::Begun begun, double frameTimeMilliseconds) {
    live_.open(std::move(begun), frameTimeMilliseconds);
    tick();
}

void Window::tickFromAnyThread() {
    if (!tickPosted_.exchange(true))
        QMetaObject::invokeMethod(
            this,
            [this] {
                tickPosted_ = false;
                tick();
            },
            Qt::QueuedConnection);
}

void Window::tick() {
    const double seconds = 1e-9 * static_cast<double>(sinceTick_.nsecsElapsed());
    sinceTick_.restart();
    const LiveView::Changes changes = live_.tick(seconds);
    if (changes.opened)
        opened();
    if (changes.failed)
        openFailed();
    keepMarks();
    followHistory(changes.opened);
    showLoading();
    transport_->show(session_);
    showStatus();
    menus_->follow();
    if (lessons_)
        lessons_->showAnswer(tools_);
    // The panels' figures change with every tick; painting only the panels is cheap.
    if (changes.picture || layer_.occupiesAny())
        viewport_->update();
    scheduleTick();
}

void Window::scheduleTick() {
    double seconds = live_.secondsToNextTick();
    if (live_.loading())
        seconds = std::min(seconds, loadingTickSeconds);
    if (std::isfinite(seconds))
        tickTimer_.start(static_cast<int>(std::ceil(1000 * std::clamp(seconds, 0.0, 10.0))));
    else
        tickTimer_.stop();
}

void Window::painted(bool sceneDrawn) {
    if (sceneDrawn) {
        const auto now = RateMeter::Clock::now();
        live_.painted(now);
        if (onScenePainted && session_.shownFrame >= 0)
            onScenePainted(now);
    }
    // Changes made by the panels while they were drawn take effect now.
    if (!tickTimer_.isActive() || live_.secondsToNextTick() <= 0)
        scheduleTick();
}

void Window::opened() {
    setWindowTitle(titleOf(session_));
    rememberFile(session_.opened->paths);
    recallMarks();
    reportFile();
    session_.playback.play();
    bringBack();
    sinceTick_.restart();
    if (onOpened)
        onOpened({});
}

void Window::openFailed() {
    if (onOpened)
        onOpened(session_.message);
}

void Window::showLoading() {
    if (live_.loading()) {
        const Loader::Progress progress = live_.loadingProgress();
        loadingBar_->show(progress.phase, progress.fraction > 0 ? progress.fraction : -1,
                          progress.secondsLeft);
    } else {
        loadingBar_->hide();
    }
}

/// Why there is no picture yet, for the views; empty: there is one, or nothing is being opened.
std::string Window::waitingFor() const {
    if (session_.opened)
        return session_.shownFrame < 0 ? "Reading the first frame …" : "";
    if (!live_.loading())
        return "";
    const Loader::Progress progress = live_.loadingProgress();
    return fmt::format("{} … {:.0f} %", progress.phase, 100 * progress.fraction);
}

void Window::showStatus() {
    followMessages();
    // Frame, slice and field change under a resting pointer.
    showProbe(probeAt_.first, probeAt_.second);
    status_->show(session_);
}

void Window::showProbe(double x, double y) {
    probeAt_ = {x, y};
    status_->showProbe(scene_.probe(x, y));
}

void Window::togglePlay() {
    session_.playback.toggle();
    sinceTick_.restart(); // the pause doesn't count as playback time
    tick();
}

void Window::stepSlice(int steps) {
    const DisplayOptions& display = session_.display;
    const bool sides = sideBySide(session_) && display.sideView != ViewKind::Volume3D;
    scene_.stepSlice(sides ? display.sideView : viewport_->lastSliceView(), steps);
    tick();
}

void Window::toggle(const DisplayRow& row) {
    row.set(session_.display, !row.isOn(session_.display));
    tick();
}

void Window::showColumn(bool shown) {
    layer_.columnShown = shown;
    viewport_->arrange();
}

void Window::setFullScreen(bool full) {
    setWindowState(windowState().setFlag(Qt::WindowFullScreen, full));
}

void Window::followHistory(bool otherSequence) {
    const UserState now = userState(session_, tools_, scene_);
    if (otherSequence)
        history_.clear(now);
    else
        history_.record(now);
}

void Window::undo() {
    if (history_.canUndo())
        restoreState(history_.undo());
}

void Window::redo() {
    if (history_.canRedo())
        restoreState(history_.redo());
}

void Window::restoreState(UserState state) {
    restore(session_, tools_, state);
    scene_.setCamera(state.camera);
    scene_.setCrosshair(state.crosshair);
    history_.adopt(userState(session_, tools_, scene_));
    tick();
}

void Window::reset(Resets what) {
    const bool all = what == Resets::All;
    static constexpr const char* names[] = {
        "reset of the views",   "reset of the display options", "reset of the motion parameters",
        "removal of the marks", "reset of the tools",           "reset of everything"};
    history_.nameNext(names[static_cast<std::size_t>(what)]);
    if (all || what == Resets::Views)
        scene_.resetCameras();
    if (all || what == Resets::Display)
        resetDisplay(session_);
    if (all || what == Resets::Parameters)
        resetParameters(session_);
    if (all || what == Resets::Marks)
        resetMarks(session_);
    if (all || what == Resets::Tools)
        tools_.reset();
    tick();
}

void Window::closeEvent(QCloseEvent* event) {
    const auto closeNow = [this] {
        mayClose_ = true;
        close();
    };
    if (!mayClose_ && !mayLeave(closeNow))
        return event->ignore();
    if (options_.remember)
        keepView();
    QMainWindow::closeEvent(event);
}

void Window::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (notice_)
        placeNotice();
}

} // namespace systole
