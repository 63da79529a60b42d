#include "app/window/transport_bar.h"

#include "app/window/number_field.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
namespace {

constexpr double stripMargin = 14;
constexpr double trackY = 20;

QIcon transportIcon(bool pause, const QColor& color) {
    constexpr int side = 64; // drawn large, scaled down for every pixel ratio
    QPixmap pixmap(side, side);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    if (pause) {
        painter.drawRect(16, 12, 11, 40);
        painter.drawRect(37, 12, 11, 40);
    } else {
        QPainterPath triangle({18, 10});
        triangle.lineTo(52, 32);
        triangle.lineTo(18, 54);
        triangle.closeSubpath();
        painter.drawPath(triangle);
    }
    return pixmap;
}

QString timeText(const Playback& playback) {
    if (playback.frames() == 0)
        return {};
    if (!playback.timeKnown())
        return QStringLiteral("time unknown");
    return QStringLiteral("%1 ms  ·  %2 %")
        .arg(playback.milliseconds(), 0, 'f', 0)
        .arg(playback.phasePercent(), 0, 'f', 1);
}

} // namespace

FrameStrip::FrameStrip(std::function<void(int)> seek, QWidget* parent)
    : QWidget(parent), seek_(std::move(seek)) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(
        QStringLiteral("Frames. Green: motion estimated. ED, ES: your marks (Playback menu)."));
}

void FrameStrip::show(int frames, int frame, const CardiacMarks& marks,
                      const std::vector<int>& finished) {
    if (frames == frames_ && frame == frame_ && finished == finished_ &&
        marks.endDiastole == marks_.endDiastole && marks.endSystole == marks_.endSystole)
        return;
    frames_ = frames;
    frame_ = frame;
    marks_ = marks;
    finished_ = finished;
    update();
}

double FrameStrip::positionOf(double frame) const {
    const double extent = width() - 2 * stripMargin;
    return frames_ < 2 ? stripMargin : stripMargin + extent * frame / (frames_ - 1);
}

int FrameStrip::frameAt(double x) const {
    const double extent = width() - 2 * stripMargin;
    const double frame = (x - stripMargin) / extent * (frames_ - 1);
    return std::clamp(static_cast<int>(std::lround(frame)), 0, std::max(0, frames_ - 1));
}

void FrameStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Mid));
    painter.drawRoundedRect(QRectF(stripMargin, trackY - 2, width() - 2 * stripMargin, 4), 2, 2);
    if (frames_ < 1)
        return;

    const double step = frames_ > 1 ? positionOf(1) - positionOf(0) : 8;
    painter.setBrush(QColor(70, 160, 110));
    for (const int frame : finished_)
        painter.drawRect(QRectF(positionOf(frame) - std::min(step / 2, 6.0), trackY + 6,
                                std::min(step, 12.0), 3));
    if (step >= 4) {
        painter.setBrush(palette().color(QPalette::Light));
        for (int frame = 0; frame < frames_; ++frame)
            painter.drawRect(QRectF(positionOf(frame) - 0.5, trackY - 4, 1, 8));
    }

    const auto drawMark = [&](std::optional<int> frame, const QString& text, const QColor& color) {
        if (!frame)
            return;
        const double x = positionOf(*frame);
        painter.setPen(QPen(color, 2));
        painter.drawLine(QPointF(x, trackY - 7), QPointF(x, trackY + 7));
        QFont font = painter.font();
        font.setPointSizeF(8);
        painter.setFont(font);
        painter.drawText(QRectF(x - 20, 0, 40, trackY - 7), Qt::AlignHCenter | Qt::AlignBottom,
                         text);
        painter.setPen(Qt::NoPen);
    };
    drawMark(marks_.endDiastole, QStringLiteral("ED"), QColor(120, 190, 255));
    drawMark(marks_.endSystole, QStringLiteral("ES"), QColor(255, 170, 90));

    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawEllipse(QPointF(positionOf(frame_), trackY), 7, 7);
}

void FrameStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && frames_ > 0)
        seek_(frameAt(event->position().x()));
}

void FrameStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton) && frames_ > 0)
        seek_(frameAt(event->position().x()));
}

TransportBar::TransportBar(Hooks hooks, QWidget* parent)
    : QWidget(parent)
    , hooks_(std::move(hooks))
    , play_(new QToolButton(this))
    , strip_(new FrameStrip(hooks_.seek, this))
    , frame_(new QLabel(this))
    , time_(new QLabel(this))
    , speed_(new NumberField([this] { hooks_.giveBackFocus(); }, this))
    , order_(new QComboBox(this)) {
    setObjectName(QStringLiteral("transportBar"));
    play_->setFocusPolicy(Qt::NoFocus);
    play_->setAutoRaise(true);
    play_->setIconSize({22, 22});
    play_->setIcon(transportIcon(false, palette().color(QPalette::ButtonText)));
    play_->setToolTip(QStringLiteral("Play or pause (Space)"));
    connect(play_, &QToolButton::clicked, this, [this] { hooks_.togglePlay(); });

    const QFontMetrics metrics(font());
    frame_->setMinimumWidth(metrics.horizontalAdvance(QStringLiteral("frame 000 of 000")));
    frame_->setToolTip(QStringLiteral("Frame number, counted from 0"));
    time_->setMinimumWidth(metrics.horizontalAdvance(QStringLiteral("00000 ms  ·  00.0 %")));
    time_->setToolTip(QStringLiteral("Time since frame 0, and percent of the cycle"));

    speed_->setRange(Playback::minimumSpeed, Playback::maximumSpeed);
    speed_->setSingleStep(0.1);
    speed_->setDecimals(1);
    speed_->setValue(1);
    speed_->setSuffix(QStringLiteral(" ×"));
    speed_->setToolTip(QStringLiteral("Playback speed"));
    connect(speed_, &QDoubleSpinBox::valueChanged, this,
            [this](double value) { hooks_.setSpeed(value); });

    order_->addItems({QStringLiteral("Loop"), QStringLiteral("Bounce")});
    order_->setFocusPolicy(Qt::NoFocus);
    order_->setToolTip(QStringLiteral("At the last frame: start again, or play backwards"));
    connect(order_, &QComboBox::currentIndexChanged, this, [this](int index) {
        hooks_.setOrder(index == 1 ? PlayOrder::Bounce : PlayOrder::Loop);
    });

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 8, 2);
    layout->addWidget(play_);
    layout->addWidget(strip_, 1);
    layout->addWidget(frame_);
    layout->addWidget(time_);
    layout->addWidget(speed_);
    layout->addWidget(order_);
}

void TransportBar::show(const Session& session) {
    const Playback& playback = session.playback;
    setEnabled(session.opened != nullptr);
    if (playback.playing() != playing_) {
        playing_ = playback.playing();
        play_->setIcon(transportIcon(playing_, palette().color(QPalette::ButtonText)));
    }
    strip_->show(playback.frames(), playback.frame(), session.marks,
                 session.estimation.cachedFrames);
    frame_->setText(
        playback.frames() > 0
            ? QStringLiteral("frame %1 of %2").arg(playback.frame()).arg(playback.frames())
            : QString());
    time_->setText(timeText(playback));
    const QSignalBlocker speedBlocker(speed_), orderBlocker(order_);
    if (!speed_->hasFocus())
        speed_->setValue(playback.speed());
    order_->setCurrentIndex(playback.order() == PlayOrder::Bounce ? 1 : 0);
}

} // namespace systole
