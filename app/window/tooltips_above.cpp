#include "app/window/tooltips_above.h"

#include <QApplication>
#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace systole {

TooltipsAbove::TooltipsAbove(QList<QWidget*> bars, QObject* parent)
    : QObject(parent), bars_(std::move(bars)) {
    qApp->installEventFilter(this);
}

bool TooltipsAbove::eventFilter(QObject* watched, QEvent* event) {
    auto* const widget = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::ToolTip || !widget || widget->toolTip().isEmpty() ||
        std::ranges::none_of(bars_, [&](const QWidget* bar) { return bar->isAncestorOf(widget); }))
        return false;
    const QPoint pointer = dynamic_cast<QHelpEvent*>(event)->globalPos();
    QToolTip::showText(pointer, widget->toolTip(), widget);
    const int above = bars_.front()->mapToGlobal(QPoint(0, 0)).y();
    for (QWidget* tip : QApplication::topLevelWidgets())
        if (tip->inherits("QTipLabel") && tip->isVisible())
            tip->move(tip->x(), above - tip->height());
    return true;
}

} // namespace systole
