// The Playback menu: frames, speed, marks, estimation.
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QMenu>

#include <optional>

namespace systole {

void Menus::buildPlayback() {
    QMenu* menu = addMenu(QStringLiteral("&Playback"));
    const auto lacking = [this] { return lacksFrames(); };
    const auto addStep = [&](const QString& text, const QList<QKeySequence>& keys,
                             std::function<void(Playback&)> step) {
        add(menu, {.text = text,
                   .keys = keys,
                   .act =
                       [this, step = std::move(step)] {
                           step(window_.session().playback);
                           window_.refresh();
                       },
                   .whyNot = lacking});
    };
    add(menu, {.text = QStringLiteral("&Play or pause"),
               .keys = {QKeySequence(Qt::Key_Space)},
               .act = [this] { window_.togglePlay(); },
               .whyNot = lacking});
    addStep(QStringLiteral("&Next frame"), {Qt::Key_Period, Qt::Key_Right},
            [](Playback& playback) { playback.step(1); });
    addStep(QStringLiteral("Pre&vious frame"), {Qt::Key_Comma, Qt::Key_Left},
            [](Playback& playback) { playback.step(-1); });
    addStep(QStringLiteral("&First frame"), {Qt::Key_Home},
            [](Playback& playback) { playback.seek(0); });
    addStep(QStringLiteral("&Last frame"), {Qt::Key_End},
            [](Playback& playback) { playback.seek(playback.frames() - 1); });
    addStep(QStringLiteral("&Slower"), {Qt::Key_Minus},
            [](Playback& playback) { playback.setSpeed(playback.speed() / 1.25); });
    addStep(QStringLiteral("Fas&ter"), {Qt::Key_Plus},
            [](Playback& playback) { playback.setSpeed(playback.speed() * 1.25); });
    menu->addSeparator();
    addMarks(menu);
    menu->addSeparator();
    addEstimation(menu);
}

void Menus::addMarks(QMenu* menu) {
    const auto addMark = [&](const QString& text, Qt::Key key,
                             std::optional<int> CardiacMarks::*mark) {
        add(menu, {.text = text,
                   .keys = {QKeySequence(key)},
                   .act =
                       [this, mark] {
                           Session& session = window_.session();
                           const int frame = session.playback.frame();
                           std::optional<int>& marked = session.marks.*mark;
                           marked = marked == frame ? std::nullopt : std::optional<int>(frame);
                           window_.refresh();
                       },
                   .on =
                       [this, mark] {
                           const Session& session = window_.session();
                           return session.opened && session.marks.*mark == session.playback.frame();
                       },
                   .whyNot = [this] { return lacksFrames(); }});
    };
    addMark(QStringLiteral("Mark end &diastole here"), Qt::Key_D, &CardiacMarks::endDiastole);
    addMark(QStringLiteral("Mark end s&ystole here"), Qt::Key_E, &CardiacMarks::endSystole);
    const auto addJump = [&](const QString& text, Qt::Key key,
                             std::optional<int> CardiacMarks::*mark, const char* lacking) {
        add(menu, {.text = text,
                   .keys = {QKeySequence(Qt::SHIFT | key)},
                   .act =
                       [this, mark] {
                           Session& session = window_.session();
                           if (const std::optional<int> marked = session.marks.*mark)
                               session.playback.seek(*marked);
                           window_.refresh();
                       },
                   .whyNot =
                       [this, mark, lacking] {
                           return window_.session().marks.*mark ? lacksFrames()
                                                                : std::string(lacking);
                       }});
    };
    addJump(QStringLiteral("Go to end diastole"), Qt::Key_D, &CardiacMarks::endDiastole,
            "D marks it first");
    addJump(QStringLiteral("Go to end systole"), Qt::Key_E, &CardiacMarks::endSystole,
            "E marks it first");
}

void Menus::addEstimation(QMenu* menu) {
    const auto addSwitch = [&](const QString& text, const QList<QKeySequence>& keys,
                               bool MotionChoice::*option) {
        add(menu, {.text = text,
                   .keys = keys,
                   .act =
                       [this, option] {
                           bool& on = window_.session().motion.*option;
                           on = !on;
                           window_.refresh();
                       },
                   .on = [this, option] { return window_.session().motion.*option; }});
    };
    addSwitch(QStringLiteral("Estimate &motion"), {Qt::Key_M}, &MotionChoice::enabled);
    addSwitch(QStringLiteral("Estimate finished pairs &again while playing"), {},
              &MotionChoice::keepEstimating);
    add(menu, {.text = QStringLiteral("Estimate the &whole cycle"),
               .keys = {QKeySequence(Qt::CTRL | Qt::Key_E)},
               .act =
                   [this] {
                       bool& wanted = window_.session().cycle.wanted;
                       wanted = !wanted;
                       window_.refresh();
                   },
               .whyNot = [this] { return whyNoCycle(window_.session()); },
               .textNow =
                   [this] {
                       return window_.session().cycle.wanted
                                  ? QStringLiteral("Cancel estimating the &whole cycle")
                                  : QStringLiteral("Estimate the &whole cycle");
                   }});
    add(menu, {.text = QStringLiteral("V&olume change from noise alone"),
               .act = [this] { window_.showBias(); },
               .whyNot = [this] { return whyNoBias(window_.session()); }});
}

} // namespace systole
