#include "app/window/number_field.h"

#include <QKeyEvent>

#include <utility>

namespace systole {

NumberField::NumberField(std::function<void()> leave, QWidget* parent)
    : QDoubleSpinBox(parent), leave_(std::move(leave)) {
    setFocusPolicy(Qt::ClickFocus);
}

void NumberField::focusInEvent(QFocusEvent* event) {
    before_ = value();
    QDoubleSpinBox::focusInEvent(event);
}

void NumberField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        setValue(before_);
        leave_();
        return;
    }
    QDoubleSpinBox::keyPressEvent(event);
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        leave_();
}

/// The arrows' own: the text is a widget of its own.
void NumberField::mouseReleaseEvent(QMouseEvent* event) {
    QDoubleSpinBox::mouseReleaseEvent(event);
    leave_();
}

} // namespace systole
