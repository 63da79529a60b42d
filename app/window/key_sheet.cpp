#include "app/window/key_sheet.h"

#include "app/window/screen_fit.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QShortcut>
#include <QVBoxLayout>

namespace systole {
namespace {

/// Functions of the pointer in a view; keys come from the menus.
const Menus::KeyLine pointerLines[] = {
    {QStringLiteral("Left drag"), QStringLiteral("3D: rotate. Slice: window and level")},
    {QStringLiteral("Middle drag"), QStringLiteral("Pan")},
    {QStringLiteral("Right drag"), QStringLiteral("Zoom")},
    {QStringLiteral("Wheel"), QStringLiteral("3D: zoom. Slice: next and previous slice")},
    {QStringLiteral("Shift + move"), QStringLiteral("Slice: the crosshair follows the pointer")},
    {QStringLiteral("Ctrl + click"), QStringLiteral("On a slider: type the number")},
};

template <typename Lines>
QString table(const Lines& lines) {
    QString rows;
    for (const Menus::KeyLine& line : lines)
        rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(line.keys.toHtmlEscaped(), line.text.toHtmlEscaped());
    return QStringLiteral("<table cellspacing='3'>%1</table>").arg(rows);
}

} // namespace

KeySheet::KeySheet(const std::vector<Menus::KeyLine>& keys, QWidget* parent) : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(QStringLiteral("Keys"));
    // Two columns, the pointer's lines below the shorter one; scrolled where the screen is low.
    const auto half = static_cast<std::ptrdiff_t>((keys.size() + std::size(pointerLines) + 1) / 2);
    const auto middle = keys.begin() + half;
    auto* sheet = new QWidget(this);
    auto* layout = new QGridLayout(sheet);
    layout->setHorizontalSpacing(24);
    const auto addLabel = [&](const QString& text, int column) {
        auto* label = new QLabel(text, sheet);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        layout->addWidget(label, 0, column);
    };
    addLabel(table(std::vector<Menus::KeyLine>(keys.begin(), middle)), 0);
    addLabel(table(std::vector<Menus::KeyLine>(middle, keys.end())) + table(pointerLines), 1);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(sheet);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(scroll);
    constexpr int scrollBar = 20; // a low sheet is as wide as before beside its bar
    resize(sizeOnScreen(sheet->sizeHint() + QSize(scrollBar, 2), *parent));
    // The keyboard stays with the window behind if there is no window manager. The shortcut belongs
    // to that window but is deleted with the sheet; a closed sheet that waits for its deletion
    // leaves Escape to the window.
    escape_ = new QShortcut(QKeySequence(Qt::Key_Escape), parent);
    connect(escape_, &QShortcut::activated, this, &QDialog::close);
    connect(this, &QDialog::finished, escape_,
            [escape = escape_.data()] { escape->setEnabled(false); });
    // The dialog has the keyboard focus: the same keys close it.
    for (const int key : {Qt::Key_H, Qt::Key_Question}) {
        auto* action = new QAction(this);
        action->setShortcut(QKeySequence(key));
        connect(action, &QAction::triggered, this, &QDialog::close);
        addAction(action);
    }
}

KeySheet::~KeySheet() { delete escape_; }

} // namespace systole
