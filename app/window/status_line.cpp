#include "app/window/status_line.h"

#include "app/units.h"
#include "app/window/eliding_label.h"
#include "render/overlays/rows.h"

#include <QLabel>
#include <QStatusBar>

#include <utility>

namespace systole {
namespace {

constexpr int narrowBar = 860; ///< logical pixels

QLabel* addLabel(QStatusBar* bar, const QString& tooltip, bool shortening = false) {
    QLabel* label = shortening ? new ElidingLabel(Qt::ElideRight, bar) : new QLabel(bar);
    label->setToolTip(tooltip);
    label->setTextFormat(Qt::PlainText); // file names aren't markup
    label->setContentsMargins(10, 0, 10, 0);
    bar->addPermanentWidget(label);
    return label;
}

QString number(double value, int decimals) { return QString::number(value, 'f', decimals); }

QString vectorText(Vec3 v, int decimals) {
    return QStringLiteral("%1, %2, %3")
        .arg(number(v.x, decimals), number(v.y, decimals), number(v.z, decimals));
}

QString probeText(const Probe& probe) {
    QString text = QStringLiteral("%1 mm LPS").arg(vectorText(probe.position, 1));
    if (probe.value)
        text += QStringLiteral("   value %1").arg(QString::number(*probe.value, 'g', 5));
    if (probe.difference)
        text += QStringLiteral("   difference %1 mm")
                    .arg(QString::number(static_cast<double>(*probe.difference), 'g', 3));
    if (probe.displacement)
        text +=
            QStringLiteral("   motion %1 mm (%2)")
                .arg(number(length(*probe.displacement), 2), vectorText(*probe.displacement, 2));
    return text;
}

QString modalityText(const Session& session) {
    const std::string& used = session.figures.modality;
    if (used.empty())
        return {};
    const QString title = QString::fromStdString(displayRow("modality").title(used));
    if (session.display.modality != "auto")
        return title + QStringLiteral(" (chosen)  ");
    const bool named = !session.opened->sequence.modality.empty();
    return title + (named ? QStringLiteral("  ") : QStringLiteral(" (by its values)  "));
}

QString fileText(const Session& session) {
    const Sequence& sequence = session.opened->sequence;
    const Size3 size = sequence.geometry.size();
    const Vec3 spacing = sequence.geometry.spacing();
    const QString modality = modalityText(session);
    return QStringLiteral("%1%2×%3×%4, %5, %6×%7×%8 mm")
        .arg(modality)
        .arg(size.x)
        .arg(size.y)
        .arg(size.z)
        .arg(QString::fromStdString(plural(sequence.frames, "frame")),
             QString::number(spacing.x, 'g', 3), QString::number(spacing.y, 'g', 3),
             QString::number(spacing.z, 'g', 3));
}

QString motionText(const Session& session) {
    if (!session.estimation.message.empty())
        return QString::fromStdString(session.estimation.message);
    if (!session.inPlace.empty())
        return QString::fromStdString(session.inPlace);
    if (!session.motion.enabled)
        return QStringLiteral("motion off");
    if (session.cycle.total > 0)
        return QStringLiteral("whole cycle: %1 of %2")
            .arg(session.cycle.finished)
            .arg(QString::fromStdString(plural(session.cycle.total, "pair")));
    if (session.opened && session.opened->sequence.frames < 2)
        return QStringLiteral("one frame: no motion");
    if (isReference(session.motion, session.shownFrame))
        return QStringLiteral("frame 0: motion begins here");
    if (!session.result)
        return QStringLiteral("estimating motion …");
    QString text = QStringLiteral("motion %1 → %2")
                       .arg(session.result->fixedFrame)
                       .arg(session.result->movingFrame);
    if (session.result->pictureFrame() != session.shownFrame)
        text += QStringLiteral(" (newest finished)");
    else if (session.result->window > 0)
        text += QStringLiteral(", smoothed over %1 frames").arg(session.result->window);
    if (session.estimation.dropped > 0)
        text += QStringLiteral(", %1 dropped")
                    .arg(QString::fromStdString(
                        plural(static_cast<std::int64_t>(session.estimation.dropped), "pair")));
    return text;
}

QString backendText(const Session& session) {
    const MotionChoice& motion = session.motion;
    const PipelineStatus& estimation = session.estimation;
    // The backend actually in use, if the chosen one failed.
    const bool fellBack = !estimation.fallback.empty();
    QString text = QString::fromLatin1(name(fellBack ? estimation.backend : motion.backend));
    const std::string& why = fellBack ? estimation.fallback : motion.backendReason;
    if (!why.empty())
        text += QStringLiteral(" (%1)").arg(QString::fromStdString(why));
    return text;
}

/// Sets the text only if it changed: a layout per frame would be expensive.
void setText(QLabel* label, const QString& text) {
    if (label->text() != text)
        label->setText(text);
}

} // namespace

StatusLine::StatusLine(QStatusBar* bar, Links links) {
    bar->setSizeGripEnabled(false);
    probe_ = new QLabel(bar);
    probe_->setTextFormat(Qt::PlainText);
    bar->addWidget(probe_, 1);
    motion_ = addLabel(bar, QStringLiteral("Frame pair of the motion shown"), true);
    file_ = addLabel(bar, {}, true);
    time_ = addLabel(bar, {});
    time_->setTextFormat(Qt::RichText); // only our own markup
    time_->setFocusPolicy(Qt::NoFocus);
    time_->setTextInteractionFlags(Qt::LinksAccessibleByMouse);
    QObject::connect(
        time_, &QLabel::linkActivated, time_, [links = std::move(links)](const QString& link) {
            link == QLatin1String("modality") ? links.chooseModality() : links.setFrameTime();
        });
    backend_ = addLabel(bar, QStringLiteral("Backend in use, and why"), true);
}

/// The text changes with every frame; the width must not. A narrow bar shortens the longest text.
void StatusLine::keepMotionWidth() {
    const bool narrow = motion_->parentWidget()->width() < narrowBar;
    if (narrow_ == narrow)
        return;
    narrow_ = narrow;
    motion_->setMinimumWidth(motion_->fontMetrics().horizontalAdvance(
        narrow ? QStringLiteral("motion 000 → 000, 0000 pairs dropped    ")
               : QStringLiteral("motion 000 → 000 (newest finished), 0000 pairs dropped    ")));
}

void StatusLine::show(const Session& session) {
    keepMotionWidth();
    setText(motion_, session.opened ? motionText(session) : QString());
    const QString backend = backendText(session);
    setText(backend_, backend);
    backend_->setToolTip(QStringLiteral("Backend in use, and why: ") + backend);
    if (!session.opened) {
        setText(file_, QStringLiteral("no file open: drop one here"));
        setText(time_, {});
        return;
    }
    const Sequence& sequence = session.opened->sequence;
    setText(file_, fileText(session));
    QString notes = QString::fromStdString(sequence.name + " (" + sequence.format + ", " +
                                           sequence.voxelType + ")");
    for (const std::string& note : sequence.notes)
        notes += QStringLiteral("\n") + QString::fromStdString(note);
    // Escaped, because Qt would interpret a tooltip that looks like markup.
    file_->setToolTip(
        QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(notes.toHtmlEscaped()));
    QString time = QString::fromStdString(sequence.frameOfReference).toHtmlEscaped();
    const bool timeless = !sequence.timeKnown();
    time_->setToolTip(timeless ? QStringLiteral("Played at 25 frames per second until it is set")
                               : QString());
    if (timeless)
        time += QStringLiteral(" · time unknown: <a href='set' style='color:#7ab8f5'>set it</a>");
    else if (session.timeGivenByUser)
        time += QStringLiteral(" · frame time set by user");
    if (session.figures.modality.empty())
        time += QStringLiteral(" · modality unknown: <a href='modality' "
                               "style='color:#7ab8f5'>choose</a>");
    setText(time_, time);
}

void StatusLine::showProbe(const std::optional<Probe>& probe) {
    setText(probe_, probe ? probeText(*probe) : QString());
}

} // namespace systole
