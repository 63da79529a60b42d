// Help: the manual, the sheet of keys, and what the program is.
#pragma once

#include "app/window/menus.h"
#include "app/window/pages_window.h"
#include "app/window/window_links.h"

#include <QPointer>

#include <functional>
#include <memory>
#include <vector>

namespace systole {

class KeySheet;

class HelpWindows {
public:
    /// `keyLines` returns the entries of the menus that have keys.
    HelpWindows(WindowLinks links, std::function<std::vector<Menus::KeyLine>()> keyLines);
    ~HelpWindows();
    HelpWindows(const HelpWindows&) = delete;
    HelpWindows& operator=(const HelpWindows&) = delete;

    void showManual();
    PagesWindow* manual() { return manual_.get(); } ///< null before showManual()
    void toggleKeySheet();
    void showAbout();

private:
    WindowLinks links_;
    std::function<std::vector<Menus::KeyLine>()> keyLines_;
    QPointer<KeySheet> keySheet_;
    std::unique_ptr<PagesWindow> manual_; ///< null until first shown
};

} // namespace systole
