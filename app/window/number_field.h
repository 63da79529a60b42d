// A field for a number that gives the keyboard back when its edit is over, so that the next key is
// the window's again.
#pragma once

#include <QDoubleSpinBox>

#include <functional>

namespace systole {

class NumberField : public QDoubleSpinBox {
public:
    /// `leave` is called after Return, Escape (which restores the value) and a click on an arrow.
    explicit NumberField(std::function<void()> leave, QWidget* parent = nullptr);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    std::function<void()> leave_;
    double before_ = 0; ///< the value when the edit began
};

} // namespace systole
