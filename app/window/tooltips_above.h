// Tooltips of the bars at the window's lower edge: above the bars, over none of their controls.
#pragma once

#include <QObject>
#include <QWidget>

namespace systole {

class TooltipsAbove : public QObject {
public:
    /// For the widgets in `bars`, which lie below one another; their tooltips end above the first.
    /// The bars outlive this, or delete it as their child.
    TooltipsAbove(QList<QWidget*> bars, QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QList<QWidget*> bars_;
};

} // namespace systole
