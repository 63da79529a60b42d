// The lessons: a list, the page of the chosen one, and its experiment at one click.
#pragma once

#include <QDialog>

#include <functional>

class QLabel;
class QListWidget;
class QPushButton;
class QTextBrowser;

namespace systole {

struct LabSession;
struct Lesson;

class LessonsWindow : public QDialog {
public:
    /// `run` puts a lesson's question to the laboratory. A window of its own, so that the curves
    /// can lie before it; the program doesn't stay for it.
    explicit LessonsWindow(std::function<void(const Lesson&)> run);

    /// Beside the other window where the screen has room, narrower if need be; never larger than
    /// the screen.
    void placeBeside(const QWidget& other);
    /// Both places on the screen: where it lies over the curves, it goes into the room above them
    /// and shrinks to fit. False: there is no room, it lies where it lay.
    bool leaveInSight(const QRect& curves, const QRect& above);

    /// The page of this lesson, as if it had been chosen in the list.
    void open(int number);
    int number() const; ///< of the lesson that is open
    /// What came of the lesson's experiment.
    void showAnswer(const LabSession& lab);

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
