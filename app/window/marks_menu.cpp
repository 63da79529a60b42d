// End diastole and end systole in the Playback menu: marking a frame, and going back to it.
#include "app/window/window.h"

#include <QMenu>
#include <QStatusBar>

namespace systole {
namespace {

constexpr int hintMilliseconds = 4000;

} // namespace

void Window::addMarkActions(QMenu* menu) {
    const auto addMark = [&](const QString& text, Qt::Key key,
                             std::optional<int> CardiacMarks::*mark) {
        addAction(menu, text, {key}, [this, mark] {
            const int frame = session_.playback.frame();
            std::optional<int>& marked = session_.marks.*mark;
            if (session_.opened)
                marked = marked == frame ? std::nullopt : std::optional<int>(frame);
            tick();
        });
    };
    addMark(QStringLiteral("Mark end &diastole here"), Qt::Key_D, &CardiacMarks::endDiastole);
    addMark(QStringLiteral("Mark end s&ystole here"), Qt::Key_E, &CardiacMarks::endSystole);
    const auto addJump = [&](const QString& text, Qt::Key key,
                             std::optional<int> CardiacMarks::*mark, const QString& hint) {
        addAction(menu, text, {QKeySequence(Qt::SHIFT | key)}, [this, mark, hint] {
            if (const std::optional<int> marked = session_.marks.*mark)
                session_.playback.seek(*marked);
            else
                statusBar()->showMessage(hint, hintMilliseconds);
            tick();
        });
    };
    addJump(QStringLiteral("Go to end diastole"), Qt::Key_D, &CardiacMarks::endDiastole,
            QStringLiteral("End diastole isn't marked yet; D marks the frame shown"));
    addJump(QStringLiteral("Go to end systole"), Qt::Key_E, &CardiacMarks::endSystole,
            QStringLiteral("End systole isn't marked yet; E marks the frame shown"));
}

} // namespace systole
