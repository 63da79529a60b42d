#include "app/window/viewport.h"

#include "render/view_plane.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QOpenGLContext>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::optional<EditKey> editKey(int key) {
    static constexpr std::pair<int, EditKey> keys[] = {
        {Qt::Key_Left, EditKey::Left},
        {Qt::Key_Right, EditKey::Right},
        {Qt::Key_Home, EditKey::Home},
        {Qt::Key_End, EditKey::End},
        {Qt::Key_Backspace, EditKey::Backspace},
        {Qt::Key_Delete, EditKey::Delete},
        {Qt::Key_Return, EditKey::Enter},
        {Qt::Key_Enter, EditKey::Enter},
        {Qt::Key_Escape, EditKey::Escape},
        {Qt::Key_Tab, EditKey::Tab},
        {Qt::Key_A, EditKey::A},
        {Qt::Key_C, EditKey::C},
        {Qt::Key_V, EditKey::V},
        {Qt::Key_X, EditKey::X},
        {Qt::Key_Y, EditKey::Y},
        {Qt::Key_Z, EditKey::Z},
    };
    for (const auto& [qtKey, ours] : keys)
        if (qtKey == key)
            return ours;
    return std::nullopt;
}

PointerButton sceneButton(Qt::MouseButton button) {
    switch (button) {
    case Qt::LeftButton:
        return PointerButton::Left;
    case Qt::MiddleButton:
        return PointerButton::Middle;
    case Qt::RightButton:
        return PointerButton::Right;
    default:
        return PointerButton::None;
    }
}

int panelButton(Qt::MouseButton button) {
    return button == Qt::RightButton ? 1 : button == Qt::MiddleButton ? 2 : 0;
}

} // namespace

Viewport::Viewport(Session& session, Tools& tools, Scene& scene, ImGuiLayer& panels, Hooks hooks,
                   QWidget* parent)
    : QOpenGLWidget(parent)
    , session_(session)
    , tools_(tools)
    , scene_(scene)
    , panels_(panels)
    , hooks_(std::move(hooks)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(320, 200);
    // The picture is kept between paints: painting only the panels needs no volume rendering.
    setUpdateBehavior(QOpenGLWidget::PartialUpdate);
    sincePaint_.start();
    // `resized` is emitted after the framebuffer was recreated, also when the pixel ratio changes.
    connect(this, &QOpenGLWidget::resized, this, &Viewport::arrange);
    connect(this, &QOpenGLWidget::frameSwapped, this,
            [this] { hooks_.painted(std::exchange(sceneDrawn_, false)); });
}

Viewport::~Viewport() {
    release();
    // The base class destroys the context; its signal must not reach this destroyed part.
    if (context())
        disconnect(context(), nullptr, this, nullptr);
}

void Viewport::release() {
    if (!isValid())
        return;
    makeCurrent();
    scene_.release();
    panels_.release();
    doneCurrent();
    drawScene_ = true;
}

int Viewport::sceneWidth() const { return std::max(1, width() - panels_.occupiedWidth()); }
int Viewport::sceneHeight() const {
    return std::max(1, height() - panels_.occupiedHeight(height()));
}

void Viewport::arrange() {
    arrangedWidth_ = sceneWidth();
    arrangedHeight_ = sceneHeight();
    scene_.resize(arrangedWidth_, arrangedHeight_, devicePixelRatioF());
    drawScene_ = true;
    update();
}

void Viewport::feedPanels() {
    update();
    hooks_.touched();
}

/// Lets the panels take the queued input: they decide who gets the next key or press.
void Viewport::settlePanels() {
    if (panels_.settle(session_))
        feedPanels();
}

bool Viewport::event(QEvent* event) {
    const auto taken = [event] {
        event->accept();
        return true;
    };
    switch (event->type()) {
    case QEvent::MouseMove:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseButtonRelease:
        if (mouseEvent(*static_cast<QMouseEvent*>(event)))
            return taken();
        break;
    case QEvent::Wheel: {
        const auto& wheel = *static_cast<QWheelEvent*>(event);
        if (wheelEvent(wheel, overPanels(wheel.position().x(), wheel.position().y())))
            return taken();
        break;
    }
    case QEvent::Leave:
        panels_.pointerLeft();
        dropTool();
        if (panels_.wantsDraw())
            update();
        break;
    case QEvent::FocusOut:
        panels_.focusLost();
        update();
        break;
    case QEvent::ShortcutOverride:
        settlePanels();
        // A panel's text field takes keys that are otherwise shortcuts.
        if (panels_.wantsText() || panels_.listOpen())
            return taken();
        break;
    case QEvent::KeyPress:
    case QEvent::KeyRelease:
        if (keyEvent(*static_cast<QKeyEvent*>(event), event->type() == QEvent::KeyPress))
            return taken();
        break;
    default:
        break;
    }
    return QOpenGLWidget::event(event);
}

bool Viewport::overPanels(double x, double y) const {
    return panels_.wantsPointer() || x >= sceneWidth() || y >= sceneHeight();
}

