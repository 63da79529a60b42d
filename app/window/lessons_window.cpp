#include "app/window/lessons_window.h"

#include "app/base/lessons.h"
#include "app/feature/sources.h"
#include "app/feature/tools.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::vector<PagesWindow::Page> lessonPages() {
    std::vector<PagesWindow::Page> pages;
    for (const Lesson& lesson : lessons())
        pages.push_back(
            {QStringLiteral("%1  %2").arg(lesson.number).arg(QString::fromStdString(lesson.title)),
             [&lesson] { return QString::fromStdString(lessonPath(lesson).string()); },
             QString::fromStdString(lesson.question)});
    return pages;
}

QString answerText(const Lesson& lesson, const Tools& tools) {
    const auto escaped = [](const std::string& text) {
        return QString::fromStdString(text).toHtmlEscaped();
    };
    const auto* const experiments = experimentsOf(lesson, tools);
    if (!experiments)
        return QStringLiteral("The experiment runs in a terminal: <code>%1</code>")
            .arg(escaped(lesson.command));
    const LessonExperiments::Answer answer = experiments->answer(lesson);
    QString text = escaped(answer.text);
    if (answer.fraction) {
        const QString running = QStringLiteral("Running the experiment: %1 %")
                                    .arg(static_cast<int>(100 * *answer.fraction));
        text = text.isEmpty() ? running : running + QStringLiteral("<br>") + text;
    }
    if (!answer.source.empty())
        text +=
            QStringLiteral("<br><span style='color:#9aa0aa'>%1</span>").arg(escaped(answer.source));
    return text;
}

} // namespace

LessonsWindow::LessonsWindow(std::function<void(const Lesson&)> run)
    : PagesWindow(QStringLiteral("Lessons"), lessonPages())
    , runLesson_(std::move(run))
    , answer_(new QLabel(this))
    , answerRoom_(new QScrollArea(this))
    , run_(new QPushButton(QStringLiteral("Run this experiment"), this)) {
    answer_->setWordWrap(true);
    answer_->setTextFormat(Qt::RichText);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    answerRoom_->setWidget(answer_);
    answerRoom_->setWidgetResizable(true);
    answerRoom_->setFrameShape(QFrame::NoFrame);
    answerRoom_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    run_->setToolTip(QStringLiteral("Run it in its panel and show its answer here"));
    run_->setDefault(true);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(pageMargin, 8, 16, 12);
    below->addWidget(answerRoom_, 1);
    below->addSpacing(16);
    below->addWidget(run_, 0, Qt::AlignVCenter);
    column().addLayout(below);
    connect(run_, &QPushButton::clicked, this, [this] { runLesson_(lesson(number())); });
    fitAnswer();
}

/// Its own height, but no more than a quarter of the window's.
void LessonsWindow::fitAnswer() {
    const int own = answer_->heightForWidth(answerRoom_->viewport()->width());
    answerRoom_->setFixedHeight(std::max(run_->sizeHint().height(), std::min(own, height() / 4)));
}

void LessonsWindow::resizeEvent(QResizeEvent* event) {
    PagesWindow::resizeEvent(event);
    fitAnswer();
}

bool LessonsWindow::leaveInSight(const QRegion& experiment, const QRect& above) {
    if (!experiment.intersects(frameGeometry()))
        return true;
    const QSize frame = frameGeometry().size() - size();
    const QSize room = above.size() - frame;
    if (room.width() < minWidth || room.height() < minHeight)
        return false;
    resize(size().boundedTo(room));
    move(above.topLeft());
    return true;
}

int LessonsWindow::number() const { return lessons()[current()].number; }

void LessonsWindow::open(int number) {
    for (std::size_t i = 0; i < lessons().size(); ++i)
        if (lessons()[i].number == number)
            choose(i);
}

void LessonsWindow::pageShown() {
    answer_->clear();
    run_->setEnabled(lesson(number()).command.empty());
}

void LessonsWindow::showAnswer(const Tools& tools) {
    const QString text = answerText(lesson(number()), tools);
    if (answer_->text() == text)
        return;
    answer_->setText(text);
    fitAnswer();
}

} // namespace systole
