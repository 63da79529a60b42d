// Size and place of a window on its screen, such that title, close button and lower edge are
// visible.
#pragma once

#include <QMargins>
#include <QRect>
#include <QSize>

class QWidget;

namespace systole {

/// Usual size of the frame that window managers draw around a window, logical pixels; used while
/// the frame of a window is unknown, as it is until the window is shown.
inline constexpr int titleBarHeight = 40, windowBorder = 4;
inline constexpr QMargins usualFrame{windowBorder, titleBarHeight, windowBorder, windowBorder};

/// Frame that the window manager has drawn around this window; the usual one if the window has no
/// title, as in full screen.
QMargins frameOf(const QWidget& window);

/// The place of a window without its frame nearest to `wanted`, so that the frame, too, lies in
/// `available`: moved first, then made smaller.
QRect placeOnScreen(const QRect& wanted, const QRect& available,
                    const QMargins& frame = usualFrame);

/// The size of a window nearest to `wanted` that fits the screen of `widget` with its frame.
QSize sizeOnScreen(QSize wanted, const QWidget& widget);

/// Puts a window that isn't maximized where placeOnScreen() says, on the screen that has most of
/// it, or else on the primary one; one that nobody has moved yet gets that size alone, and the
/// window manager places it.
void fitToScreen(QWidget& window, const QMargins& frame = usualFrame);

} // namespace systole
