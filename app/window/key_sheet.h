// The list of all keys and what the pointer does.
#pragma once

#include "app/window/menus.h"

#include <QDialog>

namespace systole {

class KeySheet : public QDialog {
public:
    /// H, ? and Escape close it, then it deletes itself.
    KeySheet(const std::vector<Menus::KeyLine>& keys, QWidget* parent);
};

} // namespace systole
