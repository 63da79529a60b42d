#include "app/window/bars.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

#include <cmath>
#include <utility>

namespace systole {

MessageBar::MessageBar(Severity severity, std::function<void()> showAll, QWidget* parent)
    : QFrame(parent), text_(new QLabel(this)), all_(new QToolButton(this)) {
    const bool error = severity == Severity::Error;
    setObjectName(error ? QStringLiteral("messageBar") : QStringLiteral("noteBar"));
    setStyleSheet(QStringLiteral("#%1 { background: %2; } #%1 * { color: %3; }")
                      .arg(objectName(),
                           error ? QStringLiteral("#5a2a27") : QStringLiteral("#2c3f55"),
                           error ? QStringLiteral("#f6e4e2") : QStringLiteral("#e3ecf6")));
    text_->setTextFormat(Qt::PlainText); // file names aren't markup
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    all_->setText(QStringLiteral("All of it"));
    all_->setToolTip(QStringLiteral("Help, Messages"));
    connect(all_, &QToolButton::clicked, this, [showAll = std::move(showAll)] { showAll(); });
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("×"));
    close->setToolTip(QStringLiteral("Close; Help, Messages keeps it"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 6, 4);
    layout->addWidget(text_, 1);
    for (QToolButton* button : {all_, close}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::NoFocus);
        layout->addWidget(button);
    }
    hide();
}

void MessageBar::show(const std::string& message) {
    constexpr std::size_t longestWord = 60; // a longer word would force a wide window
    constexpr int longestText = 300;        // characters, about three lines
    QString text = QString::fromStdString(withShortWords(message, longestWord));
    if (text.size() > longestText)
        text = text.left(longestText).trimmed() + QStringLiteral(" …");
    text_->setText(text);
    const QString whole = QString::fromStdString(message);
    all_->setVisible(text != whole);
    text_->setToolTip(
        QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(whole.toHtmlEscaped()));
    setVisible(!message.empty());
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
