// The lessons: a list, the page of the selected lesson, and a button for its experiment.
#pragma once

#include <QDialog>

#include <functional>

class QLabel;
class QListWidget;
class QPushButton;
class QTextBrowser;

namespace systole {

struct Lesson;
struct Session;

class LessonsWindow : public QDialog {
public:
    /// `run` asks the laboratory a lesson's question. A separate window, so that the plots can be
    /// in front of it; it doesn't keep the program running.
    explicit LessonsWindow(std::function<void(const Lesson&)> run);

    /// Moves beside the other window if the screen has room, narrower if necessary; never larger
    /// than the screen.
    void placeBeside(const QWidget& other);
    /// Both in screen coordinates: if this window covers the curves, it moves into the area above
    /// and shrinks to fit. False: not enough room, nothing changed.
    bool leaveInSight(const QRect& curves, const QRect& above);

    /// Selects this lesson.
    void open(int number);
    int number() const; ///< number of the selected lesson
    /// Shows the state or result of the lesson's experiment.
    void showAnswer(const Session& session);

    QTextBrowser& page() { return *page_; }
    QPushButton& runButton() { return *run_; }
    QLabel& answer() { return *answer_; }

private:
    void showPage();

    std::function<void(const Lesson&)> runLesson_;
    QListWidget* list_;
    QTextBrowser* page_;
    QPushButton* run_;
    QLabel* answer_;
};

} // namespace systole