bool Viewport::mouseEvent(const QMouseEvent& event) {
    const double x = event.position().x(), y = event.position().y();
    const bool shift = event.modifiers().testFlag(Qt::ShiftModifier);
    const bool move = event.type() == QEvent::MouseMove;
    const bool release = event.type() == QEvent::MouseButtonRelease;

    panels_.modifiers(event.modifiers().testFlag(Qt::ControlModifier), shift);
    const bool held = dragging_ || toolView_.has_value();
    if (!held)
        panels_.pointerMoved(x, y);
    if (!move && !release && !held)
        settlePanels();
    // A drag that began in the scene stays with the scene.
    const bool panels = !held && overPanels(x, y);
    // The panels get every release, or one of their drags that ends over the scene would never end;
    // and a press outside that ends a text field's edit.
    if (!move && (panels || release || panels_.wantsText()))
        panels_.button(panelButton(event.button()), !release);
    if (panels_.wantsDraw())
        feedPanels();
    if (panels) {
        dropTool();
        hooks_.hovered(-1, -1); // nothing of the scene
        if (release)            // a click acts at once
            settlePanels();
        return true;
    }
    if (toolEvent(event))
        return true;

    bool used = false;
    if (move) {
        used = scene_.pointerMoved(x, y, shift);
        hooks_.hovered(x, y);
        if (const auto view = scene_.viewAt(x, y); view && *view != ViewKind::Volume3D)
            lastSliceView_ = *view;
    } else if (release) {
        used = scene_.pointerReleased(sceneButton(event.button()), x, y);
        if (dragging_ && event.buttons() == Qt::NoButton) {
            dragging_ = false;
            hooks_.turning(false);
            used = true; // now draw in full quality
        }
    } else {
        used = scene_.pointerPressed(sceneButton(event.button()), x, y, shift);
        if (used && !dragging_) {
            dragging_ = true;
            hooks_.turning(true);
        }
    }
    if (used)
        hooks_.touched();
    return used;
}

/// The left button on a slice belongs to the tool in the user's hand; everything else stays as it
/// is.
bool Viewport::toolEvent(const QMouseEvent& event) {
    using Event = SlicePointer::Event;
    // A stroke ends with the tool that it began with.
    Tool* const tool = toolView_ ? pressedTool_ : tools_.pointerHolder();
    if (!tool)
        return false;
    const std::optional<Probe> at = scene_.probe(event.position().x(), event.position().y());
    const auto tell = [&](Event kind) {
        const bool somewhere = at && kind != Event::Leave && kind != Event::Release;
        tool->pointer(somewhere ? SlicePointer{kind, at->position, viewPlane(at->view).axis}
                                : SlicePointer{.event = kind});
        hooks_.touched();
    };
    if (event.type() == QEvent::MouseMove) {
        if (dragging_)
            return false;
        toolOver_ = at && (toolView_ ? at->view == *toolView_ : at->inside);
        toolOver_ ? setCursor(Qt::CrossCursor) : unsetCursor();
        if (toolView_)
            hooks_.hovered(event.position().x(), event.position().y());
        tell(!toolOver_ ? Event::Leave : toolView_ ? Event::Drag : Event::Move);
        return toolView_.has_value();
    }
    if (event.button() != Qt::LeftButton || dragging_)
        return toolView_.has_value(); // no other drag begins within a stroke
    if (event.type() == QEvent::MouseButtonRelease) {
        if (!toolView_)
            return false;
        toolView_.reset();
        hooks_.turning(false);
        tell(Event::Release);
    } else {
        if (!at || event.modifiers().testFlag(Qt::ShiftModifier))
            return false;
        if (!at->inside) // the border around the image holds nothing to place or to paint on
            return true;
        toolView_ = at->view;
        pressedTool_ = tool;
        hooks_.turning(true); // the contour is to follow the pointer
        tell(Event::Press);
    }
    return true;
}

/// The pointer has left the slices.
void Viewport::dropTool() {
    if (!std::exchange(toolOver_, false))
        return;
    if (Tool* const tool = tools_.pointerHolder())
        tool->pointer({.event = SlicePointer::Event::Leave});
    unsetCursor();
    hooks_.touched();
}

bool Viewport::wheelEvent(const QWheelEvent& event, bool overPanels) {
    const QPoint angle = event.angleDelta();
    if (overPanels) {
        panels_.wheel(angle.x() / 120.0, angle.y() / 120.0);
        feedPanels();
        return true;
    }
    if (scene_.wheel(angle.y() / 120.0, event.position().x(), event.position().y()))
        hooks_.touched();
    return true;
}

bool Viewport::keyEvent(const QKeyEvent& event, bool down) {
    const bool text = panels_.wantsText();
    // Ctrl+click turns a slider into a text field; the modifier must be released before typing.
    const auto held = [&](Qt::Key key, Qt::KeyboardModifier modifier) {
        return event.key() == key ? down : event.modifiers().testFlag(modifier);
    };
    panels_.modifiers(held(Qt::Key_Control, Qt::ControlModifier),
                      held(Qt::Key_Shift, Qt::ShiftModifier));
    if (const auto key = editKey(event.key()); key && (text || !down))
        panels_.key(*key, down);
    if (!text && down && event.key() == Qt::Key_Escape && panels_.listOpen()) {
        panels_.closeLists();
        feedPanels();
        return true;
    }
    if (!text && down && event.key() == Qt::Key_Escape && !toolView_)
        if (Tool* const tool = tools_.pointerHolder()) {
            dropTool();
            tool->dropPointer();
            feedPanels();
            return true;
        }
    if (!text)
        return false;
    if (down && !event.text().isEmpty() && event.text().at(0).isPrint())
        panels_.characters(event.text().toStdString());
    feedPanels();
    return true;
}

} // namespace systole
