// A label of one line that shortens its text to its width.
#pragma once

#include <QLabel>
#include <QPainter>

namespace systole {

class ElidingLabel : public QLabel {
public:
    explicit ElidingLabel(Qt::TextElideMode mode, QWidget* parent) : QLabel(parent), mode_(mode) {
        setTextFormat(Qt::PlainText); // file names aren't markup
        setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override {
        const QRect room = contentsRect();
        QPainter(this).drawText(room, static_cast<int>(alignment()),
                                fontMetrics().elidedText(text(), mode_, room.width()));
    }

private:
    Qt::TextElideMode mode_;
};

} // namespace systole
