// The lessons: a list, the page of the selected lesson, and a button for its experiment.
#pragma once

#include "app/window/pages_window.h"

#include <functional>

class QLabel;
class QPushButton;

namespace systole {

struct Lesson;
class Tools;

class LessonsWindow : public PagesWindow {
public:
    /// `run` asks the laboratory a lesson's question.
    explicit LessonsWindow(std::function<void(const Lesson&)> run);

    /// Both in screen coordinates: if this window covers the experiment, its plots or the panels,
    /// it moves into the area above the plots and shrinks to fit. False: not enough room, nothing
    /// changed.
    bool leaveInSight(const QRegion& experiment, const QRect& above);

    /// Selects this lesson.
    void open(int number);
    int number() const; ///< number of the selected lesson
    /// Shows the state or result of the lesson's experiment.
    void showAnswer(const Tools& tools);

    QPushButton& runButton() { return *run_; }
    QLabel& answer() { return *answer_; }

protected:
    void pageShown() override;

private:
    std::function<void(const Lesson&)> runLesson_;
    QLabel* answer_;
    QPushButton* run_;
};

} // namespace systole
