// The Playback menu: frames, speed, marks, estimation.
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QMenu>

#include <optional>

namespace systole {

void Menus::buildPlayback() {
    QMenu* menu = addMenu("&Playback");
    const auto lacking = [this] { return lacksFrames(); };
    const auto addStep = [&](const char* text, const char* keys, void (*step)(Playback&)) {
        add(menu, {text, keys, [this, step] { step(window_.session().playback); }, lacking});
    };
    add(menu, {"&Play or pause", "Space", [this] { window_.togglePlay(); }, lacking});
    addStep("&Next frame", ".; Right", [](Playback& playback) { playback.step(1); });
    addStep("Pre&vious frame", ",; Left", [](Playback& playback) { playback.step(-1); });
    addStep("&First frame", "Home", [](Playback& playback) { playback.seek(0); });
    addStep("&Last frame", "End", [](Playback& playback) { playback.seek(playback.frames() - 1); });
    addStep("&Slower", "-", [](Playback& playback) { playback.setSpeed(playback.speed() / 1.25); });
    addStep("Fas&ter", "+", [](Playback& playback) { playback.setSpeed(playback.speed() * 1.25); });
    menu->addSeparator();
    addMarks(menu);
    menu->addSeparator();
    addEstimation(menu);
}

void Menus::addMarks(QMenu* menu) {
    using Mark = std::optional<int> CardiacMarks::*;
    const auto isHere = [this](Mark mark) {
        const Session& session = window_.session();
        return session.opened && session.marks.*mark == session.playback.frame();
    };
    const auto addMark = [&](const char* text, const char* key, Mark mark) {
        const auto set = [=, this] {
            Session& session = window_.session();
            session.marks.*mark =
                isHere(mark) ? std::nullopt : std::optional<int>(session.playback.frame());
        };
        add(menu, {text, key, set, [this] { return lacksFrames(); }, [=] { return isHere(mark); }});
    };
    addMark("Mark end &diastole here", "D", &CardiacMarks::endDiastole);
    addMark("Mark end s&ystole here", "E", &CardiacMarks::endSystole);
    const auto addJump = [&](const char* text, const char* key, Mark mark, const char* lacking) {
        const auto jump = [=, this] {
            if (const std::optional<int> marked = window_.session().marks.*mark)
                window_.session().playback.seek(*marked);
        };
        add(menu, {text, key, jump,
                   [=, this] { return window_.session().marks.*mark ? lacksFrames() : lacking; }});
    };
    addJump("Go to end diastole", "Shift+D", &CardiacMarks::endDiastole, "D marks it first");
    addJump("Go to end systole", "Shift+E", &CardiacMarks::endSystole, "E marks it first");
}

void Menus::addEstimation(QMenu* menu) {
    const auto addSwitch = [&](const char* text, const char* key, bool MotionChoice::*option) {
        add(menu, {.text = text,
                   .keys = key,
                   .act = [=, this] { window_.session().motion.*option ^= true; },
                   .on = [=, this] { return window_.session().motion.*option; }});
    };
    addSwitch("Estimate &motion", "M", &MotionChoice::enabled);
    addSwitch("Estimate finished pairs &again while playing", "", &MotionChoice::keepEstimating);
    add(menu, {.text = "Estimate the &whole cycle",
               .keys = "Ctrl+E",
               .act = [this] { window_.session().cycle.on ^= true; },
               .whyNot = [this] { return whyNoCycle(window_.session()); },
               .textNow =
                   [this] {
                       return window_.session().cycle.on ? "Cancel estimating the &whole cycle"
                                                         : "Estimate the &whole cycle";
                   }});
}

} // namespace systole
