// The lessons: a list, the page of the selected lesson, and a button for its experiment.
#pragma once

#include "app/window/pages_window.h"

#include <functional>

class QLabel;
class QPushButton;
class QScrollArea;

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
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitAnswer();

    std::function<void(const Lesson&)> runLesson_;
    QLabel* answer_;
    QScrollArea* answerRoom_; ///< the answer scrolls where the page needs the height
    QPushButton* run_;
};

} // namespace systole
