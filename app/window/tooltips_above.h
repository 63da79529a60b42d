// Tooltips of the bars at the window's lower edge: above the bars, over none of their controls.
#pragma once

#include <QObject>
#include <QWidget>

namespace systole {

class TooltipsAbove : public QObject {
public:
    /// Tooltips of the widgets in `bars`, which lie below one another, end above the first bar. The
    /// bars outlive this object, or delete it as their child.
    TooltipsAbove(QList<QWidget*> bars, QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QList<QWidget*> bars_;
};

} // namespace systole
