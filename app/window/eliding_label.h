// A label of one line that shortens its text to its width: first the folders of a path in it, whose
// name and what is said of it come after them.
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
    /// The text as it is drawn.
    QString shown() const {
        const int room = contentsRect().width();
        QString all = text();
        const qsizetype path = all.indexOf(QLatin1Char('/')),
                        after = all.indexOf(QStringLiteral(": "), path),
                        name = all.lastIndexOf(QLatin1Char('/'), after);
        if (path >= 0 && name > path && fontMetrics().horizontalAdvance(all) > room)
            all.replace(path, name - path, QChar(0x2026));
        return fontMetrics().elidedText(all, mode_, room);
    }
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).drawText(contentsRect(), static_cast<int>(alignment()), shown());
    }

private:
    Qt::TextElideMode mode_;
};

} // namespace systole
