// The menu bar: every action of window and tools with its keys. Entries that can do nothing now are
// disabled and say why.
#pragma once

#include "app/feature/tool.h"

#include <QAction>
#include <QString>

#include <string>
#include <vector>

class QMenu;

namespace systole {

class Window;
struct DisplayRow;
struct CardiacMarks;

class Menus {
public:
    /// Fills the window's menu bar; the window outlives this.
    explicit Menus(Window& window);

    /// Brings texts, checks and availability up to date.
    void follow();

    struct KeyLine {
        QString keys, text;
    };
    /// Every entry that has keys, in the order of the menus.
    std::vector<KeyLine> keyLines() const;

    /// Opens the modality's choices at the pointer.
    void chooseModality();

private:
    QMenu* addMenu(const char* title);
    QAction* add(QMenu* menu, Action entry);
    void buildFile();  // menu_file.cpp
    void showRecent(); //
    void showRecovered();
    void buildEdit(); // menu_edit.cpp
    void buildView(); // menu_view.cpp
    void addLayouts(QMenu* menu);
    void addSwitches(QMenu* menu, const std::vector<DisplayRow>& rows);
    void addPositions(QMenu* menu);
    void addChoices(QMenu* menu, const DisplayRow& row); // menu_choices.cpp
    void addPanels(QMenu* menu);
    void buildPlayback(); // menu_playback.cpp
    void addMarks(QMenu* menu);
    void addEstimation(QMenu* menu);
    void buildTools();
    void buildHelp(); // menu_help.cpp

    /// "no file is open" or nothing; the second also "the file has one frame".
    std::string lacksFile() const;
    std::string lacksFrames() const;

    Window& window_;
    struct Item {
        QAction* action;
        Action entry;
    };
    std::vector<Item> items_;
    QMenu* recent_ = nullptr;
    QMenu* recovered_ = nullptr;
    QMenu* modality_ = nullptr; ///< its choices
    QObject connections_;       ///< context of all connections to this: they end before it does
};

} // namespace systole
