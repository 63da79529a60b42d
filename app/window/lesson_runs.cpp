// The lessons' window, and the experiments that it starts in this one.
#include "app/base/lessons.h"
#include "app/feature/sources.h"
#include "app/window/window.h"

namespace systole {

void Window::showLessons(int number) {
    if (!lessons_) {
        lessons_ = std::make_unique<LessonsWindow>(
            [this](const Lesson& lesson) { runExperiment(lesson); });
        lessons_->placeBeside(*this);
    }
    if (number > 0)
        lessons_->open(number);
    lessons_->showAnswer(tools_);
    lessons_->show();
    lessons_->raise();
    lessons_->activateWindow();
}

std::pair<QRegion, QRect> Window::experimentOnScreen() const {
    const int lower = layer_.occupiedHeight(viewport_->height());
    const int upper = viewport_->height() - lower;
    const int width = viewport_->width() - layer_.occupiedWidth();
    const QPoint corner = viewport_->mapToGlobal(QPoint(0, 0));
    const QRegion curves(QRect(corner + QPoint(0, upper), QSize(width, lower)));
    const QRect column(corner + QPoint(width, 0),
                       QSize(viewport_->width() - width, viewport_->height()));
    return {curves.united(column), QRect(corner, QSize(width, upper))};
}

void Window::runExperiment(const Lesson& lesson) {
    if (auto* const experiments = experimentsOf(lesson, tools_))
        experiments->run(lesson);
    tick();
    uncoverExperiment();
}

/// The lesson's window leaves the experiment in sight, or is behind it.
void Window::uncoverExperiment() {
    if (!lessons_ || !lessons_->isVisible())
        return;
    const auto [experiment, above] = experimentOnScreen();
    if (lessons_->leaveInSight(experiment, above))
        return;
    raise();
    activateWindow();
}

} // namespace systole
