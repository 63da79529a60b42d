// The list of all keys and what the pointer does.
#pragma once

#include "app/window/menus.h"

#include <QDialog>
#include <QPointer>

class QShortcut;

namespace systole {

class KeySheet : public QDialog {
public:
    /// H, ? and Escape close it, then it deletes itself; Escape also while `parent` has the
    /// keyboard.
    KeySheet(const std::vector<Menus::KeyLine>& keys, QWidget* parent);
    ~KeySheet() override;

private:
    QPointer<QShortcut> escape_; ///< a child of the parent; null: that deleted it
};

} // namespace systole
