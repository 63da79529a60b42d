#include "app/window/lesson_runs.h"

#include "app/base/lessons.h"
#include "app/feature/sources.h"
#include "app/feature/tools.h"
#include "app/window/viewport.h"

namespace systole {

LessonRuns::LessonRuns(QWidget& window, Tools& tools, ImGuiLayer& layer, Viewport& viewport,
                       std::function<void()> tick)
    : window_(window), tools_(tools), layer_(layer), viewport_(viewport), tick_(std::move(tick)) {}

void LessonRuns::show(int number) {
    if (!lessons_) {
        lessons_ = std::make_unique<LessonsWindow>([this](const Lesson& lesson) { run(lesson); });
        lessons_->placeBeside(window_);
    }
    if (number > 0)
        lessons_->open(number);
    lessons_->showAnswer(tools_);
    lessons_->show();
    lessons_->raise();
    lessons_->activateWindow();
}

void LessonRuns::follow() {
    if (lessons_)
        lessons_->showAnswer(tools_);
}

std::pair<QRegion, QRect> LessonRuns::experimentOnScreen() const {
    const int lower = layer_.occupiedHeight(viewport_.height());
    const int upper = viewport_.height() - lower;
    const int width = viewport_.width() - layer_.occupiedWidth();
    const QPoint corner = viewport_.mapToGlobal(QPoint(0, 0));
    const QRegion curves(QRect(corner + QPoint(0, upper), QSize(width, lower)));
    const QRect column(corner + QPoint(width, 0),
                       QSize(viewport_.width() - width, viewport_.height()));
    return {curves.united(column), QRect(corner, QSize(width, upper))};
}

void LessonRuns::run(const Lesson& lesson) {
    if (auto* const experiments = experimentsOf(lesson, tools_))
        experiments->run(lesson);
    tick_();
    uncoverExperiment();
}

/// The lesson's window leaves the experiment in sight, or is behind it.
void LessonRuns::uncoverExperiment() {
    if (!lessons_ || !lessons_->isVisible())
        return;
    const auto [experiment, above] = experimentOnScreen();
    if (lessons_->leaveInSight(experiment, above))
        return;
    window_.raise();
    window_.activateWindow();
}

} // namespace systole
