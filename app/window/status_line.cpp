#include "app/window/status_line.h"

#include "app/base/plural.h"
#include "app/session/motion_note.h"
#include "app/window/eliding_label.h"
#include "render/overlays/rows.h"

#include <QLabel>
#include <QStatusBar>
#include <fmt/format.h>

#include <utility>

namespace systole {
namespace {

constexpr int narrowBar = 1000; ///< logical pixels
constexpr int margins = 40;     ///< logical pixels between labels

QLabel* addLabel(QStatusBar* bar, const QString& tooltip, bool shortening = false) {
    QLabel* label = shortening ? new ElidingLabel(Qt::ElideRight, bar) : new QLabel(bar);
    label->setToolTip(tooltip);
    label->setTextFormat(Qt::PlainText); // file names aren't markup
    label->setContentsMargins(10, 0, 10, 0);
    bar->addPermanentWidget(label);
    return label;
}

std::string vectorText(Vec3 v, int decimals) {
    return fmt::format("{:.{}f}, {:.{}f}, {:.{}f}", v.x, decimals, v.y, decimals, v.z, decimals);
}

std::string probeText(const Probe& probe) {
    std::string text = vectorText(probe.position, 1) + " mm LPS";
    if (!probe.meaning.empty())
        text += "   " + probe.meaning;
    if (probe.value)
        text += fmt::format("   value {:.5g}", *probe.value);
    if (probe.difference)
        text += fmt::format("   difference {:.3g} mm", *probe.difference);
    if (probe.displacement)
        text += fmt::format("   motion {:.2f} mm ({})", length(*probe.displacement),
                            vectorText(*probe.displacement, 2));
    if (probe.standardError)
        text += fmt::format("   std. error x {:.2f}, y {:.2f}, z {:.2f} mm", probe.standardError->x,
                            probe.standardError->y, probe.standardError->z);
    return text;
}

std::string modalityText(const Session& session) {
    const std::string& used = session.figures.modality;
    if (used.empty())
        return {};
    const char* from = session.display.modality != "auto"          ? " (chosen)  "
                       : session.opened->sequence.modality.empty() ? " (by its values)  "
                                                                   : "  ";
    return displayRow("modality").title(used) + from;
}

std::string fileText(const Session& session) {
    const Sequence& sequence = session.opened->sequence;
    const Size3 size = sequence.geometry.size();
    return fmt::format("{}{}×{}×{}, {}", modalityText(session), size.x, size.y, size.z,
                       plural(sequence.frames, "frame"));
}

std::string spacingText(const Session& session) {
    const Vec3 spacing = session.opened->sequence.geometry.spacing();
    return fmt::format("{:.3g}×{:.3g}×{:.3g} mm", spacing.x, spacing.y, spacing.z);
}

std::string motionText(const Session& session) {
    if (!session.opened)
        return {};
    if (!session.estimation.message.empty())
        return session.estimation.message;
    if (!session.inPlace.empty())
        return session.inPlace;
    if (!session.motion.enabled)
        return "motion off";
    if (session.cycle.total > 0)
        return fmt::format("whole cycle: {} of {}", session.cycle.finished,
                           plural(session.cycle.total, "pair"));
    if (session.opened->sequence.frames < 2)
        return "one frame: no motion";
    if (isReference(session.motion, session.shownFrame))
        return "frame 0: motion begins here";
    if (!session.result)
        return "estimating motion …";
    if (session.result->fixedFrame == session.result->movingFrame) // given fields are since there
        return fmt::format("frame {}: motion begins here", session.result->fixedFrame);
    std::string text =
        fmt::format("motion {} → {}", session.result->fixedFrame, session.result->movingFrame);
    if (session.result->generation != session.estimation.generation)
        text += fmt::format(" ({})", earlierSettings(session.motion, session.resultChoice));
    else if (session.result->pictureFrame() != session.shownFrame)
        text += " (newest finished)";
    else if (session.result->window > 1)
        text += fmt::format(", smoothed over {} frames", session.result->window);
    return text;
}

/// The backend actually in use, if the chosen one failed.
std::string backendText(const Session& session, bool withReason) {
    const MotionChoice& motion = session.motion;
    const PipelineStatus& estimation = session.estimation;
    const bool fellBack = !estimation.fallback.empty();
    const std::string& why = fellBack ? estimation.fallback : motion.backendReason;
    return name(fellBack ? estimation.backend : motion.backend) +
           (why.empty() || !withReason ? "" : " (" + why + ")");
}

/// Sets the text only if it changed: a layout per frame would be expensive.
void setText(QLabel* label, const std::string& text) {
    if (const QString now = QString::fromStdString(text); label->text() != now)
        label->setText(now);
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
        narrow ? QStringLiteral("motion 000 → 000    ")
               : QStringLiteral("motion 000 → 000, smoothed over 00 frames    ")));
}

void StatusLine::show(const Session& session) {
    keepMotionWidth();
    setText(motion_, motionText(session));
    // A narrow bar has the reason and the size of a voxel in the tooltips only, rather than cut.
    const bool narrow = narrow_.value_or(false);
    setText(backend_, backendText(session, !narrow));
    backend_->setToolTip(
        QString::fromStdString("Backend in use, and why: " + backendText(session, true)));
    if (!session.opened) {
        setText(file_, "no file open: drop one here");
        setText(time_, {});
        return;
    }
    const Sequence& sequence = session.opened->sequence;
    const std::string spacing = spacingText(session);
    setText(file_, fileText(session) + (narrow ? "" : ", " + spacing));
    std::string notes = sequence.title() + " (" + sequence.format + ", " + sequence.voxelType +
                        ")\n" + fileText(session) + ", " + spacing;
    for (const std::string& note : sequence.notes)
        notes += "\n" + note;
    // Escaped, because Qt would interpret a tooltip that looks like markup.
    file_->setToolTip(QStringLiteral("<p style='white-space:pre-wrap'>%1</p>")
                          .arg(QString::fromStdString(notes).toHtmlEscaped()));
    std::string time =
        QString::fromStdString(sequence.frameOfReference).toHtmlEscaped().toStdString();
    const bool timeless = !sequence.timeKnown();
    time_->setToolTip(timeless ? QStringLiteral("Played at 25 frames per second until it is set")
                               : QString());
    if (timeless)
        time += " · time unknown: <a href='set' style='color:#7ab8f5'>set it</a>";
    else if (session.timeGivenByUser)
        time += " · frame time set by user";
    if (session.figures.modality.empty())
        time += " · modality: <a href='modality' style='color:#7ab8f5'>choose</a>";
    setText(time_, time);
}

void StatusLine::showProbe(const std::optional<Probe>& probe) {
    setText(probe_, probe ? probeText(*probe) : std::string());
    // Labels that don't fit next to the value under the pointer are hidden while it is shown.
    const int room = probe_->parentWidget()->width() - probe_->sizeHint().width() -
                     time_->sizeHint().width() - margins;
    const int motion = motion_->minimumWidth();
    file_->setVisible(!probe ||
                      motion + file_->sizeHint().width() + backend_->sizeHint().width() <= room);
    motion_->setVisible(!probe || motion <= room);
}

} // namespace systole
