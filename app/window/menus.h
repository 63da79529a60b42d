// The menu bar: every action of the window with its keys. Entries that can do nothing now are
// disabled and say why.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QString>

#include <functional>
#include <string>
#include <vector>

class QMenu;

namespace systole {

class Window;
struct DisplayRow;
struct CardiacMarks;

struct MenuEntry {
    QString text; ///< & before the letter that chooses it
    QList<QKeySequence> keys{};
    std::function<void()> act{};
    std::function<bool()> on{};            ///< state of an entry that can be checked
    std::function<std::string()> whyNot{}; ///< why it can do nothing now; empty: it can
    std::function<QString()> textNow{};    ///< instead of `text`, if it changes
};

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
    QMenu* addMenu(const QString& title);
    QAction* add(QMenu* menu, MenuEntry entry);
    void buildFile();  // menu_file.cpp
    void showRecent(); //
    void buildEdit();  // menu_edit.cpp
    void buildView();  // menu_view.cpp
    void addLayouts(QMenu* menu);
    void addPositions(QMenu* menu);
    void addChoices(QMenu* menu, const DisplayRow& row); // menu_choices.cpp
    void addPanels(QMenu* menu);
    void buildPlayback(); // menu_playback.cpp
    void addMarks(QMenu* menu);
    void addEstimation(QMenu* menu);
    void buildHelp(); // menu_help.cpp

    /// "no file is open" or nothing; the second also "the file has one frame".
    std::string lacksFile() const;
    std::string lacksFrames() const;

    Window& window_;
    struct Item {
        QAction* action;
        MenuEntry entry;
    };
    std::vector<Item> items_;
    QMenu* recent_ = nullptr;
    QMenu* modality_ = nullptr; ///< its choices
};

} // namespace systole
