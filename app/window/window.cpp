#include "app/window/window.h"

#include "app/window/kept_view.h"
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
    , recent_(options.remember)
    , host_(links(), recent_)
    , tools_(session_)
    , panels_(makePanels(tools_))
    , layer_(panels_)
    , scene_({.upload = options.upload, .slicesFirst = true})
    , live_(session_, tools_, scene_, [this] { tickFromAnyThread(); })
    , edits_(session_, tools_, scene_, [this] { tick(); }) {
    tools_.setHost(host_);
    layer_.copy = [this](const std::string& text) { host_.copy(text); };
    build();
    if (options_.remember) {
        recallView(*this, session_.display, panels_, layer_.columnShown);
        edits_.clear();
    } else {
        fitToScreen(*this);
    }
}

Window::~Window() {
    // The widget that has the keyboard ends its edit now. Child widgets use the members, so they
    // are deleted first, beginning with the views, which release the scene's OpenGL objects.
    if (QWidget* const edited = focusWidget())
        edited->clearFocus();
    help_.reset();
    messages_->closeWindow();
    lessons_.reset();
    menus_.reset();
    delete viewport_;
    viewport_ = nullptr;
    delete takeCentralWidget();
    host_.finish(); // its work uses the members
}

WindowLinks Window::links() {
    return {.window = this,
            .tick = [this] { tick(); },
            .skipTime = [this] { sinceTick_.restart(); },
            .fail = [this](const std::string& sentence) { fail(sentence); },
            .report = [this](Message message) { messages_->report(std::move(message)); },
            .saved = [this](const std::string& what,
                            const std::string& path) { messages_->saved(what, path); }};
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
    messages_ = std::make_unique<Messages>(*this, session_, tools_, *column);
    loadingBar_ = new LoadingBar(
        [this] {
            live_.cancelLoading();
            tick();
        },
        central);
    viewport_ = new Viewport(session_, tools_, scene_, layer_, viewportHooks(), central);
    host_.attach(panels_, *viewport_);
    transport_ = new TransportBar(transportHooks(), central);
    column->addWidget(loadingBar_);
    column->addWidget(viewport_, 1);
    column->addWidget(transport_);
    setCentralWidget(central);
    viewport_->setFocus();

    status_ = std::make_unique<StatusLine>(
        statusBar(), StatusLine::Links{.setFrameTime = [this] { askFrameTime(); },
                                       .chooseModality = [this] { menus_->chooseModality(); }});
    menus_ = std::make_unique<Menus>(*this);
    help_ = std::make_unique<HelpWindows>(links(), [this] { return menus_->keyLines(); });
    lessons_ = std::make_unique<LessonRuns>(*this, tools_, layer_, *viewport_, [this] { tick(); });
    exports_ = std::make_unique<Exports>(host_, session_, scene_, panels_, live_);
    leaving_ = std::make_unique<LeavingCheck>(links(), host_, *exports_, session_, tools_,
                                              options_.remember);
    pictures_ = std::make_unique<Pictures>(
        links(), host_, Pictures::Source{session_, tools_, scene_, panels_, *viewport_}, *lessons_);
    messages_->addNotice();
    new TooltipsAbove({transport_, statusBar()}, this);
    edits_.clear();

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
    if (const std::string why = leaving_->unsaved().empty() ? "" : whyUnreadable(paths);
        !why.empty())
        return fail(why);
    if (leaving_->mayLeave(open))
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
    recent_.keepMarks(session_);
    edits_.follow(changes.opened);
    showLoading();
    transport_->show(session_);
    showStatus();
    menus_->follow();
    if (lessons_)
        lessons_->follow();
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
    recent_.remember(session_.opened->paths);
    recent_.recallMarks(session_);
    messages_->reportFile();
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
    messages_->follow();
    // Frame, slice and field change under a resting pointer.
    showProbe(probeAt_.first, probeAt_.second);
    status_->show(session_);
}

void Window::fail(const std::string& sentence) {
    session_.message = sentence;
    showStatus();
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

void Window::closeEvent(QCloseEvent* event) {
    const auto closeNow = [this] {
        mayClose_ = true;
        close();
    };
    if (!mayClose_ && !leaving_->mayLeave(closeNow))
        return event->ignore();
    if (options_.remember)
        keepView(*this, session_.display, panels_, layer_.columnShown);
    QMainWindow::closeEvent(event);
}

void Window::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (messages_)
        messages_->placeNotice();
}

} // namespace systole
