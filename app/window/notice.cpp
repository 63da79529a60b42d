#include "app/window/notice.h"

#include "app/window/eliding_label.h"

#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace systole {

Notice::Notice(std::function<void(const std::string&)> showInFolder, QWidget* parent)
    : QWidget(parent)
    , text_(new ElidingLabel(Qt::ElideMiddle, this))
    , folder_(new QToolButton(this)) {
    setObjectName(QStringLiteral("notice"));
    folder_->setText(QStringLiteral("Show in folder"));
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("×"));
    close->setToolTip(QStringLiteral("Close; Help, Messages keeps it"));
    for (QToolButton* button : {folder_, close}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::NoFocus);
    }
    connect(folder_, &QToolButton::clicked, this,
            [this, showInFolder = std::move(showInFolder)] { showInFolder(path_); });
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 4, 0);
    layout->addWidget(text_, 1);
    layout->addWidget(folder_);
    layout->addWidget(close);
    hide();
}

void Notice::show(const std::string& text, const std::string& path) {
    const QString all = QString::fromStdString(text);
    text_->setText(all);
    text_->setToolTip(QStringLiteral("<p>%1</p>").arg(all.toHtmlEscaped()));
    path_ = path;
    folder_->setVisible(!path.empty());
    setVisible(true);
    raise();
}

void Notice::withdraw(const std::string& text) {
    if (text_->text() == QString::fromStdString(text))
        hide();
}

void Notice::place(int x) {
    const QWidget& bar = *parentWidget();
    setGeometry(x, 0, std::max(0, bar.width() - x), bar.height());
}

} // namespace systole
