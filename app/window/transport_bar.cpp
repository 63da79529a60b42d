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
#include <iterator>

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
    return playback.timeKnown() ? QStringLiteral("%1 ms").arg(playback.milliseconds(), 0, 'f', 0)
                                : QStringLiteral("time unknown");
}

QString phaseText(const Session& session) {
    const CardiacPhase phase = phaseOf(session.playback, session.marks);
    const QString percent = QStringLiteral("%1 %").arg(phase.percent, 0, 'f', 1);
    switch (phase.part) {
    case CardiacPhase::Part::Unknown:
        break;
    case CardiacPhase::Part::Cycle:
        return percent + QStringLiteral(" of cycle");
    case CardiacPhase::Part::SinceMarked:
        return (session.marks.endDiastole ? QStringLiteral("ED + ") : QStringLiteral("ES + ")) +
               percent;
    case CardiacPhase::Part::Systole:
        return QStringLiteral("systole ") + percent;
    case CardiacPhase::Part::Diastole:
        return QStringLiteral("diastole ") + percent;
    }
    return {};
}

/// A label whose text changes with every frame: its place and width stay.
QLabel* addReadout(QWidget* parent, const QString& widest, const QString& tooltip) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    label->setMinimumWidth(label->fontMetrics().horizontalAdvance(widest));
    label->setToolTip(tooltip);
    return label;
}

constexpr double nameWidth = 24;
constexpr PlayOrder orders[] = {PlayOrder::Loop, PlayOrder::Bounce, PlayOrder::Once};

} // namespace

FrameStrip::FrameStrip(std::function<void(int)> seek, QWidget* parent)
    : QWidget(parent), seek_(std::move(seek)) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    setToolTip(QStringLiteral("Frames. Green: motion estimated. ED, ES: frames that you marked as "
                              "end diastole (D) and end systole (E); click a name to go there."));
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

std::pair<double, double> FrameStrip::nameCenters() const {
    const double diastole = positionOf(marks_.endDiastole.value_or(0));
    const double systole = positionOf(marks_.endSystole.value_or(0));
    if (!marks_.endDiastole || !marks_.endSystole || std::abs(diastole - systole) >= nameWidth)
        return {diastole, systole};
    const double middle = (diastole + systole) / 2;
    const double side = systole < diastole ? -nameWidth / 2 : nameWidth / 2;
    return {middle - side, middle + side};
}

std::optional<int> FrameStrip::markNamedAt(QPointF position) const {
    const auto [diastole, systole] = nameCenters();
    const auto hits = [&](double center) {
        return position.y() < trackY - 7 && std::abs(position.x() - center) <= nameWidth / 2;
    };
    if (marks_.endDiastole && hits(diastole))
        return marks_.endDiastole;
    return marks_.endSystole && hits(systole) ? marks_.endSystole : std::nullopt;
}

/// The part of the track between the marks, systole, is lighter.
void FrameStrip::paintTrack(QPainter& painter) const {
    const auto bar = [&](double from, double to) {
        painter.drawRoundedRect(QRectF(from, trackY - 2, to - from, 4), 2, 2);
    };
    painter.setBrush(palette().color(QPalette::Mid));
    bar(stripMargin, width() - stripMargin);
    if (!marks_.endDiastole || !marks_.endSystole)
        return;
    painter.setBrush(QColor(112, 100, 96));
    const double from = positionOf(*marks_.endDiastole), to = positionOf(*marks_.endSystole);
    if (from <= to) {
        bar(from, to);
    } else { // systole goes on after the last frame
        bar(from, width() - stripMargin);
        bar(stripMargin, to);
    }
}

void FrameStrip::paintMark(QPainter& painter, int frame, double nameCenter, const QString& name,
                           const QColor& color) const {
    const double x = positionOf(frame);
    painter.setPen(QPen(color, 2));
    painter.drawLine(QPointF(x, trackY - 7), QPointF(x, trackY + 7));
    QFont font = painter.font();
    font.setPointSizeF(8);
    painter.setFont(font);
    painter.drawText(QRectF(nameCenter - nameWidth / 2, 0, nameWidth, trackY - 7),
                     Qt::AlignHCenter | Qt::AlignBottom, name);
    painter.setPen(Qt::NoPen);
}

void FrameStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    paintTrack(painter);
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

    const auto [diastole, systole] = nameCenters();
    if (marks_.endDiastole)
        paintMark(painter, *marks_.endDiastole, diastole, QStringLiteral("ED"),
                  QColor(120, 190, 255));
    if (marks_.endSystole)
        paintMark(painter, *marks_.endSystole, systole, QStringLiteral("ES"), QColor(255, 170, 90));

    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawEllipse(QPointF(positionOf(frame_), trackY), 7, 7);
}

void FrameStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && frames_ > 0)
        seek_(markNamedAt(event->position()).value_or(frameAt(event->position().x())));
}

void FrameStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton) && frames_ > 0)
        seek_(frameAt(event->position().x()));
    else if (markNamedAt(event->position()))
        setCursor(Qt::PointingHandCursor);
    else
        unsetCursor();
}

TransportBar::TransportBar(Hooks hooks, QWidget* parent)
    : QWidget(parent)
    , hooks_(std::move(hooks))
    , play_(new QToolButton(this))
    , strip_(new FrameStrip(hooks_.seek, this))
    , frame_(addReadout(this, QStringLiteral("frame 0000"),
                        QStringLiteral("The frame shown, counted from 0")))
    , range_(new QLabel(this))
    , time_(addReadout(this, QStringLiteral("00000 ms"), QStringLiteral("Time since frame 0")))
    , phase_(addReadout(
          this, QStringLiteral("diastole 00.0 %"),
          QStringLiteral("Percent of the cycle since frame 0. Once end diastole (D) or end "
                         "systole (E) is marked, since that frame (ED +, ES +), also where the "
                         "cycle begins again; with both, percent of systole or diastole.")))
    , speed_(new NumberField([this] { hooks_.giveBackFocus(); }, this))
    , order_(new QComboBox(this)) {
    setObjectName(QStringLiteral("transportBar"));
    play_->setFocusPolicy(Qt::NoFocus);
    play_->setAutoRaise(true);
    play_->setIconSize({22, 22});
    play_->setIcon(transportIcon(false, palette().color(QPalette::ButtonText)));
    play_->setToolTip(QStringLiteral("Play or pause (Space)"));
    connect(play_, &QToolButton::clicked, this, [this] { hooks_.togglePlay(); });

    frame_->setObjectName(QStringLiteral("frame")); // names are for tests
    range_->setObjectName(QStringLiteral("range"));
    time_->setObjectName(QStringLiteral("time"));
    phase_->setObjectName(QStringLiteral("phase"));
    strip_->setObjectName(QStringLiteral("strip"));
    order_->setObjectName(QStringLiteral("order"));
    range_->setTextFormat(Qt::PlainText);
    range_->setToolTip(QStringLiteral("First and last frame of the sequence"));
    QPalette dim = range_->palette();
    dim.setColor(QPalette::WindowText, palette().color(QPalette::PlaceholderText));
    range_->setPalette(dim);

    speed_->setRange(Playback::minimumSpeed, Playback::maximumSpeed);
    speed_->setSingleStep(0.1);
    speed_->setDecimals(1);
    speed_->setValue(1);
    speed_->setSuffix(QStringLiteral(" ×"));
    speed_->setToolTip(QStringLiteral("Playback speed"));
    connect(speed_, &QDoubleSpinBox::valueChanged, this,
            [this](double value) { hooks_.setSpeed(value); });

    order_->addItems({QStringLiteral("Loop"), QStringLiteral("Bounce"),
                      QStringLiteral("Once")}); // the indices of `orders`
    order_->setFocusPolicy(Qt::NoFocus);
    order_->setToolTip(QStringLiteral("At the last frame: start again, play backwards, or stop"));
    connect(order_, &QComboBox::currentIndexChanged, this,
            [this](int index) { hooks_.setOrder(orders[std::clamp(index, 0, 2)]); });

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 8, 2);
    layout->addWidget(play_);
    layout->addWidget(strip_, 1);
    layout->addWidget(frame_);
    layout->addWidget(range_);
    layout->addSpacing(6);
    layout->addWidget(time_);
    layout->addSpacing(6);
    layout->addWidget(phase_);
    layout->addSpacing(6);
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
    const bool open = playback.frames() > 0;
    frame_->setText(open ? QStringLiteral("frame %1").arg(playback.frame()) : QString());
    range_->setText(open ? QStringLiteral("(0–%1)").arg(playback.frames() - 1) : QString());
    time_->setText(timeText(playback));
    phase_->setText(phaseText(session));
    const QSignalBlocker speedBlocker(speed_), orderBlocker(order_);
    if (!speed_->hasFocus())
        speed_->setValue(playback.speed());
    order_->setCurrentIndex(
        static_cast<int>(std::ranges::find(orders, playback.order()) - std::begin(orders)));
}

} // namespace systole
