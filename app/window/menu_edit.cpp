// The Edit menu: undo, redo, and what can be reset.
#include "app/session/resets.h"
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QMenu>

namespace systole {

void Menus::buildEdit() {
    QMenu* menu = addMenu("&Edit");
    const auto named = [](const char* verb, const std::string& what) {
        return what.empty() ? verb : verb + (": " + what);
    };
    add(menu,
        {.text = "&Undo",
         .keys = "Ctrl+Z",
         .act = [this] { window_.edits().undo(); },
         .whyNot = [this] { return window_.edits().history().canUndo() ? "" : "nothing changed"; },
         .textNow = [=, this] { return named("&Undo", window_.edits().history().undoText()); }});
    add(menu,
        {.text = "&Redo",
         .keys = "Ctrl+Shift+Z",
         .act = [this] { window_.edits().redo(); },
         .whyNot = [this] { return window_.edits().history().canRedo() ? "" : "nothing undone"; },
         .textNow = [=, this] { return named("&Redo", window_.edits().history().redoText()); }});
    menu->addSeparator();
    const auto addReset = [&](const char* text, const char* key, Resets what) -> Action& {
        add(menu, {text, key, [this, what] { window_.edits().reset(what); },
                   [this] { return lacksFile(); }});
        return items_.back().entry;
    };
    addReset("Reset the &views: rotation, zoom, pan", "R", Resets::Views);
    addReset("Reset the &display options: window, colors, overlays", "", Resets::Display);
    Action& parameters = addReset("Reset the motion &parameters", "", Resets::Parameters);
    parameters.whyNot = {};
    parameters.textNow = [this] {
        return "Reset the motion &parameters to " + presetsText(window_.session());
    };
    addReset("Remove the &marks ED and ES", "", Resets::Marks).whyNot = [this] {
        const CardiacMarks& marks = window_.session().marks;
        return marks.endDiastole || marks.endSystole ? "" : "no frame is marked";
    };
    addReset("Reset the settings of the &tools", "", Resets::Tools).whyNot = {};
    addReset("Reset &all of these", "", Resets::All);
}

} // namespace systole
