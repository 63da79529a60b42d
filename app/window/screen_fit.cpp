#include "app/window/screen_fit.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>

#include <algorithm>

namespace systole {
namespace {

qint64 sharedArea(const QRect& a, const QRect& b) {
    const QRect shared = a & b;
    return shared.isEmpty() ? 0 : qint64{shared.width()} * shared.height();
}

} // namespace

QMargins frameOf(const QWidget& window) {
    const QRect inner = window.geometry(), outer = window.frameGeometry();
    const QMargins frame(inner.left() - outer.left(), inner.top() - outer.top(),
                         outer.right() - inner.right(), outer.bottom() - inner.bottom());
    return frame.top() > 0 ? frame : usualFrame;
}

QRect placeOnScreen(const QRect& wanted, const QRect& available, const QMargins& frame) {
    const QRect room = available.marginsRemoved(frame);
    if (!room.isValid())
        return wanted;
    const QSize size = wanted.size().expandedTo({1, 1}).boundedTo(room.size());
    const int x = std::clamp(wanted.x(), room.x(), room.x() + room.width() - size.width());
    const int y = std::clamp(wanted.y(), room.y(), room.y() + room.height() - size.height());
    return {QPoint(x, y), size};
}

QSize sizeOnScreen(QSize wanted, const QWidget& widget) {
    const QScreen* const screen = widget.screen();
    return screen ? placeOnScreen({QPoint(0, 0), wanted}, screen->availableGeometry()).size()
                  : wanted;
}

void fitToScreen(QWidget& window, const QMargins& frame) {
    const QScreen* best = QGuiApplication::primaryScreen();
    if (!best || window.isMaximized() || window.isFullScreen())
        return;
    const QRect now = window.geometry();
    for (const QScreen* screen : QGuiApplication::screens())
        if (sharedArea(now, screen->geometry()) > sharedArea(now, best->geometry()))
            best = screen;
    const QRect place = placeOnScreen(now, best->availableGeometry(), frame);
    window.testAttribute(Qt::WA_Moved) ? window.setGeometry(place) : window.resize(place.size());
}

} // namespace systole
