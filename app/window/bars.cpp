#include "app/window/bars.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

#include <cmath>
#include <utility>

namespace systole {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), text_(new QLabel(this)) {
    setObjectName(QStringLiteral("messageBar"));
    setStyleSheet(
        QStringLiteral("#messageBar { background: #5a2a27; } #messageBar * { color: #f6e4e2; }"));
    text_->setTextFormat(Qt::PlainText); // file names aren't markup
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::NoFocus);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 6, 4);
    layout->addWidget(text_, 1);
    layout->addWidget(close);
    hide();
}

void MessageBar::show(const std::string& sentence) {
    text_->setText(QString::fromStdString(sentence));
    setVisible(!sentence.empty());
}

std::string MessageBar::text() const { return text_->text().toStdString(); }

LoadingBar::LoadingBar(std::function<void()> cancel, QWidget* parent)
    : QFrame(parent), text_(new QLabel(this)), bar_(new QProgressBar(this)) {
    text_->setTextFormat(Qt::PlainText);
    bar_->setMaximumHeight(14);
    bar_->setTextVisible(false);
    auto* stop = new QPushButton(QStringLiteral("Cancel"), this);
    stop->setFocusPolicy(Qt::NoFocus);
    connect(stop, &QPushButton::clicked, this, [cancel = std::move(cancel)] { cancel(); });
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 6, 4);
    layout->addWidget(text_);
    layout->addWidget(bar_, 1);
    layout->addWidget(stop);
    hide();
}

void LoadingBar::show(const std::string& phase, double fraction, double secondsLeft) {
    QString text = QString::fromStdString(phase);
    if (secondsLeft >= 1)
        text += QStringLiteral(", %1 s left").arg(std::ceil(secondsLeft));
    text_->setText(text);
    bar_->setRange(0, fraction < 0 ? 0 : 1000);
    if (fraction >= 0)
        bar_->setValue(static_cast<int>(std::lround(1000 * fraction)));
    setVisible(true);
}

} // namespace systole
